#!/bin/sh
# Finds or installs the tools for the build and the program: cargo, a C compiler, the wasm target, the programs of PostgreSQL.
set -eu
. "$(dirname "$0")/packages.sh"

TARGET=wasm32-wasip2

have cargo || give_up "cargo is missing; install Rust with rustup and start again"
have cc || have gcc || have clang || give_up "a C compiler is missing; install gcc or clang and start again"

# The plugins that ship with patchbay are components for this target.
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$TARGET" ]; then
    have rustup || give_up "this Rust cannot build for $TARGET and there is no rustup; install rustup, or the $TARGET library of your distribution"
    say "adding the Rust target $TARGET"
    rustup target add "$TARGET" >&2 || give_up "could not add it; try: rustup target add $TARGET"
fi

# The places where patchbay looks (host/app/src/postgres/binaries.rs).
postgres_found() {
    for dir in ${PG_BIN_DIR:+"$PG_BIN_DIR"} /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/libexec/postgresql* \
        /usr/lib/postgresql*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
        if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
            return 0
        fi
    done
    have initdb && have postgres
}

# Debian's package would also start a server for the whole system, which is not needed.
install_postgres() {
    drop_in=/etc/postgresql-common/createcluster.d/patchbay.conf
    quiet=
    if have apt-get && [ ! -e /etc/postgresql-common/createcluster.conf ] && as_root mkdir -p "${drop_in%/*}"; then
        echo 'create_main_cluster = false' | as_root tee "$drop_in" >/dev/null && quiet=yes
    fi
    install "PostgreSQL" postgresql postgresql-server "postgresql postgresql-contrib" postgresql postgresql-server postgresql
    if [ -n "$quiet" ]; then
        as_root rm -f "$drop_in"
    fi
}

if [ -z "${PATCHBAY__DATABASE__URL:-}" ] && ! postgres_found; then
    install_postgres
    postgres_found || give_up "PostgreSQL was installed in no place that is known; set PG_BIN_DIR to the directory of initdb and start again"
fi

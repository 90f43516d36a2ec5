#!/bin/sh
# Runs the tests of the host and of the plugins, shows all output, and ends with one line that adds everything up.
# TIMES=50 lists the 50 slowest tests of the host before that line.
set -eu

log="$(mktemp)"
trap 'rm -f "$log" "$log".*' EXIT
status=0

# A first build keeps nothing for the next one: that would take longer than the build itself.
[ -d "$CARGO_TARGET_DIR/debug/incremental" ] || export CARGO_INCREMENTAL=0

# A pipe hides the status of its first command, so that travels in a file.
run() {
    { "$@" 2>&1 && echo 0 >"$log.status" || echo 1 >"$log.status"; } | tee -a "$log"
    [ "$(cat "$log.status")" = 0 ] || status=1
    rm -f "$log.status"
}

# The peers of the tests come from npm and PyPI while cargo compiles.
sh "$(dirname "$0")/test-peers.sh" peers &
peers=$!
peers_are_there() {
    wait "$peers" || exit 1
}

# Most tests wait half of their time: for a lease, a retry, a process. So the end-to-end tests (`it`) run at the same time as all
# others, and so do the short ones after them. Every call names the whole workspace, because another choice of packages has other
# features, and compiles the dependencies again.
run_all() {
    cargo test --workspace --no-run --tests --quiet || status=1
    peers_are_there
    [ "$status" = 0 ] || return 0
    cargo test --workspace --no-fail-fast --lib --bins --test '[!i]*' "$@" >"$log.others" 2>&1 &
    others=$!
    run cargo test --workspace --no-fail-fast --test it "$@"
    [ -n "${TIMES:-}" ] || run_short
    wait "$others" || status=1
    tee -a "$log" <"$log.others"
}

run_short() {
    # Without the examples, which only benchmarks run: `make check` compiles them, too.
    run cargo test --workspace --no-fail-fast --doc
    # The parts of plugins that are plain Rust have tests of their own, built for this machine.
    run cargo test --manifest-path plugins/Cargo.toml --target-dir "$CARGO_TARGET_DIR/plugin-tests" --no-fail-fast
}

if [ -n "${TIMES:-}" ]; then
    # Only nightly builds of the test harness show times, unless this variable is set. Cargo must not see it: it would compile everything again.
    host="$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')"
    export "CARGO_TARGET_${host}_RUNNER=env RUSTC_BOOTSTRAP=1"
    if [ $# = 0 ]; then
        run_all -- -Zunstable-options --report-time
    else
        peers_are_there
        run cargo test --no-fail-fast --tests "$@" -- -Zunstable-options --report-time
    fi
elif [ $# = 0 ]; then
    run_all
else
    peers_are_there
    run cargo test --no-fail-fast "$@"
fi

if [ -n "${TIMES:-}" ]; then
    echo "the $TIMES slowest tests, in seconds:"
    sed -nE 's/^test (.*) \.\.\. .* <([0-9.]+)s>$/| \2 | `\1` |/p' "$log" | sort -t'|' -k2,2 -rn | head -n "$TIMES"
fi

# The reasons of failures once more, because they are thousands of lines before the end.
sed -n '/^failures:$/,/^test result:/p' "$log" | grep -vE '^ +([0-9]+: |at )' | head -n 150 || :

awk '/^test result:/ {
    for (i = 2; i <= NF; i++) {
        if ($i == "passed;") passed += $(i - 1)
        if ($i == "failed;") failed += $(i - 1)
        if ($i == "ignored;") skipped += $(i - 1)
    }
}
END { printf "tests: %d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$log"
exit "$status"

#!/bin/sh
# Runs tests and prints the 50 slowest with their seconds: scripts/slow-tests.sh [OPTIONS OF cargo test], such as `--test it`.
# The times of tests are an unstable option of their runner. RUSTC_BOOTSTRAP allows it, and must not reach the compiler.
set -eu

cargo test --workspace --no-fail-fast --config "target.'cfg(all())'.runner = ['env', 'RUSTC_BOOTSTRAP=1']" "$@" -- \
    -Zunstable-options --report-time |
    sed -nE 's/^test (.*) \.\.\. ([a-zA-Z]+) <([0-9.]+)s>$/\3 \1 \2/p' |
    sort -rn | head -n 50

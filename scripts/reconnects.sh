#!/bin/sh
# Cuts eight readers of live events off ten thousand times while two nodes write: nothing missed, nothing twice
# (docs/rules/live-events.md). A few minutes on two cores. PATCHBAY_RECONNECTS=<n> for another number.
set -eu

cd "$(dirname "$0")/.."
PATCHBAY_RECONNECTS="${PATCHBAY_RECONNECTS:-10000}" cargo test --workspace --test live -- --nocapture \
    whoever_is_cut_off_all_the_time_misses_nothing_and_gets_nothing_twice

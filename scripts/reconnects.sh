#!/bin/sh
# Cuts eight readers of live events off ten thousand times while two nodes write: nothing missed, nothing twice
# (docs/rules/live-events.md). A few minutes on two cores. PATCHBAY_RECONNECTS=<n> for another number.
set -eu

cd "$(dirname "$0")/.."
PATCHBAY_RECONNECTS="${PATCHBAY_RECONNECTS:-10000}" cargo test --workspace --test live -- --nocapture \
    a_reader_that_is_cut_off_repeatedly_misses_no_event_and_gets_none_twice

#!/bin/sh
# Compares ten thousand generated histories of people with a model (docs/rules/identity.md), every tenth of them from the
# callback to the chat. A few minutes on two cores. IDENTITY_SEED=<seed> runs one of them alone.
set -eu

cd "$(dirname "$0")/.."
IDENTITY_LIVES="${IDENTITY_LIVES:-10000}" cargo test --workspace --test receiving -- --nocapture identity::

#!/bin/sh
# Lints and tests host/lite-native (docs/adr/0037-lite-devices-in-our-own-process.md) in a target directory of its own, so that
# other builds stay as they are.
set -eu

cd "$(dirname "$0")/.."
CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$(sh scripts/target-dir.sh)}/lite-native"
export CARGO_TARGET_DIR
# Nothing here is built twice in a row.
export CARGO_INCREMENTAL=0

cargo clippy --locked --package lite-native --features device --all-targets -- -D warnings
cargo clippy --locked --package app --features lite-native --lib -- -D warnings
cargo test --locked --package lite-native --features device

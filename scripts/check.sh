#!/bin/sh
# Formatting and lints, of the host and of the plugins; advisories and licences of their dependencies.
set -eu
. "$(dirname "$0")/packages.sh"

for component in fmt clippy; do
    cargo "$component" --version >/dev/null 2>&1 && continue
    name="$component"
    [ "$name" = fmt ] && name=rustfmt
    say "adding the Rust component $name"
    rustup component add "$name" >&2 || give_up "could not add it; try: rustup component add $name"
done

# This waits for downloads most of its time.
judgement="$(mktemp)"
trap 'rm -f "$judgement"' EXIT
sh "$(dirname "$0")/dependencies.sh" >"$judgement" 2>&1 &
judge=$!

cargo fmt --all --check
cargo fmt --all --check --manifest-path plugins/Cargo.toml
cargo clippy --workspace --all-targets -- -D warnings
cargo clippy --manifest-path plugins/Cargo.toml --target wasm32-wasip2 --target-dir "$CARGO_TARGET_DIR/plugin-lints" -- -D warnings

status=0
wait "$judge" || status=1
cat "$judgement"
exit "$status"

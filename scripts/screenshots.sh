#!/bin/sh
# Takes the screenshots of docs/console again, with a demo client that it fills. Needs Node.js, npm and Chromium. PATCHBAY_PROGRAM
# names another build of the program, PATCHBAY_PICTURES some of the pictures (`inbox,canary`).
set -eu
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$(sh scripts/target-dir.sh)}"
program="${PATCHBAY_PROGRAM:-}"
if [ -z "$program" ]; then
    cargo build --workspace --bin patchbay --target-dir "$target"
    program="$target/debug/patchbay"
fi
bot="${PATCHBAY_BOT:-}"
if [ -z "$bot" ]; then
    cargo build --release --manifest-path plugins/Cargo.toml --package default-chatbot --target wasm32-wasip2 \
        --target-dir "$target/plugins-of-screenshots"
    bot="$target/plugins-of-screenshots/wasm32-wasip2/release/default_chatbot.wasm"
fi
peers=tests/peers
driver=$(sh "$peers/browser/install.sh")
fonts=$(sh "$peers/screenshots/fonts.sh")
mkdir -p docs/console
node "$peers/screenshots/main.mjs" "$driver" "$fonts" "$program" "$bot" docs/console

#!/bin/sh
# Takes the screenshots of docs/console again, with a demo client that it fills and the present files of the console. Needs Node.js, npm
# and Chromium. Uses the program and the plugin that were compiled last; it compiles them if there are none, or with PATCHBAY_BUILD=1.
# PATCHBAY_PROGRAM and PATCHBAY_BOT name others, PATCHBAY_PICTURES some of the pictures (`inbox,canary`).
set -eu
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$(sh scripts/target-dir.sh)}"
own="$target/plugins-of-screenshots"
module=wasm32-wasip2/release/default_chatbot.wasm

# Prints the newest of some files, or nothing.
newest() {
    [ -n "${PATCHBAY_BUILD:-}" ] || ls -t "$@" 2>/dev/null | head -n 1
}

program="${PATCHBAY_PROGRAM:-$(newest "$target/release/patchbay" "$target/debug/patchbay")}"
if [ -z "$program" ]; then
    cargo build --workspace --bin patchbay --target-dir "$target"
    program="$target/debug/patchbay"
fi
bot="${PATCHBAY_BOT:-$(newest "$target/plugins/$module" "$own/$module")}"
if [ -z "$bot" ]; then
    cargo build --release --manifest-path plugins/Cargo.toml --package default-chatbot --target wasm32-wasip2 --target-dir "$own"
    bot="$own/$module"
fi
echo "program $program, plugin $bot" >&2
peers=tests/peers
driver=$(sh "$peers/browser/install.sh")
fonts=$(sh "$peers/screenshots/fonts.sh")
mkdir -p docs/console
node "$peers/screenshots/main.mjs" "$driver" "$fonts" "$program" "$bot" docs/console

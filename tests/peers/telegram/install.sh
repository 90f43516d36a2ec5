#!/bin/sh
# Installs the npm package `telegram-test-api` (the emulator that bots of Telegram are tested against) and prints its folder.
set -eu
here=$(dirname "$0")
cache=$(sh "$here/../../../scripts/peer.sh" "$here" "the emulator of the Bot API")
echo "$cache/node"

#!/bin/sh
# Installs the checker of types and prints the directory where it is. Stories use the browser of tests/peers/browser.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the checks of the console"

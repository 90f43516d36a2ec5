#!/bin/sh
# Installs the driver of a browser and a checker of accessibility, and prints the directory where they are. The browser itself
# is the system's (scripts/test-peers.sh).
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the browser tests"

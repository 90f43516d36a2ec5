#!/bin/sh
# Installs the clients that prove the simulator and prints the directory where they are.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the clients of the simulator"

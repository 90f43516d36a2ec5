#!/bin/sh
# Installs the npm package `smpp` (the SMSC that the SMPP adapter is tested against) and prints the folder it is in.
set -eu
here=$(dirname "$0")
cache=$(sh "$here/../../../scripts/peer.sh" "$here" "the SMSC of the tests")
echo "$cache/node"

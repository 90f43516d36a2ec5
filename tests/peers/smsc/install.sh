#!/bin/sh
# Installs the npm package `smpp` (the SMSC that the SMPP adapter is tested against) and prints the folder it is in.
here=$(dirname "$0")
exec sh "$here/../../../scripts/npm-peer.sh" "$here"

#!/bin/sh
# Installs the Python package `smpp34`, a second SMSC that the SMPP session is tested against, and prints the directory where it is.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the Python SMSC of the tests"

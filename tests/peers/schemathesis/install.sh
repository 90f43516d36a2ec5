#!/bin/sh
# Installs the program that tries the API out by its document and prints the directory where it is.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "schemathesis"

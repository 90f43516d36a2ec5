#!/bin/sh
# Installs the programs that make Python clients of an OpenAPI document and prints the directory where they are.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the generators of clients"

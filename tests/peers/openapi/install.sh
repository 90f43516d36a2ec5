#!/bin/sh
# Installs the linters of OpenAPI documents and prints the folder they are in.
set -eu
here=$(dirname "$0")
cache=$(sh "$here/../../../scripts/peer.sh" "$here" "the check of the OpenAPI document")
echo "$cache/node"

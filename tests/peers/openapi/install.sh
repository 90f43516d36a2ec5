#!/bin/sh
# Installs the linters of OpenAPI documents and prints the folder it is in.
here=$(dirname "$0")
exec sh "$here/../../../scripts/npm-peer.sh" "$here"

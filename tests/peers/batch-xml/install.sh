#!/bin/sh
# Installs a validator of XML schemas and prints the directory where it is.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the validator of XML schemas"

#!/bin/sh
# Installs an object store that speaks S3's protocol and prints the directory where it is.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the object store of the tests"

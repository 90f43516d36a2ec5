#!/bin/sh
# Installs a validator of Kubernetes manifests and prints the directory where it is.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the validator of manifests"

#!/bin/sh
# Installs the libraries that verify webhook signatures and prints the directory where they are.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the verification of webhooks"

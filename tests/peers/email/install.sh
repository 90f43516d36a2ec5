#!/bin/sh
# Installs a mail server that tests read and prints the directory where it is.
here=$(dirname "$0")
exec sh "$here/../../../scripts/peer.sh" "$here" "the mail server of the tests"

#!/bin/sh
# Installs the npm package `oidc-provider` (the login provider that OpenID Connect is tested against) and prints its folder.
set -eu
here=$(dirname "$0")
cache=$(sh "$here/../../../scripts/peer.sh" "$here" "the login provider of the tests")
echo "$cache/node"

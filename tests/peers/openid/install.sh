#!/bin/sh
# Installs the npm package `oidc-provider` (the login provider that OpenID Connect is tested against) and prints its folder.
here=$(dirname "$0")
exec sh "$here/../../../scripts/npm-peer.sh" "$here"

#!/bin/sh
# Installs the npm packages of one peer of the tests, and prints their folder: npm-peer.sh FOLDER. The peer has the name of
# the folder, which has a package.json.
# Safe to call at any time and from several tests at once: an installed version is left alone, and a new one is moved into
# place as a whole. PATCHBAY_PEERS names another cache.
set -eu

here=$(cd "$1" && pwd)
target="${PATCHBAY_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/patchbay/peers}/$(basename "$here")"
stamp="$target/.installed"

if [ -f "$stamp" ] && cmp -s "$here/package.json" "$stamp"; then
    echo "$target"
    exit 0
fi

command -v npm >/dev/null 2>&1 || {
    echo "npm is not installed: install Node.js 18 or newer with npm, then run this again" >&2
    exit 1
}

mkdir -p "$(dirname "$target")"
fresh=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
cp "$here/package.json" "$fresh/package.json"
(cd "$fresh" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error >&2)
cp "$here/package.json" "$fresh/.installed"

# Another run may have been faster; its result is as good.
rm -rf "$target"
mv "$fresh" "$target" 2>/dev/null || [ -f "$stamp" ]
trap - EXIT
rm -rf "$fresh"
echo "$target"

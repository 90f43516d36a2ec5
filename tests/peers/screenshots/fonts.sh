#!/bin/sh
# Installs the fonts of the screenshots into a cache directory, and prints that directory. The browser is that of tests/peers/browser.
# Does nothing when the manifest is the same as last time. PATCHBAY_PEERS names another cache.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${PATCHBAY_PEERS:-"${HOME:?set HOME or PATCHBAY_PEERS}/.cache/patchbay/peers"}/screenshots
stamp=$cache/stamp
wanted=$(cat "$here/package.json" "$here/fonts.sh" | sha256sum)

mkdir -p "$cache"
if command -v flock >/dev/null 2>&1; then
    exec 9>"$cache/lock"
    flock 9
fi

if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
    for tool in node npm; do
        command -v "$tool" >/dev/null 2>&1 || {
            echo "the screenshots need $tool: install it (Node 20 with npm)" >&2
            exit 1
        }
    done
    rm -rf "$cache/node" "$stamp"
    mkdir -p "$cache/node"
    cp "$here/package.json" "$cache/node/"
    npm install --prefix "$cache/node" --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error >&2
    echo "$wanted" >"$stamp"
fi
echo "$cache"

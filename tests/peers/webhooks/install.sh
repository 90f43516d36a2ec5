#!/bin/sh
# Installs the libraries that verify webhook signatures into a cache directory and prints that directory.
# Does nothing when the manifests are the same as last time. PATCHBAY_PEERS names another cache.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${PATCHBAY_PEERS:-"${HOME:?set HOME or PATCHBAY_PEERS}/.cache/patchbay/peers"}/webhooks
stamp=$cache/stamp
wanted=$(cat "$here/package.json" "$here/requirements.txt" "$here/install.sh" | sha256sum)

mkdir -p "$cache"
# Tests of several processes may come at once: one installs, the others wait.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$cache/lock"
    flock 9
fi

if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
    for tool in node npm python3; do
        command -v "$tool" >/dev/null 2>&1 || {
            echo "the peers of the webhooks need $tool: install it (Node 20 with npm, Python 3.11 with pip)" >&2
            exit 1
        }
    done
    rm -rf "$cache/node" "$cache/python" "$stamp"
    mkdir -p "$cache/node"
    cp "$here/package.json" "$cache/node/"
    npm install --prefix "$cache/node" --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error >&2
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$cache/python" \
        --requirement "$here/requirements.txt" >&2
    echo "$wanted" >"$stamp"
fi
echo "$cache"

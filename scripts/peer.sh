#!/bin/sh
# scripts/peer.sh FOLDER WHAT: installs the packages of FOLDER/package.json (npm) and FOLDER/requirements.txt (pip) into the
# folders node and python of a cache directory, and prints that directory. Does nothing when the lists of packages are the
# same as last time. PATCHBAY_PEERS names another cache.
set -eu

here=$(cd "$1" && pwd)
what=$2
installer=$(cd "$(dirname "$0")" && pwd)/peer.sh
cache=${PATCHBAY_PEERS:-"${HOME:?set HOME or PATCHBAY_PEERS}/.cache/patchbay/peers"}/$(basename "$here")
stamp=$cache/stamp
npm_list=$here/package.json
pip_list=$here/requirements.txt

need() {
    command -v "$1" >/dev/null 2>&1 || {
        echo "$what needs $1: install $2" >&2
        exit 1
    }
}

wanted=$(cat "$npm_list" "$pip_list" "$installer" 2>/dev/null | sha256sum)
mkdir -p "$cache"
# Tests of several processes may come at once: one installs, the others wait.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$cache/lock"
    flock 9
fi

if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
    rm -rf "$cache/node" "$cache/python" "$stamp"
    if [ -f "$npm_list" ]; then
        need node "Node.js 20 or newer"
        need npm "Node.js 20 or newer with npm"
        mkdir -p "$cache/node"
        cp "$npm_list" "$cache/node/"
        npm install --prefix "$cache/node" --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error >&2
    fi
    if [ -f "$pip_list" ]; then
        need python3 "Python 3.11 or newer with pip"
        python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$cache/python" \
            --requirement "$pip_list" >&2
    fi
    echo "$wanted" >"$stamp"
fi
echo "$cache"

#!/bin/sh
# scripts/python-peer.sh FOLDER WHAT: installs the Python packages of FOLDER/requirements.txt into a cache directory and prints
# that directory. Does nothing when the list of packages is the same as last time. PATCHBAY_PEERS names another cache.
set -eu

here=$(cd "$1" && pwd)
what=$2
installer=$(cd "$(dirname "$0")" && pwd)/python-peer.sh
cache=${PATCHBAY_PEERS:-"${HOME:?set HOME or PATCHBAY_PEERS}/.cache/patchbay/peers"}/$(basename "$here")
stamp=$cache/stamp
wanted=$(cat "$here/requirements.txt" "$installer" | sha256sum)

mkdir -p "$cache"
# Tests of several processes may come at once: one installs, the others wait.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$cache/lock"
    flock 9
fi

if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
    command -v python3 >/dev/null 2>&1 || {
        echo "$what needs python3: install it (Python 3.10 or newer with pip)" >&2
        exit 1
    }
    rm -rf "$cache/python" "$stamp"
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$cache/python" \
        --requirement "$here/requirements.txt" >&2
    echo "$wanted" >"$stamp"
fi
echo "$cache"

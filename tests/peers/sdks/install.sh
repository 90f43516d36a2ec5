#!/bin/sh
# Installs both SDKs of sdk/ as a client's developer does, into a cache directory, and prints that directory.
# Does nothing when the SDKs are the same as last time. PATCHBAY_PEERS names another cache.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
sdk=$(cd "$here/../../../sdk" && pwd)
cache=${PATCHBAY_PEERS:-"${HOME:?set HOME or PATCHBAY_PEERS}/.cache/patchbay/peers"}/sdks
stamp=$cache/stamp
files=$(cd "$sdk" && find . -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -name '*.pyc' | LC_ALL=C sort)
wanted=$(cd "$sdk" && echo "$files" | xargs cat "$here/requirements.txt" "$here/install.sh" | sha256sum)

mkdir -p "$cache"
# Tests of several processes may come at once: one installs, the others wait.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$cache/lock"
    flock 9
fi

if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
    for tool in node npm python3; do
        command -v "$tool" >/dev/null 2>&1 || {
            echo "the tests of the SDKs need $tool: install it (Node 20 with npm, Python 3.11 with pip)" >&2
            exit 1
        }
    done
    rm -rf "$cache/sdk" "$cache/node" "$cache/python" "$stamp"
    # A build writes into its folder, which must not be the working copy.
    mkdir -p "$cache/sdk" "$cache/node"
    (cd "$sdk" && echo "$files" | tar cf - -T -) | (cd "$cache/sdk" && tar xf -)
    cd "$cache/node"
    echo '{"private": true, "type": "module"}' >package.json
    npm install --no-package-lock --no-audit --no-fund --loglevel=error ../sdk/typescript ws@8.23.0 >&2
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$cache/python" \
        --requirement "$here/requirements.txt" "$cache/sdk/python" >&2
    # The tests belong to no package: they run next to the installed package.
    cp "$cache/sdk/typescript/test/"*.mjs "$cache/node/"
    echo "$wanted" >"$stamp"
fi
echo "$cache"

#!/bin/sh
# Installs the programs that tests talk to, written by others: tests/peers/requirements.txt into a Python environment,
# tests/peers/package.json into node_modules. Again only when those files change.
set -eu
. "$(dirname "$0")/packages.sh"

peers=tests/peers

# is_current MANIFEST STAMP: whether what is installed was installed from this manifest.
is_current() { [ -f "$2" ] && cmp -s "$1" "$2"; }

if [ -f "$peers/requirements.txt" ] && ! is_current "$peers/requirements.txt" "$peers/.venv/installed"; then
    if ! have python3 || ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
        install "Python" "python3 python3-venv python3-pip" "python3 python3-pip" "python3 py3-pip" "python python-pip" "python3 python3-pip" python
    fi
    say "installing the Python peers of the tests"
    rm -rf "$peers/.venv"
    python3 -m venv "$peers/.venv"
    "$peers/.venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$peers/requirements.txt" >&2
    cp "$peers/requirements.txt" "$peers/.venv/installed"
fi

if [ -f "$peers/package.json" ]; then
    manifest="$peers/package-lock.json"
    [ -f "$manifest" ] || manifest="$peers/package.json"
    if ! is_current "$manifest" "$peers/node_modules/.installed"; then
        have npm || install "Node.js" "nodejs npm" "nodejs npm" "nodejs npm" "nodejs npm" "nodejs npm" node
        say "installing the Node.js peers of the tests"
        command=install
        [ -f "$peers/package-lock.json" ] && command=ci
        (cd "$peers" && npm "$command" --no-audit --no-fund --loglevel=error >&2)
        cp "$manifest" "$peers/node_modules/.installed"
    fi
fi

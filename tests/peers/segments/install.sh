#!/bin/sh
# Puts the segmentation oracles (PyPI `smpplib` and `smsutil`) into a virtual environment and prints the folder it is in.
# Safe to call at any time and from several tests at once: an installed version is left alone, and a new one is moved into
# place as a whole.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target="${PATCHBAY_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/patchbay/peers}/segments"
stamp="$target/.installed"

if [ -f "$stamp" ] && cmp -s "$here/requirements.txt" "$stamp"; then
    echo "$target"
    exit 0
fi

command -v python3 >/dev/null 2>&1 || {
    echo "python3 is not installed: install Python 3.9 or newer with its venv module, then run this again" >&2
    exit 1
}

mkdir -p "$(dirname "$target")"
fresh=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
python3 -m venv "$fresh" >&2 || {
    echo "python3 cannot make a virtual environment: install its venv module (Debian: python3-venv), then run this again" >&2
    exit 1
}
"$fresh/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt" >&2
cp "$here/requirements.txt" "$fresh/.installed"

# Another run may have been faster; its result is as good.
rm -rf "$target"
mv "$fresh" "$target" 2>/dev/null || [ -f "$stamp" ]
trap - EXIT
rm -rf "$fresh"
echo "$target"

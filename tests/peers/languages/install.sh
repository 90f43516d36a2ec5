#!/bin/sh
# Installs the toolchains of the languages that plugins are written in, and prints the folder they are in. Safe to call at
# any time: existing toolchains are left alone.
set -eu

command -v python3 >/dev/null 2>&1 || {
    echo "python3 is not installed: install Python 3.10 or newer with pip, then run this again" >&2
    exit 1
}
exec python3 "$(dirname "$0")/install.py"

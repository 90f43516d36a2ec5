#!/bin/sh
# Prints where to build: a cache in the home directory, or ./target where there is no home or it cannot be written.
set -eu
cache="${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}"
if [ -n "$cache" ] && mkdir -p "$cache/patchbay/target" 2>/dev/null && [ -w "$cache/patchbay/target" ]; then
    echo "$cache/patchbay/target"
else
    echo "$PWD/target"
fi

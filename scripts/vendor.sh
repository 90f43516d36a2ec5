#!/bin/sh
# Makes console/vendor again from the packages of npm with the versions below, with their licences. Only the references to source maps are removed. The
# sums are checked, unless UPDATE=1 writes them, for a new version.
set -eu

packages="preact@11.2.0 @preact/signals@2.11.4 @preact/signals-core@1.14.5 htm@3.1.1"
# Path in the package, and name in console/vendor.
files="preact/dist/preact.mjs preact.js
preact/hooks/dist/hooks.mjs preact-hooks.js
preact/LICENSE preact.LICENSE
@preact/signals/dist/signals.mjs signals.js
@preact/signals-core/dist/signals-core.mjs signals-core.js
@preact/signals-core/LICENSE signals.LICENSE
htm/dist/htm.mjs htm.js
htm/preact/index.mjs htm-preact.js
htm/LICENSE htm.LICENSE"

here=$(cd "$(dirname "$0")/.." && pwd)
vendor=$here/console/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2086 # one argument per package
npm install --prefix "$work" --no-package-lock --no-save --no-audit --no-fund --ignore-scripts --loglevel=error $packages >&2
mkdir -p "$vendor"
echo "$files" | while read -r from to; do
    # The maps of the sources are not vendored.
    sed '/^\/\/# sourceMappingURL=/d' "$work/node_modules/$from" >"$vendor/$to"
done
cd "$vendor"
if [ -n "${UPDATE:-}" ]; then
    sha256sum -- *.js *.LICENSE >SHA256SUMS
else
    sha256sum --check --quiet SHA256SUMS
fi
echo "console/vendor has $(find . -name '*.js' | wc -l) files of $packages"

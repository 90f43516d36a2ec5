#!/bin/sh
# Makes the types of a document with openapi-typescript, compiles sends.ts with them and runs it:
# sends.sh NODE_MODULES DOCUMENT FOLDER. Standard input and output are those of sends.ts.
set -eu
modules=$1 document=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
ln -s "$modules" "$folder/node_modules"
cp "$here/sends.ts" "$folder/sends.ts"
echo '{"type": "module"}' >"$folder/package.json"
echo 'declare const process: { stdin: AsyncIterable<unknown> };' >"$folder/node.d.ts"
"$modules/.bin/openapi-typescript" "$document" -o "$folder/schema.ts" >&2
cd "$folder"
"$modules/.bin/tsc" --strict --skipLibCheck --target es2022 --lib es2022,dom,dom.iterable --module nodenext \
    node.d.ts sends.ts >&2
exec node sends.js

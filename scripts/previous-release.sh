#!/bin/sh
# Builds the program from which an upgrade starts, and prints its path: that of UPGRADE_FROM (a tag or commit), else of the newest
# tag, else of the newest commit of the main line that has fewer migrations. Its source and its build stay in the target directory.
# The exit status is 3 if this clone has no such commit.
set -eu
target="${CARGO_TARGET_DIR:-$(sh "$(dirname "$0")/target-dir.sh")}"
profile="${PROFILE:-dev}"

say() { echo "upgrade: $*" >&2; }

missing() {
    say "$*"
    say "a shallow clone lacks earlier commits: 'git fetch --unshallow --tags' gets them; UPGRADE_FROM names another one"
    exit 3
}

present() {
    for file in migrations/[0-9]*.sql; do
        echo "$(git hash-object "$file") $file"
    done
}

of_commit() { git ls-tree "$1" migrations/ | awk '$4 ~ /\.sql$/ { print $3, $4 }'; }

# Whether the migrations of a commit are the first ones of the present list, but not all.
has_fewer() {
    earlier="$(of_commit "$1")"
    count="$(echo "$earlier" | wc -l)"
    [ -n "$earlier" ] && [ "$earlier" != "$present" ] && [ "$(echo "$present" | head -n "$count")" = "$earlier" ]
}

if [ -n "${UPGRADE_FROM:-}" ]; then
    reference="$UPGRADE_FROM"
elif reference="$(git describe --tags --abbrev=0 HEAD^ 2>/dev/null)"; then
    :
else
    present="$(present)"
    reference=
    for candidate in $(git rev-list --first-parent HEAD); do
        if has_fewer "$candidate"; then
            reference="$candidate"
            break
        fi
    done
    [ -n "$reference" ] || missing "no commit of this clone has fewer migrations"
fi
commit="$(git rev-parse --verify --quiet "$reference^{commit}")" || missing "this clone has no commit $reference"

# A repository of its own: clones can share a target directory, and a checkout changes only the files that differ.
source="$target/upgrade/source"
[ -d "$source/.git" ] || git init --quiet "$source"
git -C "$source" fetch --quiet --depth 1 "$PWD" "$commit"
git -C "$source" checkout --quiet --force --detach FETCH_HEAD
say "building the program of $(git log -1 --format='%h (%s)' "$commit")"
(cd "$source" && CARGO_TARGET_DIR="$target/upgrade/target" cargo build --locked --profile "$profile" --bin patchbay >&2)
folder="$profile"
if [ "$profile" = dev ]; then folder=debug; fi
echo "$target/upgrade/target/$folder/patchbay"

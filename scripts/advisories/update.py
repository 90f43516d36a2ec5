#!/usr/bin/env python3
"""Writes snapshot.tsv from a clone of the advisory database: scripts/advisories/update.py PATH_OF_CLONE"""

import pathlib
import subprocess
import sys
import tomllib

COLUMNS = "id package date informational patched unaffected title"


def row(path):
    """One advisory; None for one that was withdrawn."""
    head, body = path.read_text().removeprefix("```toml\n").split("\n```\n", 1)
    document = tomllib.loads(head)
    advisory, versions = document["advisory"], document.get("versions", {})
    if "withdrawn" in advisory:
        return None
    title = next(line for line in body.splitlines() if line.startswith("# "))
    ranges = [" | ".join(versions.get(kind, [])) for kind in ("patched", "unaffected")]
    fields = [advisory["id"], advisory["package"], str(advisory["date"]), advisory.get("informational", ""), *ranges, title[2:]]
    return "\t".join(" ".join(field.split()) for field in fields)


def main():
    clone = pathlib.Path(sys.argv[1])
    told = subprocess.run(
        ["git", "-C", clone, "log", "-1", "--format=%cs %H"], check=True, capture_output=True, text=True
    )
    rows = filter(None, map(row, sorted(clone.glob("crates/*/RUSTSEC-*.md"))))
    snapshot = pathlib.Path(__file__).with_name("snapshot.tsv")
    lines = [f"# {told.stdout.strip()}", "# " + "\t".join(COLUMNS.split()), *rows]
    snapshot.write_text("\n".join(lines) + "\n")


main()

#!/usr/bin/env python3
"""Lays snapshot.tsv out as the advisory database does, one file per advisory: scripts/advisories/expand.py FOLDER"""

import json
import pathlib
import sys


def ranges(field):
    return json.dumps([one for one in field.split(" | ") if one])


def main():
    folder = pathlib.Path(sys.argv[1])
    snapshot = pathlib.Path(__file__).with_name("snapshot.tsv")
    for line in snapshot.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, package, date, informational, patched, unaffected, title = line.split("\t")
        head = ["```toml", "[advisory]", f'id = "{name}"', f'package = "{package}"', f'date = "{date}"']
        if informational:
            head.append(f'informational = "{informational}"')
        head += ["[versions]", f"patched = {ranges(patched)}", f"unaffected = {ranges(unaffected)}", "```", ""]
        file = folder / "crates" / package / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([*head, f"# {title}", ""]))


main()

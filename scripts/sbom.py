#!/usr/bin/env python3
"""Prints the parts of the program `patchbay` as a CycloneDX 1.5 document, made from `cargo metadata`."""

import json
import subprocess

ROOT = "app"


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def is_normal(dependency):
    return any(kind["kind"] is None for kind in dependency["dep_kinds"])


def reached(nodes, root):
    """The ids of all packages that the program is linked with."""
    seen, waiting = set(), [root]
    while waiting:
        package = waiting.pop()
        if package not in seen:
            seen.add(package)
            waiting += [one["pkg"] for one in nodes[package]["deps"] if is_normal(one)]
    return seen


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package):
    part = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package["license"]:
        part["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return part


def main():
    found = metadata()
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    root = next(one for one in found["workspace_members"] if packages[one]["name"] == ROOT)
    ids = sorted(reached(nodes, root), key=lambda one: reference(packages[one]))
    dependencies = [
        {
            "ref": reference(packages[one]),
            "dependsOn": sorted(reference(packages[dep["pkg"]]) for dep in nodes[one]["deps"] if is_normal(dep)),
        }
        for one in ids
    ]
    program = component(packages[root]) | {"type": "application", "name": "patchbay"}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": [component(packages[one]) for one in ids if one != root],
        "dependencies": dependencies,
    }
    print(json.dumps(document, indent=1))


main()

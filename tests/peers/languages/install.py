"""Puts the toolchains of the plugin languages where `patchbay plugin build` looks for them and would install them itself,
so that tests do not begin with a download. Which ones, and their versions, stand in host/author/src/build/toolchain.rs.
"""

import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).parents[3] / "host/author/src/build/toolchain.rs"
TOOLCHAIN = re.compile(
    r"Toolchain \{[^}]*?folder: \"(?P<folder>[^\"]+)\",\s*packages: &\[(?P<packages>[^\]]+)\],\s*registry: Registry::(?P<registry>\w+)"
)


def cache() -> pathlib.Path:
    if set_to := os.environ.get("PATCHBAY_TOOLCHAINS"):
        return pathlib.Path(set_to)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "patchbay/toolchains"


def install(folder: pathlib.Path, registry: str, packages: list[str]) -> None:
    unfinished = folder.with_name("." + folder.name)
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    print(f"setup: installing {' '.join(packages)} from {registry}", file=sys.stderr)
    if registry == "PyPi":
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--upgrade"]
        environment = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
        subprocess.run([*pip, "--target", unfinished, *packages], check=True, stdout=sys.stderr, env=environment)
    else:
        (unfinished / "package.json").write_text('{"private":true}')
        npm = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run([*npm, *packages], check=True, stdout=sys.stderr, cwd=unfinished)
    unfinished.rename(folder)


def main() -> None:
    toolchains = list(TOOLCHAIN.finditer(SOURCE.read_text()))
    if not toolchains:
        sys.exit(f"{SOURCE} names no toolchains")
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for toolchain in toolchains:
            folder = cache() / toolchain["folder"]
            if not folder.is_dir():
                install(folder, toolchain["registry"], re.findall(r'"([^"]+)"', toolchain["packages"]))
    print(cache())


main()

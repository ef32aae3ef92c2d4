"""Write requirements/ anew: every dependency pinned, with the hashes of all files of its release.

Usage: renew_requirements.py [PACKAGE...]     without packages, all pins move to the newest releases

Needs uv (``make requirements`` installs it). Pins hold for every platform and for Python from 3.11 on.
Releases of the last days are left out, since most malicious ones are found within them.
"""

import datetime
import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT / "requirements"
DAYS = 7
"""Age that a release must have."""

SHIPPED = ("plot",)
"""Extras that `make` installs."""
EXTRAS = (*SHIPPED, "notebook", "isal", "hatchet", "dask", "excel", "mcp")
WITH_SHIPPED = [f"--extra={extra}" for extra in SHIPPED]
FILES = {
    "runtime": ["pyproject.toml", *WITH_SHIPPED],
    "development": [
        "pyproject.toml",
        *WITH_SHIPPED,
        "--extra=test",
        "--extra=docs",
        "--constraints=requirements/runtime.txt",
    ],
    "build": ["requirements/build.in", "--constraints=requirements/development.txt"],
    "extras": ["pyproject.toml", *(f"--extra={extra}" for extra in EXTRAS)],
    "audit": ["requirements/audit.in"],
    "dist": ["requirements/dist.in", "--constraints=requirements/build.txt"],
    "lowest-runtime": [
        "pyproject.toml",
        *(f"--extra={extra}" for extra in EXTRAS if extra not in ("hatchet", "mcp", "notebook")),
        "--resolution=lowest-direct",
    ],
    "lowest": [
        "pyproject.toml",
        *WITH_SHIPPED,
        "--extra=test",
        "--extra=docs",
        "--constraints=requirements/lowest-runtime.txt",
        "--constraints=requirements/build.txt",
    ],
}
"""Arguments of uv by the name of the file that they make, each after those that it refers to.

`hatchet` brings pandas 2, so that `extras` has other versions than `runtime`. The oldest kernels of notebooks
are the user's affair. `mcp` brings a web server, which nothing else needs: it is in `extras` alone.
"""


def main() -> None:
    """Write all files."""
    packages = sys.argv[1:]
    upgrade = [f"--upgrade-package={package}" for package in packages] or ["--upgrade"]
    newest = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=DAYS)
    for name, arguments in FILES.items():
        target = f"requirements/{name}.txt"
        command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version=3.11"]
        command += ["--generate-hashes", "--no-annotate", f"--exclude-newer={newest:%Y-%m-%d}"]
        command += ["--no-strip-extras"]  # pip 23 looks for `name[extra]` anew where only `name` is pinned
        command += [*upgrade, *arguments, f"--output-file={target}"]
        environment = {**os.environ, "UV_CUSTOM_COMPILE_COMMAND": "make requirements"}
        print(f"writing {target}", file=sys.stderr)
        subprocess.run(command, cwd=PROJECT, check=True, env=environment)


if __name__ == "__main__":
    main()

"""Create the virtual environment and install the project into it, on a machine that has nothing but Python.

Usage: make_environment.py DIRECTORY [EXTRA...]

Debian splits ``ensurepip`` off into a package of its own. Where it is missing, pip is installed by the
system's pip, else from Debian's package (as root), else from the wheel of pip itself, fetched from the
package index.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
INDEX = "https://pypi.org/pypi/pip/json"


def main() -> None:
    """Make the environment named on the command line, with the extras named after it."""
    if sys.version_info < (3, 11):
        sys.exit(f"python {sys.version.split()[0]} is too old: set PYTHON to a Python of at least 3.11")
    directory, extras = Path(sys.argv[1]), sys.argv[2:]
    python = directory / "bin" / "python"
    if not has_pip(python):
        create(directory, python)
    project = f"{PROJECT}[{','.join(extras)}]" if extras else str(PROJECT)
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--editable",
        project,
    ]
    sys.exit(subprocess.run(install, check=False).returncode)


def has_pip(python: Path) -> bool:
    """Tell whether an environment is there and has pip."""
    command = [str(python), "-m", "pip", "--version"]
    return python.exists() and subprocess.run(command, capture_output=True, check=False).returncode == 0


def create(directory: Path, python: Path) -> None:
    """Create an environment with pip, by whichever way works here."""
    shutil.rmtree(directory, ignore_errors=True)
    for with_pip in (venv_with_ensurepip, venv_with_system_pip, venv_with_debian_package, venv_with_wheel):
        with_pip(directory, python)
        if has_pip(python):
            return
    sys.exit("pip could not be installed: install python3-venv and run again")


def venv_with_ensurepip(directory: Path, _: Path) -> None:
    """The normal way; fails where the system's Python has no ensurepip."""
    subprocess.run([sys.executable, "-m", "venv", str(directory)], capture_output=True, check=False)


def venv_with_system_pip(directory: Path, python: Path) -> None:
    """Let the system's pip install a pip into the environment."""
    venv.create(directory, with_pip=False, clear=True)
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "pip"]
    subprocess.run(command, capture_output=True, check=False)


def venv_with_debian_package(directory: Path, python: Path) -> None:
    """Install Debian's package; only root can."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing python3-venv", file=sys.stderr)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "python3-venv"]):
            subprocess.run(["apt-get", "--quiet", "--quiet", *arguments], env=environment, check=False)
        venv_with_ensurepip(directory, python)


def venv_with_wheel(directory: Path, python: Path) -> None:
    """Run pip out of its own wheel, which the index describes with its digest."""
    venv.create(directory, with_pip=False, clear=True)
    with urllib.request.urlopen(INDEX, timeout=60) as answer:
        files = json.load(answer)["urls"]
    wheel = next(file for file in files if file["packagetype"] == "bdist_wheel")
    with urllib.request.urlopen(wheel["url"], timeout=60) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != wheel["digests"]["sha256"]:
        sys.exit("the package index sent a damaged pip")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / wheel["filename"]
        path.write_bytes(content)
        subprocess.run([str(python), f"{path}/pip", "install", "--quiet", str(path)], check=False)


if __name__ == "__main__":
    main()

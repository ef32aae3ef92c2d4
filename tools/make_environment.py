"""Create the virtual environment and install the project into it, on a machine that has nothing but Python.

Usage: make_environment.py DIRECTORY [runtime|development|lowest|extras|audit]

What the project needs is installed from requirements/NAME.txt, pinned and with hashes, and then the project
itself without fetching anything more. An index that does not serve a pinned file, as some mirrors do, is not
a reason to fail: the newest releases within the bounds of pyproject.toml are installed instead, and that is
said. A file that is served but has another hash is always an error.

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
REQUIREMENTS = PROJECT / "requirements"
EXTRAS = {
    "runtime": "[plot]",
    "development": "[plot,test,docs]",
    "lowest": "[plot,test,docs]",
    "extras": "[all]",
}
INDEX = "https://pypi.org/pypi/pip/json"


def main() -> None:
    """Make the environment named on the command line, with the extras named after it."""
    if sys.version_info < (3, 11):
        sys.exit(f"python {sys.version.split()[0]} is too old: set PYTHON to a Python of at least 3.11")
    directory, name = Path(sys.argv[1]), (sys.argv[2:] or ["runtime"])[0]
    python = directory / "bin" / "python"
    if not has_pip(python):
        create(directory, python)
    sys.exit(install(python, name))


def install(python: Path, name: str) -> int:
    """Install pinned requirements and the project; return pip's exit status."""
    pinned = [f"--requirement={REQUIREMENTS / file}.txt" for file in dict.fromkeys(("build", name))]
    status, errors = pip_install(python, "--require-hashes", *pinned)
    if status == 0:
        return pip_install(python, "--no-deps", "--no-build-isolation", "--editable", str(PROJECT))[0]
    if not is_unavailable(errors):
        return status
    print(f"NOT PINNED: this package index lacks a file of requirements/{name}.txt (above);", file=sys.stderr)
    print("installing the newest releases that pyproject.toml allows, without hashes", file=sys.stderr)
    extras = EXTRAS.get(name, "")
    return pip_install(python, "--editable", f"{PROJECT}{extras}")[0]


def pip_install(python: Path, *arguments: str) -> tuple[int, str]:
    """Run ``pip install``, show its errors, and return its exit status and errors."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode, done.stderr


def is_unavailable(errors: str) -> bool:
    """Tell from pip's errors whether a pinned release is not served, rather than served with another hash."""
    lowered = errors.lower()
    return "no matching distribution found" in lowered and "hash" not in lowered


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

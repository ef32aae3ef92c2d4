"""Environments of their own for peers that need other versions of our dependencies."""

import subprocess
import venv
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"


def interpreter_with(name: str, *requirements: str) -> Path:
    """Return the interpreter of an environment, made with the requirements at the first call."""
    home = BUILD / name
    python = home / "bin" / "python"
    if not (home / ".installed").exists():
        venv.create(home, with_pip=True, clear=True)
        install: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *requirements], check=True, stderr=subprocess.DEVNULL)
        (home / ".installed").touch()
    return python

"""Hatchet in an environment of its own, since it needs an older pandas than ours."""

import subprocess
import venv
from pathlib import Path

VERSION = "2026.2.0"
REQUIREMENTS = (f"llnl-hatchet=={VERSION}", "caliper-reader==0.4.1")
HOME = Path(__file__).resolve().parents[2] / "build" / f"hatchet-{VERSION}"


def interpreter() -> Path:
    """Return the interpreter of the environment, making it and installing Hatchet at the first call."""
    python = HOME / "bin" / "python"
    if not (HOME / ".installed").exists():
        venv.create(HOME, with_pip=True, clear=True)
        install: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *REQUIREMENTS], check=True, stderr=subprocess.DEVNULL)
        (HOME / ".installed").touch()
    return python

"""What a result is made from: files, and versions of software. Reading results loads no readers for it."""

import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

_LIBRARIES = ("callpath-pipeline", "numpy", "pandas", "scipy", "scikit-learn", "pyarrow")

installed_version = cache(version)  # of a package; a lookup parses the package's metadata


@dataclass(frozen=True)
class InputFile:
    """A file that was read: its path, size in bytes and SHA-256 digest."""

    path: str
    size: int
    sha256: str


def software() -> dict[str, str]:
    """Return the versions of the software that computes results."""
    return {"python": platform.python_version(), **{name: installed_version(name) for name in _LIBRARIES}}

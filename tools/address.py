"""Where the project lives: one address, written wherever the former one stands.

Usage: address.py https://host/owner/name (``make address REPOSITORY=...``)
"""

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
UNKNOWN = "https://example.org/callpath-pipeline"
FILES = (
    ".github/ISSUE_TEMPLATE/config.yml",
    "CITATION.cff",
    "SUPPORT.md",
    "pyproject.toml",
    "recipes/Containerfile",
    "recipes/conda/meta.yaml",
    "recipes/easybuild/callpath-pipeline-0.1.0.eb",
    "recipes/lmod/0.1.0.lua",
    "recipes/spack/package.py",
)
"""Files that name the address."""
_STATED = re.compile(r'^repository-code: "?(?P<address>[^\s"]+)"?$', re.MULTILINE)
_ADDRESS = re.compile(r"https://[a-z0-9.-]+(/[\w.-]+)+", re.IGNORECASE | re.ASCII)


def write_address(address: str, project: Path = PROJECT) -> int:
    """Replace the address that CITATION.cff states in all files; return in how many it stood.

    Raises:
        ValueError: it is no address of a repository.
    """
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"{address!r} is no address such as https://host/owner/name")
    stated = _STATED.search((project / "CITATION.cff").read_text(encoding="utf-8"))
    if stated is None:
        raise ValueError("CITATION.cff states no repository-code")
    changed = 0
    for name in FILES:
        text = (project / name).read_text(encoding="utf-8")
        changed += stated["address"] in text
        (project / name).write_text(text.replace(stated["address"], address), encoding="utf-8")
    return changed


if __name__ == "__main__":
    try:
        print(f"written in {write_address(sys.argv[1])} files")
    except ValueError as error:
        sys.exit(str(error))

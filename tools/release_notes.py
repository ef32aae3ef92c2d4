"""What a tag releases: its section of the changes, if the tag is the version that pyproject.toml states.

Usage: release_notes.py v0.1.0

The version is stated in pyproject.toml alone. Taking it from the tag needs the history, which neither a
source archive nor the shallow clone of an action has.
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
_HEADING = re.compile(r"^## \[(?P<name>[^]]+)\](?P<date> - \d{4}-\d\d-\d\d)?\n", re.MULTILINE)
_NEXT = "Unreleased"


def sections(changes: str) -> dict[str, str]:
    """Return the sections of CHANGELOG.md by version; those of versions without a date are left out."""
    parts = list(_HEADING.finditer(changes))
    ends = [part.start() for part in parts[1:]] + [len(changes)]
    return {
        part["name"]: changes[part.end() : end].strip()
        for part, end in zip(parts, ends, strict=True)
        if part["date"] or part["name"] == _NEXT
    }


def release_notes(tag: str, project: Path = PROJECT) -> str:
    """Return the section of CHANGELOG.md for a tag.

    Args:
        tag: such as ``v0.1.0``.
        project: where pyproject.toml and CHANGELOG.md are.

    Raises:
        ValueError: the tag is not the version, the changes have no section for it, or some are in none.
    """
    version = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if tag != f"v{version}":
        raise ValueError(f"tag {tag}: pyproject.toml states {version}, whose tag is v{version}")
    found = sections((project / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not found.get(version):
        raise ValueError(f"CHANGELOG.md: no section '## [{version}] - YYYY-MM-DD' with what is new")
    if found.get(_NEXT):
        raise ValueError(f"CHANGELOG.md: {_NEXT} is not empty; give its changes the next version")
    return found[version] + "\n"


if __name__ == "__main__":
    try:
        sys.stdout.write(release_notes(sys.argv[1]))
    except ValueError as error:
        sys.exit(str(error))

"""Results of this program that lie among measurements: they are none, and hide none."""

from pathlib import Path

from ingest.errors import InputError
from ingest.reading.files import read_text
from ingest.reading.json_values import load_json

PROVENANCE = "run.json"


def is_result(directory: Path) -> bool:
    """Return whether a directory has what results have, whatever its state."""
    return (directory / PROVENANCE).is_file() and (directory / "summary.json").is_file()


def result_files(directory: Path) -> frozenset[str]:
    """Return the names of the files that are results in a directory; empty without any."""
    if not is_result(directory):
        return frozenset()
    try:
        content = load_json(read_text(directory / PROVENANCE), PROVENANCE)
    except InputError:
        content = None
    files = content.get("files") if isinstance(content, dict) else None
    return frozenset((PROVENANCE, *(files if isinstance(files, dict) else ())))

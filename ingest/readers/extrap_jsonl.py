"""Extra-P's JSON lines: ``{"params": {"p": 4}, "callpath": "main->f", "metric": "time", "value": 8.3}``."""

from pathlib import Path

from ingest.readers.json_lines import series_of_lines
from ingest.readers.textfile import head, read_text
from ingest.series import Series


def matches(path: Path) -> bool:
    """Return whether a file is called ``.jsonl`` or its first line has a member ``params``."""
    first = head(path).lstrip().partition(b"\n")[0]
    is_record = first.startswith(b"{") and b'"params"' in first
    return is_record or (path.is_file() and path.suffix.lower() == ".jsonl")


def read(path: Path) -> Series:
    """Read a file of JSON lines; a value may be a list of repetitions, callpath and metric may be missing.

    Raises:
        InputError: with the line, where it does not keep to the format.
    """
    return series_of_lines(read_text(path), str(path), "params")

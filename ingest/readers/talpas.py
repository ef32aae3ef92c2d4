"""The Talpas format: like JSON lines, with semicolons between the outer members of every record.

``{"parameters": {"p": 4}; "metric": "time"; "callpath": "main->f"; "value": 8.3}``
"""

import re
from pathlib import Path

from ingest.readers.json_lines import series_of_lines
from ingest.readers.textfile import head, read_text
from ingest.series import Series

# Only those before a member: Extra-P replaces all, also those within the names of call paths.
_SEPARATOR = re.compile(r';(?=\s*"(?:parameters|metric|callpath|value)"\s*:)')


def matches(path: Path) -> bool:
    """Return whether the first line separates its members by semicolons."""
    first = head(path).lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    return first.startswith("{") and '"parameters"' in first and _SEPARATOR.search(first) is not None


def read(path: Path) -> Series:
    """Read a file of Talpas records.

    Raises:
        InputError: with the line, where it does not keep to the format.
    """
    return series_of_lines(_SEPARATOR.sub(",", read_text(path)), str(path), "parameters")

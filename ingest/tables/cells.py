"""Times as people and programs write them in cells: ``00:20:30``, ``1-02:00:00``, ``1h 23m``, ``12.3s``."""

import math
import re

from ingest.reading.csv_files import NO_VALUE
from ingest.tables.headings import TIME_UNITS

_CLOCK = re.compile(
    r"(?:(?P<days>\d{1,6})(?:-|\s+days?,?\s+))?(?:(?P<hours>\d{1,9}):)?"
    r"(?P<minutes>\d{1,9}):(?P<seconds>\d{1,2}(?:[.,]\d+)?)"
)
_PART = re.compile(r"(\d+(?:[.,]\d+)?)\s*([^\W\d_]+)\.?\s*")
TWO_PARTS = re.compile(r"\s*\d{1,9}:\d{1,2}\s*")
"""What may be minutes and seconds, or hours and minutes."""


def number(text: str) -> float:
    """Return a number, NaN if there is none.

    Raises:
        ValueError: it is something else.
    """
    text = text.strip()
    if text in NO_VALUE:
        return math.nan
    if "_" in text:  # Python accepts 1_000
        raise ValueError(text)
    return float(text)


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        return not math.isnan(number(text))
    except ValueError:
        return False


def seconds_of(text: str, form: str = "") -> float:
    """Return the seconds of a time with colons or units; `form` says what two numbers with a colon are.

    Raises:
        ValueError: it is none.
    """
    if found := _CLOCK.fullmatch(text.strip()):
        days, hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in found.groups())
        scale = 60.0 if form in ("hh:mm", "h:mm") and TWO_PARTS.fullmatch(text) else 1.0
        return (((24 * days + hours) * 60 + minutes) * 60 + seconds) * scale
    units = {"m": 60.0, **TIME_UNITS}
    parts = [(value.replace(",", "."), unit.lower()) for value, unit in _PART.findall(text)]
    if not parts or _PART.sub("", text).strip() or not all(unit in units for _, unit in parts):
        raise ValueError(text)
    return sum(float(value) * units[unit] for value, unit in parts)

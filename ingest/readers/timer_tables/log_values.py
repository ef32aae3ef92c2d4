"""Numbers of logs, and rows as timers: what the descriptions share."""

import math
import re
from collections.abc import Sequence

from ingest.errors import InputError
from ingest.readers.timer_tables.timer_kind import Facts, Timer, TimerRow

_COUNT = re.compile(r"\s*[0-9]{1,15}\s*")
_DURATION = re.compile(r"(?:(\d+)\s*d)?\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m)?\s*(?:(\d*\.?\d+)\s*s)?")
_LARGEST = 1e15  # seconds, calls: more is damage


def number(text: str | None, what: str) -> float:
    """Return a number of a log.

    Raises:
        InputError: if it is missing, not a number, or too large to be meant.
    """
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        value = math.nan
    if not abs(value) < _LARGEST:
        shown = "is missing" if text is None else f"is not a number: '{text[:40]}'"
        raise InputError(f"{what} {shown}", hint="is the log truncated?")
    return value


def known(text: str | None) -> float | None:
    """Return a number of a log, None if it is missing or not one."""
    try:
        return number(text, "") if text else None
    except InputError:
        return None


def count(facts: Facts, name: str) -> int | None:
    """Return a stated count, None if there is none or it is zero."""
    text = facts.get(name, "")
    return int(text) or None if _COUNT.fullmatch(text) else None


def duration(text: str, what: str) -> float:
    """Return the seconds of a time such as ``1d 3h``, ``1h 2m``, ``2m 3.89s`` or ``49.50s``.

    Raises:
        InputError: if it is not a time.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        raise InputError(f"{what} is not a time: '{text.strip()[:40]}'", hint="is the log truncated?")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return number(str(((days * 24 + hours) * 60 + minutes) * 60 + seconds), what)


def timer(row: TimerRow, path: Sequence[str] = (), *, overlapping: bool = False) -> Timer:
    """Return the timer of a row with columns `seconds`, `calls`, `least` and `most`.

    Args:
        row: the row.
        path: its place; its name alone if not given.
        overlapping: whether it lies inside or around others.

    Raises:
        InputError: if its seconds are not a number.
    """
    return Timer(
        path=tuple(path) or (row.name,),
        seconds=number(row.values.get("seconds"), f"the time of '{row.name[:80]}'"),
        calls=known(row.values.get("calls")),
        least=known(row.values.get("least")),
        most=known(row.values.get("most")),
        overlapping=overlapping,
    )

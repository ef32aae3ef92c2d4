"""FDS's ``CHID_cpu.csv``: seconds of each MPI process by part of the program.

The header has ``Rank``, four letters per part (MAIN, DIVG, MASS, VELO, PRES ...) and ``Total T_USED (s)``;
then one row per rank. Parts are exclusive; what they miss of the total is the program's own.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, head_lines, read_text
from ingest.reading.stacks import PROGRAM, TIME_METRIC, Stacks, found_of

_LARGEST = 1e15
_ROUNDING = 1e-3  # relative, of values that are written with three or more digits

_PART = re.compile(r"[A-Z0-9_]{2,8}")
_TOTAL = re.compile(r"(?:Total )?T_USED(?: ?\(s\))?", re.IGNORECASE)


def matches(path: Path) -> bool:
    """Return whether the first line of a file is a header of FDS."""
    if b"Rank" not in head(path, READER.head_bytes):
        return False
    return bool(_parts(next(iter(head_lines(path, READER.head_bytes)), "")))


def _read(path: Path) -> Profile:
    """Read the parts of all ranks; what they miss of the total is the program's own."""
    parts, rows = _table(path)
    stacks = Stacks()
    found = stated = 0.0
    for number, (rank, values, total) in enumerate(rows):
        here = stacks.location(rank, 0)
        if len(stacks.locations) <= number:
            raise InputError(f"rank {rank} is there twice", where=str(path))
        for part, seconds in zip(parts, values, strict=True):
            stacks.of(TIME_METRIC)[here, stacks.callpaths.add([PROGRAM, part])] += seconds
        rest = total - sum(values)
        if rest < -_ROUNDING * total:
            raise InputError(f"rank {rank}: the parts exceed their total", where=str(path))
        stacks.of(TIME_METRIC)[here, stacks.callpaths.add([PROGRAM])] += (
            rest if rest > _ROUNDING * total else 0.0
        )
        found, stated = found + sum(values), stated + total
    reconciled = found_of("parts", found, stated, "s")
    return stacks.built(str(path)).profile("FDS", reconciled, sampled=False, paradigms={"COMM": "mpi"})


def _parts(header: str) -> list[str]:
    """Return the names of the parts in a header; none if it is another one."""
    rank, *parts, total = [name.strip() for name in header.split(",")] if header.count(",") > 2 else ["", ""]
    if rank != "Rank" or not _TOTAL.fullmatch(total) or not all(map(_PART.fullmatch, parts)):
        return []
    return parts


def _table(path: Path) -> tuple[list[str], list[tuple[int, Sequence[float], float]]]:
    """Return the names of the parts; rank, seconds of the parts and total of each row."""
    header, *lines = read_text(path, READER.max_bytes).split("\n")
    parts = _parts(header)
    rows: list[tuple[int, Sequence[float], float]] = []
    for number, line in enumerate(lines, start=2):
        if line.strip():
            try:
                rows.append(_row(line, len(parts)))
            except ValueError as error:
                raise InputError(f"line {number}: not the numbers of a rank", where=str(path)) from error
    if not rows:
        raise InputError("no rank in it", where=str(path), hint="was the run interrupted?")
    return parts, rows


def _row(line: str, parts: int) -> tuple[int, Sequence[float], float]:
    """Return rank, seconds of the parts and total; ValueError if these are other numbers."""
    first, *others = line.split(",")
    rank, (*values, total) = int(first), (float(cell) for cell in others) if others else (0.0,)
    least = -_ROUNDING * total  # MAIN is a difference
    if len(values) != parts or rank < 0 or not all(least <= value < _LARGEST for value in (*values, total)):
        raise ValueError("other numbers")
    return rank, [max(value, 0.0) for value in values], total


READER = ProfileReader(
    name="FDS",
    pattern="*_cpu.csv",
    matches=matches,
    read=_read,
    processes=lambda path: len(_table(path)[1]),
    fallback=3,
    max_bytes=1 << 27,
    head_bytes=1 << 12,
)

"""Defects that passed the tests once; each stays caught."""

from dataclasses import dataclass
from pathlib import Path

from tests.mutants.operators import Defect


@dataclass(frozen=True)
class Listed:
    """A defect by its text.

    Attributes:
        what: the defect in words.
        path: the file.
        old: text that occurs once in it.
        new: what replaces it.
    """

    what: str
    path: str
    old: str
    new: str


LISTED: tuple[Listed, ...] = ()


def listed_defects(root: Path) -> list[Defect]:
    """Return the listed defects.

    Raises:
        ValueError: a text does not occur exactly once in its file.
    """
    return [_defect(root, one) for one in LISTED]


def _defect(root: Path, one: Listed) -> Defect:
    source = (root / one.path).read_text(encoding="utf-8")
    if source.count(one.old) != 1:
        raise ValueError(f"{one.path}: {one.old!r} occurs {source.count(one.old)} times")
    before, _, _ = source.partition(one.old)
    first, column = _position(before)
    last, end = _position(before + one.old)
    return Defect(path=one.path, line=first, what=one.what, place=(first, column, last, end), text=one.new)


def _position(text: str) -> tuple[int, int]:
    """Line and column, in bytes, where a text ends."""
    lines = text.split("\n")
    return len(lines), len(lines[-1].encode())

"""Labels of tables and figures, set by comparing what the paper prints with what is ours."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from pipeline.projection.expressions.shipped_files import beside, find, shipped
from tools.gallery.asking import ROOT

EXACT = 1e-9  # relative: what is that near is read back, not computed from something that was rounded
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_COMMENT = re.compile(r"#.*")
_NAMED = re.compile(r'^(?:machine|reference) = "([\w.-]+)"', re.MULTILINE)


class Label(StrEnum):
    """How a table or figure compares with the paper's."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"
    INPUT = "input"


MEANING: Mapping[Label, str] = {
    Label.AGREES: "computed; every value is the printed one, to the digits printed",
    Label.DIFFERS: "computed; at least one value is another than the printed one, and a sentence says why",
    Label.NOT_COMPARABLE: "inputs were not published, so that data of our own stand in; or no number is "
    "printed",
    Label.INPUT: "our input file beside the paper: nothing is computed",
}


class Beside(NamedTuple):
    """A value as the paper prints it, digits and all, and ours: a number, or a name in one of our files."""

    published: str
    ours: float | str

    @property
    def shown(self) -> str:
        """Ours with as many decimals as the paper prints."""
        if isinstance(self.ours, str):
            return self.ours
        return f"{self.ours:.{len(self.published.partition('.')[2])}f}"

    @property
    def agrees(self) -> bool:
        """Whether the value is the printed one, to half a unit of the last digit printed."""
        return isinstance(self.ours, str) or Decimal(self.shown) == Decimal(self.published)

    @property
    def off(self) -> float:
        """By what fraction of the printed value ours is off."""
        return float(self.ours) / float(self.published) - 1.0


def compared(
    heads: Sequence[str], rows: Sequence[Sequence[object]], commands: Sequence[str], *, stand_in: bool
) -> tuple[Label, str]:
    """Return the label of a table, and what it rests on: how many values, and which is off most.

    Args:
        heads: of the columns.
        rows: cells, of which those that are `Beside` are compared; the first cell names a row.
        commands: that compute the table; what is a number of their files already is an input.
        stand_in: whether data of our own are in the place of the paper's.
    """
    pairs = {
        f"{heads[0]} {row[0]}, {head}".strip(): cell
        for row in rows
        for head, cell in zip(heads, row, strict=True)
        if isinstance(cell, Beside)
    }
    if stand_in or not pairs:
        return Label.NOT_COMPARABLE, "data of our own stand in" if stand_in else "the paper prints no number"
    wrong = {name: pair for name, pair in pairs.items() if not pair.agrees}
    if not wrong:
        if all(isinstance(pair.ours, str) for pair in pairs.values()):
            return Label.INPUT, "names in our file"
        read = all(abs(pair.off) < EXACT for pair in pairs.values() if not isinstance(pair.ours, str))
        if read and {_digits(pair.published) for pair in pairs.values()} <= set(_given(commands)):
            return Label.INPUT, f"{_count(pairs)} of our files"
        return Label.AGREES, f"{_count(pairs)} to the digits printed"
    name = max(wrong, key=lambda name: abs(wrong[name].off))
    pair = wrong[name]
    worst = f"most in {name}: {pair.shown} for {pair.published} ({100 * pair.off:+.3g} %)"
    return Label.DIFFERS, f"{len(wrong)} of {_count(pairs)}, {worst}"


def _count(pairs: Mapping[str, Beside]) -> str:
    return f"{len(pairs)} value{'s' if len(pairs) > 1 else ''}"


def _given(commands: Sequence[str]) -> Iterator[str]:
    """Yield the digits of all numbers in the files that commands read."""
    for path in dict.fromkeys(path for command in commands for path in _files(command)):
        yield from map(_digits, _NUMBER.findall(_COMMENT.sub("", path.read_text())))


def _files(command: str) -> Iterator[Path]:
    """Yield the application files and machine files that a command reads."""
    if command == "machine list":
        yield from (find("machine", name) for name in shipped("machine"))
    for word in command.split():
        application = ROOT / word if word.endswith(".toml") else None
        if word in shipped("application"):
            application = find("application", word)
        if application:
            yield application
            named = _NAMED.findall(application.read_text())
            yield from (find("machine", beside(application, name)) for name in named)
        elif word in shipped("machine"):
            yield find("machine", word)


def _digits(number: str) -> str:
    """Return the digits of a number without its power of ten, since units of a file may be others."""
    return number.replace(".", "").strip("0") or "0"

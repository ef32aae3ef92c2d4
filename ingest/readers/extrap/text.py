"""Extra-P's text format: lines that begin with PARAMETER, POINTS, REGION, METRIC, DATA or ``#``.

The n-th DATA line after a REGION or METRIC line holds the repetitions at the n-th point.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import InputError
from ingest.readers import SeriesReader
from ingest.reading.files import head, read_text
from ingest.reading.packed import plain_name
from ingest.series import UNNAMED_CALLPATH, UNNAMED_METRIC, MeasuredSeries, SeriesBuilder

_KEYWORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA")

_KEYWORD = re.compile(r"\s*(\S*)\s*")
_POINT = re.compile(r"\(([^()]*)\)")
_WORD = re.compile(r"\S+")
_WORD_IN_POINT = re.compile(r"[^\s,]+")


def _matches(path: Path) -> bool:
    """Return whether a file begins with a keyword of the format, or has one early and is called ``.txt``."""
    lines = (line for line in head(path).splitlines() if line.strip() and not line.startswith(b"#"))
    words = [line.split()[0].decode("latin-1") for line in lines]
    named = plain_name(path).suffix.lower() == ".txt"
    return any(word in _KEYWORDS for word in (words if named else words[:1]))


def _read(path: Path) -> MeasuredSeries:
    """Read a text file. Points without a DATA line, and values ``nan``, count as not measured."""
    state = _State(source=str(path))
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        match = _KEYWORD.match(line)
        if match and match[1] and not match[1].startswith("#"):
            _take(
                state,
                _Line(
                    source=str(path), number=number, text=line.rstrip(), keyword=match[1], start=match.end()
                ),
            )
    if state.measured is None:
        raise InputError("it contains no DATA line", where=str(path))
    return state.measured.series(state.points)


@dataclass(kw_only=True)
class _State:
    source: str
    parameters: list[str] = field(default_factory=list)
    points: list[tuple[float, ...]] = field(default_factory=list)
    region: str = UNNAMED_CALLPATH
    metric: str = UNNAMED_METRIC
    data_lines: int = 0
    measured: SeriesBuilder | None = None


@dataclass(frozen=True, kw_only=True)
class _Line:
    source: str
    number: int
    text: str
    keyword: str
    start: int  # of what follows the keyword

    def error(self, what: str, hint: str = "") -> InputError:
        return InputError(f"line {self.number}: {what}", where=self.source, hint=hint)

    def number_in(self, word: re.Match[str]) -> float:
        try:
            return float(word[0].replace("_", "x"))  # Python accepts 1_000
        except ValueError:
            what = f"column {word.start() + 1}: '{word[0][:40]}' is not a number"
            raise self.error(what) from None


def _take(state: _State, line: _Line) -> None:
    rest = line.text[line.start :]
    if line.keyword not in _KEYWORDS:
        raise line.error(f"unknown keyword '{line.keyword[:40]}'", f"known keywords: {', '.join(_KEYWORDS)}")
    if not rest and line.keyword != "DATA":
        raise line.error(f"nothing after {line.keyword}")
    if line.keyword == "PARAMETER":
        _take_parameters(state, line, rest.split())
    elif line.keyword == "POINTS":
        state.points += _points(state, line)
    elif line.keyword == "DATA":
        _take_data(state, line)
    else:
        state.data_lines = 0
        if line.keyword == "REGION":
            state.region = rest
        else:
            state.metric = rest


def _take_parameters(state: _State, line: _Line, names: list[str]) -> None:
    if state.points:
        raise line.error("PARAMETER after POINTS")
    state.parameters += names
    if repeated := next((name for name, times in Counter(state.parameters).items() if times > 1), None):
        raise line.error(f"the parameter '{repeated}' is named twice")


def _points(state: _State, line: _Line) -> Iterator[tuple[float, ...]]:
    for words in _words_of_points(line):
        point = tuple(line.number_in(word) for word in words)
        if len(point) != len(state.parameters):
            raise line.error(
                f"a point of {len(point)} values, but {len(state.parameters)} parameters",
                "write PARAMETER lines first, and points as in: POINTS (4 10) (8 10)",
            )
        if not all(map(math.isfinite, point)):
            raise line.error("a parameter value is not a finite number")
        yield point


def _words_of_points(line: _Line) -> Iterator[list[re.Match[str]]]:
    """Yield the words of each point; without parentheses every word is a point."""
    if "(" not in line.text:
        yield from ([word] for word in _WORD.finditer(line.text, line.start))
        return
    if _POINT.sub("", line.text[line.start :]).strip():
        raise line.error("text outside of the parentheses")
    for point in _POINT.finditer(line.text, line.start):
        yield list(_WORD_IN_POINT.finditer(line.text, point.start(1), point.end(1)))


def _take_data(state: _State, line: _Line) -> None:
    if state.data_lines >= len(state.points):
        raise line.error(f"more DATA lines for '{state.region[:60]}' than the {len(state.points)} points")
    values = [line.number_in(word) for word in _WORD.finditer(line.text, line.start)]
    if state.measured is None:
        state.measured = SeriesBuilder(source=state.source, parameters=tuple(state.parameters))
    state.measured.add(state.region, state.metric, state.points[state.data_lines], values)
    state.data_lines += 1


READER = SeriesReader(name="Extra-P text", pattern="*.txt", matches=_matches, read=_read, precedence=3)

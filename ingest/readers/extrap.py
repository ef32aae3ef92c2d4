"""The formats of Extra-P: text, JSON in four variants, and the experiment files of Extra-P 4.

Text: lines that begin with PARAMETER, POINTS, REGION, METRIC, DATA or ``#``. The n-th DATA line after a
REGION or METRIC line holds the repetitions at the n-th point.

Experiment file (``.extra-p``): a zip archive with ``experiment.json`` and, if single values were kept,
``values/<n>.vals`` and ``values/<n>.indx``: a sequence of arrays in NumPy's own format, and the position of
each.

JSON document:
``{"parameters": ["p"], "measurements": {"main->f": {"time": [{"point": [4], "values": [8]}]}}}``,
before that tables ``parameters``, ``callpaths``, ``metrics``, ``coordinates`` and ``measurements`` that refer
to each other by ``id``. One object per line, the Talpas format with semicolons for some commas:
``{"params": {"p": 4}, "callpath": "main->f", "metric": "time", "value": 8.3}``
``{"parameters": {"p": 4}; "metric": "time"; "callpath": "main->f"; "value": 8.3}``
"""

import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.readers import SeriesReader
from ingest.reading.files import head, read_text
from ingest.reading.json_values import (
    JsonRecord,
    json_list,
    json_object,
    json_text,
    measured_values,
    parameter_values,
    parse_json,
    records_in,
)
from ingest.reading.packed import inflation_limit, open_regular, plain_name
from ingest.series import UNNAMED_CALLPATH, UNNAMED_METRIC, MeasuredSeries, SeriesBuilder

_MAX_QUOTED = 120  # characters of an error, which may quote the archive
_MAX_ARCHIVE_BYTES = 1 << 29
_CONTENT = "experiment.json"

_VALUES_MAGIC = b"Extra-P VALUES\0\0"
_INDEX_MAGIC = b"Extra-P INDEX\0\0\0"
_ARRAY_MAGIC = b"\x93NUMPY\x01\x00"
_ARRAY_HEADER = re.compile(  # as NumPy writes it; its own reader takes more, by way of Python's parser
    rb"\{'descr': '([<>|][fiu][1248])', 'fortran_order': (True|False), 'shape': \(([0-9 ,]{1,80})\), \}\s*"
)


def _read_archive(path: Path) -> MeasuredSeries:
    """Read the measurements of an experiment, not its models.

    If the experiment has no single values, the mean of every point is its only value.
    """
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            return _series(_Archive(archive, str(path)))
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, UnicodeError) as error:
        raise InputError(f"damaged archive: {str(error)[:_MAX_QUOTED]}", where=str(path)) from error


@dataclass(frozen=True)
class _Archive:
    file: zipfile.ZipFile
    source: str

    def error(self, what: str) -> InputError:
        return InputError(what, where=self.source)

    def member(self, name: str) -> bytes:
        try:
            info = self.file.getinfo(name)
        except KeyError:
            raise self.error(f"the archive contains no '{name}'") from None
        limit = inflation_limit(info.compress_size, _MAX_ARCHIVE_BYTES)
        if info.file_size > limit:
            raise self.error(f"'{name}' is larger than {limit >> 20} MiB")
        with self.file.open(name) as stream:
            return stream.read(info.file_size)


def _series(archive: _Archive) -> MeasuredSeries:
    where = archive.source
    try:
        text = archive.member(_CONTENT).decode("utf-8")
    except UnicodeDecodeError as error:
        raise archive.error(f"'{_CONTENT}' is not UTF-8 text") from error
    values, averaged = _Values(archive), list[str]()

    def repetitions(record: JsonRecord, what: str) -> list[float]:
        if record.content.get("values") is None:
            averaged.append(what)
            return measured_values(
                JsonRecord(record.content, "a measurement", where).value("mean"), "a mean", where
            )
        place = json_list(record.content["values"], "the position of values", where)
        if len(place) != 2 or any(type(number) is not int or number < 0 for number in place):
            raise InputError("the position of values should be two numbers", where=where)
        return values.read(place[0], place[1])

    series = _from_tree(JsonRecord.of(parse_json(text, where), _CONTENT, where), "coordinate", repetitions)
    notice = f"{len(averaged)} points have no single repetitions: their mean is used instead"
    return replace(series, notices=(notice, *series.notices)) if averaged else series


@dataclass
class _Values:
    """The single values, read from the archive chunk by chunk; one chunk is kept in memory."""

    archive: _Archive
    chunks: dict[int, tuple[bytes, IntArray]] = field(default_factory=dict)
    layouts: dict[bytes, tuple[np.dtype[np.generic], tuple[int, ...]]] = field(default_factory=dict)

    def read(self, chunk: int, number: int) -> list[float]:
        """Return the repetitions; if locations were stored separately, their mean per repetition."""
        data, starts = self._chunk(chunk)
        if number >= len(starts):
            raise self.archive.error(f"chunk {chunk} has no values {number}")
        array = self._array(data, int(starts[number]))
        return [float(value) for value in array.reshape(len(array), -1).mean(axis=1)]

    def _chunk(self, chunk: int) -> tuple[bytes, IntArray]:
        if chunk not in self.chunks:
            data, index = (self.archive.member(f"values/{chunk}.{end}") for end in ("vals", "indx"))
            start = len(_INDEX_MAGIC) + 8
            whole = len(index) >= start and len(index) % 8 == 0
            if not (whole and data.startswith(_VALUES_MAGIC) and index.startswith(_INDEX_MAGIC)):
                raise self.archive.error(f"the values of the chunk {chunk} are damaged")
            self.chunks.clear()
            self.chunks[chunk] = data, np.frombuffer(index[start:], dtype="<u8").astype(np.int64)
        return self.chunks[chunk]

    def _array(self, data: bytes, start: int) -> FloatArray:
        """Return an array in NumPy's format, version 1: magic, length of the header, header, numbers."""
        begin = start + len(_ARRAY_MAGIC) + 2
        length = int.from_bytes(data[begin - 2 : begin], "little")
        header = data[begin - 2 : begin + length]
        if start < 0 or data[start : begin - 2] != _ARRAY_MAGIC or len(header) < length + 2:
            raise self.archive.error("a stored array of values is damaged")
        if header not in self.layouts:
            self.layouts[header] = self._layout(header)
        dtype, shape = self.layouts[header]
        count, first = math.prod(shape), begin + length
        if not count or first + count * dtype.itemsize > len(data):
            raise self.archive.error("a stored array of values is empty or truncated")
        return np.frombuffer(data, dtype, count, first).astype(np.float64).reshape(shape)

    def _layout(self, header: bytes) -> tuple[np.dtype[np.generic], tuple[int, ...]]:
        match = _ARRAY_HEADER.fullmatch(header, 2)
        sizes = [size for size in match[3].split(b",") if size.strip()] if match else []
        if match is None or not all(map(bytes.isdigit, map(bytes.strip, sizes))) or not sizes:
            raise self.archive.error("a stored array of values is damaged, or not of numbers")
        if match[2] == b"True" and len(sizes) > 1:
            raise self.archive.error("an array of values is stored by columns")
        try:
            return np.dtype(match[1].decode()), tuple(map(int, sizes))
        except TypeError as error:
            raise self.archive.error(f"a stored array of values has the type {match[1]!r}") from error


_KEYWORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA")

_KEYWORD = re.compile(r"\s*(\S*)\s*")
_POINT = re.compile(r"\(([^()]*)\)")
_WORD = re.compile(r"\S+")
_WORD_IN_POINT = re.compile(r"[^\s,]+")


def _matches_text(path: Path) -> bool:
    """Return whether a file begins with a keyword of the format, or has one early and is called ``.txt``."""
    lines = (line for line in head(path).splitlines() if line.strip() and not line.startswith(b"#"))
    words = [line.split()[0].decode("latin-1") for line in lines]
    named = plain_name(path).suffix.lower() == ".txt"
    return any(word in _KEYWORDS for word in (words if named else words[:1]))


def _read_text_file(path: Path) -> MeasuredSeries:
    """Read a text file. Points without a DATA line, and values ``nan``, count as not measured."""
    state = _State(source=str(path))
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        match = _KEYWORD.match(line)
        if match and match[1] and not match[1].startswith("#"):
            _take_line(
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


def _take_line(state: _State, line: _Line) -> None:
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
        if state.data_lines >= len(state.points):
            raise line.error(f"more DATA lines for '{state.region[:60]}' than the {len(state.points)} points")
        values = [line.number_in(word) for word in _WORD.finditer(line.text, line.start)]
        if state.measured is None:
            state.measured = SeriesBuilder(source=state.source, parameters=tuple(state.parameters))
        state.measured.add(state.region, state.metric, state.points[state.data_lines], values)
        state.data_lines += 1
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


_LINES_AT_ONCE = 4096

_KEYS = (b'"parameters"', b'"measurements"', b'"callpaths"', b'"coordinates"')  # one is early in a document

# Only those before a member: Extra-P replaces all, also those within the names of call paths.
_SEPARATOR = re.compile(r';(?=\s*"(?:parameters|metric|callpath|value)"\s*:)')

_T = TypeVar("_T")


def _matches(path: Path) -> bool:
    """Return whether a file begins as an object whose keys may be those of the format."""
    start = head(path).lstrip()
    return start.startswith(b"{") and any(key in start for key in _KEYS)


def _read(path: Path) -> MeasuredSeries:
    """Read a document of either variant."""
    content = JsonRecord.of(parse_json(read_text(path), str(path)), "the file", str(path))
    if "callpaths" in content.content:
        return _from_tables(content)
    return _from_tree(
        content, "point", lambda record, what: measured_values(record.value("values"), what, record.where)
    )


def _from_tree(
    content: JsonRecord, point: str, values_of: Callable[[JsonRecord, str], Sequence[float]]
) -> MeasuredSeries:
    """Read measurements by call path and metric; `point` names the member with the coordinates of a point.

    `values_of` returns the repetitions of an entry, given what they are, for messages.
    """
    where, names = content.where, content.texts("parameters", "a parameter")
    measured = SeriesBuilder(source=where, parameters=tuple(names))
    for callpath, metrics in content.record("measurements").content.items():
        for metric, entries in JsonRecord.of(metrics, f"'{callpath}'", where).content.items():
            what = f"'{metric}' of '{callpath}'"
            of_point, of_value = f"the {point} of {what}", f"a value of {what}"
            for record in records_in(entries, what, where):
                given = record.value(point)
                coordinates = given if isinstance(given, list) else [given]
                if len(coordinates) != len(names):
                    found = f"{len(coordinates)} values, but {len(names)} parameters"
                    raise InputError(f"a point of {what} has {found}", where=where)
                at = parameter_values(coordinates, of_point, where)
                measured.add(callpath, metric, at, values_of(record, of_value))
    return measured.series()


def _from_tables(content: JsonRecord) -> MeasuredSeries:
    parameters, callpaths, metrics = (
        _names(content, table) for table in ("parameters", "callpaths", "metrics")
    )
    points = _coordinates(content, tuple(parameters))
    measured = SeriesBuilder(source=content.where, parameters=tuple(parameters.values()))
    for record in content.records("measurements"):
        measured.add(
            _referred(record, "callpath_id", callpaths),
            _referred(record, "metric_id", metrics),
            _referred(record, "coordinate_id", points),
            measured_values(record.value("value"), "a measured value", content.where),
        )
    return measured.series(points.values())


def _identity(record: JsonRecord, key: str) -> int:
    value = record.value(key)
    if type(value) is not int:
        raise InputError(f"'{key}' should be a whole number", where=record.where)
    return value


def _names(content: JsonRecord, table: str) -> dict[int, str]:
    rows = content.records(table)
    return dict(
        sorted((_identity(row, "id"), json_text(row.value("name"), "a name", row.where)) for row in rows)
    )


def _coordinates(content: JsonRecord, parameters: tuple[int, ...]) -> dict[int, tuple[float, ...]]:
    points = {}
    for row in content.records("coordinates"):
        number = _identity(row, "id")
        what = f"the coordinate {number}"
        pairs = {
            _identity(pair, "parameter_id"): pair.value("parameter_value")
            for pair in row.records("parameter_value_pairs")
        }
        if set(pairs) != set(parameters):
            raise InputError(f"{what} does not give each parameter a value", where=content.where)
        points[number] = parameter_values([pairs[p] for p in parameters], what, content.where)
    return points


def _referred(record: JsonRecord, key: str, table: Mapping[int, _T]) -> _T:
    number = _identity(record, key)
    if number not in table:
        raise InputError(f"a measurement refers to {key} {number}, which is not defined", where=record.where)
    return table[number]


def _matches_lines(path: Path) -> bool:
    """Return whether a file is called ``.jsonl`` or its first line has a member ``params``."""
    first = _first_line(path)
    is_record = first.startswith("{") and '"params"' in first
    return is_record or (path.is_file() and plain_name(path).suffix.lower() == ".jsonl")


def _matches_talpas(path: Path) -> bool:
    """Return whether the first line separates its members by semicolons."""
    first = _first_line(path)
    return first.startswith("{") and '"parameters"' in first and _SEPARATOR.search(first) is not None


def _first_line(path: Path) -> str:
    return head(path).lstrip().partition(b"\n")[0].decode("utf-8", "replace")


def _from_lines(path: Path, parameters_key: str, comma: re.Pattern[str] = re.compile(",")) -> MeasuredSeries:
    """Read records with parameters, call path, metric and value; callpath and metric may be missing.

    `comma` is what stands for the commas between members.
    """
    text, where = comma.sub(",", read_text(path)), str(path)
    measured: SeriesBuilder | None = None
    for number, content in _lines(text, where):
        try:
            record = JsonRecord.of(content, "the record", "")
            given = json_object(record.value(parameters_key), f"'{parameters_key}'", "")
            if measured is None:
                measured = SeriesBuilder(source=where, parameters=tuple(given))
            names = measured.parameters
            if given.keys() != set(names):
                here, first = ", ".join(given) or "none", ", ".join(names) or "none"
                raise InputError(f"parameters {here}, but the first line has {first}")
            measured.add(
                json_text(record.content.get("callpath", UNNAMED_CALLPATH), "'callpath'", ""),
                json_text(record.content.get("metric", UNNAMED_METRIC), "'metric'", ""),
                parameter_values([given[name] for name in names], "the parameters", ""),
                measured_values(record.value("value"), "'value'", ""),
            )
        except InputError as error:
            raise InputError(error.what, where=f"{where}: line {number}", hint=error.hint) from error
    if measured is None:
        raise InputError("it contains no record", where=where)
    return measured.series()


def _lines(text: str, where: str) -> Iterator[tuple[int, object]]:
    """Yield what the lines hold, with their numbers.

    Many lines are parsed as one list, which is faster; only if that fails they are parsed one by one, to find
    the wrong one.
    """
    numbered = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    while block := list(islice(numbered, _LINES_AT_ONCE)):
        try:
            records = parse_json(f"[{','.join(line for _, line in block)}]", where)
        except InputError:
            records = []
        if len(records) != len(block):
            records = [parse_json(line, where, number) for number, line in block]
        for (number, _), record in zip(block, records, strict=True):
            yield number, record


READERS = (
    SeriesReader(
        name="Talpas",
        pattern="*.txt",
        matches=_matches_talpas,
        read=lambda path: _from_lines(path, "parameters", _SEPARATOR),
    ),
    SeriesReader(
        name="Extra-P JSON lines",
        pattern="*.jsonl",
        matches=_matches_lines,
        read=lambda path: _from_lines(path, "params"),
        precedence=1,
    ),
    SeriesReader(name="Extra-P JSON", pattern="*.json", matches=_matches, read=_read, precedence=2),
    SeriesReader(
        name="Extra-P text", pattern="*.txt", matches=_matches_text, read=_read_text_file, precedence=3
    ),
    SeriesReader(
        name="Extra-P experiment",
        pattern="*.extra-p",
        matches=lambda path: path.suffix.lower() == ".extra-p" and head(path).startswith(b"PK"),
        read=_read_archive,
        max_bytes=_MAX_ARCHIVE_BYTES,
    ),
)

"""Extra-P's formats in JSON: one document in two variants, JSON lines, and Talpas.

Document: ``{"parameters": ["p"], "measurements": {"main->f": {"time": [{"point": [4], "values": [8]}]}}}``,
before that tables ``parameters``, ``callpaths``, ``metrics``, ``coordinates`` and ``measurements`` that refer
to each other by ``id``. One object per line, the Talpas format with semicolons for some commas:
``{"params": {"p": 4}, "callpath": "main->f", "metric": "time", "value": 8.3}``
``{"parameters": {"p": 4}; "metric": "time"; "callpath": "main->f"; "value": 8.3}``
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from ingest.errors import InputError
from ingest.readers import SeriesReader
from ingest.reading.files import head, read_text
from ingest.reading.json_values import (
    JsonRecord,
    json_object,
    json_text,
    measured_values,
    parameter_values,
    parse_json,
    records_in,
)
from ingest.reading.packed import plain_name
from ingest.series import UNNAMED_CALLPATH, UNNAMED_METRIC, MeasuredSeries, SeriesBuilder

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
    return from_tree(
        content, "point", lambda record, what: measured_values(record.value("values"), what, record.where)
    )


def from_tree(
    content: JsonRecord, point: str, values_of: Callable[[JsonRecord, str], Sequence[float]]
) -> MeasuredSeries:
    """Read measurements by call path and metric.

    Args:
        point: what the member with the coordinates of a point is called.
        values_of: returns the repetitions of an entry, given what they are, for messages.
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


def _read_lines(path: Path) -> MeasuredSeries:
    """Read a file of JSON lines; a value may be a list of repetitions, callpath and metric may be missing."""
    return _from_lines(read_text(path), str(path), "params")


def _matches_talpas(path: Path) -> bool:
    """Return whether the first line separates its members by semicolons."""
    first = _first_line(path)
    return first.startswith("{") and '"parameters"' in first and _SEPARATOR.search(first) is not None


def _read_talpas(path: Path) -> MeasuredSeries:
    """Read a file of Talpas records."""
    return _from_lines(_SEPARATOR.sub(",", read_text(path)), str(path), "parameters")


def _first_line(path: Path) -> str:
    return head(path).lstrip().partition(b"\n")[0].decode("utf-8", "replace")


def _from_lines(text: str, where: str, parameters_key: str) -> MeasuredSeries:
    """Read records with parameters, whose member the format calls as given, call path, metric and value."""
    measured: SeriesBuilder | None = None
    for number, content in _lines(text, where):
        try:
            record = JsonRecord.of(content, "the record", "")
            given = json_object(record.value(parameters_key), f"'{parameters_key}'", "")
            if measured is None:
                measured = SeriesBuilder(source=where, parameters=tuple(given))
            _take(record, given, measured)
        except InputError as error:
            raise InputError(error.what, where=f"{where}: line {number}", hint=error.hint) from error
    if measured is None:
        raise InputError("it contains no record", where=where)
    return measured.series()


def _take(record: JsonRecord, given: Mapping[str, Any], measured: SeriesBuilder) -> None:
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
    SeriesReader(name="Talpas", pattern="*.txt", matches=_matches_talpas, read=_read_talpas),
    SeriesReader(
        name="Extra-P JSON lines", pattern="*.jsonl", matches=_matches_lines, read=_read_lines, precedence=1
    ),
    SeriesReader(name="Extra-P JSON", pattern="*.json", matches=_matches, read=_read, precedence=2),
)

"""Extra-P's JSON format, in its two variants.

Now: ``{"parameters": ["p"], "measurements": {"main->f": {"time": [{"point": [4], "values": [8.3, 8.0]}]}}}``.
Before: tables ``parameters``, ``callpaths``, ``metrics``, ``coordinates`` and ``measurements`` that refer to
each other by ``id``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from ingest.errors import InputError
from ingest.formats import SeriesReader
from ingest.reading.json_values import (
    JsonObject,
    json_list,
    json_object,
    json_text,
    measured_values,
    member,
    parameter_values,
    parse_json,
)
from ingest.reading.textfile import head, read_text
from ingest.series import Series, SeriesBuilder

T = TypeVar("T")


def matches(path: Path) -> bool:
    """Return whether a file is called ``.json`` or begins with a brace."""
    return path.is_file() and (path.suffix.lower() == ".json" or head(path).lstrip().startswith(b"{"))


def read(path: Path) -> Series:
    """Read either variant.

    Raises:
        InputError: if the file is not JSON, or something is missing or of another type.
    """
    where = str(path)
    content = json_object(parse_json(read_text(path), where), "the file", where)
    return _from_tables(content, where) if "callpaths" in content else _from_tree(content, where)


def _from_tree(content: JsonObject, where: str) -> Series:
    names = json_list(member(content, "parameters", "the file", where), "'parameters'", where)
    measured = SeriesBuilder(
        source=where, parameters=tuple(json_text(name, "a parameter", where) for name in names)
    )
    callpaths = json_object(member(content, "measurements", "the file", where), "'measurements'", where)
    for callpath, metrics in callpaths.items():
        for metric, entries in json_object(metrics, f"'{callpath}'", where).items():
            what = f"'{metric}' of '{callpath}'"
            for entry in json_list(entries, what, where):
                record = json_object(entry, f"an entry of {what}", where)
                point = member(record, "point", what, where)
                coordinates = point if isinstance(point, list) else [point]
                if len(coordinates) != len(names):
                    raise InputError(
                        f"a point of {what} has {len(coordinates)} values, but {len(names)} parameters",
                        where=where,
                    )
                measured.add(
                    callpath,
                    metric,
                    parameter_values(coordinates, f"the point of {what}", where),
                    measured_values(member(record, "values", what, where), f"a value of {what}", where),
                )
    return measured.series()


def _from_tables(content: JsonObject, where: str) -> Series:
    parameters = _names(content, "parameters", where)
    callpaths, metrics = _names(content, "callpaths", where), _names(content, "metrics", where)
    points = _coordinates(content, tuple(parameters), where)
    measured = SeriesBuilder(source=where, parameters=tuple(parameters.values()))
    rows = json_list(member(content, "measurements", "the file", where), "'measurements'", where)
    for row in rows:
        record = json_object(row, "an entry of 'measurements'", where)
        measured.add(
            _referred(record, "callpath_id", callpaths, where),
            _referred(record, "metric_id", metrics, where),
            _referred(record, "coordinate_id", points, where),
            measured_values(member(record, "value", "a measurement", where), "a measured value", where),
        )
    return measured.series(points.values())


def _rows(content: JsonObject, table: str, where: str) -> list[JsonObject]:
    rows = json_list(member(content, table, "the file", where), f"'{table}'", where)
    return [json_object(row, f"an entry of '{table}'", where) for row in rows]


def _identity(record: JsonObject, key: str, where: str) -> int:
    value = member(record, key, "an entry", where)
    if type(value) is not int:
        raise InputError(f"'{key}' should be a whole number", where=where)
    return value


def _names(content: JsonObject, table: str, where: str) -> dict[int, str]:
    """Return the names of a table by id, in the order of the ids."""
    named = {
        _identity(row, "id", where): json_text(
            member(row, "name", f"an entry of '{table}'", where), "a name", where
        )
        for row in _rows(content, table, where)
    }
    return dict(sorted(named.items()))


def _coordinates(
    content: JsonObject, parameters: tuple[int, ...], where: str
) -> dict[int, tuple[float, ...]]:
    """Return the points by id, their values in the order of the parameters' ids."""
    points = {}
    for row in _rows(content, "coordinates", where):
        number = _identity(row, "id", where)
        what = f"the coordinate {number}"
        pairs = {
            _identity(pair, "parameter_id", where): member(pair, "parameter_value", what, where)
            for pair in _rows(row, "parameter_value_pairs", where)
        }
        if set(pairs) != set(parameters):
            raise InputError(f"{what} does not give each parameter a value", where=where)
        points[number] = parameter_values([pairs[p] for p in parameters], what, where)
    return points


def _referred(record: JsonObject, key: str, table: Mapping[int, T], where: str) -> T:
    number = _identity(record, key, where)
    if number not in table:
        raise InputError(f"a measurement refers to {key} {number}, which is not defined", where=where)
    return table[number]


READER = SeriesReader(name="Extra-P JSON", pattern="*.json", matches=matches, read=read, precedence=2)

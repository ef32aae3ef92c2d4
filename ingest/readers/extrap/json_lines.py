"""One JSON object per line: Extra-P's JSON lines, and the Talpas format with semicolons for some commas.

``{"params": {"p": 4}, "callpath": "main->f", "metric": "time", "value": 8.3}``
``{"parameters": {"p": 4}; "metric": "time"; "callpath": "main->f"; "value": 8.3}``
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ingest.errors import InputError
from ingest.formats import SeriesReader
from ingest.reading.json_values import (
    JsonObject,
    json_object,
    json_text,
    measured_values,
    member,
    parameter_values,
    parse_json,
)
from ingest.reading.textfile import head, read_text
from ingest.series import UNNAMED_CALLPATH, UNNAMED_METRIC, Series, SeriesBuilder

LINES_AT_ONCE = 4096

# Only those before a member: Extra-P replaces all, also those within the names of call paths.
_SEPARATOR = re.compile(r';(?=\s*"(?:parameters|metric|callpath|value)"\s*:)')


def matches(path: Path) -> bool:
    """Return whether a file is called ``.jsonl`` or its first line has a member ``params``."""
    first = _first_line(path)
    is_record = first.startswith("{") and '"params"' in first
    return is_record or (path.is_file() and path.suffix.lower() == ".jsonl")


def read(path: Path) -> Series:
    """Read a file of JSON lines; a value may be a list of repetitions, callpath and metric may be missing.

    Raises:
        InputError: with the line that does not keep to the format.
    """
    return _series(read_text(path), str(path), "params")


def matches_talpas(path: Path) -> bool:
    """Return whether the first line separates its members by semicolons."""
    first = _first_line(path)
    return first.startswith("{") and '"parameters"' in first and _SEPARATOR.search(first) is not None


def read_talpas(path: Path) -> Series:
    """Read a file of Talpas records.

    Raises:
        InputError: with the line that does not keep to the format.
    """
    return _series(_SEPARATOR.sub(",", read_text(path)), str(path), "parameters")


def _first_line(path: Path) -> str:
    return head(path).lstrip().partition(b"\n")[0].decode("utf-8", "replace")


def _series(text: str, where: str, parameters_key: str) -> Series:
    """Read records with parameters, call path, metric and value; the middle two may be missing.

    Args:
        text: one JSON object per line, possibly with blank lines.
        where: the file, for messages.
        parameters_key: what the format calls the member that holds the parameters.

    Raises:
        InputError: with the line, if it is not JSON or not of this form, or has other parameters than the
            first one.
    """
    measured: SeriesBuilder | None = None
    for number, record in _records(text, where):
        try:
            given = json_object(member(record, parameters_key, "the record", ""), f"'{parameters_key}'", "")
            if measured is None:
                measured = SeriesBuilder(source=where, parameters=tuple(given))
            _take(record, given, measured)
        except InputError as error:
            raise InputError(error.what, where=f"{where}: line {number}", hint=error.hint) from error
    if measured is None:
        raise InputError("it contains no record", where=where)
    return measured.series()


def _take(record: JsonObject, given: JsonObject, measured: SeriesBuilder) -> None:
    names = measured.parameters
    if given.keys() != set(names):
        here, first = ", ".join(given) or "none", ", ".join(names) or "none"
        raise InputError(f"parameters {here}, but the first line has {first}")
    measured.add(
        json_text(record.get("callpath", UNNAMED_CALLPATH), "'callpath'", ""),
        json_text(record.get("metric", UNNAMED_METRIC), "'metric'", ""),
        parameter_values([given[name] for name in names], "the parameters", ""),
        measured_values(member(record, "value", "the record", ""), "'value'", ""),
    )


def _records(text: str, where: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield the records with their line numbers.

    Many lines are parsed as one list, which is faster; only if that fails they are parsed one by one, to find
    the wrong one.
    """
    numbered = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    while block := list(islice(numbered, LINES_AT_ONCE)):
        try:
            records = parse_json(f"[{','.join(line for _, line in block)}]", where)
        except InputError:
            records = []
        if len(records) != len(block):
            records = [parse_json(line, where, number) for number, line in block]
        for (number, _), record in zip(block, records, strict=True):
            yield number, json_object(record, "the record", f"{where}: line {number}")


READERS = (
    SeriesReader(name="Talpas", pattern="*.txt", matches=matches_talpas, read=read_talpas),
    SeriesReader(name="Extra-P JSON lines", pattern="*.jsonl", matches=matches, read=read, precedence=1),
)

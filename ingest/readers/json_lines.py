"""Files of one JSON object a line: what Extra-P's JSON lines and the Talpas format have in common."""

from collections.abc import Iterator
from itertools import islice

from ingest.errors import InputError
from ingest.readers.json_values import (
    JsonObject,
    json_object,
    json_text,
    measured_values,
    member,
    parameter_values,
    parse_json,
)
from ingest.series import UNNAMED_CALLPATH, UNNAMED_METRIC, Measurements, Series

LINES_AT_ONCE = 4096


def series_of_lines(text: str, where: str, parameters_key: str) -> Series:
    """Read records with parameters, call path, metric and value; the middle two may be missing.

    Args:
        text: one JSON object a line, blank lines between them.
        where: the file, for messages.
        parameters_key: what the format calls the member that holds the parameters.

    Raises:
        InputError: with the line, where it is no JSON or not of this form, or names other parameters than the
            first one.
    """
    measured: Measurements | None = None
    for number, record in _records(text, where):
        try:
            given = json_object(member(record, parameters_key, "the record", ""), f"'{parameters_key}'", "")
            if measured is None:
                measured = Measurements(source=where, parameters=tuple(given))
            _take(record, given, measured)
        except InputError as error:
            raise InputError(error.what, where=f"{where}: line {number}", hint=error.hint) from error
    if measured is None:
        raise InputError("no record in it", where=where)
    return measured.series()


def _take(record: JsonObject, given: JsonObject, measured: Measurements) -> None:
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

    Many lines are parsed as one list, which is faster; only where that fails they are parsed one by one, to
    tell which is wrong.
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

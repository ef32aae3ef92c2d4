"""Results of benchmark frameworks: figures of merit, of which the times are read.

A performance log of ReFrame (since 4.0) has one line per run of a test, cells separated by bars, columns
called after attributes of the test, and ``<variable>_value``, ``<variable>_unit`` per performance variable
(``handlers_perflog`` in reframe/core/settings.py, docs/tutorial.rst). A report has ``runs``, their
``testcases``, and in these ``perfvalues``,
``system:partition:variable -> [value, reference, lower, upper, unit, ...]`` (reframe/frontend/reporting, data
version 4), or before that ``perfvars``, objects with name, value and unit.

Ramble, which Benchpark uses, writes ``results.latest.json`` of a workspace. It has ``experiments``, each with
``RAMBLE_STATUS``, the variables of the experiment as texts (``RAMBLE_VARIABLES``), and ``CONTEXTS``, whose
``foms`` have name, value and units. Of experiments that were repeated, the first entry sums up the others;
its values are statistics and not read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ingest.errors import InputError
from ingest.reading.csv_files import Frame, read_csv
from ingest.reading.files import head, read_text
from ingest.reading.json_values import JsonRecord, json_list, parse_json
from ingest.run_metadata import METADATA_PROCESSES, choose_parameters
from ingest.table_mapping import TableMapping
from ingest.tables.headings import COLUMN_NAMES, read_headings
from ingest.units import SECONDS

_KERNEL, VALUE = "figure of merit", "seconds"
_MAX_TEXT = 500  # characters of a variable that are kept


@dataclass(frozen=True, kw_only=True)
class FigureOfMerit:
    """One figure of merit of one run."""

    name: str
    value: object
    unit: str
    run: Mapping[str, str]  # what describes the run, by name; one object per run
    place: str


def _frame_of(
    figures: Sequence[FigureOfMerit], mapping: TableMapping, preferred: Sequence[str], source: str
) -> tuple[Frame, TableMapping]:
    """Bring the figures that are times into a table with one row each.

    If the user names no parameters, they are the number of processes, and what varies of the threads and the
    `preferred` numbers and does not follow from another; all else describes the run.

    Raises:
        InputError: no figure is a time.
    """
    import pandas as pd

    times = [figure for figure in figures if figure.unit.strip().lower() in SECONDS]
    if not times:
        units = sorted({figure.unit for figure in figures if figure.unit})
        raise InputError(
            "no figure of merit is a time" + (f" (units: {', '.join(units[:6])})" if units else ""),
            where=source,
            hint="measure one in s, ms or us",
        )
    names = list(dict.fromkeys(name for figure in times for name in figure.run))
    parameters = mapping.parameters or _parameters(times, names, preferred)
    columns: dict[str, list[Any]] = {
        name: [figure.run.get(name, "")[:_MAX_TEXT] for figure in times] for name in names
    }
    columns[_KERNEL] = [figure.name for figure in times]
    columns[VALUE] = [_seconds(figure) for figure in times]
    stated = replace(
        mapping,
        parameters=parameters,
        kernel=_KERNEL,
        value=(VALUE,),
        separator="",
        metadata=mapping.metadata
        or tuple(name for name in names if name not in parameters and name != mapping.repetition),
    )
    return Frame(source=source, table=pd.DataFrame(columns), place=lambda row: times[row].place), stated


def _seconds(figure: FigureOfMerit) -> object:
    """Return seconds; what is not a number is kept for the message."""
    try:
        return float(str(figure.value)) * SECONDS[figure.unit.strip().lower()]
    except ValueError:
        return figure.value


def _parameters(
    figures: Sequence[FigureOfMerit], names: Sequence[str], preferred: Sequence[str]
) -> tuple[str, ...]:
    runs = list({id(figure.run): figure.run for figure in figures}.values())
    counted = {heading.header for heading in read_headings(names) if heading.counts("threads")}
    processes = next((heading.header for heading in read_headings(names) if heading.counts("processes")), "")
    wanted = [processes] if processes else []
    wanted += [name for name in names if name != processes and (name in counted or name in preferred)]
    numbers = [name for name in wanted if all(_is_number(run.get(name, "")) for run in runs)]
    keys = {name: METADATA_PROCESSES[0] if name == processes else name for name in numbers}
    rows = [{keys[name]: float(run[name]) for name in numbers} for run in runs]
    chosen, _ = choose_parameters(rows)
    return tuple(name for name in numbers if keys[name] in chosen)


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def _plain_text(value: object) -> str:
    """Return a value of JSON as text; nothing for null and for what is nested."""
    if value is None or isinstance(value, dict | list):
        return ""
    return str(value)


_VALUE, _UNIT = "_value", "_unit"
_OF_FIGURE = (_VALUE, _UNIT, "_ref", "_lower_thres", "_upper_thres", "_result")
_FAILED = frozenset(("fail", "failure", "aborted", "abort", "skipped"))
_NESTED = ("check_params", "params", "check_vars")
_SUCCESS = "SUCCESS"
_NO_CONTEXT = frozenset(("null", "", "default (null) context"))


def is_benchmark(path: Path) -> bool:
    """Return whether a file begins as the results of a framework do."""
    start = head(path)
    return _is_log(start) or _is_report(start) or _is_ramble(start)


def read_benchmark(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    """Read the figures of merit that are times; runs that failed are left out."""
    start = head(path)
    if _is_log(start):
        figures = list(_logged(path))
    else:
        content = JsonRecord.of(parse_json(read_text(path), str(path)), "the file", str(path))
        figures = list(_reported(content) if _is_report(start) else _of_ramble(content))
    names = {name for figure in figures for name in figure.run}
    if _is_ramble(start):
        preferred = [name for name in names if name not in COLUMN_NAMES["ramble"] and "/" not in name]
    else:
        preferred = [
            name for name in names if name not in COLUMN_NAMES["reframe"] and not name.startswith("job")
        ]
    return _frame_of(figures, mapping, sorted(preferred), str(path))


def _is_log(start: bytes) -> bool:
    first = start.partition(b"\n")[0]
    return first.count(b"|") > 2 and b"job_completion_time" in first and b"_value|" in first + b"|"


def _is_report(start: bytes) -> bool:
    return start.lstrip().startswith(b"{") and b'"session_info"' in start and b'"data_version"' in start


def _is_ramble(start: bytes) -> bool:
    named = b"RAMBLE_" in start or b"EXPERIMENT_CHAIN" in start
    return start.lstrip().startswith(b"{") and b'"experiments"' in start and named


def _logged(path: Path) -> Iterator[FigureOfMerit]:
    frame = read_csv(path, "|")
    names = [str(name) for name in frame.table.columns]
    variables = [name.removesuffix(_VALUE) for name in names if name.endswith(_VALUE)]
    of_figures = {variable + ending for variable in variables for ending in _OF_FIGURE}
    for row, cells in enumerate(frame.table.astype(str).replace(("null", "None"), "").to_dict("records")):
        if cells.get("result", "").lower() in _FAILED:
            continue
        run = {name: cells[name] for name in names if name not in of_figures}
        for variable in variables:
            if value := cells[variable + _VALUE]:
                unit = cells.get(variable + _UNIT, "")
                yield FigureOfMerit(name=variable, value=value, unit=unit, run=run, place=frame.place(row))


def _reported(report: JsonRecord) -> Iterator[FigureOfMerit]:
    session = report.record("session_info", optional=True).content
    known = {name: session.get(name) for name in ("hostname", "version", "reframe_version", "user")}
    for number, cases in enumerate(report.records("runs", "a run"), start=1):
        for place, test in enumerate(cases.records("testcases", "a test case"), start=1):
            if str(test.content.get("result", "")).lower() not in _FAILED:
                yield from _of_case(test, known, f"run {number}, test case {place}")


def _of_case(test: JsonRecord, session: Mapping[str, object], at: str) -> Iterator[FigureOfMerit]:
    nested = [found for key in _NESTED if isinstance(found := test.content.get(key), dict)]
    run = _texts(session, test.content, *nested)
    for record in test.records("perfvars", "a performance variable", optional=True):
        name, value = str(record.value("name")), record.content.get("value")
        if value is not None:
            unit = str(record.content.get("unit", ""))
            yield FigureOfMerit(name=name, value=value, unit=unit, run=run, place=f"{at}, {name}")
    for key, entry in test.record("perfvalues", optional=True).content.items():
        name = key.rpartition(":")[2]
        fields = json_list(entry, f"'{key}'", test.where)
        if len(fields) < 5:
            what = f"{at}: '{key}' has {len(fields)} entries instead of 5 or 6"
            raise InputError(what, where=test.where)
        value, unit = fields[0], str(fields[4])
        if value is not None:
            yield FigureOfMerit(name=name, value=value, unit=unit, run=run, place=f"{at}, {name}")


def _of_ramble(content: JsonRecord) -> Iterator[FigureOfMerit]:
    common = {name: content.content.get(name) for name in ("workspace_name", "workspace_hash")}
    for number, experiment in enumerate(content.records("experiments", "an experiment"), start=1):
        repeats = _plain_text(experiment.content.get("N_REPEATS"))
        sums_up_others = repeats.isdecimal() and repeats.strip("0") != ""
        if experiment.content.get("RAMBLE_STATUS") != _SUCCESS or sums_up_others:
            continue
        variables = experiment.record("RAMBLE_VARIABLES", optional=True).content
        run = _texts(common, experiment.content, variables)
        place = f"experiment {number} ({_plain_text(experiment.content.get('name'))})"
        for context in experiment.records("CONTEXTS", "a context", optional=True):
            prefix = _plain_text(context.content.get("display_name") or context.content.get("name"))
            for figure in context.records("foms", "a figure of merit", optional=True):
                name = _plain_text(figure.value("name"))
                yield FigureOfMerit(
                    name=name if prefix in _NO_CONTEXT else f"{prefix}: {name}",
                    value=figure.content.get("value"),
                    unit=_plain_text(figure.content.get("units")),
                    run=run,
                    place=f"{place}, {name}",
                )


def _texts(*described: Mapping[str, object]) -> dict[str, str]:
    """Return what describes a run as texts, without what is empty; what comes later counts."""
    values = {name: value for of in described for name, value in of.items()}
    return {name: text for name, value in values.items() if (text := _plain_text(value))}

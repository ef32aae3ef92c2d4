"""Results of ReFrame: performance logs, and JSON reports of runs.

A performance log (since 4.0) has one line per run of a test, cells separated by bars, columns called after
the attributes of the test, and ``<variable>_value``, ``<variable>_unit`` per performance variable
(``handlers_perflog`` in reframe/core/settings.py, docs/tutorial.rst). A report has ``runs``, their
``testcases``, and in these ``perfvalues``,
``system:partition:variable -> [value, reference, lower, upper, unit, ...]`` (reframe/frontend/reporting, data
version 4), or before that ``perfvars``, objects with name, value and unit.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.errors import InputError
from ingest.reading.csv_files import Frame, read_csv
from ingest.reading.json_values import json_list, json_object, member, parse_json
from ingest.reading.textfile import head, read_text
from ingest.table_mapping import TableMapping
from ingest.tables.benchmark_rows import FigureOfMerit, frame_of, plain_text

VALUE, UNIT = "_value", "_unit"
_OF_FIGURE = (VALUE, UNIT, "_ref", "_lower_thres", "_upper_thres", "_result")
_FAILED = frozenset(("fail", "failure", "aborted", "abort", "skipped"))
_NESTED = ("check_params", "params", "check_vars")


def matches(path: Path) -> bool:
    """Return whether a file begins as a performance log or a report does."""
    start = head(path)
    return _is_log(start) or _is_report(start)


def read(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    """Read the performance variables whose unit is a time; runs that failed are left out.

    Raises:
        InputError: the file is damaged, or has no such variable.
    """
    if not _is_log(head(path)):
        report = json_object(parse_json(read_text(path), str(path)), "the file", str(path))
        figures = list(_reported(report, str(path)))
    else:
        figures = list(_logged(path))
    preferred = {
        name for figure in figures for name in figure.run if name not in _OWN and not name.startswith("job")
    }
    return frame_of(figures, mapping, sorted(preferred), str(path))


def _is_log(start: bytes) -> bool:
    first = start.partition(b"\n")[0]
    return first.count(b"|") > 2 and b"job_completion_time" in first and b"_value|" in first + b"|"


def _is_report(start: bytes) -> bool:
    return start.lstrip().startswith(b"{") and b'"session_info"' in start and b'"data_version"' in start


_OWN = frozenset(
    [
        "jobid",
        "num_cpus_per_task",
        "num_gpus_per_node",
        "num_tasks_per_core",
        "num_tasks_per_node",
        "num_tasks_per_socket",
        "run_index",
        "time_compile",
        "time_performance",
        "time_run",
        "time_sanity",
        "time_setup",
        "time_total",
        "completion_time",
        "time_limit",
        "max_pending_time",
        "build_time_limit",
        "exclusive_access",
        "use_multithreading",
    ]
)
"""Attributes that every test has; they are no parameters."""


def _logged(path: Path) -> Iterator[FigureOfMerit]:
    frame = read_csv(path, "|")
    names = [str(name) for name in frame.table.columns]
    variables = [name.removesuffix(VALUE) for name in names if name.endswith(VALUE)]
    described = [
        name
        for name in names
        if not any(name == variable + ending for variable in variables for ending in _OF_FIGURE)
    ]
    for row, cells in enumerate(frame.table.astype(str).to_dict("records")):
        if str(cells.get("result", "")).lower() in _FAILED:
            continue
        run = {str(name): _text(cells[name]) for name in described}
        for variable in variables:
            if (value := _text(cells[variable + VALUE])) not in ("", "None", "null"):
                unit = str(cells.get(variable + UNIT, ""))
                yield FigureOfMerit(name=variable, value=value, unit=unit, run=run, place=frame.place(row))


def _text(cell: object) -> str:
    text = str(cell)
    return "" if text in ("null", "None") else text


def _reported(report: Mapping[str, Any], where: str) -> Iterator[FigureOfMerit]:
    session = json_object(report.get("session_info", {}), "'session_info'", where)
    known = {
        name: text
        for name in ("hostname", "version", "reframe_version", "user")
        if (text := plain_text(session.get(name)))
    }
    for number, entry in enumerate(json_list(member(report, "runs", "the file", where), "'runs'", where)):
        cases = json_object(entry, "a run", where)
        listed = member(cases, "testcases", "a run", where)
        for place, case in enumerate(json_list(listed, "'testcases'", where)):
            test = json_object(case, "a test case", where)
            at = f"run {number + 1}, test case {place + 1}"
            if str(test.get("result", "")).lower() not in _FAILED:
                yield from _of_case(test, known, at, where)


def _of_case(
    test: Mapping[str, Any], session: Mapping[str, str], at: str, where: str
) -> Iterator[FigureOfMerit]:
    nested = {
        name: value for key in _NESTED if isinstance(test.get(key), dict) for name, value in test[key].items()
    }
    described = {**session, **test, **nested}
    run = {name: text for name, value in described.items() if (text := plain_text(value))}
    old = test.get("perfvars") or []
    for variable in json_list(old, "'perfvars'", where):
        record = json_object(variable, "a performance variable", where)
        name, value = str(member(record, "name", "a performance variable", where)), record.get("value")
        if value is not None:
            yield FigureOfMerit(
                name=name, value=value, unit=str(record.get("unit", "")), run=run, place=f"{at}, {name}"
            )
    values = json_object(test.get("perfvalues") or {}, "'perfvalues'", where)
    for key, entry in values.items():
        name = key.rpartition(":")[2]
        fields = json_list(entry, f"'{key}'", where)
        if len(fields) < 5:
            raise InputError(f"{at}: '{key}' has {len(fields)} entries instead of 5 or 6", where=where)
        if fields[0] is not None:
            yield FigureOfMerit(
                name=name, value=fields[0], unit=str(fields[4]), run=run, place=f"{at}, {name}"
            )

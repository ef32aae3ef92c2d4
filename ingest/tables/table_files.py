"""Tables at a path: which files are tables, and all of them read as one study.

Results of benchmark frameworks are tables, too, of whose figures of merit the times are read.

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

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice, product
from pathlib import Path
from typing import Any

from ingest.errors import InputError, RunNameError
from ingest.inferred_runs import METADATA_PROCESSES, choose_parameters, numbering_words
from ingest.own_results import result_files
from ingest.profile_search import Skipped
from ingest.readers.timer_tables.timer_kind import WHOLE_RUN
from ingest.reading.csv_files import CSV_ENDINGS, Frame, csv_header, is_parquet, read_csv, read_parquet
from ingest.reading.files import entries, head, read_once, read_text
from ingest.reading.json_values import JsonRecord, json_list, parse_json
from ingest.reading.packed import plain_name
from ingest.run_names import RunName, parse_run_name
from ingest.table_mapping import TableMapping
from ingest.tables.headings import COLUMN_NAMES, TIME_UNITS, is_number, read_headings
from ingest.tables.message_benchmarks import is_message_benchmark, read_messages
from ingest.tables.slurm_jobs import is_job_table, read_jobs
from ingest.tables.table_columns import find_columns
from ingest.tables.table_rows import FileName, read_rows
from ingest.tables.table_study import TableStudy, make_study
from ingest.units import SECONDS

_FIGURE, _FIGURE_SECONDS = "figure of merit", "seconds"
_MAX_TEXT = 500  # characters of a variable that are kept


@dataclass(frozen=True, kw_only=True)
class _FigureOfMerit:
    """One figure of merit of one run."""

    name: str
    value: object
    unit: str
    run: Mapping[str, str]  # what describes the run, by name; one object per run
    place: str


def _frame_of(
    figures: Sequence[_FigureOfMerit], mapping: TableMapping, preferred: Sequence[str], source: str
) -> tuple[Frame, TableMapping]:
    """Bring the figures that are times into a table with one row each.

    If the user names no parameters, they are the number of processes, and what varies of the threads and the
    `preferred` numbers and does not follow from another; all else describes the run. InputError if no figure
    is a time.
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
    columns[_FIGURE] = [figure.name for figure in times]
    columns[_FIGURE_SECONDS] = [_seconds(figure) for figure in times]
    stated = replace(
        mapping,
        parameters=parameters,
        kernel=_FIGURE,
        value=(_FIGURE_SECONDS,),
        separator="",
        metadata=mapping.metadata
        or tuple(name for name in names if name not in parameters and name != mapping.repetition),
    )
    return Frame(source=source, table=pd.DataFrame(columns), place=lambda row: times[row].place), stated


def _seconds(figure: _FigureOfMerit) -> object:
    """Return seconds; what is not a number is kept for the message."""
    try:
        return float(str(figure.value)) * SECONDS[figure.unit.strip().lower()]
    except ValueError:
        return figure.value


def _parameters(
    figures: Sequence[_FigureOfMerit], names: Sequence[str], preferred: Sequence[str]
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


def _is_benchmark(path: Path) -> bool:
    """Return whether a file begins as the results of a framework do."""
    start = head(path)
    return _is_log(start) or _is_report(start) or _is_ramble(start)


def _read_benchmark(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
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


def _logged(path: Path) -> Iterator[_FigureOfMerit]:
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
                yield _FigureOfMerit(name=variable, value=value, unit=unit, run=run, place=frame.place(row))


def _reported(report: JsonRecord) -> Iterator[_FigureOfMerit]:
    session = report.record("session_info", optional=True).content
    known = {name: session.get(name) for name in ("hostname", "version", "reframe_version", "user")}
    for number, cases in enumerate(report.records("runs", "a run"), start=1):
        for place, test in enumerate(cases.records("testcases", "a test case"), start=1):
            if str(test.content.get("result", "")).lower() not in _FAILED:
                yield from _of_case(test, known, f"run {number}, test case {place}")


def _of_case(test: JsonRecord, session: Mapping[str, object], at: str) -> Iterator[_FigureOfMerit]:
    nested = [found for key in _NESTED if isinstance(found := test.content.get(key), dict)]
    run = _texts(session, test.content, *nested)
    for record in test.records("perfvars", "a performance variable", optional=True):
        name, value = str(record.value("name")), record.content.get("value")
        if value is not None:
            unit = str(record.content.get("unit", ""))
            yield _FigureOfMerit(name=name, value=value, unit=unit, run=run, place=f"{at}, {name}")
    for key, entry in test.record("perfvalues", optional=True).content.items():
        name = key.rpartition(":")[2]
        fields = json_list(entry, f"'{key}'", test.where)
        if len(fields) < 5:
            what = f"{at}: '{key}' has {len(fields)} entries instead of 5 or 6"
            raise InputError(what, where=test.where)
        value, unit = fields[0], str(fields[4])
        if value is not None:
            yield _FigureOfMerit(name=name, value=value, unit=unit, run=run, place=f"{at}, {name}")


def _of_ramble(content: JsonRecord) -> Iterator[_FigureOfMerit]:
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
                yield _FigureOfMerit(
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


@dataclass(frozen=True, kw_only=True)
class _Tool:
    """A tool that measures again and again, by `benchmark_tools.toml`; places are paths in its JSON."""

    name: str
    marks: Sequence[str]  # texts at the beginning of its files
    entries: str  # place of the benchmarks
    kernel: Sequence[str] = ()  # places of the name in an entry
    seconds: Sequence[str]  # places of the times
    unit: str = ""  # place of their unit, if it is not seconds
    csv: bool = False
    described: Mapping[str, str]  # by name, places of what describes the run
    hint: str


@dataclass(frozen=True, kw_only=True)
class _Timed:
    """One measurement of a benchmark."""

    kernel: str
    parameters: Mapping[str, str]
    seconds: float | str  # what is no number is kept for the message
    described: Mapping[str, str]


_TOOLS = tuple(
    _Tool(**tool)
    for tool in tomllib.loads((files(__package__) / "benchmark_tools.toml").read_text("utf-8"))["tools"]
)
_KERNEL, _SECONDS = "benchmark", "time [s]"

_SETTINGS = (
    "real_time",
    "process_time",
    "manual_time",
    "iterations",
    "repeats",
    "min_time",
    "min_warmup_time",
)
_AGGREGATES = ("mean", "median", "stddev", "cv", "BigO", "RMS", "min", "max")


def _tool_of(path: Path) -> _Tool | None:
    """Return which tool wrote a file, None if none of them did."""
    start = head(path)
    return next((tool for tool in _TOOLS if all(mark.encode() in start for mark in tool.marks)), None)


def _read_results(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    """Read a row per benchmark and repetition."""
    import pandas as pd

    tool = _tool_of(path) or _TOOLS[0]
    rows = list(_rows(tool, path))
    kinds = {tuple(n for n, v in row.parameters.items() if is_number(v)): row.kernel for row in rows[::-1]}
    kinds.pop((), None)
    if not kinds:
        raise InputError(f"a result of {tool.name} without parameters", where=str(path), hint=tool.hint)
    parameters = mapping.parameters or next(iter(kinds))
    if len(kinds) > 1 and not mapping.parameters:
        shown = ", ".join(f"{kernel} ({', '.join(names)})" for names, kernel in list(kinds.items())[:3])
        hint = f"choose some: parameters = {list(parameters)} in [table]"
        raise InputError(f"benchmarks with different parameters: {shown}", where=str(path), hint=hint)
    used = [row for row in rows if set(parameters) <= row.parameters.keys()]
    left = dict.fromkeys(row.kernel for row in rows if not set(parameters) <= row.parameters.keys())
    columns = [
        {_KERNEL: row.kernel, _SECONDS: row.seconds, **row.described, **row.parameters} for row in used
    ]
    table = pd.DataFrame(columns).astype(object)
    table = table.where(table.notna(), "")
    described = tuple(name for name in table.columns if name not in (_KERNEL, _SECONDS, *parameters))
    said = (f"{', '.join(left)}: left out, without {', '.join(parameters)}",) if left else ()
    frame = Frame(source=str(path), table=table, place=lambda row: used[row].kernel, said=said)
    stated = replace(mapping, kernel=_KERNEL, value=(_SECONDS,), separator="", metadata=described)
    return frame, replace(stated, parameters=tuple(parameters))


_DEPTH = 4  # folders below the directory: ReFrame has perflogs/<system>/<partition>
_MAX_FILES = 10_000
_TEXT_ENDINGS = frozenset((".txt", ".dat", ".md", ".tab", ".prn", ".asc", ".data"))


@dataclass(frozen=True, kw_only=True)
class TableSource:
    """Tables that are read as one study."""

    path: Path
    files: tuple[Path, ...]
    mapping: TableMapping
    skipped: tuple[Skipped, ...] = ()  # other files that look like tables and are not read
    only: tuple[str, str] | None = None  # metadata and its value, if only runs that state it are read

    def read(self) -> TableStudy:
        """Read all files."""
        names = [_names(path, self.path) for path in self.files]
        counting = numbering_words(["/".join(parts) for parts in names])
        frames = [_frame(path, self.mapping) for path in self.files]
        named = _file_names(names, counting)
        tables = [read_rows(frame, own, name) for (frame, own), name in zip(frames, named, strict=True)]
        source = str(self.files[0] if len(self.files) == 1 else self.path)
        study = make_study(tables, frames[0][1], source, self.only)
        counted = [f"'{name}' in the names only counts the files: it is no parameter" for name in counting]
        return replace(study, notices=(*study.notices, *counted))


def find_tables(path: Path, mapping: TableMapping) -> TableSource | None:
    """Find the tables at a path, or of the mapping; None without any, InputError if a file does not exist."""
    if mapping.file:
        missing = next((file for file in mapping.file if not file.is_file()), None)
        if missing:
            raise InputError(
                "no such file", where=str(missing), hint="correct file in [table] of pipeline.toml"
            )
        return TableSource(path=path, files=mapping.file, mapping=mapping)
    if path.is_file():
        named = plain_name(path).suffix.lower() in CSV_ENDINGS or _matches(path, mapping) or _is_text(path)
        return TableSource(path=path, files=(path,), mapping=mapping) if named else None
    files = list(_files_below(path, _DEPTH))
    found = list(islice((file for file in files if _matches(file, mapping)), _MAX_FILES))
    others = [file for file in files if file not in set(found)]
    skipped = tuple(
        Skipped(file, "no column of times is recognised")
        for file in others
        if plain_name(file).suffix.lower() in CSV_ENDINGS
    )
    tables = tuple(found or filter(_is_text, others))
    return TableSource(path=path, files=tables, mapping=mapping, skipped=skipped) if tables else None


def _matches(path: Path, mapping: TableMapping) -> bool:
    """Return whether a file is a table; a CSV file is one if its header has a column of times."""
    with read_once():
        if any(is_one(path) for is_one, _ in _KINDS):
            return True
    if plain_name(path).suffix.lower() not in CSV_ENDINGS or not path.is_file():
        return False
    return mapping.given or _has_times(path)


def _has_times(path: Path, least_parameters: int = 0) -> bool:
    try:
        columns = find_columns(csv_header(path), TableMapping(), str(path))
    except InputError:
        return False
    (heading,) = read_headings([columns.times[0].header])
    certain = heading.seconds or heading.named or heading.clock or columns.times[0].rate
    return len(columns.parameters) >= (least_parameters if certain else 1)


def _is_text(path: Path) -> bool:
    """Return whether a text that may hold anything is a table with a parameter, a time and rows."""
    try:
        known = plain_name(path).suffix.lower() in _TEXT_ENDINGS and _has_times(path, 1)
        return known and len(read_csv(path).table) > 1
    except InputError:
        return False


def _files_below(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the files in a folder and those below it in order, without hidden ones and results of ours."""
    ours = result_files(folder)
    for entry in entries(folder):
        if entry.name.startswith(".") or entry.name in ours:
            continue
        if entry.is_file():
            yield entry
        elif depth > 0 and entry.is_dir() and not entry.is_symlink():
            yield from _files_below(entry, depth - 1)


def _names(path: Path, top: Path) -> tuple[str, ...]:
    folders = path.parent.relative_to(top).parts if path.parent.is_relative_to(top) else ()
    return *folders, plain_name(path).stem


def _file_names(names: Sequence[Sequence[str]], counting: Collection[str]) -> list[FileName]:
    """Read the names of files and folders; if there are columns, only those count that differ in all."""
    parsed = [list(map(_named, parts)) for parts in names]
    found = [
        {n: value for part in parts for n, value in part.parameters if n not in counting} for parts in parsed
    ]
    differing = [n for n in found[0] if len({of.get(n) for of in found}) > 1 and all(n in of for of in found)]
    repetitions = [[p.repetition for p in reversed(parts) if p.repetition is not None] for parts in parsed]
    return [
        FileName(of, {n: of[n] for n in differing}, next(iter(numbers), None) if len(names) > 1 else None)
        for of, numbers in zip(found, repetitions, strict=True)
    ]


def _named(name: str) -> RunName:
    """Read the name of a file or folder; nothing if it does not parse."""
    try:
        return parse_run_name(name)
    except RunNameError:
        return RunName(name, (), None)


def _frame(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    for is_one, read in _KINDS:
        if is_one(path):
            return read(path, mapping)
    try:
        columns = find_columns(csv_header(path), mapping, str(path))
    except InputError:
        return read_csv(path), mapping
    timed = [column.header for column in columns.times]
    return read_csv(path, numbers=(*timed, columns.visits, *columns.metrics)), mapping


_KINDS: Sequence[
    tuple[Callable[[Path], object], Callable[[Path, TableMapping], tuple[Frame, TableMapping]]]
] = (
    (is_parquet, lambda path, mapping: (read_parquet(path), mapping)),
    (_is_benchmark, _read_benchmark),
    (_tool_of, _read_results),
    (is_job_table, read_jobs),
    (is_message_benchmark, read_messages),
)


def _rows(tool: _Tool, path: Path) -> Iterator[_Timed]:
    """Yield kernel, parameters as texts, seconds and what describes the run of each measurement."""
    if tool.csv:
        content: object = read_csv(path).table.astype(str).to_dict("records")
    else:
        content = parse_json(read_text(path), str(path))
    content = list(_asv(content, path)) if tool.name == "asv" else content
    entries = _found(content, tool.entries)
    statistics = [_statistic(entry) if tool.unit else "" for entry in entries]
    kept = next((kind for kind in ("", "mean", "median") if kind in statistics), "")
    for entry, statistic in zip(entries, statistics, strict=True):
        if statistic != kept or str(_first(entry, ["error_occurred"])).lower() == "true":
            continue
        described = {name: _described(at, content, entry) for name, at in tool.described.items()}
        own = _first(entry, ["parameters", "params"])
        parameters = {n: str(value) for n, value in own.items()} if isinstance(own, dict) else {}
        kernel = str(_first(entry, tool.kernel) or WHOLE_RUN).removesuffix(f"_{statistic}").partition("[")[0]
        unit: float | None = 1.0
        if tool.unit:
            unit = TIME_UNITS.get(str(_first(entry, [tool.unit])))
            kernel, parameters = _google_name(kernel)
            _check_threads(parameters, described.get("library", ""), str(path))
        for name, text in parameters.items() if "command" in described else ():
            described["command"] = described["command"].replace(text or "\\0", f"{{{name}}}")
        values = next((found for place in tool.seconds if (found := _found(entry, place))), [])
        for value in map(str, values if unit else []):
            seconds = float(value) * (unit or 1.0) if is_number(value) else value
            yield _Timed(kernel=kernel, parameters=parameters, seconds=seconds, described=described)


def _described(at: str, content: object, entry: object) -> str:
    """Return the text at a place, with what stands behind the place as its unit."""
    place, _, unit = at.partition(" ")
    found = _first(content, [place]) or _first(entry, [place])
    return f"{found} {unit}".strip()[:200] if found else ""


def _found(value: object, place: str) -> list[object]:
    """Return what stands at a place, none if nothing does."""
    found = [value]
    for name in place.split("."):
        if name == "*":
            found = [one for of in found if isinstance(of, list) for one in of]
        else:
            found = [of[name] for of in found if isinstance(of, dict) and of.get(name) is not None]
    return found


def _first(value: object, places: Sequence[str]) -> object:
    return next((found for place in places for found in _found(value, place)), "")


def _statistic(entry: object) -> str:
    """Return what an entry of Google Benchmark is of others, empty if it is a measurement."""
    ending = str(_first(entry, ["name"])).rpartition("_")[2]
    return str(_first(entry, ["aggregate_name"]) or (ending if ending in _AGGREGATES else ""))


def _google_name(name: str) -> tuple[str, dict[str, str]]:
    """Return what a name is of, and its parameters: ``n`` for a single one without a name."""
    kernel, *parts = name.split("/")
    parts = [part for part in parts if part.partition(":")[0] not in _SETTINGS]
    others = [part for part in parts if is_number(part)]
    named = dict(part.split(":", 1) for part in parts if ":" in part)
    places = {f"n{place}" if len(others) > 1 else "n": value for place, value in enumerate(others, 1)}
    return "/".join(
        [kernel, *(part for part in parts if ":" not in part and part not in others)]
    ), places | named


def _check_threads(parameters: Mapping[str, str], version: str, source: str) -> None:
    numbers = [int(part) for part in version.lstrip("v").split(".")[:2] if part.isdecimal()]
    if parameters.get("threads", "1") != "1" and numbers < [1, 9]:
        what = "Google Benchmark before 1.9 divides times of threads by their number"
        raise InputError(what, where=source, hint="measure with a later version, as JSON")


def _asv(content: object, path: Path) -> Iterator[dict[str, object]]:
    """Yield the times of asv, whose results are lists over the product of their parameters."""
    listed = path.parent.parent / "benchmarks.json"
    known = parse_json(read_text(listed), str(listed)) if listed.is_file() else {}
    columns = _found(content, "result_columns.*") or ["result", "params"]
    results_of = _first(content, ["results"])
    for name, entry in results_of.items() if isinstance(results_of, dict) else ():
        about = known.get(name) if isinstance(known, dict) else None
        values = entry if isinstance(entry, list) else [entry]
        row = entry if isinstance(entry, dict) else dict(zip(columns, values, strict=False))
        if not name.rpartition(".")[2].startswith("time") or _first(about, ["unit"]) not in ("", "seconds"):
            continue
        axes = [axis for axis in _found(row, "params.*") if isinstance(axis, list)]
        names = _found(about, "param_names.*") or [f"param{place}" for place in range(1, len(axes) + 1)]
        results = row.get("result") if isinstance(row.get("result"), list) else [row.get("result")]
        for value, point in zip(results or (), product(*axes), strict=False):
            texts = dict(zip(map(str, names), (str(text).strip("'") for text in point), strict=False))
            of_one = {"name": name, "parameters": texts, "seconds": value if str(value) != "nan" else None}
            yield of_one | {key: _first(content, [key]) for key in ("commit_hash", "env_name")}

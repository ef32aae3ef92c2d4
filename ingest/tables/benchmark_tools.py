"""Results of tools that measure again and again, as `benchmark_tools.toml` describes them."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from ingest.errors import InputError
from ingest.readers.timer_tables.timer_kind import WHOLE
from ingest.reading.csv_files import Frame, read_csv
from ingest.reading.files import head, read_text
from ingest.reading.json_values import parse_json
from ingest.table_mapping import TableMapping
from ingest.tables.cells import is_number
from ingest.tables.headings import TIME_UNITS

TOOLS: Sequence[Mapping[str, Any]] = tomllib.loads(
    (files(__package__) / "benchmark_tools.toml").read_text("utf-8")
)["tools"]
KERNEL, SECONDS, PARAMETERS = "benchmark", "time [s]", "parameters"

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


def tool_of(path: Path) -> Mapping[str, Any] | None:
    """Return which tool wrote a file, None if none of them did."""
    start = head(path)
    return next((tool for tool in TOOLS if all(mark.encode() in start for mark in tool["marks"])), None)


def read_results(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    """Read a row per benchmark and repetition.

    Raises:
        InputError: the file is damaged, no benchmark has parameters, or they have different ones.
    """
    import pandas as pd

    tool = tool_of(path) or TOOLS[0]
    rows = list(_rows(tool, path))
    kinds = {
        tuple(n for n, text in row[PARAMETERS].items() if is_number(text)): row[KERNEL] for row in rows[::-1]
    }
    kinds.pop((), None)
    if not kinds:
        raise InputError(f"a result of {tool['name']} without parameters", where=str(path), hint=tool["hint"])
    parameters = mapping.parameters or next(iter(kinds))
    if len(kinds) > 1 and not mapping.parameters:
        shown = ", ".join(f"{kernel} ({', '.join(names)})" for names, kernel in list(kinds.items())[:3])
        hint = f"choose some: parameters = {list(parameters)} in [table]"
        raise InputError(f"benchmarks with different parameters: {shown}", where=str(path), hint=hint)
    used = [row | row[PARAMETERS] for row in rows if set(parameters) <= row[PARAMETERS].keys()]
    left = dict.fromkeys(row[KERNEL] for row in rows if not set(parameters) <= row[PARAMETERS].keys())
    table = pd.DataFrame(used).drop(columns=PARAMETERS).astype(object).fillna("")
    described = tuple(name for name in table.columns if name not in (KERNEL, SECONDS, *parameters))
    stated = {"parameters": tuple(parameters), "kernel": KERNEL, "value": (SECONDS,), "metadata": described}
    said = (f"{', '.join(left)}: left out, without {', '.join(parameters)}",) if left else ()
    frame = Frame(source=str(path), table=table, place=lambda row: str(used[row][KERNEL]), said=said)
    return frame, replace(mapping, separator="", **stated)  # type: ignore[arg-type]


def _rows(tool: Mapping[str, Any], path: Path) -> Iterator[dict[str, Any]]:
    """Yield kernel, parameters as texts, seconds and what describes the run of each measurement."""
    if tool.get("csv"):
        content: Any = read_csv(path).table.astype(str).to_dict("records")
    else:
        content = parse_json(read_text(path), str(path))
    content = list(_asv(content, path)) if tool["name"] == "asv" else content
    entries = _found(content, tool["entries"])
    statistics = [_statistic(entry) if "unit" in tool else "" for entry in entries]
    kept = next((kind for kind in ("", "mean", "median") if kind in statistics), "")
    for entry, statistic in zip(entries, statistics, strict=True):
        if statistic != kept or str(_first(entry, ["error_occurred"])).lower() == "true":
            continue
        described = {name: _described(at, content, entry) for name, at in tool["described"].items()}
        own = _first(entry, ["parameters", "params"])
        parameters = {n: str(value) for n, value in own.items()} if isinstance(own, dict) else {}
        kernel = (
            str(_first(entry, tool.get("kernel", [])) or WHOLE)
            .removesuffix(f"_{statistic}")
            .partition("[")[0]
        )
        unit: float | None = 1.0
        if "unit" in tool:
            unit = TIME_UNITS.get(str(_first(entry, [tool["unit"]])))
            kernel, parameters = _google_name(kernel)
            _check_threads(parameters, described.get("library", ""), str(path))
        for name, text in parameters.items() if "command" in described else ():
            described["command"] = described["command"].replace(text or "\\0", f"{{{name}}}")
        values = next((found for place in tool["seconds"] if (found := _found(entry, place))), [])
        for value in map(str, values if unit else []):
            seconds = float(value) * (unit or 1.0) if is_number(value) else value
            yield {KERNEL: kernel, PARAMETERS: parameters, SECONDS: seconds} | described


def _described(at: str, content: Any, entry: Any) -> str:  # noqa: ANN401 - of JSON
    """Return the text at a place, with what stands behind the place as its unit."""
    place, _, unit = at.partition(" ")
    found = _first(content, [place]) or _first(entry, [place])
    return f"{found} {unit}".strip()[:200] if found else ""


def _found(value: Any, place: str) -> list[Any]:  # noqa: ANN401 - of JSON
    """Return what stands at a place, none if nothing does."""
    found = [value]
    for name in place.split("."):
        if name == "*":
            found = [one for of in found if isinstance(of, list) for one in of]
        else:
            found = [of[name] for of in found if isinstance(of, dict) and of.get(name) is not None]
    return found


def _first(value: Any, places: Sequence[str]) -> Any:  # noqa: ANN401 - of JSON
    return next((found for place in places for found in _found(value, place)), "")


def _statistic(entry: Any) -> str:  # noqa: ANN401 - of JSON
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


def _asv(content: Any, path: Path) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - of JSON
    """Yield the times of asv, whose results are lists over the product of their parameters."""
    listed = path.parent.parent / "benchmarks.json"
    known = parse_json(read_text(listed), str(listed)) if listed.is_file() else {}
    columns = _found(content, "result_columns.*") or ["result", "params"]
    for name, entry in dict(next(iter(_found(content, "results")), {})).items():
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
            of_one = {"name": name, PARAMETERS: texts, "seconds": value if str(value) != "nan" else None}
            yield of_one | {key: _first(content, [key]) for key in ("commit_hash", "env_name")}

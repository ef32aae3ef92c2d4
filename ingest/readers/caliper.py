"""Caliper's profiles (``.cali``), read through the package caliper-reader.

A record is a path of nested annotations with the values of metrics. The name of a metric says what it is:
``sum#time.duration`` is the exclusive time of a process, ``inclusive#sum#time.duration`` the inclusive one,
and another ``sum#`` in front sums over the processes. Counters are ``sum#papi.PAPI_FP_OPS`` and the like.
Global values (often Adiak's) describe the run.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree, CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import LocationTable, Metric, Profile, RegionTable, ValuesInMemory, require_summable
from ingest.readers.textfile import read_text

OUTSIDE = "<outside>"  # the region of values outside of all annotations
REGION_CHANNEL = "regionprofile"  # the one of Spot's channels that holds the profile; others hold time series
MAX_ATTRIBUTE = 1000
MAX_BYTES = 1 << 28
MAX_DEPTH = 2000  # of a node: the package keeps the whole path of each
ROUNDING = 1e-5  # seconds: times are printed with six decimals, and their differences carry the rounding
MAX_VALUES = 1 << 27

# Global values that are not parameters: what the run took, and what only identifies it.
OUTCOMES = frozenset(("cputime", "elapsed_time", "figure_of_merit", "fom", "systime", "walltime"))
BOOKKEEPING = frozenset(("jobid", "job_id", "launchdate", "launchday", "pid", "uid"))
_OWN_GLOBALS = ("cali.", "spot.", "opts:")

_NODE = re.compile(
    r"__rec=node,id=([0-9]{1,18}),attr=[0-9]{1,18},data=(?:[^,=\\]|\\.)*+(?:,parent=([0-9]{1,18}))?\s*"
)
_BOOTSTRAP = 12  # nodes that every file has without writing them
_WHOLE_NUMBER = re.compile(r"[0-9]{1,15}")
_TIME = re.compile(r"(?P<operations>(?:[a-z_]+#)*)time\.(?P<inclusive>inclusive\.)?duration(?P<ns>\.ns)?")
_VISITS = re.compile(r"(?:sum#)*(?:region\.count|rc\.count)")
_COUNTER = re.compile(r"(?:sum#)*(?:papi|libpfm\.counter)\.(?P<name>.+)")
_SUMS = frozenset(("sum", "inclusive", "scale"))
_SECONDS = {"sec": 1.0, "s": 1.0, "msec": 1e-3, "usec": 1e-6, "us": 1e-6, "nsec": 1e-9, "ns": 1e-9}
_RANKS = ("mpi.rank", "rank")
_THREADS = ("omp.thread.id", "thread", "pthread.id")


@dataclass(frozen=True)
class _Content:
    records: list[dict[str, Any]]
    globals: dict[str, str]
    units: dict[str, str]


@dataclass(frozen=True)
class _TimeName:
    """What the name of a time says; the smallest is preferred."""

    inclusive: bool
    summed: bool
    name: str
    seconds: float


def matches(path: Path) -> bool:
    """Return whether a file is called ``.cali``."""
    return path.suffix.lower() == ".cali" and path.is_file()


def read(path: Path) -> Profile:
    """Read a profile: time in seconds, visits and hardware counters if they were counted.

    Values that Caliper summed over the processes make a single location, and a notice says so.

    Raises:
        InputError: if the package is missing, the file is damaged or contains no time.
    """
    content = _content(path, _checked_lines(path))
    records = [r for r in content.records if r.get("spot.channel", REGION_CHANNEL) == REGION_CHANNEL]
    time = _choose_time(records, content.units, path)
    visits = next((name for name in _names(records) if _VISITS.fullmatch(name)), None)
    counters = _counters(_names(records))
    names = [time.name, *([] if visits is None else [visits]), *counters.values()]
    records = [record for record in records if any(name in record for name in names)]
    counted = [*([] if visits is None else ["visits"]), *counters]
    metrics = [Metric("time", "s"), *(Metric(name, "occ") for name in counted)]
    callpaths = CallTreeBuilder()
    nodes = np.array([callpaths.add(_path(record)) for record in records], dtype=np.int64)
    place, tree, regions = callpaths.build()
    location, locations = _locations(records)
    if len(tree) * len(locations) > MAX_VALUES:
        raise InputError(
            f"too large for memory: {len(tree)} call paths on {len(locations)} locations", where=str(path)
        )
    values = {}
    for metric, name in zip(metrics, names, strict=True):
        values[metric.name] = np.zeros((len(tree), len(locations)))
        np.add.at(values[metric.name], (place[nodes], location), _numbers(records, name, path))
    values["time"] *= time.seconds
    if time.inclusive:
        recorded = np.zeros(values["time"].shape, dtype=np.bool_)
        recorded[place[nodes], location] = True
        values["time"] = _exclusive(tree, values["time"], recorded)
    notices = _notices(time, content.globals, int((values["time"] < -ROUNDING).sum()))
    values["time"] = np.maximum(values["time"], 0.0)
    return Profile(
        source=str(path),
        tree=tree,
        regions=_table(regions, records),
        locations=locations,
        metrics=tuple(metrics),
        load=ValuesInMemory(tree, values),
        attributes={"generator": "Caliper", **{k: v[:MAX_ATTRIBUTE] for k, v in content.globals.items()}},
        notices=notices,
    )


def parameters(path: Path) -> Mapping[str, float]:
    """Return the whole numbers among the global values that may be parameters of the run.

    Raises:
        InputError: if the package is missing or the file is damaged.
    """
    globals_ = _content(path, _checked_lines(path, with_records=False)).globals
    found = {}
    for name, value in sorted(globals_.items()):
        known = name in OUTCOMES | BOOKKEEPING or name.startswith(_OWN_GLOBALS)
        if not known and _WHOLE_NUMBER.fullmatch(value):
            found[name] = float(value)
    return found


def _checked_lines(path: Path, *, with_records: bool = True) -> Iterator[str]:
    """Yield the lines of a file that define nodes and global values, and those of records.

    A node comes once and after its parent, so that no node can be its own caller.

    Args:
        path: the file.
        with_records: whether to yield the records, which are most of a file.

    Raises:
        InputError: if the file is not text, a node is malformed, or nodes nest too deeply.
    """
    depth = dict.fromkeys(range(_BOOTSTRAP), 0)
    text = read_text(path, MAX_BYTES)
    if not text.endswith("\n"):
        raise InputError("the last line is incomplete: the file is truncated", where=str(path))
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if not line.startswith("__rec="):
            raise InputError(f"line {number}: not a Caliper record", where=str(path))
        if line.startswith("__rec=node"):
            _check(line, number, depth, path)
        if with_records or not line.startswith("__rec=ctx"):
            yield line


def _check(line: str, number: int, depth: dict[int, int], path: Path) -> None:
    match = _NODE.fullmatch(line)
    node, parent = (int(match[1]), int(match[2] or 0)) if match else (-1, -1)
    if match is None or node in depth or parent not in depth or depth[parent] >= MAX_DEPTH:
        raise InputError(f"line {number}: malformed node", where=str(path))
    depth[node] = depth[parent] + 1


def _content(path: Path, lines: Iterable[str]) -> _Content:
    try:
        package = import_module("caliperreader")
        damage = import_module("caliperreader.readererror").ReaderError
    except ImportError as error:
        raise InputError(
            "Caliper files need the package caliper-reader",
            where=str(path),
            hint="pip install 'callpath-pipeline[caliper]'",
        ) from error
    reader = package.CaliperReader()
    try:
        reader.read(lines)
        units = {
            name: str(reader.attribute(name).get("attribute.unit") or "") for name in reader.attributes()
        }
    except (damage, LookupError, ValueError, AttributeError, TypeError, StopIteration) as error:
        # The package checks nothing, so that damage shows as any of these.
        raise InputError(f"damaged: {error or type(error).__name__}", where=str(path)) from error
    texts = {name: value for name, value in reader.globals.items() if isinstance(value, str)}
    return _Content(reader.records, texts, units)


def _names(records: list[dict[str, Any]]) -> list[str]:
    return sorted({name for record in records for name in record})


def _counters(names: list[str]) -> dict[str, str]:
    """Return the value to read by the name of each counter: that of processes before sums over them."""
    found: dict[str, str] = {}
    for name in sorted(names, key=len):
        if match := _COUNTER.fullmatch(name):
            found.setdefault(match["name"], name)
    return found


def _choose_time(records: list[dict[str, Any]], units: Mapping[str, str], path: Path) -> _TimeName:
    """Choose exclusive before inclusive times, and those of processes before sums over them."""
    names = _names(records)
    times = [time for name in names if (time := _time_name(name, units.get(name, "")))]
    if not times:
        known = ", ".join(name for name in names if "#" in name or "." in name)[:200] or "none"
        raise InputError("it contains no sum of times", where=str(path), hint=f"values here: {known}")
    return min(times, key=lambda time: (time.inclusive, time.summed, time.name))


def _time_name(name: str, unit: str) -> _TimeName | None:
    match = _TIME.fullmatch(name)
    operations = match["operations"].split("#")[:-1] if match else []
    if match is None or not _SUMS.issuperset(operations):
        return None
    written = "nsec" if match["ns"] and "scale" not in operations else "sec"
    return _TimeName(
        inclusive="inclusive" in operations or match["inclusive"] is not None,
        summed=operations.count("sum") > 1,
        name=name,
        seconds=_SECONDS.get(unit, _SECONDS[written]),
    )


def _path(record: Mapping[str, Any]) -> list[str]:
    path = record.get("path", [])
    return [str(name) or "<unnamed>" for name in path] or [OUTSIDE]


def _locations(records: list[dict[str, Any]]) -> tuple[IntArray, LocationTable]:
    """Return the location of every record, and the table of them."""
    keys = [(_index(record, _RANKS), _index(record, _THREADS)) for record in records]
    pairs, location = np.unique(np.array(keys, dtype=np.int64).reshape(-1, 2), axis=0, return_inverse=True)
    _, process = np.unique(pairs[:, 0], return_inverse=True)
    table = LocationTable.of_threads(process, pairs[:, 1])
    return location.reshape(-1), table


def _index(record: Mapping[str, Any], names: tuple[str, ...]) -> int:
    text = next((record[name] for name in names if name in record), "0")
    return int(text) if isinstance(text, str) and re.fullmatch(r"[0-9]{1,18}", text) else 0


def _numbers(records: list[dict[str, Any]], name: str, path: Path) -> FloatArray:
    try:
        values = np.array([float(record.get(name, 0.0)) for record in records])
    except (TypeError, ValueError) as error:
        raise InputError(f"'{name}' is not a number: {error}", where=str(path)) from error
    require_summable(values, f"'{name}'", str(path))
    return values


def _exclusive(tree: CallTree, inclusive: FloatArray, recorded: BoolArray) -> FloatArray:
    """Subtract the callees; a call path without a record of its own took what its callees took."""
    if not recorded.all():
        inclusive, callees = inclusive.copy(), np.zeros_like(inclusive)
        for node in range(len(tree) - 1, -1, -1):
            inclusive[node] = np.where(recorded[node], inclusive[node], callees[node])
            if tree.parent[node] >= 0:
                callees[tree.parent[node]] += inclusive[node]
    return tree.exclusive(inclusive)


def _table(names: tuple[str, ...], records: list[dict[str, Any]]) -> RegionTable:
    mpi = {record["path"][-1] for record in records if "mpi.function" in record and record.get("path")}
    paradigms = tuple("mpi" if name in mpi and name.startswith("MPI_") else "user" for name in names)
    nothing = ("",) * len(names)
    return RegionTable(
        name=names, mangled=names, paradigm=paradigms, file=nothing, line=np.full(len(names), -1)
    )


def _notices(time: _TimeName, globals_: Mapping[str, str], negative: int) -> tuple[str, ...]:
    notices = []
    processes = globals_.get("mpi.world.size") or globals_.get("jobsize") or "all"
    if time.summed and processes != "1":
        notices.append(f"values are sums over {processes} processes: single processes are not available")
    if negative:
        notices.append(f"{negative} negative exclusive times were read as zero")
    return tuple(notices)

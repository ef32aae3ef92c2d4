"""Files of hardware counters, as the tools of users write them, recognised by what they contain.

A new format is a function that recognises the beginning of such a file and one that reads it, and a line in
`FORMATS`.

PAPI's high-level interface writes JSON for every process into ``papi_hl_output/``::

    {"threads": {"0": {"regions": {"0": {"name": "sweep", "parent_region_id": "-1", "cycles": "170063700",
     "real_time_nsec": "65406221", "PAPI_FP_OPS": "93750000"}}}}}

Every execution of a region is an entry of its own, or one with a ``region_count``. Values include those of
regions inside; here they are exclusive. A value that was read inside the region is an object with
``region_value``.

``perf stat -x,`` and ``perf stat -j`` print a line per event: ``value,unit,event,time counted,percent of
the time,...``, after a time stamp with ``-I`` and after a CPU, core or socket (and the number of CPUs) with
``-A``, ``--per-core`` and the like. Values of several CPUs and intervals are added up. perf has scaled up
what it counted for part of the time. The duration is that of ``duration_time``, the last time stamp, or the
time on CPUs (``task-clock``) divided by the ``CPUs utilized`` next to it.
"""

import csv
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.counter_report import TOTAL_ROW, CountedRegion, CounterReport
from ingest.errors import InputError
from ingest.readers.craypat import is_report, read_craypat
from ingest.readers.likwid import is_output, read_likwid
from ingest.reading.files import all_of_run, read_text
from ingest.units import BYTES, JOULE, NONE, TIME_DIMENSION, unit_named

_SEPARATORS = ",;\t|"
_MISSING = ("<not counted>", "<not supported>")
_VALUE = r"(?:-?\d+(?:[.]\d+)?|<not counted>|<not supported>)"
_LINE_BYTES = 64.0  # what counters of cache lines count, whatever unit perf writes
_CLOCKS = ("task-clock", "cpu-clock")
_CPUS = "CPUs utilized"
_WELL_COUNTED = 25.0  # percent of the time; perf extrapolates from less
_PLACE = re.compile(r"(?:S\d+(?:-[DCL]\d+)*|[NSDC]\d+|CPU\d+(?:-\d+)?|.+-\d+)")


@dataclass(frozen=True)
class _Line:
    stamp: str
    place: str
    value: float | None  # None if it was not counted
    unit: str
    event: str
    share_of_time: float
    cpus: float | None = None


def is_perf_stat(head: str) -> bool:
    """Return whether a text begins like such output of perf stat."""
    return next(_lines(head), None) is not None


def read_perf_stat(text: str, where: str) -> CounterReport:
    """Return the content of separated values or of JSON of perf stat; the region is the whole program."""
    lines = list(_lines(text))
    sums: dict[str, float] = {}
    for line in lines:
        if line.value is not None:
            sums[line.event] = sums.get(line.event, 0.0) + line.value * _factor(line.unit)
    if not sums:
        hint = "count some events: perf stat -x, -e duration_time,EVENTS -o FILE PROGRAM"
        raise InputError("no event was counted", where=where, hint=hint)
    counters = {event: value for event, value in sums.items() if event not in (*_CLOCKS, "duration_time")}
    region = CountedRegion(path=TOTAL_ROW, seconds=_seconds(lines, sums, where), counters=counters)
    return CounterReport(
        where=where, processes=1, cores=_cores(lines), regions=(region,), notices=_multiplexed(lines)
    )


def _factor(unit: str) -> float:
    size, dimension = unit_named(unit) or (1.0, NONE)
    return size / _LINE_BYTES if dimension == BYTES else size if dimension == TIME_DIMENSION else 1.0


def _seconds(lines: list[_Line], sums: dict[str, float], where: str) -> float:
    if sums.get("duration_time"):
        return sums["duration_time"]
    stamps = [float(line.stamp) for line in lines if line.stamp]
    if stamps:
        return max(stamps)
    for line in lines:
        if line.event in _CLOCKS and line.value and line.cpus:
            return line.value * _factor(line.unit) / line.cpus
    hint = "add the event duration_time: perf stat -x, -e duration_time,EVENTS PROGRAM"
    raise InputError("nothing tells how long the program ran", where=where, hint=hint)


def _cores(lines: list[_Line]) -> int | None:
    """Return how many cores were in use; None if the whole node was counted without saying."""
    counted = len({line.place for line in lines if line.place.startswith("CPU")})
    used = [line.cpus for line in lines if line.cpus and not line.place]
    return counted or (max(round(used[0]), 1) if used else None)


def _multiplexed(lines: list[_Line]) -> tuple[str, ...]:
    part = [line for line in lines if line.value is not None and line.share_of_time < _WELL_COUNTED]
    if not part:
        return ()
    least = min(part, key=lambda line: line.share_of_time)
    return (f"{least.event} was counted for {least.share_of_time:.0f} % of the time and scaled up by perf",)


def _lines(text: str) -> Iterator[_Line]:
    separator = ""
    for line in text.splitlines():
        if line.startswith("{"):
            found = _of_json(line)
        else:
            fitting = (sign for sign in _SEPARATORS if sign in line and _of_cells(line.split(sign)))
            separator = separator or next(fitting, "")
            found = _of_cells(next(csv.reader([line], delimiter=separator))) if separator else None
        if found is not None:
            yield found


def _of_cells(cells: list[str]) -> _Line | None:
    """Return the values of a line, None if it is not one of a counter."""
    cells = [cell.strip() for cell in cells]
    stamp, place = "", ""
    if len(cells) > 5 and re.fullmatch(r"\d+[.]\d+", cells[0]) and not _is_counter(cells):
        stamp, cells = cells[0], cells[1:]
    if len(cells) > 5 and _PLACE.fullmatch(cells[0]):
        place, cells = cells[0], cells[1:]
        if len(cells) > 5 and not _is_counter(cells):
            cells = cells[1:]
    if not _is_counter(cells):
        return None
    # With -r, the spread of repetitions stands before the time counted.
    rest = cells[5:] if cells[3].endswith("%") and len(cells) > 5 else cells[4:]
    try:
        value = None if cells[0] in _MISSING else float(cells[0])
        cpus = float(rest[1]) if len(rest) > 2 and rest[2] == _CPUS else None
        return _Line(stamp, place, value, cells[1], cells[2], float(rest[0]), cpus)
    except ValueError:
        return None


def _is_counter(cells: list[str]) -> bool:
    numbers = [cell for cell in cells[3:6] if re.fullmatch(r"\d+(?:[.]\d+)?%?", cell)]
    return (
        len(cells) >= 5
        and re.fullmatch(_VALUE, cells[0]) is not None
        and (not cells[1] or (unit_named(cells[1]) or (1.0, NONE))[1] in (TIME_DIMENSION, BYTES, JOULE))
        and re.match(r"[A-Za-z]", cells[2]) is not None
        and len(numbers) >= 2
    )


def _of_json(line: str) -> _Line | None:
    try:
        entry = json.loads(line)
        value = None if entry["counter-value"] in _MISSING else float(entry["counter-value"])
        place = str(entry.get("cpu", entry.get("core", entry.get("socket", ""))))
        stamp = str(entry["interval"]) if "interval" in entry else ""
        cpus = float(entry["metric-value"]) if entry.get("metric-unit") == _CPUS else None
        share = float(entry["pcnt-running"])
        return _Line(stamp, place, value, entry["unit"], entry["event"], share, cpus)
    except (ValueError, KeyError, TypeError):
        return None


_OF_A_REGION = ("name", "parent_region_id", "region_count", "cycles", "real_time_nsec")
_SECONDS = "real_time_nsec"
_NO_PARENT = "-1"
_NOISE = 0.01  # of a counter, that regions inside may have counted more than the region around them
_PapiRegion = Mapping[str, object]


def is_papi(head: str) -> bool:
    """Return whether a text begins like a file of PAPI's high-level interface."""
    return head.lstrip().startswith("{") and '"papi_version"' in head


def read_papi(text: str, where: str) -> CounterReport:
    """Return the regions of one process: the time of the longest thread, counters summed over threads."""
    try:
        content = json.loads(text)
        events = content.get("event_definitions", {}).items()
        states = {name for name, entry in events if entry.get("type") == "instantaneous"}  # no counts
        threads = [_exclusive(thread["regions"]) for thread in content["threads"].values()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = f"not a file of PAPI's high-level interface: {error}"
        raise InputError(what, where=where, hint="give papi_hl_output/ as PAPI wrote it") from error
    seconds: dict[str, float] = {}
    counters: dict[str, dict[str, float]] = {}
    for thread in threads:
        for name, values in thread.items():
            seconds[name] = max(seconds.get(name, 0.0), values[_SECONDS] / 1e9)
            of_region = counters.setdefault(name, {})
            for event in values.keys() - {*_OF_A_REGION, *states}:
                of_region[event] = of_region.get(event, 0.0) + values[event]
    if not seconds:
        raise InputError("no region was measured", where=where, hint="call PAPI_hl_region_begin and _end")
    regions = tuple(
        CountedRegion(path=(name,), seconds=seconds[name], counters=counters[name]) for name in seconds
    )
    return CounterReport(where=where, processes=1, cores=len(threads), regions=regions)


def _exclusive(regions: Mapping[str, _PapiRegion]) -> dict[str, dict[str, float]]:
    """Return the values of one thread by region, without those of regions inside."""
    others = ("name", "parent_region_id", "region_count")
    own = {
        key: {event: _value(entry[event]) for event in (_SECONDS, *entry) if event not in others}
        for key, entry in regions.items()
    }
    left = {key: dict(values) for key, values in own.items()}
    for key, entry in regions.items():
        parent = str(entry.get("parent_region_id", _NO_PARENT))
        if parent in left:
            for event, value in own[key].items():
                left[parent][event] = left[parent].get(event, 0.0) - value
    found: dict[str, dict[str, float]] = {}
    inside: dict[tuple[str, str], float] = {}
    for key, values in left.items():
        name = str(regions[key]["name"])
        of_name = found.setdefault(name, dict.fromkeys(values, 0.0))
        for event, value in values.items():
            of_name[event] = of_name.get(event, 0.0) + value
            inside[name, event] = inside.get((name, event), 0.0) + own[key].get(event, 0.0)
    return {
        name: {
            event: 0.0 if -_NOISE * inside[name, event] <= value < 0 else value for event, value in of.items()
        }
        for name, of in found.items()
    }


def _value(value: object) -> float:
    return float(str(value["region_value"] if isinstance(value, dict) else value))


_LARGEST = 1 << 28  # bytes of a file
_HEAD = 1 << 16  # characters looked at to recognise a format


@dataclass(frozen=True)
class CounterFormat:
    """A format: its name, whether a text begins so, and how it is read (text and where it is from)."""

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], CounterReport]


FORMATS = (
    CounterFormat("CrayPat report", is_report, read_craypat),
    CounterFormat("likwid-perfctr -O", is_output, read_likwid),
    CounterFormat("PAPI high-level JSON", is_papi, read_papi),
    CounterFormat("perf stat -x, or -j", is_perf_stat, read_perf_stat),
)


def read_counters(path: Path) -> CounterReport:
    """Return the content of a file, or of a directory with one file for each process (``papi_hl_output``)."""
    if path.is_dir():
        ranks = {int(file.stem[5:]): file for file in path.glob("rank_*.json") if file.stem[5:].isdecimal()}
        files = all_of_run(dict(sorted(ranks.items())), first=0)
        return _of_processes([read_counters(file) for file in files], path)
    return parse_counters(read_text(path, _LARGEST), str(path))


def parse_counters(text: str, where: str) -> CounterReport:
    """Return the content of a text; InputError if it has none of them, or is no count."""
    form = recognised(text)
    if form is None:
        known = ", ".join(form.name for form in FORMATS)
        raise InputError("not a file of counters that is known", where=where, hint=f"formats are {known}")
    try:
        report = form.read(text, where)
    except (ValueError, LookupError, OverflowError) as error:
        raise InputError(f"damaged: {error}", where=where, hint="write the file again") from error
    for region in report.regions:
        for name, value in (("time", region.seconds or 0.0), *region.counters.items()):
            if not 0 <= value < math.inf:
                wrong = "is below zero" if value < 0 else "is not a finite number"
                raise InputError(f"{region.name}: {name} {wrong}", where=where, hint="write the file again")
    return report


def recognised(text: str) -> CounterFormat | None:
    """Return the format that a text has, None if it has none of those known."""
    return next((form for form in FORMATS if form.recognises(text[:_HEAD])), None)


def _of_processes(reports: Sequence[CounterReport], path: Path) -> CounterReport:
    """Return one report of all processes, which ran on one node: mean times, counters summed."""
    if not reports:
        raise InputError("no rank_*.json in it", where=str(path), hint="give papi_hl_output as PAPI wrote it")
    regions: dict[tuple[str, ...], list[CountedRegion]] = {}
    for region in (region for report in reports for region in report.regions):
        regions.setdefault(region.path, []).append(region)
    return CounterReport(
        where=str(path),
        processes=len(reports),
        cores=sum(report.cores or 1 for report in reports),
        regions=tuple(_joined(parts, len(reports)) for parts in regions.values()),
    )


def _joined(parts: Sequence[CountedRegion], processes: int) -> CountedRegion:
    names = dict.fromkeys(name for part in parts for name in part.counters)
    counters = {name: sum(part.counters.get(name, 0.0) for part in parts) for name in names}
    seconds = sum(part.seconds or 0.0 for part in parts) / processes
    return replace(parts[0], seconds=seconds, counters=counters)

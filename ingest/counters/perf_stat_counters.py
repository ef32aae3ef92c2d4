"""perf stat's values separated by a character, ``perf stat -x,``, or as lines of JSON, ``perf stat -j``.

A line is ``value,unit,event,time counted,percent of the time,...``, after a time stamp with ``-I`` and after
a CPU, core or socket (and the number of CPUs) with ``-A``, ``--per-core`` and the like. Values of several
CPUs and intervals are added up. perf has scaled up what it counted for part of the time. The duration is that
of ``duration_time``, the last time stamp, or the time on CPUs (``task-clock``) divided by the ``CPUs
utilized`` beside it.
"""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.counters.counter_report import TOTAL_ROW, CountedRegion, CounterReport
from ingest.errors import InputError
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
    value: float | None
    unit: str
    event: str
    share_of_time: float
    cpus: float | None = None


def is_perf_stat(head: str) -> bool:
    """Return whether a text begins like such output of perf stat."""
    return next(_lines(head), None) is not None


def read_perf_stat(text: str, where: str) -> CounterReport:
    """Return the content of separated values or of JSON of perf stat; the region is the whole program.

    Raises:
        InputError: no event was counted, or no line tells how long the program ran.
    """
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
            separator = separator or _separator(line)
            found = _of_cells(next(csv.reader([line], delimiter=separator))) if separator else None
        if found is not None:
            yield found


def _separator(line: str) -> str:
    """Return the character that makes such a line of a line, empty if none does."""
    fitting = (char for char in _SEPARATORS if char in line and _of_cells(line.split(char)) is not None)
    return next(fitting, "")


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

"""Nsight Compute: ``ncu --csv``, one row per launch and metric, or with ``--page raw`` one row per launch.

Lines before the table are those of the program and of ncu (``==PROF==``). In the wide form a row of units
without an ID follows the header. Units are scaled (``usecond``, ``Mbyte``), thousands separated by commas.
What ends in ``.sum`` is summed over the launches of a kernel; ratios, means and extremes are not read.
Summaries (``--print-summary per-kernel``) have a number of launches, and the mean of each metric over them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.profile import LARGEST, Metric, Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.timeline import MAX_DEVICE
from ingest.reading.csv_files import csv_cells
from ingest.reading.files import head, head_lines, lines_of
from ingest.reading.stacks import TIME_METRIC, UNKNOWN, VISITS_METRIC, Place, Stacks, skipped_lines
from ingest.region_class import GPU_KERNEL
from ingest.units import IN_A_SECOND

_OWN_ENDING = ".ncu-rep"  # of reports as they are measured
_MAX_NUMBER = 1 << 62
NOT_TOGETHER = (
    "Nsight Compute runs kernels one at a time, and again for each group of counters:"
    " the sum of their times is not the time of the run"
)

_TIMES = ("gpu__time_duration.sum", "Duration")
_PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_UNIT = re.compile(r"(?P<prefix>[KMGT]?)(?P<unit>[a-z_]+)")
_KERNEL = "Kernel Name"
_NAME, _METRIC_UNIT, _VALUE = "Metric Name", "Metric Unit", "Metric Value"
_LAUNCHES, _MEAN = "Invocations", "Average"
_SUMMARY = (_KERNEL, "Block Size", "Grid Size", "Device")  # what a row of a summary is for


@dataclass(kw_only=True)
class _Table:
    columns: dict[str, int]  # name -> place
    # of the metrics of the wide form, by the places of their columns
    units: dict[int, tuple[str, str]] = field(default_factory=dict)
    stacks: Stacks = field(default_factory=Stacks)  # kernels by process, stream and device
    places: dict[tuple[str, str], Place] = field(default_factory=dict)  # of the launches, by process and ID
    launch: tuple[str, str] = ("", "")  # the one that the last row was of
    # its metrics that were found; they may stand in several sections
    counted: set[Metric] = field(default_factory=set)
    # (metric, unit) -> what it is summed under, and what it is divided by; None if it is no sum
    values: dict[tuple[str, str], tuple[Metric, float] | None] = field(default_factory=dict)
    # name -> metric, with the unit that it has first
    metrics: dict[str, Metric] = field(default_factory=dict)

    def cell(self, row: Sequence[str], column: str) -> str:
        """Return a cell of a row, empty if there is no such column."""
        place = self.columns.get(column)
        return "" if place is None else row[place].strip()

    def add(self, row: Sequence[str]) -> None:
        if _NAME in self.columns:
            column = _VALUE if _VALUE in self.columns else _MEAN
            found = [(self.cell(row, _NAME), self.cell(row, _METRIC_UNIT), self.cell(row, column))]
        elif not self.units:
            if self.cell(row, "ID"):
                raise ValueError("a row of units is missing")
            names = {place: name for name, place in self.columns.items() if "." in name or name in _TIMES}
            self.units = {place: (name, row[place].strip()) for place, name in names.items()}
            return
        else:
            found = [(name, unit, row[place]) for place, (name, unit) in self.units.items()]
        numbers, launches = [], self._launches(row)
        for name, unit, text in found:
            value = self._value(name, unit)
            if value is not None and text not in ("", "n/a", "N/A"):
                numbers.append((value[0], launches * _number(text) / value[1]))
        place = self._place(row)
        for metric, number in numbers:
            if metric not in self.counted:
                self.counted.add(metric)
                self.stacks.of(metric)[place] += number

    def _value(self, name: str, unit: str) -> tuple[Metric, float] | None:
        known = self.values.get((name, unit))
        if known is None and (name, unit) not in self.values:
            if name in _TIMES and unit in IN_A_SECOND:
                known = TIME_METRIC, IN_A_SECOND[unit]
            elif name not in _TIMES and name.endswith(".sum") and (match := _UNIT.fullmatch(unit)):
                metric = self.metrics.setdefault(name, Metric(name, match["unit"]))
                known = (metric, 1 / _PREFIXES[match["prefix"]]) if metric.unit == match["unit"] else None
            self.values[name, unit] = known
        return known

    def _place(self, row: Sequence[str]) -> Place:
        own = self.cell(row, "ID") if "ID" in self.columns else ", ".join(self.cell(row, c) for c in _SUMMARY)
        launch = self.cell(row, "Process ID"), own
        if launch != self.launch:
            self.launch = launch
            self.counted.clear()
        place = self.places.get(launch)
        if place is None:
            texts = (self.cell(row, column) for column in ("Process ID", "Stream", "Device"))
            process, stream, device = (int(text) if text.isdecimal() else 0 for text in texts)
            if max(process, stream) >= _MAX_NUMBER or device >= MAX_DEVICE:
                raise ValueError("an invalid number")
            kernel = self.cell(row, _KERNEL) or UNKNOWN
            place = self.stacks.location(process, stream, device), self.stacks.callpaths.callee(ROOT, kernel)
            self.places[launch] = place
            self.stacks.of(VISITS_METRIC)[place] += self._launches(row)
        return place

    def _launches(self, row: Sequence[str]) -> float:
        return _number(self.cell(row, _LAUNCHES)) if _LAUNCHES in self.columns else 1.0


def matches(path: Path) -> bool:
    """Return whether a file has the header of such a table at its beginning.

    Reports that were not exported match, too, so that reading them says what to do.
    """
    if path.suffix == _OWN_ENDING:
        return path.is_file() and not path.with_suffix(".csv").exists()
    if _KERNEL.encode() not in head(path, READER.head_bytes):
        return False
    return any(_columns(line) for line in head_lines(path, READER.head_bytes))


def read(path: Path) -> Profile:
    """Read the launches of kernels: their time, visits, and metrics that are sums."""
    if path.suffix == _OWN_ENDING:
        hint = f"export it: ncu --import {path.name} --csv --page raw > {path.stem}.csv"
        raise InputError("only Nsight Compute can read it", where=str(path), hint=hint)
    table, invalid, rows = _read(path)
    notices = skipped_lines(invalid, rows, "not a row of the table", str(path))
    stacks = table.stacks
    if TIME_METRIC not in stacks.values:
        hint = f"measure it: ncu --metrics {_TIMES[0]},..."
        raise InputError("no times of kernels in it", where=str(path), hint=hint)
    ratios = {name for (name, _), value in table.values.items() if value is None}
    unread = f"not read: metrics that are not sums over launches ({len(ratios)})"
    return stacks.built(str(path)).profile(
        "Nsight Compute",
        f"kernels {stacks.total(TIME_METRIC):.15g} s "
        f"({stacks.total(VISITS_METRIC):.15g}), no total is stated",
        sampled=False,
        paradigms=dict.fromkeys(stacks.callpaths.regions, GPU_KERNEL),
        notices=[NOT_TOGETHER, *([unread] if ratios else []), *notices],
    )


def _read(path: Path) -> tuple[_Table, list[int], int]:
    """Return the table, the numbers of lines that are not understood, and how many rows are."""
    lines: Iterator[tuple[int, str]] = enumerate(lines_of(path), start=1)
    columns = next((found for _, line in lines if (found := _columns(line))), None)
    if columns is None:
        raise InputError("no table of Nsight Compute in it", where=str(path))
    table, invalid, rows = _Table(columns=columns), list[int](), 0
    for number, line in lines:
        if not line.strip() or line.startswith("=="):
            continue
        try:
            table.add(csv_cells(line))
            rows += 1
        except (IndexError, ValueError):
            invalid.append(number)
    return table, invalid, rows


def _columns(line: str) -> dict[str, int] | None:
    if _KERNEL not in line:
        return None
    columns = {name.strip(): place for place, name in enumerate(csv_cells(line))}
    forms = ({"ID", _NAME, _METRIC_UNIT, _VALUE}, {"ID", _TIMES[0]}, {_LAUNCHES, _NAME, _METRIC_UNIT, _MEAN})
    known = _KERNEL in columns and any(columns.keys() >= form for form in forms)
    return columns if known else None


def _number(text: str) -> float:
    number = float(text.replace(",", ""))
    if not -LARGEST < number < LARGEST:
        raise ValueError(f"not a number: {text[:30]}")
    return number


READER = ProfileReader(
    name="Nsight Compute", pattern="*.csv", matches=matches, read=read, fallback=1, head_bytes=1 << 18
)

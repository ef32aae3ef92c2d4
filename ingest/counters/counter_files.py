"""Files of hardware counters, as the tools of users write them, recognised by what they contain.

A new format is a module here with a function that recognises the beginning of such a file and one that reads
it, and a line in `FORMATS`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.counters.counter_report import TOTAL_ROW, CountedRegion, CounterReport, merged
from ingest.counters.craypat_counters import read_craypat
from ingest.counters.likwid_counters import read_likwid
from ingest.counters.papi_counters import is_papi, read_papi
from ingest.counters.perf_stat_counters import is_perf_stat, read_perf_stat
from ingest.errors import InputError
from ingest.readers.craypat import is_report
from ingest.readers.likwid import is_output
from ingest.reading.files import all_of_run, read_text

__all__ = [
    "FORMATS",
    "TOTAL_ROW",
    "CountedRegion",
    "CounterFormat",
    "CounterReport",
    "merged",
    "parse_counters",
    "read_counters",
    "recognised",
]

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
    """Return the content of a text.

    Raises:
        InputError: it has none of the formats, it is damaged, or a value is not finite.
    """
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
            if not math.isfinite(value):
                raise InputError(f"{region.name}: {name} is not a finite number", where=where)
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

"""CrayPat's text reports: the times of groups and functions, and the hardware counters of every region.

This reads the facts at the head, the first profile table (``Profile by ...``, with ``Time%`` or ``Samp%``; or
the same as CSV, ``-s show_data=csv``) and every block

    ==============================================================
      USER / solve
    --------------------------------------------------------------
      Time%                                     33.1%
      Time                                 997.600000 secs
      DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:
        GOOD               24.4M/sec    14,648,437,500 fills
      PAPI_FP_OPS        1,234.5M/sec     567,890,123 ops

Samples are seconds once multiplied by the ``Sampling interval`` near the end. A name too long for its column
goes on in the next line. Values are averages over processes (PEs), counters those of a process's main thread
(paper 003) or averages over threads; here they are summed over the processes and threads of a node.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from ingest.errors import InputError
from pipeline.projection.counter_files.report import TOTAL, CountedRegion, CounterReport

_FACTS = {
    "processes": re.compile(r"^Number of PEs \(MPI ranks\):\s+(\d[\d,]*)", re.MULTILINE),
    "per_node": re.compile(r"^Numbers of PEs per Node:\s+(\d[\d,]*)", re.MULTILINE),
    "threads": re.compile(r"^Numbers of Threads per PE:\s+(\d[\d,]*)", re.MULTILINE),
}
_MOST_PROCESSES = 1e9
_INTERVAL = re.compile(r"^Sampling interval:\s+(\d[\d,]*(?:\.\d+)?)\s+(\w+)", re.MULTILINE)
_INTERVAL_UNITS = {"microsecs": 1e-6, "usecs": 1e-6, "millisecs": 1e-3, "msecs": 1e-3, "secs": 1.0}
_TABLE = re.compile(r"^Table \d+:(?P<title>.*)$")
_HEADER = re.compile(r"^\s*(?P<kind>Time|Samp)\s*%\s*\|\s*(?P=kind)\s*\|")
_CSV_HEADER = re.compile(r"^Level,(?P<kind>Time|Samp)%,(?P=kind),(?:.*,)?[^,]+$")
_ROW = re.compile(
    r"^(?P<bars>\|{0,2}) *(?P<share>\d+(?:\.\d+)?)% *\| *(?P<value>\d[\d,]*(?:\.\d+)?) *\|"
    r"(?:.*\|)? *(?P<name>[^|]+)$"
)
_CONTINUED = re.compile(r"^\|{1,2}(?: +\|)+ +(?P<name>\S[^|]*)$")
_RULE = re.compile(r"^(=+|-+)$")
_ENTRY = re.compile(r"^ +(?P<name>\S.*?) {2,}(?P<values>\S.*?) *$")
_NAME_ALONE = re.compile(r"^ +(?P<name>\S(?:.*\S)?) *$")
_VALUE = re.compile(r"(?P<number>-?[\d,]*\.?\d+(?:[eE][-+]?\d+)?) *(?P<unit>%|[A-Za-z]\w*)?$")
_TOTALS = ("Total", "Avg of PE values", "Totals for program")
_MEMBER = re.compile(r"(?:pe|thread|th|nid|numanode|ssn|node)\.\d+")
_TIMES = ("Time", "Thread Time")
_OTHER_TIMES = ("Imb. Time", "Average Time per Call")


def is_craypat(head: str) -> bool:
    """Return whether a text begins like a report of pat_report, possibly after output of the program."""
    return re.search(r"^CrayPat/X: ", head, re.MULTILINE) is not None


def read_craypat(text: str, where: str) -> CounterReport:
    """Return the content of a text report of pat_report.

    Raises:
        InputError: the text is not such a report, or no region can be read from it.
    """
    if not is_craypat(text):
        hint = "write it with: pat_report -o FILE DATA"
        raise InputError("not a CrayPat report", where=where, hint=hint)
    facts = {name: _fact(pattern, text) for name, pattern in _FACTS.items()}
    cores = facts["per_node"] * facts["threads"]
    lines = text.splitlines()
    regions: dict[tuple[str, ...], CountedRegion] = {}
    for found in (*_profile(lines, _seconds_per_sample(text)), *_blocks(lines)):
        of_node = {name: value * cores for name, value in found.counters.items()}
        regions[found.path] = _completed(regions.get(found.path), replace(found, counters=of_node))
    if not regions:
        hint = "write the report with its profile table, or with counters by region"
        raise InputError("the report has no region with a time, share or counters", where=where, hint=hint)
    return CounterReport(
        where=where, processes=facts["processes"], cores=cores, regions=tuple(regions.values())
    )


def _completed(known: CountedRegion | None, found: CountedRegion) -> CountedRegion:
    """Return a region with what another table adds to it; the earlier table's values stay."""
    if known is None:
        return found
    return CountedRegion(
        path=known.path,
        seconds=found.seconds if known.seconds is None else known.seconds,
        share=found.share if known.share is None else known.share,
        counters={**found.counters, **known.counters},
    )


def _fact(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return int(min(max(_number(match[1]), 1), _MOST_PROCESSES)) if match else 1


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _seconds_per_sample(text: str) -> float | None:
    match = _INTERVAL.search(text)
    unit = _INTERVAL_UNITS.get(match[2]) if match else None
    return _number(match[1]) * unit if match and unit else None


def _profile(lines: list[str], per_sample: float | None) -> Iterator[CountedRegion]:
    """Yield the whole, groups and functions of the profile table."""
    start = _start_of_profile(lines)
    if start is None:
        return
    header = _CSV_HEADER.match(lines[start]) or _HEADER.match(lines[start])
    factor = 1.0 if header and header["kind"] == "Time" else per_sample
    is_csv = lines[start].startswith("Level,")
    for path, share, value in _csv_rows(lines[start + 1 :]) if is_csv else _rows(lines[start + 1 :]):
        yield CountedRegion(path=path, share=share, seconds=None if factor is None else value * factor)


def _start_of_profile(lines: list[str]) -> int | None:
    """Return the line of the header of the first table of that kind, preferably of one titled so."""
    title, others = "", []
    for k, line in enumerate(lines):
        if match := _TABLE.match(line):
            following = next((other for other in lines[k + 1 : k + 3] if other.strip()), "")
            title = match["title"].strip() or following.strip()
        elif _HEADER.match(line) or _CSV_HEADER.match(line):
            if title.startswith("Profile by"):
                return k
            others.append(k)
    return others[0] if others else None


def _rows(lines: list[str]) -> Iterator[tuple[tuple[str, ...], float, float]]:
    """Yield path, share and value of every row of a table of text."""
    found: list[tuple[str, str, float, float]] = []
    for above, line in pairwise(["", *lines]):
        if line.startswith(("Table ", "Notes for ")):
            break
        if match := _ROW.match(line):
            bars, name = match["bars"], match["name"].strip()
            found.append((bars, name, float(match["share"]) / 100, _number(match["value"])))
        elif (rest := _CONTINUED.match(line)) and (_ROW.match(above) or _CONTINUED.match(above)):
            bars, name, share, value = found[-1]
            found[-1] = (bars, name + rest["name"].strip(), share, value)
    group = ""
    for bars, name, share, value in found:
        group = name if bars == "|" else group
        yield (name,) if len(bars) < 2 else (group, name), share, value


def _csv_rows(lines: list[str]) -> Iterator[tuple[tuple[str, ...], float, float]]:
    """Yield path, share and value of every row of a table of CSV; those of single processes are left out."""
    for cells in csv.reader(lines):
        if len(cells) < 4 or not cells[0].isdigit():
            return
        path = tuple(cells[-1].split("/", 1))
        if int(cells[0]) <= 2 and not _MEMBER.fullmatch(path[-1]):
            yield path, float(cells[1].rstrip("%")) / 100, float(cells[2])


def _blocks(lines: list[str]) -> Iterator[CountedRegion]:
    """Yield every block of values under a title between two rules, but those of single processes or nodes."""
    bare = [line.strip() for line in lines]
    for k, (above, title, below) in enumerate(zip(bare, bare[1:], bare[2:], strict=False)):
        if title and set(above) == {"="} and set(below) == {"-"}:
            path = TOTAL if title in _TOTALS else tuple(part.strip() for part in title.split(" / "))
            entries = {} if _MEMBER.fullmatch(path[-1]) else dict(_entries(lines[k + 3 :]))
            if entries:
                yield _region(path, entries)


def _entries(lines: list[str]) -> Iterable[tuple[str, tuple[float, str]]]:
    begun = ""
    for line in lines:
        if _RULE.match(line.strip()):
            return
        entry, alone = _ENTRY.match(line), _NAME_ALONE.match(line)
        value = _value(entry["values"]) if entry else None
        if entry and value is not None:
            yield f"{begun}{entry['name']}" if line.startswith("    ") else entry["name"], value
        begun = ""
        if entry is None and alone:
            begun = alone["name"] if alone["name"].endswith(":") else f"{alone['name']} "


def _value(text: str) -> tuple[float, str] | None:
    """Return number and unit of the first column that is not a rate."""
    for column in re.split(r" {2,}", text):
        match = None if "/sec" in column else _VALUE.fullmatch(column.strip())
        if match:
            return _number(match["number"]), match["unit"] or ""
    return None


def _region(path: tuple[str, ...], entries: dict[str, tuple[float, str]]) -> CountedRegion:
    shares = (v / 100 for key, (v, unit) in entries.items() if key == "Time%" and unit == "%")
    times = (v for key, (v, unit) in entries.items() if key in _TIMES and unit.startswith("sec"))
    counters = {
        key: v for key, (v, unit) in entries.items() if unit != "%" and key not in (*_TIMES, *_OTHER_TIMES)
    }
    return CountedRegion(path=path, share=next(shares, None), seconds=next(times, None), counters=counters)

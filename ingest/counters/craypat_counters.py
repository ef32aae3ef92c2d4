"""CrayPat's text reports: the times of groups and functions, and the hardware counters of every region.

Facts and the profile table are those of `ingest.readers.craypat.craypat_report`; this reads every block, too:

    ==============================================================
      USER / solve
    --------------------------------------------------------------
      Time%                                     33.1%
      Time                                 997.600000 secs
      DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:
        GOOD               24.4M/sec    14,648,437,500 fills
      PAPI_FP_OPS        1,234.5M/sec     567,890,123 ops

A name too long for its column goes on in the next line. Values are averages over processes (PEs), counters
those of a process's main thread (paper 003) or averages over threads; here they are summed over the
processes and threads of a node.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ingest.counters.counter_report import TOTAL_ROW, CountedRegion, CounterReport, completed
from ingest.errors import InputError
from ingest.readers.craypat import (
    CRAYPAT_HINT,
    MEMBER,
    is_report,
    number,
    profile_table,
    read_facts,
    seconds_per_sample,
)

_RULE = re.compile(r"^(=+|-+)$")
_ENTRY = re.compile(r"^ +(?P<name>\S.*?) {2,}(?P<values>\S.*?) *$")
_NAME_ALONE = re.compile(r"^ +(?P<name>\S(?:.*\S)?) *$")
_VALUE = re.compile(r"(?P<number>-?[\d,]*\.?\d+(?:[eE][-+]?\d+)?) *(?P<unit>%|[A-Za-z]\w*)?$")
_TOTALS = ("Total", "Avg of PE values", "Totals for program")
_TIMES = ("Time", "Thread Time")
_OTHER_TIMES = ("Imb. Time", "Average Time per Call")


def read_craypat(text: str, where: str) -> CounterReport:
    """Return the content of a text report of pat_report.

    Raises:
        InputError: the text is not such a report, or no region can be read from it.
    """
    if not is_report(text):
        raise InputError("not a CrayPat report", where=where, hint=CRAYPAT_HINT)
    facts = read_facts(text)
    cores = facts.per_node * facts.threads
    lines = text.splitlines()
    regions: dict[tuple[str, ...], CountedRegion] = {}
    for found in (*_profile(lines, seconds_per_sample(text)), *_blocks(lines)):
        of_node = {name: value * cores for name, value in found.counters.items()}
        region = replace(found, counters=of_node)
        regions[found.path] = completed(regions.get(found.path, region), region)
    if not regions:
        hint = "write the report with its profile table, or with counters by region"
        raise InputError("the report has no region with a time, share or counters", where=where, hint=hint)
    return CounterReport(where=where, processes=facts.processes, cores=cores, regions=tuple(regions.values()))


def _profile(lines: list[str], per_sample: float | None) -> Iterator[CountedRegion]:
    """Yield the whole, groups and functions of the profile table."""
    table = profile_table(lines)
    factor = 1.0 if table and table.traced else per_sample
    for row in table.rows if table else ():
        seconds = None if factor is None else row.value * factor
        yield CountedRegion(path=row.path, share=row.share, seconds=seconds)


def _blocks(lines: list[str]) -> Iterator[CountedRegion]:
    """Yield every block of values under a title between two rules, but those of single processes or nodes."""
    bare = [line.strip() for line in lines]
    for k, (above, title, below) in enumerate(zip(bare, bare[1:], bare[2:], strict=False)):
        if title and set(above) == {"="} and set(below) == {"-"}:
            path = TOTAL_ROW if title in _TOTALS else tuple(part.strip() for part in title.split(" / "))
            entries = {} if MEMBER.fullmatch(path[-1]) else dict(_entries(lines[k + 3 :]))
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
            return number(match["number"]), match["unit"] or ""
    return None


def _region(path: tuple[str, ...], entries: dict[str, tuple[float, str]]) -> CountedRegion:
    shares = (v / 100 for key, (v, unit) in entries.items() if key == "Time%" and unit == "%")
    times = (v for key, (v, unit) in entries.items() if key in _TIMES and unit.startswith("sec"))
    counters = {
        key: v for key, (v, unit) in entries.items() if unit != "%" and key not in (*_TIMES, *_OTHER_TIMES)
    }
    return CountedRegion(path=path, share=next(shares, None), seconds=next(times, None), counters=counters)

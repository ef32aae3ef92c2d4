"""CrayPat's text reports: the times of groups and functions, and the hardware counters of every region.

This reads the facts at the head, the first profile table with shares (``Time%`` or ``Samp%``) and every block

    ==============================================================
      USER / solve
    --------------------------------------------------------------
      Time%                                     33.1%
      Time                                 997.600000 secs
      PAPI_FP_OPS        1,234.5M/sec     567,890,123 ops

Values are averages over processes (PEs), as pat_report prints them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import InputError
from pipeline.projection.files import read_text

_FACTS = {
    "processes": re.compile(r"^Number of PEs \(MPI ranks\):\s+([\d,]+)", re.MULTILINE),
    "per_node": re.compile(r"^Numbers of PEs per Node:\s+([\d,]+)", re.MULTILINE),
    "threads": re.compile(r"^Numbers of Threads per PE:\s+([\d,]+)", re.MULTILINE),
}
_HEADER = re.compile(r"^\s*(?P<kind>Time|Samp)%\s*\|\s*(?:Time|Samp)\s*\|")
_ROW = re.compile(
    r"^(?P<bars>\|{0,2})\s*(?P<share>[\d.]+)%\s*\|\s*(?P<value>[\d,.]+)\s*\|.*?\|?\s*(?P<name>[^|]+)$"
)
_RULE = re.compile(r"^(=+|-+)$")
_ENTRY = re.compile(r"^ +(?P<name>\S.*?) {2,}(?P<values>\S.*?) *$")
_VALUE = re.compile(r"(?P<number>-?[\d,]*\.?\d+(?:[eE][-+]?\d+)?) *(?P<unit>%|[A-Za-z]\w*)?$")


@dataclass(frozen=True)
class CrayPatRegion:
    """A region of a report.

    Attributes:
        name: ``USER/solve``, or the group alone.
        share: of the whole, 0 to 1; None if the report does not say.
        seconds: averaged over processes; None if the report was sampled without times.
        counters: by name, averaged over processes.
    """

    name: str
    share: float | None = None
    seconds: float | None = None
    counters: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class CrayPatReport:
    """A report: processes in all and on a node, threads of a process, and the regions."""

    processes: int
    per_node: int
    threads: int
    regions: tuple[CrayPatRegion, ...]


def read_craypat(path: Path) -> CrayPatReport:
    """Return the content of a text report of pat_report.

    Raises:
        InputError: the file is not such a report, or no region can be read from it.
    """
    text = read_text(path)
    if "CrayPat" not in text[:4096]:
        raise InputError(
            "not a CrayPat report", where=str(path), hint="write it with: pat_report -o FILE DATA"
        )
    lines = text.splitlines()
    regions = {region.name: region for region in _table(lines)}
    for region in _blocks(lines):
        listed = regions.get(region.name, region)
        share = region.share if region.share is not None else listed.share
        seconds = region.seconds if region.seconds is not None else listed.seconds
        regions[region.name] = CrayPatRegion(region.name, share, seconds, region.counters)
    if not regions:
        hint = "write the report with its profile table, or with counters by region"
        raise InputError(
            "the report has no region with a time, share or counters", where=str(path), hint=hint
        )
    facts = {name: _fact(pattern, text) for name, pattern in _FACTS.items()}
    return CrayPatReport(facts["processes"], facts["per_node"], facts["threads"], tuple(regions.values()))


def _fact(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return int(match[1].replace(",", "")) if match else 1


def _table(lines: list[str]) -> Iterable[CrayPatRegion]:
    """Yield groups and functions of the first profile table."""
    start = next((k for k, line in enumerate(lines) if _HEADER.match(line)), None)
    if start is None:
        return
    timed = "Time%" in lines[start]
    group = ""
    for line in lines[start + 1 :]:
        if line.startswith("Table "):
            return
        match = _ROW.match(line)
        if match is None or not match["bars"]:
            continue
        name = match["name"].strip()
        group = name if match["bars"] == "|" else group
        full = group if match["bars"] == "|" else f"{group}/{name}"
        seconds = float(match["value"].replace(",", "")) if timed else None
        yield CrayPatRegion(full, float(match["share"]) / 100, seconds)


def _blocks(lines: list[str]) -> Iterable[CrayPatRegion]:
    """Yield every block of values under a title between two rules."""
    bare = [line.strip() for line in lines]
    for k, (above, title, below) in enumerate(zip(bare, bare[1:], bare[2:], strict=False)):
        if title and set(above) == {"="} and set(below) == {"-"}:
            entries = dict(_entries(lines[k + 3 :]))
            if entries:
                yield _region(title, entries)


def _entries(lines: list[str]) -> Iterable[tuple[str, tuple[float, str]]]:
    for line in lines:
        if _RULE.match(line.strip()):
            return
        match = _ENTRY.match(line)
        value = _value(match["values"]) if match else None
        if match and value is not None:
            yield match["name"], value


def _value(text: str) -> tuple[float, str] | None:
    """Return number and unit of the first column that is not a rate."""
    for column in re.split(r" {2,}", text):
        match = None if "/sec" in column else _VALUE.fullmatch(column.strip())
        if match:
            return float(match["number"].replace(",", "")), match["unit"] or ""
    return None


def _region(title: str, entries: dict[str, tuple[float, str]]) -> CrayPatRegion:
    name = (
        "Total" if title in ("Total", "Avg of PE values") else "/".join(p.strip() for p in title.split(" / "))
    )
    share = next((v / 100 for key, (v, unit) in entries.items() if key == "Time%" and unit == "%"), None)
    seconds = next(
        (v for key, (v, unit) in entries.items() if key == "Time" and unit.startswith("sec")), None
    )
    counters = {
        key: v for key, (v, unit) in entries.items() if unit != "%" and key not in ("Time", "Imb. Time")
    }
    return CrayPatRegion(name, share, seconds, counters)

"""What ``nsys stats`` prints: tables of kernels, copies and calls one below the other, in a file of any name.

Tables are CSV (``--format csv``), columns below a line of dashes (the default), or framed. The report that a
table is of stands above it, ``Processing [x.sqlite] with [.../cuda_gpu_kern_sum.py]...`` or ``** CUDA GPU
Kernel Summary (cuda_gpu_kern_sum):``; without such a line it is known by its columns. Of several captures the
first is read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.formats import ProfileReader
from ingest.profile import CPU, LARGEST, Profile
from ingest.readers.gpu.summary_tables import ONE_DEVICE
from ingest.readers.gpu.timeline import Regions
from ingest.reading.csv_files import csv_cells
from ingest.reading.stacks import TIME, UNKNOWN, VISITS, Stacks
from ingest.reading.textfile import head_lines, lines_of
from ingest.region_class import GPU_COPY, GPU_KERNEL
from ingest.time_units import IN_A_SECOND

HEAD_BYTES = 1 << 18
MAX_LINE = 1 << 16
CUT_NAMES = "names that end in '…' are cut: kernels that begin alike are one"

_CAPTURE = re.compile(
    r"\s*Processing \[(?P<capture>[^\]]*)\] with \[(?:[^\]]*[/\\])?(?P<report>\w+)(?:\.py)?[^\]]*\]"
)
_TITLE = re.compile(r"\s*\*\* .*\((?P<report>\w+)\):?\s*")
_TIME = re.compile(r"Total Time(?: \((?P<unit>ns|us|ms|s)\))?")
_DASHES = re.compile(r"\s*-+(?:\s+-+){2,}\s*")
_CALL = re.compile(r"(?:cu|nv)[A-Za-z]")  # of CUDA: calls of the operating system have the same columns


@dataclass(frozen=True)
class _Report:
    """A report that is read.

    Attributes:
        paradigm: of what is in it.
        name: the column of names.
        numbers: columns that may have the number of calls.
        called: how it is called, by version.
    """

    paradigm: str
    name: str
    numbers: tuple[str, ...]
    called: tuple[str, ...]


_REPORTS = (
    _Report(GPU_KERNEL, "Name", ("Instances",), ("cuda_gpu_kern_sum", "gpukernsum")),
    _Report(
        GPU_COPY,
        "Operation",
        ("Count", "Operations", "Instances"),
        ("cuda_gpu_mem_time_sum", "gpumemtimesum"),
    ),
    _Report("cuda", "Name", ("Num Calls", "Calls"), ("cuda_api_sum", "cudaapisum")),
)


@dataclass(frozen=True, kw_only=True)
class _Header:
    """Where the columns of a table are.

    Attributes:
        report: that it is of.
        stated: whether a line above it says so.
        name: place of the names.
        number: place of the numbers of calls.
        time: place of the times.
        unit: of times, in a second.
    """

    report: _Report
    stated: bool
    name: int
    number: int
    time: int
    unit: float


@dataclass(kw_only=True)
class _Output:
    """An output as far as it was read.

    Attributes:
        capture: that its first tables are of.
        report: named by the last line that names one.
        other: whether this is of another capture.
        header: of the table that is read.
        spans: begins and ends of its columns, if dashes state them.
        known: the reports that were read.
        rows: paradigm, name, number of calls and seconds.
    """

    capture: str = ""
    report: str = ""
    other: bool = False
    header: _Header | None = None
    spans: list[tuple[int, int]] = field(default_factory=list)
    known: list[_Report] = field(default_factory=list)
    rows: list[tuple[str, str, float, float]] = field(default_factory=list)


def matches(path: Path) -> bool:
    """Return whether the beginning of a file has the header of a table that is read."""
    lines = head_lines(path, HEAD_BYTES)
    return any("Total Time" in line and _header(_cells(line, []), "") for line in lines)


def read(path: Path) -> Profile:
    """Read the tables of an output.

    Raises:
        InputError: if it cannot be read, a row is not understood, or there is nothing in it.
    """
    output = _Output()
    for number, line in enumerate(lines_of(path), start=1):
        try:
            _add(output, line[:MAX_LINE])
        except ValueError as error:
            what = f"line {number}: {error}"
            raise InputError(what, where=str(path), hint="is the file truncated?") from error
    if not output.rows:
        raise InputError("no sums of kernels, copies or calls in it", where=str(path))
    return _profile(str(path), output.rows)


def _profile(source: str, rows: Sequence[tuple[str, str, float, float]]) -> Profile:
    stacks, regions = Stacks(), Regions()
    time, visits = stacks.of(TIME), stacks.of(VISITS)
    on_host = [row for row in rows if row[0] not in (GPU_KERNEL, GPU_COPY)]
    on_device = [row for row in rows if row[0] in (GPU_KERNEL, GPU_COPY)]
    for device, some in ((CPU, on_host), (0, on_device)):
        for paradigm, name, number, seconds in some:
            node = stacks.callpaths.callee(ROOT, regions.name(name, paradigm))
            place = stacks.location(0, device, device), node
            time[place] = time.get(place, 0.0) + seconds
            visits[place] = visits.get(place, 0.0) + number
    sums = {report.called[0]: [row[3] for row in rows if row[0] == report.paradigm] for report in _REPORTS}
    stated = (f"{name} {sum(seconds):.15g} s" for name, seconds in sums.items() if seconds)
    cut = any(name.endswith("…") for _, name, _, _ in rows)
    return stacks.profile(
        source,
        "nsys stats",
        f"{', '.join(stated)}; the time of the run is not stated",
        sampled=False,
        paradigms=regions.paradigms,
        notices=[ONE_DEVICE, *([CUT_NAMES] if cut else [])],
    )


def _add(output: _Output, line: str) -> None:
    """Add a line of an output.

    Raises:
        ValueError: if it is not a row of the table that is read.
    """
    if match := _CAPTURE.match(line) or _TITLE.fullmatch(line):
        capture = match.groupdict().get("capture")
        output.report, output.header = match["report"], None
        if capture is not None:
            output.capture = output.capture or capture
            output.other = capture != output.capture
    elif "Total Time" in line and not output.other:
        output.spans = []
        output.header = _header(_cells(line, []), output.report)
        if output.header and output.header.report in output.known:
            output.header = None
        elif output.header:
            output.known.append(output.header.report)
    elif output.header is None or line.startswith("+"):
        pass
    elif _DASHES.fullmatch(line):
        output.spans = [match.span() for match in re.finditer("-+", line)]
    elif not line.strip():
        output.header = None if output.rows else output.header
    else:
        _add_row(output, output.header, _cells(line, output.spans))


def _add_row(output: _Output, header: _Header, cells: Sequence[str]) -> None:
    places = (header.name, header.number, header.time)
    if len(cells) <= max(places):
        raise ValueError(f"not a row of its table: {' '.join(cells)[:60]}")
    name, number, time = (cells[place] for place in places)
    if header.stated or header.report.paradigm != "cuda" or _CALL.match(name):
        row = header.report.paradigm, name or UNKNOWN, _number(number), _number(time) / header.unit
        output.rows.append(row)


def _header(cells: Sequence[str], report: str) -> _Header | None:
    """Return the columns of a table of a report; if this is not stated, one that they fit."""
    times = [(place, match) for place, cell in enumerate(cells) if (match := _TIME.fullmatch(cell))]
    called = [known for known in _REPORTS if any(report.startswith(name) for name in known.called)]
    for known in called if report else _REPORTS:
        number = next((name for name in known.numbers if name in cells), "")
        if times and number and known.name in cells and "Category" not in cells:
            place, match = times[0]
            return _Header(
                report=known,
                stated=bool(report),
                name=cells.index(known.name),
                number=cells.index(number),
                time=place,
                unit=IN_A_SECOND[match["unit"] or "ns"],
            )
    return None


def _cells(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the cells of a line: between bars, below dashes, or separated by commas or two blanks."""
    if spans:
        return [line[start:end].strip() for start, end in _until_end(spans, line)]
    if line.startswith("|"):
        return [cell.strip() for cell in line.strip("| \n").split(" | ")]
    if re.search(r"\S  +\S", line) and "," not in line:
        return re.split(r"  +", line.strip())
    return [cell.strip() for cell in csv_cells(line)]


def _until_end(spans: Sequence[tuple[int, int]], line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of columns, the last of which goes on to the end of the line."""
    yield from spans[:-1]
    yield spans[-1][0], len(line)


def _number(text: str) -> float:
    """Return a number that is not negative; thousands may be separated by commas."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        value = -1.0
    if not 0 <= value < LARGEST:
        raise ValueError(f"not a sum: {text[:30]}")
    return value


READER = ProfileReader(
    name="nsys stats", pattern="*.csv, *.txt", matches=matches, read=read, fallback=2, precedence=3
)

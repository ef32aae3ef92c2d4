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

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.summary_tables import (
    NSYS,
    NSYS_KINDS,
    NamedSum,
    SumColumns,
    SumKind,
    profile_of_sums,
    sum_columns,
)
from ingest.reading.csv_files import csv_cells
from ingest.reading.files import head_lines, lines_of
from ingest.region_class import GPU_COPY, GPU_KERNEL

_MAX_LINE = 1 << 16
CUT_NAMES = "names that end in '…' are cut: kernels that begin alike are one"

_CAPTURE = re.compile(
    r"\s*Processing \[(?P<capture>[^\]]*)\] with \[(?:[^\]]*[/\\])?(?P<report>\w+)(?:\.py)?[^\]]*\]"
)
_TITLE = re.compile(r"\s*\*\* .*\((?P<report>\w+)\):?\s*")
_DASHES = re.compile(r"\s*-+(?:\s+-+){2,}\s*")
_CALL = re.compile(r"(?:cu|nv)[A-Za-z]")  # of CUDA: calls of the operating system have the same columns


@dataclass(frozen=True, kw_only=True)
class _Header:
    """The header of a table."""

    kind: SumKind  # what the table has
    stated: bool  # whether a line above it says so
    columns: SumColumns


@dataclass(kw_only=True)
class _Output:
    """An output as far as it was read."""

    capture: str = ""  # that its first tables are of
    report: str = ""  # named by the last line that names one
    other: bool = False  # whether this is of another capture
    header: _Header | None = None  # of the table that is read
    # begins and ends of its columns, if dashes state them
    spans: list[tuple[int, int]] = field(default_factory=list)
    known: list[SumKind] = field(default_factory=list)  # the reports that were read
    rows: list[NamedSum] = field(default_factory=list)  # paradigm, name, number of calls and seconds


def _matches(path: Path) -> bool:
    """Return whether the beginning of a file has the header of a table that is read."""
    lines = head_lines(path, READER.head_bytes)
    return any("Total Time" in line and _header(_cells(line, []), "") for line in lines)


def read(path: Path) -> Profile:
    """Read the tables of an output."""
    output = _Output()
    for number, line in enumerate(lines_of(path), start=1):
        try:
            _add(output, line[:_MAX_LINE])
        except ValueError as error:
            what = f"line {number}: {error}"
            raise InputError(what, where=str(path), hint="is the file truncated?") from error
    if not output.rows:
        raise InputError("no sums of kernels, copies or calls in it", where=str(path))
    return _profile(str(path), output.rows)


def _profile(source: str, rows: Sequence[NamedSum]) -> Profile:
    sums = {kind.called[0]: [row[3] for row in rows if row[0] == kind.paradigm] for kind in NSYS_KINDS}
    stated = (f"{name} {sum(seconds):.15g} s" for name, seconds in sums.items() if seconds)
    cut = any(name.endswith("…") for _, name, _, _ in rows)
    host_first = sorted(rows, key=lambda row: row[0] in (GPU_KERNEL, GPU_COPY))
    return profile_of_sums(source, NSYS, host_first, ", ".join(stated), notices=[CUT_NAMES] if cut else [])


def _add(output: _Output, line: str) -> None:
    """Add a line of an output."""
    if match := _CAPTURE.match(line) or _TITLE.fullmatch(line):
        capture = match.groupdict().get("capture")
        output.report, output.header = match["report"], None
        if capture is not None:
            output.capture = output.capture or capture
            output.other = capture != output.capture
    elif "Total Time" in line and not output.other:
        output.spans = []
        output.header = _header(_cells(line, []), output.report)
        if output.header and output.header.kind in output.known:
            output.header = None
        elif output.header:
            output.known.append(output.header.kind)
    elif output.header is None or line.startswith("+"):
        pass
    elif _DASHES.fullmatch(line):
        output.spans = [match.span() for match in re.finditer("-+", line)]
    elif not line.strip():
        output.header = None if output.rows else output.header
    else:
        _add_row(output, output.header, _cells(line, output.spans))


def _add_row(output: _Output, header: _Header, cells: Sequence[str]) -> None:
    name, number, time = header.columns.row(cells)
    if header.stated or header.kind.on_device or _CALL.match(name):
        output.rows.append((header.kind.paradigm, name, number, time / header.columns.unit))


def _header(cells: Sequence[str], report: str) -> _Header | None:
    """Return the columns of a table of a report; if this is not stated, one that they fit."""
    called = [kind for kind in NSYS_KINDS if report.startswith(kind.called)]
    for kind in called if report else NSYS_KINDS:
        columns = sum_columns(cells, kind)
        if columns and "Category" not in cells:
            return _Header(kind=kind, stated=bool(report), columns=columns)
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


READER = ProfileReader(
    name="nsys stats",
    pattern="*.csv, *.txt",
    matches=_matches,
    read=read,
    fallback=2,
    precedence=3,
    head_bytes=1 << 18,
)

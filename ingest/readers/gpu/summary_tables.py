"""Sums of kernels, copies and calls by name, as profilers of accelerators write them to CSV files.

Read are the statistics of rocprof (``results.stats.csv``, ``results.hip_stats.csv``, ...) and of rocprofv3
(``x_kernel_stats.csv``, ...), Omniperf's ``pmc_kernel_top.csv``, and reports of ``nsys stats``
(``x_cuda_gpu_kern_sum.csv``, ...). Tables of one run, which differ in the ends of their names, are one
profile, whichever of them is given; tables of rocprof with other names stand alone. They state neither
devices nor how long the run took.

And what ``nsys stats`` prints: tables of kernels, copies and calls one below the other, in a file of any
name. They are CSV (``--format csv``), columns below a line of dashes (the default), or framed. The report
that a table is of stands above it, ``Processing [x.sqlite] with [.../cuda_gpu_kern_sum.py]...`` or ``** CUDA
GPU Kernel Summary (cuda_gpu_kern_sum):``; without such a line it is known by its columns. Of several captures
the first is read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.profile import CPU, LARGEST, NODE, Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.timeline import Regions
from ingest.reading.csv_files import csv_cells
from ingest.reading.files import entries, head, head_lines, lines_of
from ingest.reading.packed import plain_name
from ingest.reading.stacks import TIME_METRIC, UNKNOWN, VISITS_METRIC, Stacks
from ingest.region_class import GPU_COPY, GPU_KERNEL
from ingest.run_settings import METADATA
from ingest.units import IN_A_SECOND

ONE_DEVICE = "devices are not stated: all kernels and copies are taken to be of one"
_NSYS = "nsys stats"
_TABLE_HEAD_BYTES = 1 << 14

_TIME = re.compile(r"(?:TotalDuration|Total Time|Sum) ?\(?(?P<unit>ns|us|ms|s)?\)?", re.IGNORECASE)

_NamedSum = tuple[str, str, float, float]  # paradigm, name, number of calls, seconds


@dataclass(frozen=True)
class _SumKind:
    profiler: str  # what writes it
    called: tuple[str, ...]  # how tables of it are called, by version: names of files end so
    paradigm: str  # of what is in it
    name: str = "Name"  # the column of names
    numbers: tuple[str, ...] = ("Calls",)  # columns that may have the number of calls

    @property
    def on_device(self) -> bool:
        return self.paradigm in (GPU_KERNEL, GPU_COPY)


_NSYS_KINDS = (
    _SumKind(_NSYS, ("cuda_gpu_kern_sum", "gpukernsum"), GPU_KERNEL, "Name", ("Instances",)),
    _SumKind(
        _NSYS,
        ("cuda_gpu_mem_time_sum", "gpumemtimesum"),
        GPU_COPY,
        "Operation",
        ("Count", "Operations", "Instances"),
    ),
    _SumKind(_NSYS, ("cuda_api_sum", "cudaapisum"), "cuda", "Name", ("Num Calls", "Calls")),
)


@dataclass(frozen=True, kw_only=True)
class _SumColumns:
    name: int
    number: int
    time: int
    unit: float  # of times, in a second

    def row(self, cells: Sequence[str]) -> tuple[str, float, float]:
        """Return name, number of calls, and time in the unit of the table."""
        if len(cells) <= max(self.name, self.number, self.time):
            raise ValueError(f"not a row of its table: {' '.join(cells)[:60]}")
        return cells[self.name] or UNKNOWN, _number(cells[self.number]), _number(cells[self.time])


def _sum_columns(cells: Sequence[str], kind: _SumKind) -> _SumColumns | None:
    """Return the columns of a table of some kind, given the cells of its header; None if it is none."""
    number = next((name for name in kind.numbers if name in cells), "")
    times = ((place, match) for place, cell in enumerate(cells) if (match := _TIME.fullmatch(cell)))
    place, match = next(times, (0, None))
    if match is None or not number or kind.name not in cells:
        return None
    unit = IN_A_SECOND[(match["unit"] or "ns").lower()]
    return _SumColumns(name=cells.index(kind.name), number=cells.index(number), time=place, unit=unit)


def _profile_of_sums(
    source: str,
    profiler: str,
    rows: Iterable[_NamedSum],
    stated: str,
    *,
    attributes: Mapping[str, str] | None = None,
    notices: Iterable[str] = (),
) -> Profile:
    """Make the profile of rows, those of the host first: it is a location, all accelerators are another."""
    stacks, regions = Stacks(), Regions()
    for paradigm, name, number, seconds in rows:
        device = 0 if paradigm in (GPU_KERNEL, GPU_COPY) else CPU
        node = stacks.callpaths.callee(ROOT, regions.name(name, paradigm))
        place = stacks.location(0, device, device), node
        stacks.of(TIME_METRIC)[place] += seconds
        stacks.of(VISITS_METRIC)[place] += number
    return stacks.built(source).profile(
        profiler,
        f"{stated}; the time of the run is not stated",
        sampled=False,
        paradigms=regions.paradigms,
        attributes=attributes,
        notices=[ONE_DEVICE, *notices],
    )


def _number(text: str) -> float:
    """Return a number that is not negative; thousands may be separated by commas."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        value = -1.0
    if not 0 <= value < LARGEST:
        raise ValueError(f"not a sum: {text[:30]}")
    return value


REPLAYED = (
    "Omniperf runs the program once for each group of counters: times and numbers of kernels are not those"
    " of one run"
)
_SYSTEM = "sysinfo.csv"  # Omniperf's description of the machine
WITHIN_HIP = "not read: calls of HSA, most of which are within those of HIP"

_ROCPROF, _OMNIPERF = "rocprof", "Omniperf"
_HIP, _HSA = ("hip_api_stats", "hip_stats"), ("hsa_api_stats", "hsa_stats")
_KINDS = (  # the first whose end a name has
    *_NSYS_KINDS,
    _SumKind(_OMNIPERF, ("pmc_kernel_top",), GPU_KERNEL, "Kernel_Name", ("Count",)),
    _SumKind(_ROCPROF, ("memory_copy_stats", "copy_stats"), GPU_COPY),
    *(_SumKind(_ROCPROF, ends, "hip") for ends in (_HIP, _HSA)),
    _SumKind(_ROCPROF, ("kernel_stats", ".stats"), GPU_KERNEL),
)
_ROCPROF_COLUMNS = ["Name", "Calls", "TotalDurationNs", "AverageNs"]
_NOT_READ = re.compile(
    r"(?:^|_)(?:domain|[a-z]+_api|scratch_memory|memory_allocation)_stats\.csv$", re.IGNORECASE
)  # of rocprofv3
_BY_NAME = ((re.compile(r"_{0,2}(?:hip|hsa_)\w*$"), "hip"), (re.compile(r"Copy|MEMORY_COPY"), GPU_COPY))


@dataclass(frozen=True, kw_only=True)
class _Table:
    path: Path
    run: tuple[str, str]  # profiler, and the beginning of the name that the tables of a run share
    kind: _SumKind
    line: int
    columns: _SumColumns


def matches(path: Path) -> bool:
    """Return whether a file is called like such a table, and has its columns."""
    return _table(path) is not None


def beside(path: Path) -> Sequence[Path]:
    """Return the other tables of the same run, and the description of the machine."""
    others = [table.path for table in _tables(path) if table.path != path]
    system = path.with_name(_SYSTEM)
    return [*others, system] if system.is_file() else others


def read(path: Path) -> Profile:
    """Read the tables of the run that a table is of."""
    tables = _tables(path)
    if not tables:
        raise InputError("no sums of kernels, copies or calls in it", where=str(path))
    called = [table.kind.called for table in tables]
    read_tables = [table for table in tables if not (_HIP in called and table.kind.called == _HSA)]
    rows: list[_NamedSum] = []
    sums = []
    for table in sorted(read_tables, key=lambda table: table.kind.on_device):
        unit, found = table.columns.unit, list(_rows(table))
        rows += [(table.kind.paradigm, name, number, time / unit) for name, number, time in found]
        sums.append(f"{table.path.name} {sum(time for _, _, time in found) / unit:.15g} s")
    profiler = tables[0].kind.profiler
    replayed = [REPLAYED] if profiler == _OMNIPERF else []
    return _profile_of_sums(
        str(path),
        profiler,
        rows,
        ", ".join(sums),
        attributes=_machine(path.with_name(_SYSTEM)) if profiler == _OMNIPERF else {},
        notices=[*replayed, *([WITHIN_HIP] if len(read_tables) < len(tables) else [])],
    )


def _machine(path: Path) -> dict[str, str]:
    """Return what Omniperf notes of the machine and the program; nothing if it is not there."""
    rows = [_cells(line) for line in head_lines(path, _TABLE_HEAD_BYTES)[:2]]
    stated = dict(zip(*rows, strict=False)) if len(rows) == 2 else {}
    names = {"hostname": NODE, "command": "command", "gpu_model": METADATA + "GPU"}
    names |= {"rocm_version": METADATA + "ROCm"}
    return {key: stated[name] for name, key in names.items() if stated.get(name)}


def _kind(path: Path) -> tuple[_SumKind, str] | None:
    """Return the kind of a file, and the beginning of the name that the tables of its run share."""
    name = path.name.lower()
    for kind in _KINDS:
        if end := next((end for end in kind.called if name.endswith(f"{end}.csv")), ""):
            return kind, path.name[: -len(f"{end}.csv")].rstrip("._")
    return _kind_by_rows(path)


def _kind_by_rows(path: Path) -> tuple[_SumKind, str] | None:
    """Return the kind of a table of rocprof that has another name, by what its first row is of."""
    if plain_name(path).suffix.lower() != ".csv" or _NOT_READ.search(path.name):
        return None
    header, first, *_ = *head_lines(path, _TABLE_HEAD_BYTES)[:2], "", ""
    if _cells(header)[:4] != _ROCPROF_COLUMNS:
        return None
    name = next(iter(_cells(first)), "")
    paradigm = next((paradigm for begin, paradigm in _BY_NAME if begin.match(name)), GPU_KERNEL)
    return _SumKind(_ROCPROF, (plain_name(path).stem,), paradigm), path.name


def _tables(path: Path) -> list[_Table]:
    own = _table(path)
    found = (_table(entry) for entry in entries(path.parent)) if own else ()
    return [table for table in found if table and own and table.run == own.run]


def _table(path: Path) -> _Table | None:
    found = _kind(path)
    if found is None:
        return None
    kind, run = found
    for line, text in enumerate(head_lines(path, _TABLE_HEAD_BYTES), start=1):
        if columns := _sum_columns(_cells(text), kind):
            return _Table(path=path, run=(kind.profiler, run), kind=kind, line=line, columns=columns)
    return None


def _rows(table: _Table) -> Iterator[tuple[str, float, float]]:
    for line, text in enumerate(lines_of(table.path), start=1):
        if line > table.line and text.strip():
            try:
                yield table.columns.row(_cells(text))
            except ValueError as error:
                what = f"line {line}: not a row of its table: {text[:60]}"
                raise InputError(what, where=str(table.path), hint="is the file truncated?") from error


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in csv_cells(line)]


_MAX_LINE = 1 << 16
_HEAD_BYTES = 1 << 18
CUT_NAMES = "names that end in '…' are cut: kernels that begin alike are one"

_CAPTURE = re.compile(
    r"\s*Processing \[(?P<capture>[^\]]*)\] with \[(?:[^\]]*[/\\])?(?P<report>\w+)(?:\.py)?[^\]]*\]"
)
_TITLE = re.compile(r"\s*\*\* .*\((?P<report>\w+)\):?\s*")
_DASHES = re.compile(r"\s*-+(?:\s+-+){2,}\s*")
_CALL = re.compile(r"(?:cu|nv)[A-Za-z]")  # of CUDA: calls of the operating system have the same columns


@dataclass(frozen=True, kw_only=True)
class _Header:
    kind: _SumKind  # what the table has
    stated: bool  # whether a line above it says so
    columns: _SumColumns


@dataclass(kw_only=True)
class _Output:
    capture: str = ""  # that its first tables are of
    report: str = ""  # named by the last line that names one
    other: bool = False  # whether this is of another capture
    header: _Header | None = None  # of the table that is read
    # begins and ends of its columns, if dashes state them
    spans: list[tuple[int, int]] = field(default_factory=list)
    known: list[_SumKind] = field(default_factory=list)  # the reports that were read
    rows: list[_NamedSum] = field(default_factory=list)  # paradigm, name, number of calls and seconds


def _is_printed(path: Path) -> bool:
    """Return whether the beginning of a file has the header of a table that is read."""
    lines = head_lines(path, _HEAD_BYTES) if b"Total Time" in head(path, _HEAD_BYTES) else ()
    return any("Total Time" in line and _header(_cells_of(line, []), "") for line in lines)


def read_printed(path: Path) -> Profile:
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
    rows = output.rows
    sums = {kind.called[0]: [row[3] for row in rows if row[0] == kind.paradigm] for kind in _NSYS_KINDS}
    stated = (f"{name} {sum(seconds):.15g} s" for name, seconds in sums.items() if seconds)
    cut = any(name.endswith("…") for _, name, _, _ in rows)
    host_first = sorted(rows, key=lambda row: row[0] in (GPU_KERNEL, GPU_COPY))
    notices = [CUT_NAMES] if cut else []
    return _profile_of_sums(str(path), _NSYS, host_first, ", ".join(stated), notices=notices)


def _add(output: _Output, line: str) -> None:
    if match := _CAPTURE.match(line) or _TITLE.fullmatch(line):
        capture = match.groupdict().get("capture")
        output.report, output.header = match["report"], None
        if capture is not None:
            output.capture = output.capture or capture
            output.other = capture != output.capture
    elif "Total Time" in line and not output.other:
        output.spans = []
        output.header = _header(_cells_of(line, []), output.report)
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
        header = output.header
        name, number, time = header.columns.row(_cells_of(line, output.spans))
        if header.stated or header.kind.on_device or _CALL.match(name):
            output.rows.append((header.kind.paradigm, name, number, time / header.columns.unit))


def _header(cells: Sequence[str], report: str) -> _Header | None:
    """Return the columns of a table of a report; if this is not stated, one that they fit."""
    called = [kind for kind in _NSYS_KINDS if report.startswith(kind.called)]
    for kind in called if report else _NSYS_KINDS:
        columns = _sum_columns(cells, kind)
        if columns and "Category" not in cells:
            return _Header(kind=kind, stated=bool(report), columns=columns)
    return None


def _cells_of(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the cells of a line: between bars, below dashes, or separated by commas or two blanks."""
    if spans:
        spans = [*spans[:-1], (spans[-1][0], len(line))]  # the last column goes on to the end of the line
        return [line[start:end].strip() for start, end in spans]
    if line.startswith("|"):
        return [cell.strip() for cell in line.strip("| \n").split(" | ")]
    if re.search(r"\S  +\S", line) and "," not in line:
        return re.split(r"  +", line.strip())
    return _cells(line)


READERS = (
    ProfileReader(
        name="GPU summary tables",
        pattern="*stats.csv, *_sum.csv, pmc_kernel_top.csv",
        matches=matches,
        read=read,
        beside=beside,
        content=lambda path: table.run if (table := _table(path)) else path,
        fallback=1,
        head_bytes=_TABLE_HEAD_BYTES,
    ),
    ProfileReader(
        name="nsys stats",
        pattern="*.csv, *.txt",
        matches=_is_printed,
        read=read_printed,
        fallback=2,
        precedence=3,
        head_bytes=_HEAD_BYTES,
    ),
)

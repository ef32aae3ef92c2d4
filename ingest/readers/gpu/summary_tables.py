"""Sums of kernels, copies and calls by name, as profilers of accelerators write them to CSV files.

Read are the statistics of rocprof (``results.stats.csv``, ``results.hip_stats.csv``, ...) and of rocprofv3
(``x_kernel_stats.csv``, ...), Omniperf's ``pmc_kernel_top.csv``, and reports of ``nsys stats``
(``x_cuda_gpu_kern_sum.csv``, ...). Tables of one run, which differ in the ends of their names, are one
profile, whichever of them is given; tables of rocprof with other names stand alone. They state neither
devices nor how long the run took.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.formats import ProfileReader
from ingest.profile import CPU, LARGEST, NODE, Profile
from ingest.readers.gpu.timeline import Regions
from ingest.reading.csv_files import csv_cells
from ingest.reading.stacks import TIME, UNKNOWN, VISITS, Stacks
from ingest.reading.textfile import head_lines, lines_of
from ingest.region_class import GPU_COPY, GPU_KERNEL
from ingest.run_settings import METADATA
from ingest.time_units import IN_A_SECOND

HEAD_BYTES = 1 << 14
ONE_DEVICE = "devices are not stated: all kernels and copies are taken to be of one"
REPLAYED = (
    "Omniperf runs the program once for each group of counters: times and numbers of kernels are not those"
    " of one run"
)
SYSTEM = "sysinfo.csv"  # Omniperf's description of the machine
WITHIN_HIP = "not read: calls of HSA, most of which are within those of HIP"


@dataclass(frozen=True)
class _Kind:
    """A kind of tables.

    Attributes:
        profiler: what writes it.
        end: how the names of its files end before ``.csv``.
        paradigm: of what is in it.
        name: the column of names.
        number: columns that may have the number of calls.
    """

    profiler: str
    end: str
    paradigm: str
    name: str = "Name"
    number: tuple[str, ...] = ("Calls",)


_NSYS, _ROCPROF, _OMNIPERF = "nsys stats", "rocprof", "Omniperf"
_HSA = ("hsa_api_stats", "hsa_stats")
_KINDS = (  # the first whose end a name has
    *(_Kind(_NSYS, end, GPU_KERNEL, "Name", ("Instances",)) for end in ("cuda_gpu_kern_sum", "gpukernsum")),
    *(
        _Kind(_NSYS, end, GPU_COPY, "Operation", ("Count", "Operations"))
        for end in ("cuda_gpu_mem_time_sum", "gpumemtimesum")
    ),
    *(_Kind(_NSYS, end, "cuda", "Name", ("Num Calls",)) for end in ("cuda_api_sum", "cudaapisum")),
    _Kind(_OMNIPERF, "pmc_kernel_top", GPU_KERNEL, "Kernel_Name", ("Count",)),
    *(_Kind(_ROCPROF, end, GPU_COPY) for end in ("memory_copy_stats", "copy_stats")),
    *(_Kind(_ROCPROF, end, "hip") for end in ("hip_api_stats", "hip_stats", *_HSA)),
    _Kind(_ROCPROF, "kernel_stats", GPU_KERNEL),
    _Kind(_ROCPROF, ".stats", GPU_KERNEL),
)
_ROCPROF_COLUMNS = ["Name", "Calls", "TotalDurationNs", "AverageNs"]
_NOT_READ = re.compile(
    r"(?:^|_)(?:domain|[a-z]+_api|scratch_memory|memory_allocation)_stats\.csv$", re.IGNORECASE
)  # of rocprofv3
_BY_NAME = (
    (re.compile(r"_{0,2}(?:hip|hsa_)\w*$"), "hip"),
    (re.compile(r"Copy|MEMORY_COPY"), GPU_COPY),
)
_TIME = re.compile(r"(?:TotalDuration|Total Time|Sum) ?\(?(?P<unit>ns|us|ms|s)\)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class _Table:
    """A file, and where its columns are.

    Attributes:
        path: the file.
        kind: what it has.
        line: number of the header, from 1.
        name: place of the names.
        number: place of the numbers of calls.
        time: place of the times.
        unit: of times, in a second.
    """

    path: Path
    kind: _Kind
    line: int
    name: int
    number: int
    time: int
    unit: float


def matches(path: Path) -> bool:
    """Return whether a file is called like such a table, and has its columns."""
    return _table(path) is not None


def beside(path: Path) -> Sequence[Path]:
    """Return the other tables of the same run, and the description of the machine."""
    others = [table.path for table in _tables(path) if table.path != path]
    system = path.with_name(SYSTEM)
    return [*others, system] if system.is_file() else others


def content(path: Path) -> Hashable:
    """Return what is equal for the tables of one run."""
    table = _table(path)
    return (table.kind.profiler, _run_of(path, table.kind)) if table else path


def read(path: Path) -> Profile:
    """Read the tables of the run that a table is of.

    Raises:
        InputError: if one cannot be read, has a row that is not understood, or there is nothing in them.
    """
    tables = _tables(path)
    if not tables:
        raise InputError("no sums of kernels, copies or calls in it", where=str(path))
    stacks, regions = Stacks(), Regions()
    time, visits = stacks.of(TIME), stacks.of(VISITS)
    within_hip = {table.kind.end for table in tables} & {"hip_api_stats", "hip_stats"}
    read_tables = [table for table in tables if not (within_hip and table.kind.end in _HSA)]
    sums = []
    for table in sorted(read_tables, key=lambda table: table.kind.paradigm in (GPU_KERNEL, GPU_COPY)):
        paradigm, seconds = table.kind.paradigm, 0.0
        device = 0 if paradigm in (GPU_KERNEL, GPU_COPY) else CPU
        for name, number, duration in _rows(table):
            place = (
                stacks.location(0, device, device),
                stacks.callpaths.callee(ROOT, regions.name(name, paradigm)),
            )
            time[place] = time.get(place, 0.0) + duration / table.unit
            visits[place] = visits.get(place, 0.0) + number
            seconds += duration
        sums.append(f"{table.path.name} {seconds / table.unit:.15g} s")
    profiler = tables[0].kind.profiler
    notices = [ONE_DEVICE, *([REPLAYED] if profiler == _OMNIPERF else [])]
    return stacks.profile(
        str(path),
        profiler,
        f"{', '.join(sums)}; the time of the run is not stated",
        sampled=False,
        paradigms=regions.paradigms,
        attributes=_machine(path.with_name(SYSTEM)) if profiler == _OMNIPERF else {},
        notices=[*notices, *([WITHIN_HIP] if len(read_tables) < len(tables) else [])],
    )


def _machine(path: Path) -> dict[str, str]:
    """Return what Omniperf notes of the machine and the program; nothing if it is not there."""
    rows = [_cells(line) for line in head_lines(path, HEAD_BYTES)[:2]]
    stated = dict(zip(*rows, strict=False)) if len(rows) == 2 else {}
    names = {"hostname": NODE, "command": "command", "gpu_model": METADATA + "GPU"}
    names |= {"rocm_version": METADATA + "ROCm"}
    return {key: stated[name] for name, key in names.items() if stated.get(name)}


def _kind(path: Path) -> _Kind | None:
    name = path.name.lower()
    named = next((kind for kind in _KINDS if name.endswith(f"{kind.end}.csv")), None)
    return named or _kind_by_rows(path)


def _kind_by_rows(path: Path) -> _Kind | None:
    """Return the kind of a table of rocprof that has another name, by what its first row is of."""
    header, first, *_ = *head_lines(path, HEAD_BYTES)[:2], "", ""
    if path.suffix.lower() != ".csv" or _NOT_READ.search(path.name) or _cells(header)[:4] != _ROCPROF_COLUMNS:
        return None
    name = next(iter(_cells(first)), "")
    paradigm = next((paradigm for begin, paradigm in _BY_NAME if begin.match(name)), GPU_KERNEL)
    return _Kind(_ROCPROF, f"{path.stem}, {paradigm}", paradigm)


def _run_of(path: Path, kind: _Kind) -> str:
    """Return the beginning of the name that the tables of a run share."""
    return path.name[: -len(f"{kind.end}.csv")].rstrip("._") if kind in _KINDS else path.name


def _tables(path: Path) -> list[_Table]:
    """Return the tables of the run that a file is of, in the order of their names."""
    own = _table(path)
    if own is None:
        return []
    run = own.kind.profiler, _run_of(path, own.kind)
    try:
        entries = sorted(path.parent.iterdir())
    except OSError:
        return [own]
    kinds = ((entry, _kind(entry)) for entry in entries)
    same = [entry for entry, kind in kinds if kind and (kind.profiler, _run_of(entry, kind)) == run]
    return [table for entry in same if (table := _table(entry))]


def _table(path: Path) -> _Table | None:
    kind = _kind(path)
    if kind is None:
        return None
    for line, text in enumerate(head_lines(path, HEAD_BYTES), start=1):
        columns = _cells(text)
        number = next((name for name in kind.number if name in columns), "")
        times = [(place, match) for place, cell in enumerate(columns) if (match := _TIME.fullmatch(cell))]
        if kind.name in columns and number and times:
            place, match = times[0]
            return _Table(
                path=path,
                kind=kind,
                line=line,
                name=columns.index(kind.name),
                number=columns.index(number),
                time=place,
                unit=IN_A_SECOND[match["unit"].lower()],
            )
    return None


def _rows(table: _Table) -> Iterator[tuple[str, float, float]]:
    """Yield names, numbers of calls, and times in the unit of the table."""
    for line, text in enumerate(lines_of(table.path), start=1):
        if line <= table.line or not text.strip():
            continue
        cells = _cells(text)
        try:
            name, number, time = cells[table.name], _number(cells[table.number]), _number(cells[table.time])
        except (IndexError, ValueError) as error:
            what = f"line {line}: not a row of its table: {text[:60]}"
            raise InputError(what, where=str(table.path), hint="is the file truncated?") from error
        yield name or UNKNOWN, number, time


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in csv_cells(line)]


def _number(text: str) -> float:
    """Return a number that is not negative; thousands may be separated by commas."""
    value = float(text.replace(",", ""))
    if not 0 <= value < LARGEST:
        raise ValueError(f"not a sum: {text[:30]}")
    return value


READER = ProfileReader(
    name="GPU summary tables",
    pattern="*stats.csv, *_sum.csv, pmc_kernel_top.csv",
    matches=matches,
    read=read,
    beside=beside,
    content=content,
    fallback=1,
)

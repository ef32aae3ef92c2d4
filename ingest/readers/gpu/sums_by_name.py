"""Sums by name, as profilers of accelerators print them: how often and how long something ran in all."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.calltree import ROOT
from ingest.profile import CPU, LARGEST, Profile
from ingest.readers.gpu.timeline import Regions
from ingest.reading.stacks import TIME, UNKNOWN, VISITS, Stacks
from ingest.region_class import GPU_COPY, GPU_KERNEL
from ingest.time_units import IN_A_SECOND

ONE_DEVICE = "devices are not stated: all kernels and copies are taken to be of one"
NSYS = "nsys stats"

_TIME = re.compile(r"(?:TotalDuration|Total Time|Sum) ?\(?(?P<unit>ns|us|ms|s)?\)?", re.IGNORECASE)

NamedSum = tuple[str, str, float, float]  # paradigm, name, number of calls, seconds


@dataclass(frozen=True)
class SumKind:
    """A kind of tables.

    Attributes:
        profiler: what writes it.
        called: how tables of it are called, by version: names of files end so.
        paradigm: of what is in it.
        name: the column of names.
        numbers: columns that may have the number of calls.
    """

    profiler: str
    called: tuple[str, ...]
    paradigm: str
    name: str = "Name"
    numbers: tuple[str, ...] = ("Calls",)

    @property
    def on_device(self) -> bool:
        """Whether it is of what runs on accelerators."""
        return self.paradigm in (GPU_KERNEL, GPU_COPY)


NSYS_KINDS = (
    SumKind(NSYS, ("cuda_gpu_kern_sum", "gpukernsum"), GPU_KERNEL, "Name", ("Instances",)),
    SumKind(
        NSYS,
        ("cuda_gpu_mem_time_sum", "gpumemtimesum"),
        GPU_COPY,
        "Operation",
        ("Count", "Operations", "Instances"),
    ),
    SumKind(NSYS, ("cuda_api_sum", "cudaapisum"), "cuda", "Name", ("Num Calls", "Calls")),
)


@dataclass(frozen=True, kw_only=True)
class SumColumns:
    """Where the columns of a table are.

    Attributes:
        name: place of the names.
        number: place of the numbers of calls.
        time: place of the times.
        unit: of times, in a second.
    """

    name: int
    number: int
    time: int
    unit: float

    def row(self, cells: Sequence[str]) -> tuple[str, float, float]:
        """Return name, number of calls, and time in the unit of the table.

        Raises:
            ValueError: if it is not a row of the table.
        """
        if len(cells) <= max(self.name, self.number, self.time):
            raise ValueError(f"not a row of its table: {' '.join(cells)[:60]}")
        return cells[self.name] or UNKNOWN, _number(cells[self.number]), _number(cells[self.time])


def sum_columns(cells: Sequence[str], kind: SumKind) -> SumColumns | None:
    """Return the columns of a table of some kind, given the cells of its header; None if it is none."""
    number = next((name for name in kind.numbers if name in cells), "")
    times = ((place, match) for place, cell in enumerate(cells) if (match := _TIME.fullmatch(cell)))
    place, match = next(times, (0, None))
    if match is None or not number or kind.name not in cells:
        return None
    unit = IN_A_SECOND[(match["unit"] or "ns").lower()]
    return SumColumns(name=cells.index(kind.name), number=cells.index(number), time=place, unit=unit)


def profile_of_sums(
    source: str,
    profiler: str,
    rows: Iterable[NamedSum],
    stated: str,
    *,
    attributes: Mapping[str, str] | None = None,
    notices: Iterable[str] = (),
) -> Profile:
    """Make the profile of rows: the host is one location, all accelerators together are another.

    Args:
        source: the file.
        profiler: what wrote it.
        rows: those of the host first.
        stated: the sums, in words.
        attributes: what else is known of the run.
        notices: what is doubtful.
    """
    stacks, regions = Stacks(), Regions()
    for paradigm, name, number, seconds in rows:
        device = 0 if paradigm in (GPU_KERNEL, GPU_COPY) else CPU
        node = stacks.callpaths.callee(ROOT, regions.name(name, paradigm))
        place = stacks.location(0, device, device), node
        stacks.add(TIME, place, seconds)
        stacks.add(VISITS, place, number)
    return stacks.profile(
        source,
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

"""`Profile`: one run as its file has it, columnar, with values read on demand."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows, distinct
from ingest.calltree import CallTree
from ingest.errors import InputError

MAX_LOCATIONS = 1 << 21  # more than any run has


@dataclass(frozen=True, eq=False, kw_only=True)
class SummedOver:
    """Over what the values of a profile were summed before they were stored."""

    count: int = 1  # how many locations each location of the profile stands for
    # seconds of the one that took longest, at most their sum; NaN if the file does not say
    longest: float = math.nan
    # float64[call path], the smallest exclusive time of a single one; None if the file does not say
    least: FloatArray | None = None
    most: FloatArray | None = None  # the largest, likewise

    def processes(self, process: IntArray) -> IntArray:
        """Return the process of every single location, int64[L x count], from those of the profile, int64[L].

        The threads of a process follow each other.
        """
        if self.count == 1:
            return process
        found, number = np.unique(process, return_inverse=True)
        return (np.arange(self.count)[:, None] * len(found) + number.reshape(-1)).reshape(-1)

    def spread(self, times: FloatArray) -> FloatArray:
        """Return times of every single location, float64[class, L x count], from sums, float64[class, L].

        All have the same, but for the longest if it is known: it has more of everything, the others less.
        """
        if self.count == 1:
            return times
        single = np.tile(times / self.count, self.count)
        mean = float(single[:, 0].sum()) if single.shape[1] == self.count else 0.0
        if 0 < mean < self.longest:
            others = (self.count * mean - self.longest) / (self.count - 1)
            single[:, 0] *= self.longest / mean
            single[:, 1:] *= max(others, 0.0) / mean
        return single


LARGEST = 1e280  # sums of smaller numbers do not overflow
OVERLAPPING = "overlapping"  # paradigm of a region below which timers stand that lie inside or around others
# Attributes that readers make of what a file says about the machine: its name, the name of its first node,
# and how many nodes and cores the run had.
SYSTEM_MACHINE, NODE, NODES, SYSTEM_CORES = "system.machine", "system.node", "system.nodes", "system.cores"
CPU, NOWHERE = -1, -2  # devices of locations that are not accelerators
_VALUES_PER_BLOCK = 1 << 20  # values read at once: 8 MiB

Block: TypeAlias = tuple[IntArray, FloatArray]


class MetricKind(Enum):
    """How the stored values of a metric relate to the call tree."""

    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"
    SIMPLE = "simple"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"

    @property
    def additive(self) -> bool:
        """Whether values may be summed over call paths and locations."""
        return self in (MetricKind.EXCLUSIVE, MetricKind.INCLUSIVE)

    @property
    def extreme(self) -> bool:
        """Whether a value is the smallest or largest of a single visit."""
        return self in (MetricKind.MINIMUM, MetricKind.MAXIMUM)


@dataclass(frozen=True)
class Metric:
    """A measured quantity."""

    name: str  # the unique name, such as ``time`` or ``visits``
    unit: str  # as the file states it, such as ``sec`` or ``occ``; may be empty
    kind: MetricKind = MetricKind.EXCLUSIVE  # how stored values relate to the call tree


@dataclass(frozen=True, eq=False, kw_only=True)
class RegionTable(Rows):
    """The regions of a profile, one entry per region in every column."""

    name: tuple[str, ...]  # displayed (demangled) names
    mangled: tuple[str, ...]  # linker names, equal to `name` if the file has none
    # lower case, such as ``compiler``, ``user``, ``mpi``, ``openmp``, ``measurement``, or empty
    paradigm: tuple[str, ...]
    file: tuple[str, ...]  # source files, empty if unknown
    line: IntArray  # int64, first source line, -1 if unknown

    @classmethod
    def named(
        cls,
        names: Sequence[str],
        paradigms: Iterable[str],
        places: Iterable[tuple[str, int]] = (),
        mangled: Iterable[str] | None = None,
    ) -> "RegionTable":
        """Return the table of regions, given place and linker name of each if they are known."""
        files, lines = zip(*places, strict=True) if places else (("",) * len(names), (-1,) * len(names))
        return cls(
            name=tuple(names),
            mangled=tuple(names if mangled is None else mangled),
            paradigm=tuple(paradigms),
            file=files,
            line=np.array(lines, dtype=np.int64),
        )

    @cached_property
    def source(self) -> dict[str, str]:
        """Source file of regions by name, with the line if it is known: ``solver.cpp:73``.

        What states its paradigm instead of a file, such as ``MPI``, has none.
        """
        columns = zip(self.name, self.paradigm, self.file, self.line.tolist(), strict=True)
        return {
            name: f"{file}:{line}" if line > 0 else file
            for name, paradigm, file, line in columns
            if file and file.casefold() != paradigm
        }


@dataclass(frozen=True, eq=False)
class LocationTable(Rows):
    """What values were measured on: one entry per thread of execution."""

    process: IntArray  # int64[L], index of the process (rank) a location belongs to
    thread: IntArray  # int64[L], index of the location within its process
    # int64[L], number of the accelerator whose stream a location is; `CPU` for a thread on a core, `NOWHERE`
    # for what occupies neither, such as a counter of the node
    device: IntArray
    # name of the computer that each location is on; empty if the format does not say
    node: tuple[str, ...] = ()

    @classmethod
    def of_threads(cls, process: IntArray, thread: IntArray) -> "LocationTable":
        """Return the table of threads, all on cores."""
        return cls(process, thread, np.full(len(process), CPU))

    @property
    def cpu(self) -> BoolArray:
        """bool[L], whether a location is a thread on a core."""
        return np.asarray(self.device == CPU)

    @property
    def accelerator(self) -> BoolArray:
        """bool[L], whether a location is a stream of an accelerator."""
        return self.device >= 0


class ValueLoader(Protocol):
    """Reads the values of a profile on demand."""

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the stored values of a metric, float64[call path, location]."""
        ...

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield about `rows` call paths at once, int64[k], and their exclusive values, float64[k, location].

        All others are zero; metrics that are not sums come as stored.
        """
        ...


@dataclass(frozen=True, eq=False)
class ValuesInMemory:
    """The loader of formats that are read as a whole."""

    tree: CallTree  # n call paths
    values: Mapping[str, FloatArray] = field(repr=False)  # per metric name float64[n, location], as stored

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the stored values of a metric."""
        return self.values[metric.name]

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield all exclusive values at once."""
        yield np.arange(len(self.tree)), exclusive_values(self.tree, metric, self(metric))


def exclusive_values(tree: CallTree, metric: Metric, stored: FloatArray) -> FloatArray:
    """Return exclusive values of a metric from its stored ones, float64[call path, location]."""
    return tree.exclusive(stored) if metric.kind is MetricKind.INCLUSIVE else stored


def require_possible(processes: int, where: str) -> None:
    """Refuse a number of processes that no run has."""
    if processes > MAX_LOCATIONS:
        raise InputError(f"{processes} processes: more than any run has", where=where)


def require_summable(values: FloatArray, what: str, where: str) -> None:
    """Raise InputError for values that spoil sums: not finite, or so large that it can only be damage."""
    if values.size and not (values.min() > -LARGEST and values.max() < LARGEST):
        raise InputError(f"a value of {what} is not finite, or too large", where=where)


@dataclass(frozen=True, eq=False, kw_only=True)
class Profile:
    """One run: a call tree, its tables, and the values of its metrics."""

    source: str
    tree: CallTree
    regions: RegionTable
    locations: LocationTable
    metrics: tuple[Metric, ...]
    load: ValueLoader = field(repr=False)  # reads stored values; use `values` and `exclusive_blocks` instead
    # over how many locations the values of each were summed before they were stored
    summed: SummedOver = field(default_factory=SummedOver)
    # what the measurement system says about itself (versions, filter, machine)
    attributes: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()  # one sentence for everything that was skipped or is doubtful

    @property
    def processes(self) -> int:
        """The number of processes that the values are of."""
        return len(distinct(self.locations.process)) * self.summed.count

    @property
    def cpu_locations(self) -> int:
        """The number of threads on cores that the values are of."""
        return int(self.locations.cpu.sum()) * self.summed.count

    def metric(self, name: str) -> Metric:
        """Return the metric of that name; InputError if the profile has no such metric."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        known = ", ".join(m.name for m in self.metrics) or "none"
        raise InputError(f"no metric '{name}'", where=self.source, hint=f"metrics here: {known}")

    def values(self, name: str, *, inclusive: bool = False) -> FloatArray:
        """Return the values of a metric, float64[call path, location], in the metric's unit.

        Metrics that are not sums (simple, minimum, maximum) come as stored, whatever is requested.
        """
        metric = self.metric(name)
        stored = self.load(metric)
        if not inclusive:
            return exclusive_values(self.tree, metric, stored)
        return self.tree.inclusive(stored) if metric.kind is MetricKind.EXCLUSIVE else stored

    def exclusive_blocks(self, name: str, locations: BoolArray) -> Iterator[Block]:
        """Yield call paths, int64[k], and their exclusive values, float64[k, wanted locations], in blocks.

        So memory does not grow. All others are zero; metrics that are not sums come as stored.
        """
        rows = max(1, _VALUES_PER_BLOCK // max(len(self.locations), 1))
        everywhere = bool(locations.all())
        for nodes, values in self.load.exclusive_blocks(self.metric(name), rows):
            yield nodes, values if everywhere else values[:, locations]

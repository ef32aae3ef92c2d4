"""`Profile`: one run as its file tells it, columnar, with values read on demand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.errors import InputError


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


@dataclass(frozen=True)
class Metric:
    """A measured quantity.

    Attributes:
        name: the unique name, such as ``time`` or ``visits``.
        unit: as the file states it, such as ``sec`` or ``occ``; may be empty.
        kind: how stored values relate to the call tree.
    """

    name: str
    unit: str
    kind: MetricKind = MetricKind.EXCLUSIVE


@dataclass(frozen=True, eq=False, kw_only=True)
class RegionTable:
    """The regions of a profile, one entry a region in every column.

    Attributes:
        name: displayed (demangled) names.
        mangled: linker names, equal to `name` where the file has none.
        paradigm: lower case, such as ``compiler``, ``user``, ``mpi``, ``openmp``, ``measurement``, or empty.
        file: source files, empty where unknown.
        line: int64, first source line, -1 where unknown.
    """

    name: tuple[str, ...]
    mangled: tuple[str, ...]
    paradigm: tuple[str, ...]
    file: tuple[str, ...]
    line: IntArray

    def __len__(self) -> int:
        """Return the number of regions."""
        return len(self.name)


@dataclass(frozen=True, eq=False)
class LocationTable:
    """Where values were measured: one entry a thread of execution.

    Attributes:
        process: int64[L], index of the process (rank) a location belongs to.
        thread: int64[L], index of the location within its process.
        cpu: bool[L], False for accelerator streams, which hold no cores.
    """

    process: IntArray
    thread: IntArray
    cpu: BoolArray

    def __len__(self) -> int:
        """Return the number of locations L."""
        return len(self.process)


@dataclass(frozen=True, eq=False, kw_only=True)
class Profile:
    """One run: a call tree, its tables, and the values of its metrics.

    Attributes:
        source: the file or directory it was read from.
        tree: call paths in preorder.
        regions: what the call paths are made of.
        locations: what the values are measured on.
        metrics: the metrics whose values can be asked for.
        load: reads the stored values of a metric, float64[call path, location]; use `values` instead.
        attributes: what the measurement system says of itself (versions, filter, machine).
        notices: one sentence for everything that was skipped or doubted while reading.
    """

    source: str
    tree: CallTree
    regions: RegionTable
    locations: LocationTable
    metrics: tuple[Metric, ...]
    load: Callable[[Metric], FloatArray] = field(repr=False)
    attributes: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def metric(self, name: str) -> Metric:
        """Return the metric of that name.

        Raises:
            InputError: where the profile has no such metric.
        """
        for metric in self.metrics:
            if metric.name == name:
                return metric
        known = ", ".join(m.name for m in self.metrics) or "none"
        raise InputError(f"no metric '{name}'", where=self.source, hint=f"metrics here: {known}")

    def values(self, name: str, *, inclusive: bool = False) -> FloatArray:
        """Return the values of a metric, float64[call path, location], in the metric's unit.

        Metrics that are no sums (simple, minimum, maximum) come as stored whatever is asked for.

        Raises:
            InputError: where the profile has no such metric or its values are damaged.
        """
        metric = self.metric(name)
        stored = self.load(metric)
        if metric.kind is MetricKind.EXCLUSIVE and inclusive:
            return self.tree.inclusive(stored)
        if metric.kind is MetricKind.INCLUSIVE and not inclusive:
            return self.tree.exclusive(stored)
        return stored

"""What a check compares: the measured values of all kernels of one study, and where they come from."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.experiment import Experiment
from ingest.scaling import ScalingDecision
from pipeline.models.bottlenecks import shares
from pipeline.models.efficiency import efficiencies
from pipeline.models.kernels import Kernels, callpath_kernels, region_kernels, total_kernel

NO_LINE = -1
SAME = 1e-4  # relative difference of sums that are the same but for rounding and dust


class Level(Enum):
    """What the values of a kernel are summed over."""

    TOTAL = "total"
    REGION = "region"
    CALLPATH = "callpath"


@dataclass(frozen=True)
class KernelId:
    """A kernel in any study: its level and its names from the root down."""

    level: Level
    callpath: tuple[str, ...]


@dataclass(frozen=True)
class Origin:
    """Under which conditions a study was measured; empty where unknown.

    Attributes:
        machine: name of the machine.
        filter: digest of the instrumentation filter.
    """

    machine: str = ""
    filter: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshot:
    """K kernels at P points with R repetitions: the total, the regions, the call paths.

    Attributes:
        parameters: names of the D parameters.
        parameter: the one that scales.
        scaling: ``strong``, ``weak`` or ``none``.
        metric, unit: what was measured.
        points: float64[P, D].
        kernels: one entry a row of `values`; the total comes first.
        values: float64[K, P, R], NaN where nothing was measured.
        files: source file per kernel, of the nearest caller where its own is unknown; may be empty.
        lines: int64[K], line in that file, -1 where unknown.
        parallel_efficiency: float64[P], NaN where it cannot be told.
        origin: the conditions of the measurement.
        smallest_share: kernels below this share at every point may be missing.
    """

    parameters: tuple[str, ...]
    parameter: str
    scaling: str
    metric: str
    unit: str
    points: FloatArray
    kernels: tuple[KernelId, ...]
    values: FloatArray
    files: tuple[str, ...]
    lines: IntArray
    parallel_efficiency: FloatArray
    origin: Origin = field(default_factory=Origin)
    smallest_share: float = 0.0

    @cached_property
    def mean(self) -> FloatArray:
        """Mean over repetitions, float64[K, P]; 0 where nothing was measured."""
        known = np.isfinite(self.values)
        total: FloatArray = np.where(known, self.values, 0.0).sum(axis=2) / np.maximum(known.sum(axis=2), 1)
        return total

    @cached_property
    def share(self) -> FloatArray:
        """Share of the total, float64[K, P]; the total is the first kernel."""
        mean = self.mean
        return np.divide(mean, mean[:1], out=np.zeros(mean.shape), where=mean[:1] > 0)

    @property
    def scale(self) -> FloatArray:
        """Values of the parameter that scales, float64[P]."""
        column: FloatArray = self.points[:, self.parameters.index(self.parameter)]
        return column

    def take(self, rows: Sequence[int] | IntArray) -> "Snapshot":
        """Return some kernels, in the order asked for."""
        index = np.asarray(rows, dtype=np.int64)
        return replace(
            self,
            kernels=tuple(self.kernels[i] for i in index.tolist()),
            values=self.values[index],
            files=tuple(self.files[i] for i in index.tolist()),
            lines=self.lines[index],
        )


def snapshot(
    experiment: Experiment, decision: ScalingDecision, metric: str, origin: Origin | None = None
) -> Snapshot:
    """Take the kernels of an experiment.

    Raises:
        InputError: where the metric was not measured.
    """
    callpaths = callpath_kernels(experiment, metric, decision.scaling)
    regions, total = region_kernels(callpaths), total_kernel(callpaths)
    files, lines = _sources(experiment)
    heaviest = _heaviest(callpaths, regions)
    kernels = (
        KernelId(Level.TOTAL, ("total",)),
        *(KernelId(Level.REGION, region) for region in regions.callpaths),
        *(KernelId(Level.CALLPATH, path) for path in callpaths.callpaths),
    )
    found = efficiencies(experiment, decision)
    nothing = np.full(len(experiment.points), np.nan)
    return Snapshot(
        parameters=experiment.parameters,
        parameter=decision.parameter or experiment.parameters[0],
        scaling=decision.scaling.value,
        metric=callpaths.metric,
        unit=callpaths.unit,
        points=experiment.points,
        kernels=kernels,
        values=np.concatenate([total.values, regions.values, callpaths.values]),
        files=("", *(files[i] for i in heaviest.tolist()), *files),
        lines=np.concatenate([[NO_LINE], lines[heaviest], lines]).astype(np.int64),
        parallel_efficiency=found.parallel if found is not None else nothing,
        origin=origin or Origin(),
    )


def without_dust(whole: Snapshot, smallest_share: float) -> Snapshot:
    """Keep the kernels that reach a share of the total at some point; the total stays."""
    rows = np.flatnonzero((whole.share >= smallest_share).any(axis=1))
    return replace(whole.take(rows), smallest_share=smallest_share)


def lone_callpaths(study: Snapshot) -> dict[str, tuple[str, ...]]:
    """Return the regions whose values are those of a single call path, with that call path.

    Testing both would be testing the same twice.
    """
    size = study.mean.sum(axis=1)
    whole = {k.callpath[-1]: size[i] for i, k in enumerate(study.kernels) if k.level is Level.REGION}
    return {
        k.callpath[-1]: k.callpath
        for i, k in enumerate(study.kernels)
        if k.level is Level.CALLPATH and abs(size[i] - whole.get(k.callpath[-1], np.inf)) <= SAME * size[i]
    }


def _heaviest(callpaths: Kernels, regions: Kernels) -> IntArray:
    """For every region its call path that is largest over all points, int64[regions]."""
    number = {path[0]: r for r, path in enumerate(regions.callpaths)}
    group = np.array([number[path[-1]] for path in callpaths.callpaths], dtype=np.int64)
    weight = shares(np.nan_to_num(callpaths.mean)).sum(axis=1)
    order = np.lexsort((weight, group))
    last = np.append(np.flatnonzero(np.diff(group[order])), len(order) - 1)
    heaviest: IntArray = order[last]
    return heaviest


def _sources(experiment: Experiment) -> tuple[list[str], IntArray]:
    """File and line per call path; a callee without, such as an MPI function, takes its caller's."""
    regions, region = experiment.regions, experiment.tree.region
    lines = regions.line[region].astype(np.int64)
    files = [regions.file[r] for r in region.tolist()]
    for node, parent in enumerate(experiment.tree.parent.tolist()):  # preorder: callers come first
        if lines[node] < 0 and parent >= 0:
            files[node], lines[node] = files[parent], lines[parent]
    return files, lines

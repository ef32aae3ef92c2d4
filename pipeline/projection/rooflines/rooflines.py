"""The roofline: attainable flop rate by computational intensity, and the regions of measured runs in it.

A study has the values of all locations; verdicts and rooflines are those of one node. No profile says how
many nodes a run had: it is taken to have filled as few nodes of the machine as hold its locations.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import numpy as np

from ingest.arrays import FloatArray
from ingest.counters.counted_work import Work, known, work
from ingest.errors import UsageError
from ingest.record_codec import NO_ENTRY, entry
from ingest.region_class import Activity, region_class
from ingest.units import BANDWIDTH, FLOP_RATE, NONE, Dimension, Quantity
from pipeline.projection.rooflines.region_verdicts import RegionVerdict, verdict

if TYPE_CHECKING:
    from ingest.experiment import Experiment
    from pipeline.models.kernels import Kernels
    from pipeline.projection.machines.machine_values import Machine

_NETWORK = "bw_network"


@dataclass(frozen=True, kw_only=True)
class RooflinePoint:
    """A region that was counted.

    Of a node, at a memory level; `run` labels one of several.
    """

    name: str
    run: str = ""
    level: str
    intensity: Annotated[float, "flop/B"]
    flop_rate: Annotated[float, "flop/s"] = field(metadata=entry("rate"))


@dataclass(frozen=True)
class Roofline:
    """Ceilings of a machine, and the regions below them.

    Ceilings by their names in the machine's file, the fastest first.
    """

    machine: str = field(metadata=NO_ENTRY)
    bandwidths: Annotated[Mapping[str, float], "B/s"]
    peaks: Annotated[Mapping[str, float], "flop/s"]
    points: tuple[RooflinePoint, ...] = ()

    def attainable(self, intensity: FloatArray, bandwidth: str, peak: str) -> FloatArray:
        """Return min(peak, bandwidth x intensity) in flop/s for intensities in flop/B."""
        return np.minimum(self.peaks[peak], self.bandwidths[bandwidth] * intensity)


def roofline(machine: str, values: Mapping[str, Quantity], points: Sequence[RooflinePoint] = ()) -> Roofline:
    """Return the roofline of a machine; UsageError if it has no ceiling of one kind.

    Ceilings are its values in B/s named ``bw...``, but of the network, and in flop/s named ``peak...``.
    """
    flows = _ceilings(values, "bw", BANDWIDTH)
    peaks = _ceilings(values, "peak", FLOP_RATE)
    if not flows or not peaks:
        lacking = "bandwidth 'bw_...' in B/s" if not flows else "peak 'peak_...' in flop/s"
        hint = "add it to the machine's [values]"
        raise UsageError(f"no {lacking} for a roofline", where=machine, hint=hint)
    return Roofline(machine, flows, peaks, tuple(points))


def _ceilings(values: Mapping[str, Quantity], prefix: str, dimension: Dimension) -> dict[str, float]:
    found = {
        name: quantity.value
        for name, quantity in values.items()
        if name.startswith(prefix) and quantity.dimension == dimension and not name.startswith(_NETWORK)
    }
    return dict(sorted(found.items(), key=lambda ceiling: -ceiling[1]))


def points_of(counted: Iterable[tuple[str, Work, float]], run: str = "") -> Iterator[RooflinePoint]:
    """Yield a point for every part (name, work, seconds) and counted memory level, if it has operations."""
    for name, done, seconds in counted:
        for level in done.bytes if done.flop > 0 else ():
            yield RooflinePoint(
                name=name,
                run=run,
                level=level,
                intensity=done.intensity(level),
                flop_rate=done.flop / seconds,
            )


LEAST_SHARE = 0.005
"""Of the time of a run: regions below are left out."""


@dataclass(frozen=True, kw_only=True)
class CountedKernel:
    """A region at a measured point."""

    region: str
    share: float  # of the time of the run
    seconds: float  # wall time, the mean of its locations
    work: Work  # what the locations of one node did in it
    cores: int  # of that node that ran


@dataclass(frozen=True, kw_only=True)
class StudyRoofline:
    """The roofline of the machine measured on, with the regions of a study."""

    roofline: Roofline  # ceilings, and points of every measured point of the study as a run of its own
    runs: tuple[str, ...]
    judged: int  # index of the run that `kernels` and `verdicts` are of
    kernels: tuple[CountedKernel, ...]
    verdicts: tuple[RegionVerdict, ...]  # what limits them, in the same order


def study_roofline(experiment: "Experiment", machine: "Machine", largest: int) -> StudyRoofline:
    """Return the roofline, at a point, of regions that compute and take `LEAST_SHARE` of the time or more."""
    if not _has_counters(experiment):
        hint = "measure with counters, such as SCOREP_METRIC_PAPI=PAPI_FP_OPS,PAPI_L3_TCM"
        raise UsageError("the study has no hardware counters that are known", where="--from", hint=hint)
    runs = tuple(_label(experiment, point) for point in range(len(experiment.points)))
    by_run = [
        [one for one in counted_kernels(experiment, None, machine, k) if one and one.share >= LEAST_SHARE]
        for k in range(len(runs))
    ]
    judged = sorted(by_run[largest], key=lambda kernel: -kernel.share)
    points = [
        point
        for label, kernels in zip(runs, by_run, strict=True)
        for point in points_of(((one.region, one.work, one.seconds) for one in kernels), label)
    ]
    return StudyRoofline(
        roofline=roofline(machine.name, machine.values, points),
        runs=runs,
        judged=largest,
        kernels=tuple(judged),
        verdicts=tuple(verdict(one.work, one.seconds, machine, cores=one.cores) for one in judged),
    )


def kernel_verdicts(
    experiment: "Experiment", kernels: "Kernels", machine: "Machine", point: int
) -> list[RegionVerdict | None]:
    """Return what limits each of K kernels; None and arguments are as in `counted_kernels`."""
    if not _has_counters(experiment):
        return [None] * len(kernels)
    found = counted_kernels(experiment, kernels, machine, point)
    return [verdict(one.work, one.seconds, machine, cores=one.cores) if one else None for one in found]


def counted_kernels(
    experiment: "Experiment", kernels: "Kernels | None", machine: "Machine", point: int
) -> list[CountedKernel | None]:
    """Return what K kernels or all regions did at a point, None without computing, time or counts."""
    regions = experiment.regions
    names = (kernels.paradigms, kernels.regions) if kernels else (regions.paradigm, regions.name)
    total = float(np.nansum(_by_kernel(experiment, None, "time", point)))
    effort = _by_kernel(experiment, kernels, "time", point)
    values = {
        one.name: _by_kernel(experiment, kernels, one.name, point)
        for one in experiment.metrics
        if known(one.name)
    }
    locations = float(np.nanmean(experiment.cores()[point]))
    nodes, cores = nodes_of(locations, machine)
    found: list[CountedKernel | None] = []
    for k, (paradigm, region) in enumerate(zip(*names, strict=True)):
        done = work({name: float(of[k]) for name, of in values.items() if np.isfinite(of[k])})
        computes = region_class(paradigm, region).activity is Activity.COMPUTATION
        share = float(effort[k]) / total if total > 0 else 0.0
        one = CountedKernel(
            region=region,
            share=share,
            seconds=float(effort[k]) / locations,
            work=done.scaled(1 / nodes),
            cores=cores,
        )
        found.append(one if computes and done.counted and one.seconds > 0 else None)
    return found


def _has_counters(experiment: "Experiment") -> bool:
    counted = any(known(metric.name) for metric in experiment.metrics)
    return counted and "time" in experiment.values and not experiment.is_series


def _by_kernel(experiment: "Experiment", kernels: "Kernels | None", metric: str, point: int) -> FloatArray:
    """Return a metric by kernel, float64[K], or by region: mean of repetitions, sum of locations."""
    from pipeline.models.kernels import mean_over_repetitions, sum_groups

    values = mean_over_repetitions(experiment.values[metric].sum[:, point])
    names = experiment.regions.name
    by_region: FloatArray = sum_groups(values[:, None], experiment.tree.region, len(names))[:, 0]
    if kernels is None:
        return by_region
    number = {name: region for region, name in enumerate(names)}
    regions = np.array([number[name] for name in kernels.regions], dtype=np.int64)
    return np.where(kernels.node < 0, by_region[regions], values[kernels.node])


def nodes_of(locations: float, machine: "Machine") -> tuple[int, int]:
    """Return how many nodes so many locations fill, and how many cores of a node run; all are used evenly."""
    cores = machine.values.get("cores")
    per_node = cores.value if cores is not None and cores.dimension == NONE else math.inf
    nodes = max(math.ceil(locations / per_node), 1)
    return nodes, max(math.ceil(locations / nodes), 1)


def _label(experiment: "Experiment", point: int) -> str:
    values = zip(experiment.parameters, experiment.points[point].tolist(), strict=True)
    return ", ".join(f"{name} = {value:g}" for name, value in values) or "run"

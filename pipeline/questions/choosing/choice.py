"""The jobs to choose among those that hold their limits, and which limits to relax if none does."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.resource_use import ENERGY, NODE_MEMORY
from pipeline.questions.analysis import Analysis
from pipeline.questions.choosing.jobs import SURE, Jobs
from pipeline.questions.choosing.limits import JobLimits
from pipeline.questions.choosing.scales import job_points
from pipeline.questions.locations import Comparison
from pipeline.questions.resource_use import resource_at
from pipeline.questions.runtime.estimate import Estimate, from_prediction
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.held_share import node_cores_of, whole_nodes

NOTHING: Mapping[str, Analysis] = MappingProxyType({})
LARGEST_FACTOR, HALVINGS = 1e9, 40  # of the search for how much a limit is to be relaxed
SHOWN_EXACTLY = 1.005  # what is relaxed has so much more room: written with three digits it still holds


@dataclass(frozen=True, eq=False)
class Relaxed:
    """Limits of which some are relaxed so far that a job holds them.

    Attributes:
        names: of those that are relaxed.
        limits: all of them.
        place: which job holds them.
    """

    names: tuple[str, ...]
    limits: JobLimits
    place: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Choice:
    """Jobs, and the best of those that hold their limits with a probability of 90 %.

    Attributes:
        parameter: the one that scales.
        jobs: at all scales looked at, ascending.
        measured: bool[Q], whether a scale was measured.
        holds: bool[Q].
        best: which job is the best in each respect, by name; empty if none holds.
        relaxed: if none holds, each limit that suffices alone if it is relaxed, else all together.
    """

    parameter: str
    jobs: Jobs
    measured: BoolArray
    holds: BoolArray
    best: dict[str, int]
    relaxed: tuple[Relaxed, ...]


def choose(
    analysis: Analysis,
    target: FloatArray,
    limits: JobLimits,
    *,
    node_cores: float | None = None,
    resources: Mapping[str, Analysis] = NOTHING,
) -> Choice:
    """Look at a job at scales up to a target, float64[D], and choose among those that hold its limits.

    Args:
        analysis: the study, of times that add up.
        target: its other parameters are those of the job.
        limits: what the job must hold.
        node_cores: cores of the nodes that are paid for as a whole; by default as runs held theirs.
        resources: models of the memory of nodes and of energy by metric, if they were measured.
    """
    study = RuntimeStudy(analysis, node_cores=node_cores)
    points = job_points(study, target)
    figures = study.figures(points, study.measured_at(points)[0])
    cores = node_cores or node_cores_of(analysis.experiment)
    unknown = np.full(len(points), np.nan)
    jobs = Jobs(
        figures=figures,
        nodes=unknown if cores is None else whole_nodes(figures.locations, cores),
        memory=_of_runs(NODE_MEMORY, resources, points),
        energy=_of_runs(ENERGY, resources, points),
        limits=limits,
        common_error=study.common_error,
    )
    holds = np.nan_to_num(jobs.probability) >= SURE
    return Choice(
        parameter=analysis.parameter,
        jobs=jobs,
        measured=figures.measured,
        holds=holds,
        best=_best(study.comparison, jobs, np.flatnonzero(holds)),
        relaxed=() if holds.any() else _relaxations(jobs),
    )


def _of_runs(name: str, resources: Mapping[str, Analysis], points: FloatArray) -> Estimate:
    """Predict what whole runs take, Q figures; NaN if it was not measured."""
    found = resource_at(name, resources, points) if resources else None
    if found is None:
        return Estimate(*np.full((3, len(points)), np.nan))
    return from_prediction(found.prediction)


def _best(comparison: Comparison, jobs: Jobs, places: IntArray) -> dict[str, int]:
    """Return the best of some jobs in each respect; of a problem that grows with the scale, the largest."""
    if not len(places):
        return {}
    if comparison is not Comparison.STRONG:
        return {"largest": int(places[-1])}
    figures = jobs.figures
    least = {"fastest": figures.wall.value, "cheapest": figures.core_hours.value}
    wanted = {**least, "most efficient": -figures.efficiency.value}
    found = ((name, values[places]) for name, values in wanted.items())
    return {name: int(places[np.nanargmin(part)]) for name, part in found if np.isfinite(part).any()}


def _relaxations(jobs: Jobs) -> tuple[Relaxed, ...]:
    """Find how far each limit is to be relaxed until a job holds all of them, or else all together."""
    names = tuple(jobs.limits.given)
    alone = tuple(filter(None, (_relaxed(jobs, (name,)) for name in names)))
    return alone or tuple(filter(None, [_relaxed(jobs, names)]))


def _relaxed(jobs: Jobs, names: tuple[str, ...]) -> Relaxed | None:
    """Relax some limits by the least common factor; None if none suffices."""

    def tried(factor: float) -> FloatArray:
        limits = jobs.limits.relaxed(dict.fromkeys(names, factor))
        return np.nan_to_num(jobs.within(limits).probability)

    low, high = 0.0, np.log(LARGEST_FACTOR)
    if tried(LARGEST_FACTOR).max(initial=0.0) < SURE:
        return None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if tried(float(np.exp(middle))).max() >= SURE else (middle, high)
    factor = float(np.exp(high)) * SHOWN_EXACTLY
    limits = jobs.limits.relaxed(dict.fromkeys(names, factor))
    return Relaxed(names, limits, int(tried(factor).argmax()))

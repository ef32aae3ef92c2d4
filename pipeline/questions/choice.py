"""The jobs to choose among those that hold their limits, and which limits to relax if none does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Annotated

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.experiment import VISITS, PerVisit
from ingest.number_text import given_percent
from ingest.record_codec import NO_ENTRY, entry
from ingest.region_class import RegionClass
from ingest.resource_use import ENERGY, NODE_MEMORY
from pipeline.models.kernels import start_up
from pipeline.questions.analysis import Analysis
from pipeline.questions.locations import Comparison
from pipeline.questions.resource_use import resource_at
from pipeline.questions.runtime.estimate import Estimate, from_prediction
from pipeline.questions.runtime.figures import Figures, ScaledTimes, whole_nodes
from pipeline.questions.runtime.limits import in_view
from pipeline.questions.what_if import scaled_study
from pipeline.statistics import normal_below
from pipeline.wording.quantities import (
    Figure,
    counted,
    known,
    percent,
    point_json,
    point_text,
    probability_text,
    quantity,
)

_EFFICIENCY = "efficiency"  # the limit that is a least value


@dataclass(frozen=True, kw_only=True)
class JobLimits:
    """What a job must hold; None for what is not asked for."""

    deadline: float | None = None  # seconds of wall time, at most
    budget: float | None = None  # core-hours, at most
    efficiency: float | None = None  # parallel or weak efficiency, at least
    memory: float | None = None  # bytes of a node, at most
    energy: float | None = None  # joules, at most

    @property
    def given(self) -> Mapping[str, float]:
        """Those that are asked for, by name."""
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in values if value is not None}

    def relaxed(self, factors: Mapping[str, float]) -> "JobLimits":
        """Return limits that leave more room by these factors, from 1 on, by name."""
        given = self.given
        return replace(
            self,
            **{
                name: given[name] / factor if name == _EFFICIENCY else given[name] * factor
                for name, factor in factors.items()
            },
        )


_STEPS = 1024  # of the sum over the first variable: off by at most one in as many, where both are the same


def both_below(first: FloatArray, second: FloatArray, correlation: FloatArray) -> FloatArray:
    """Return the probability that both of two standard normal variables are below their bounds, float64[Q].

    They correlate by 0 to 1; NaN where a bound is.
    """
    from scipy.special import ndtr, ndtri

    whole = ndtr(first)
    steps = (np.arange(_STEPS) + 0.5) / _STEPS
    least = np.finfo(np.float64).tiny
    given = ndtri(np.maximum(whole[:, None] * steps, least))
    left = np.sqrt(np.maximum(1 - correlation**2, least))[:, None]
    beneath = ndtr((second[:, None] - correlation[:, None] * given) / left)
    return np.asarray(np.minimum(whole * beneath.mean(axis=1), ndtr(second)))


SURELY_HOLDS = 0.9  # probability from which on a job counts as one that holds its limits


@dataclass(frozen=True, eq=False, kw_only=True)
class Jobs:
    """A job at Q scales."""

    figures: Figures  # measured, or predicted
    nodes: FloatArray  # float64[Q], NaN if the cores of a node are unknown
    memory: Estimate  # bytes of a node, NaN if it was not measured
    energy: Estimate  # joules, the same
    limits: JobLimits  # what the job must hold
    common_error: FloatArray  # float64[Q], half-width of the 90 % interval, in logarithms, of a shared error

    def within(self, limits: JobLimits) -> "Jobs":
        """Return the same jobs with other limits."""
        return replace(self, limits=limits)

    @cached_property
    def scores(self) -> dict[str, FloatArray]:
        """By how many standard deviations each limit that is given is held, float64[Q] by name."""
        found, figures = {}, self.figures
        most = {
            "deadline": figures.wall,
            "budget": figures.core_hours,
            "memory": self.memory,
            "energy": self.energy,
        }
        for name, bound in self.limits.given.items():
            held = most.get(name)
            score = figures.of_scaling.score_at_least(bound) if held is None else held.score_at_most(bound)
            found[name] = score
        return found

    @cached_property
    def probability(self) -> FloatArray:
        """The probability that all limits hold, float64[Q]; NaN where a figure is unknown."""
        scores = dict(self.scores)
        times = [scores.pop(name) for name in ("deadline", "budget") if name in scores]
        ratio = scores.pop("efficiency", None)
        if not times:
            found = np.ones(len(self.nodes)) if ratio is None else normal_below(ratio)
        elif ratio is None:
            found = normal_below(np.min(times, axis=0))
        else:
            found = both_below(np.min(times, axis=0), ratio, self._shared_part)
        for score in scores.values():  # models of their own
            found = found * normal_below(score)
        return np.asarray(found)

    @property
    def _shared_part(self) -> FloatArray:
        """Correlation of wall time and efficiency by the error of the total there, float64[Q] up to 1."""
        wall, efficiency = self.figures.wall.above, self.figures.of_scaling.below
        size = wall * efficiency
        of_total = np.maximum(wall**2 - self.common_error**2, 0.0)
        return np.minimum(np.divide(of_total, size, out=np.zeros(len(size)), where=size > 0), 1.0)

    @property
    def tightest(self) -> list[str]:
        """The limit that fails first at each scale; empty without limits, or where nothing is known."""
        names = list(self.scores)
        if not names:
            return [""] * len(self.nodes)
        scores = np.stack([self.scores[name] for name in names])
        known = np.isfinite(self.probability)
        first = np.where(known, scores, 0.0).argmin(axis=0)
        return [names[n] if there else "" for n, there in zip(first.tolist(), known.tolist(), strict=True)]


_SURE = 0.995  # a probability that is written as 100 %
_WORTH_NAMING = 0.01  # a chance below it is none
_UNITS = {
    "deadline": "s",
    "budget": "core-hours",
    "memory": "B",
    "energy": "J",
}  # of limits but the efficiency
_NOTHING: Mapping[str, Analysis] = MappingProxyType({})
_LARGEST_FACTOR, _HALVINGS = 1e9, 40  # of the search for how much a limit is to be relaxed
_SHOWN_EXACTLY = 1.005  # what is relaxed has so much more room: written with three digits it still holds


@dataclass(frozen=True, kw_only=True)
class JobAtScale:
    """A job at one scale; None for what is unknown or not asked for."""

    point: Mapping[str, float]
    nodes: float | None
    measured: bool
    wall_seconds: Figure | None
    core_hours: Figure | None
    efficiency: Figure | None
    memory_per_node: Figure | None
    energy: Figure | None
    price: float | None
    probability: Annotated[float | None, "of holding all limits"]
    fails_first: str | None
    holds: Annotated[bool, "whether it holds all limits, each with a probability of 90 % or more"]
    probabilities: Annotated[Mapping[str, float | None], "of holding each limit"]

    @property
    def text(self) -> str:
        """The scale and what a job takes there: ``p = 4 (1 node): 5.46 s, ...``."""
        nodes = "" if self.nodes is None else f" ({counted(int(self.nodes), 'node')})"
        parts = []
        for found, unit in ((self.wall_seconds, "s"), (self.core_hours, "core-hours")):
            if found is not None:
                parts.append(quantity(found.value or 0.0, unit))
        if self.efficiency is not None:
            parts.append(f"{percent(self.efficiency.value or 0.0)} efficient")
        return ": ".join(filter(None, (point_text(self.point) + nodes, ", ".join(parts))))


def _point_of(job: JobAtScale) -> Mapping[str, float]:
    return job.point


def _points_of(jobs: Mapping[str, JobAtScale]) -> Mapping[str, Mapping[str, float]]:
    return {name: job.point for name, job in jobs.items()}


@dataclass(frozen=True, kw_only=True)
class Relaxed:
    """Limits that would have to be relaxed for a scale to hold all."""

    limits: Mapping[str, float]
    job: JobAtScale = field(metadata=entry("point", made=_point_of))

    @property
    def sentence(self) -> str:
        """The limits and the job: ``A deadline of 8.81 s and a budget of 3.00 core-hours hold at ...``."""
        texts = [_limit_text(name, value) for name, value in self.limits.items()]
        held = _listed(texts)
        return f"{held[0].upper()}{held[1:]} would hold at {self.job.text}."


@dataclass(frozen=True, kw_only=True)
class JobChoice:
    """Jobs at several scales, and the best of those that hold the limits."""

    parameter: Annotated[str, "that scales"]
    limits: Annotated[Mapping[str, float], "seconds, core-hours, a share, bytes, joules"]
    jobs: tuple[JobAtScale, ...]  # at all scales looked at, ascending
    # which job is the best in each respect, by name; empty if none holds
    best: Mapping[str, JobAtScale] = field(metadata=entry(made=_points_of))
    # if none holds, each limit that suffices alone if it is relaxed, else all together
    relaxed: tuple[Relaxed, ...]
    at_scales: Jobs = field(metadata=NO_ENTRY)  # the jobs as arrays

    @property
    def sentences(self) -> Iterator[str]:
        """Which jobs are the best, the fastest first, or which limits to relax since none holds."""
        leading = list({id(job): job for job in self.best.values()}.values())
        for job in leading:
            names = [name for name, best in self.best.items() if best is job]
            why = f" ({_listed(names)})" if len(leading) > 1 else ""
            yield f"{'Use' if job is leading[0] else 'Or'} {job.text}{self._held(job)}{why}."
        if self.best or not self.limits:
            return
        none = f"No scale holds {self._all_limits} with {probability_text(SURELY_HOLDS)}"
        closest = max(self.jobs, key=lambda job: job.probability or 0.0)
        if (closest.probability or 0.0) >= _WORTH_NAMING:
            nearest = f"{point_text(closest.point)} with {probability_text(closest.probability or 0.0)}"
            yield f"{none}; closest is {nearest}."
        else:
            yield f"{none}, nor even with {probability_text(_WORTH_NAMING)}."
        yield from (one.sentence for one in self.relaxed)

    def _held(self, job: JobAtScale) -> str:
        if not self.limits or job.probability is None:
            return ""
        met = "both limits" if len(self.limits) == 2 else self._all_limits
        sure = "sure" if job.probability >= _SURE else f"{probability_text(job.probability)} sure"
        return f", meets {met} ({sure})"

    @property
    def _all_limits(self) -> str:
        return f"the {next(iter(self.limits))}" if len(self.limits) == 1 else "all limits"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _limit_text(name: str, value: float) -> str:
    """Write a limit with its unit: ``a deadline of 8.81 s``."""
    text = given_percent(value) if name == _EFFICIENCY else quantity(value, _UNITS[name])
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name} of {text}"


def choose(
    study: ScaledTimes,
    points: FloatArray,
    limits: JobLimits,
    *,
    resources: Mapping[str, Analysis] = _NOTHING,
    price: float | None = None,
) -> JobChoice:
    """Look at a job at points of ascending scales, as of `job_points`, and choose those that hold its limits.

    The study is of its wall times; models of the memory of nodes and of energy are by metric, if they were
    measured, and the price is that of a core-hour.
    """
    figures = study.figures(points, study.measured_at(points)[0])
    cores = study.cores_of_node
    unknown = np.full(len(points), np.nan)
    jobs = Jobs(
        figures=figures,
        nodes=unknown if cores is None else whole_nodes(figures.locations, cores),
        memory=_of_runs(NODE_MEMORY, resources, points),
        energy=_of_runs(ENERGY, resources, points),
        limits=limits,
        common_error=study.shared_error(points),
    )
    rows = _rows(jobs, study.parameters, price)
    places = np.flatnonzero([job.holds for job in rows])
    return JobChoice(
        parameter=study.parameters[study.column],
        limits=limits.given,
        jobs=rows,
        best={name: rows[place] for name, place in _best(study, jobs, places).items()},
        relaxed=() if len(places) else _relaxations(jobs, rows),
        at_scales=jobs,
    )


def _rows(jobs: Jobs, names: Sequence[str], price: float | None) -> tuple[JobAtScale, ...]:
    """Return what is known of each job."""
    figures = jobs.figures
    estimates = {
        "wall_seconds": figures.wall,
        "core_hours": figures.core_hours,
        "efficiency": figures.of_scaling,
        "memory_per_node": jobs.memory,
        "energy": jobs.energy,
    }
    held = {name: normal_below(scores).tolist() for name, scores in jobs.scores.items()}
    holds = (np.nan_to_num(jobs.probability) >= SURELY_HOLDS).tolist()
    columns = {name: estimate.known for name, estimate in estimates.items()}
    costs = figures.core_hours.value * (np.nan if price is None else price)
    return tuple(
        JobAtScale(
            point=point_json(names, figures.points[q]),
            nodes=known(jobs.nodes[q]),
            measured=bool(figures.measured[q]),
            **{name: column[q] for name, column in columns.items()},
            price=known(costs[q]),
            probability=known(jobs.probability[q]) if held else None,
            fails_first=None if holds[q] else jobs.tightest[q] or None,
            holds=holds[q],
            probabilities={name: known(chances[q]) for name, chances in held.items()},
        )
        for q in range(len(figures.points))
    )


def _of_runs(name: str, resources: Mapping[str, Analysis], points: FloatArray) -> Estimate:
    """Predict what whole runs take, Q figures; NaN if it was not measured."""
    found = resource_at(name, resources, points) if resources else None
    if found is None:
        return Estimate(*np.full((3, len(points)), np.nan))
    return from_prediction(found)


def _best(study: ScaledTimes, jobs: Jobs, places: IntArray) -> dict[str, int]:
    """Return the best of some jobs in each respect; of a problem that grows with the scale, the largest."""
    if not len(places):
        return {}
    if study.comparison is not Comparison.STRONG:
        return {"largest": int(places[-1])}
    figures = jobs.figures
    wanted = {"cheapest": figures.core_hours.value, "most efficient": -figures.efficiency.value}
    found = ((name, values[places]) for name, values in wanted.items())
    fastest = in_view(study, figures).least(figures.wall.value, places)
    return {"fastest": fastest} | {
        name: int(places[np.nanargmin(part)]) for name, part in found if np.isfinite(part).any()
    }


def _relaxations(jobs: Jobs, rows: Sequence[JobAtScale]) -> tuple[Relaxed, ...]:
    """Find how far each limit is to be relaxed until a job holds all of them, or else all together."""
    names = tuple(jobs.limits.given)
    alone = tuple(filter(None, (_relaxed(jobs, rows, (name,)) for name in names)))
    return alone or tuple(filter(None, [_relaxed(jobs, rows, names)]))


def _relaxed(jobs: Jobs, rows: Sequence[JobAtScale], names: tuple[str, ...]) -> Relaxed | None:
    """Relax some limits by the least common factor; None if none suffices."""

    def tried(factor: float) -> FloatArray:
        limits = jobs.limits.relaxed(dict.fromkeys(names, factor))
        return np.nan_to_num(jobs.within(limits).probability)

    low, high = 0.0, np.log(_LARGEST_FACTOR)
    if tried(_LARGEST_FACTOR).max(initial=0.0) < SURELY_HOLDS:
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if tried(float(np.exp(middle))).max() >= SURELY_HOLDS else (middle, high)
    factor = float(np.exp(high)) * _SHOWN_EXACTLY
    limits = jobs.limits.relaxed(dict.fromkeys(names, factor)).given
    return Relaxed(limits={name: limits[name] for name in names}, job=rows[int(tried(factor).argmax())])


_ONCE = 0.5  # calls of a location per unit of work, below which files are read or written once a run
_FILES = frozenset({RegionClass.IO, RegionClass.MPI_IO})


def job_of(analysis: Analysis, per: PerVisit, units: float) -> Analysis:
    """Return the study of runs that do so many units of work, from one whose values are of one unit.

    Start-up and shut-down, and files that are not read or written in every unit, take what they took in a
    run, once.
    """
    kernels = analysis.callpaths.kernels
    once = start_up(kernels)
    counted = analysis.experiment.values.get(VISITS)
    if counted is not None:
        files = np.array([one in _FILES for one in kernels.classes], dtype=np.bool_)
        calls = np.nan_to_num(counted.max).max(axis=(1, 2))[kernels.node]
        once |= files & (calls < _ONCE)
    of_point = np.nanmean(per.visits, axis=1)

    def factors(at: FloatArray) -> FloatArray:
        measured, place = analysis.experiment.measured_at(at)
        of_run = np.where(measured, of_point[place], per.of_a_run)
        return np.where(once[:, None], of_run[None], units)

    return scaled_study(analysis, factors)

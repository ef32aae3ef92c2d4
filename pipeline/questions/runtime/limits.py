"""How far a program scales: where it is fastest, and up to which scale it is efficient."""

from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.questions.analysis import along_parameter
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Comparison, Figures, RuntimeStudy

STEPS_PER_DOUBLING = 4
MOST_STEPS = 120
CLEARLY = 0.98  # of the wall time of the others: a scale between them that is not faster is not named


@dataclass(frozen=True, eq=False, kw_only=True)
class Limit:
    """A scale at which something is reached.

    Attributes:
        point: float64[D].
        measured: whether the figure there is measured rather than predicted.
        value: the figure: wall time in seconds, or efficiency.
        at_the_end: whether it is the largest scale looked at, so that the limit may lie beyond.
    """

    point: FloatArray
    measured: bool
    value: float
    at_the_end: bool


@dataclass(frozen=True, eq=False)
class ScalesInView:
    """Q scales along the parameter that scales, ascending.

    Attributes:
        points: float64[Q, D].
        measured: bool[Q].
        named: bool[Q], whether the point is a measured one or a target, rather than one in between.
        wall: float64[Q], seconds.
        efficiency: float64[Q].
    """

    points: FloatArray
    measured: BoolArray
    named: BoolArray
    wall: FloatArray
    efficiency: FloatArray


def candidates(study: RuntimeStudy, figures: Figures, target: FloatArray) -> ScalesInView | None:
    """Collect measured and target scales with the other parameters of the target, and scales in between.

    Args:
        study: the study.
        figures: at its measured points and targets.
        target: float64[D].

    Returns:
        The scales; None if they are not compared by an efficiency.
    """
    if not study.scales:
        return None
    column = study.column
    same = (np.delete(figures.points, column, axis=1) == np.delete(target, column)).all(axis=1)
    scale = figures.points[:, column]
    twice = np.isin(scale, scale[same & figures.measured]) & ~figures.measured  # targets that were measured
    rows = np.flatnonzero(same & ~twice)
    between = _between(study, figures, rows, target)
    if study.analysis.is_profile:
        between = study.figures(between.points[:0], between.measured[:0])
    every = np.concatenate([scale[rows], between.points[:, column]])
    order = np.argsort(every, kind="stable")

    def joined(of_rows: FloatArray, of_between: FloatArray) -> FloatArray:
        return np.concatenate([of_rows, of_between])[order]

    return ScalesInView(
        points=along_parameter(target, column, every[order]),
        measured=np.concatenate([figures.measured[rows], between.measured])[order],
        named=order < len(rows),
        wall=joined(figures.wall.value[rows], between.wall.value),
        efficiency=joined(figures.of_scaling.value[rows], between.of_scaling.value),
    )


def _between(study: RuntimeStudy, figures: Figures, rows: IntArray, target: FloatArray) -> Figures:
    """Predict scales between those of some rows, without intervals.

    Between measured scales the models are corrected by what they miss there, so that no scale in between is
    best only because the models are off.
    """
    given, measured = figures.points[rows, study.column], rows[figures.measured[rows]]
    first = study.analysis.experiment.points[:, study.column].min()
    scales = scales_between(float(min(first, given.min())), float(given.max()), given)
    curve = study.curve_of_total(target)
    total = curve(scales)
    if len(measured):
        known = np.sort(figures.points[measured, study.column])
        place = along_parameter(target, study.column, known)
        truth = study.totals(place, np.ones(len(place), dtype=np.bool_)).value
        there = curve(known)
        usable = (truth > 0) & (there > 0)
        ratio = np.where(usable, truth, 1.0) / np.where(usable, there, 1.0)
        missed = np.interp(np.log(scales), np.log(known), np.log(ratio))
        total = total * np.exp(np.where((scales >= known[0]) & (scales <= known[-1]), missed, 0.0))
    nothing = np.zeros(len(scales))
    points = along_parameter(target, study.column, scales)
    exact = Estimate(total, nothing, nothing)
    return study.figures(points, nothing.astype(np.bool_), exact, joint_errors=False)


def scales_between(first: float, last: float, given: FloatArray) -> FloatArray:
    """Return scales between two, without those given, float64[n].

    They are multiples of the smallest one if all that are given are (whole nodes), else whole numbers if
    these are. A nearer last scale gives the same ones as far as it reaches.
    """
    doublings = float(np.log2(last / first))
    step = max(1 / STEPS_PER_DOUBLING, doublings / MOST_STEPS)
    scales = first * 2.0 ** (step * np.arange(int(doublings / step + 1e-9) + 1))
    for unit in (first, 1.0):
        if np.array_equal(given, unit * np.round(given / unit)):
            scales = unit * np.round(scales / unit)
            break
    return np.setdiff1d(scales, given)


def up_to(found: ScalesInView, figures: Figures, column: int) -> ScalesInView:
    """Return the scales up to a target, the last of the figures, of a collection that reaches beyond it."""
    measured = found.points[found.measured, column]
    target = figures.points[-1, column]
    here = found.points[:, column] == target
    kept = np.flatnonzero(found.points[:, column] <= max(target, measured.max(initial=target)))
    if found.measured[here].any():
        return _taken(found, kept)
    kept = kept[~here[kept]]
    place = int(np.searchsorted(found.points[kept, column], target))
    part = _taken(found, kept)
    return ScalesInView(
        points=np.insert(part.points, place, figures.points[-1], axis=0),
        measured=np.insert(part.measured, place, False),
        named=np.insert(part.named, place, True),
        wall=np.insert(part.wall, place, figures.wall.value[-1]),
        efficiency=np.insert(part.efficiency, place, figures.of_scaling.value[-1]),
    )


def _taken(found: ScalesInView, rows: IntArray) -> ScalesInView:
    return ScalesInView(**{name: values[rows] for name, values in vars(found).items()})


def fastest(study: RuntimeStudy, found: ScalesInView | None) -> Limit | None:
    """Return the scale of the least wall time; None unless processes are added to a fixed problem."""
    if found is None or study.comparison is not Comparison.STRONG or not np.isfinite(found.wall).any():
        return None
    wall = np.where(np.isfinite(found.wall), found.wall, np.inf)
    of_study = int(np.where(found.named, wall, np.inf).argmin())
    best = int(wall.argmin())
    place = best if wall[best] < CLEARLY * wall[of_study] else of_study
    limit = _limit(found, place, found.wall)
    if found.named[place]:
        return limit
    exact = study.figures(limit.point[None], np.zeros(1, dtype=np.bool_))  # not interpolated
    return replace(limit, value=float(exact.wall.value[0]))


def efficient_up_to(found: ScalesInView | None, threshold: float) -> Limit | None:
    """Return the largest scale with at least this efficiency; None if there is none."""
    if found is None:
        return None
    enough = np.flatnonzero(np.nan_to_num(found.efficiency) >= threshold)
    return _limit(found, int(enough[-1]), found.efficiency) if len(enough) else None


def _limit(found: ScalesInView, place: int, values: FloatArray) -> Limit:
    return Limit(
        point=found.points[place],
        measured=bool(found.measured[place]),
        value=float(values[place]),
        at_the_end=place == len(values) - 1,
    )

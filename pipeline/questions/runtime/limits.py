"""How far a program scales: where it is fastest, and up to which scale it is efficient."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.number_text import value_text
from pipeline.questions.analysis import along_parameter
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Figures, RuntimeStudy
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import number, spoken_interval

_STEPS_PER_DOUBLING = 4
MOST_STEPS = 120
_CLEARLY = 0.98  # of the wall time of the others: a scale between them that is not faster is not named


@dataclass(frozen=True, eq=False, kw_only=True)
class Limit:
    """A scale at which something is reached.

    Attributes:
        point: float64[D].
        measured: whether the figure there is measured rather than predicted.
        value: the figure: wall time in seconds, or efficiency.
        at_the_end: whether it is the largest scale looked at, so that the limit may lie beyond.
        lower: lower end of the 90 % interval of the scale; NaN if it is unknown, 0 below all scales.
        upper: upper end; infinite if it is beyond all scales.
    """

    point: FloatArray
    measured: bool
    value: float
    at_the_end: bool
    lower: float = np.nan
    upper: float = np.nan


@dataclass(frozen=True, eq=False)
class ScalesInView(Rows):
    """Q scales along the parameter that scales, ascending.

    Attributes:
        points: float64[Q, D].
        measured: bool[Q].
        named: bool[Q], whether the point is a measured one or a target, rather than one in between.
        wall: float64[Q], seconds.
        efficiency: Q of them.
    """

    points: FloatArray
    measured: BoolArray
    named: BoolArray
    wall: FloatArray
    efficiency: Estimate


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
    named = figures.take(rows)
    parts = (
        _in_view(named, named.of_scaling, named=True),
        _in_view(between, _efficiency_between(study, between), named=False),
    )
    return _ascending(ScalesInView.joined(parts), column)


def _in_view(figures: Figures, efficiency: Estimate, *, named: bool) -> ScalesInView:
    return ScalesInView(
        points=figures.points,
        measured=figures.measured,
        named=np.full(len(figures.points), named),
        wall=figures.wall.value,
        efficiency=efficiency,
    )


def _ascending(found: ScalesInView, column: int) -> ScalesInView:
    return found.take(np.argsort(found.points[:, column], kind="stable"))


def _efficiency_between(study: RuntimeStudy, between: Figures) -> Estimate:
    """Return efficiencies with the interval of one scale per doubling beyond the measured ones, else NaN."""
    found = between.of_scaling
    below, above = found.below.copy(), found.above.copy()
    largest = study.analysis.experiment.points[:, study.column].max()
    beyond = np.flatnonzero(between.points[:, study.column] > largest)
    some = beyond[::_STEPS_PER_DOUBLING]
    if len(some):
        exact = study.figures(between.points[some], between.measured[some]).of_scaling
        below[some], above[some] = exact.below, exact.above
    return Estimate(found.value, below, above)


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
    unknown = np.full(len(scales), np.nan)
    points = along_parameter(target, study.column, scales)
    none_measured = np.zeros(len(scales), dtype=np.bool_)
    return study.figures(points, none_measured, Estimate(total, unknown, unknown))


def scales_between(first: float, last: float, given: FloatArray) -> FloatArray:
    """Return scales between two, without those given, float64[n].

    They are multiples of the smallest one if all that are given are (whole nodes), else whole numbers if
    these are. A nearer last scale gives the same ones as far as it reaches.
    """
    doublings = float(np.log2(last / first))
    step = max(1 / _STEPS_PER_DOUBLING, doublings / MOST_STEPS)
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
        return found.take(kept)
    last = figures.take(np.array([len(figures.points) - 1]))
    part = found.take(kept[~here[kept]])
    return _ascending(ScalesInView.joined([part, _in_view(last, last.of_scaling, named=True)]), column)


def fastest(study: RuntimeStudy, found: ScalesInView | None) -> Limit | None:
    """Return the scale of the least wall time; None unless processes are added to a fixed problem."""
    if found is None or study.comparison is not Comparison.STRONG or not np.isfinite(found.wall).any():
        return None
    wall = np.where(np.isfinite(found.wall), found.wall, np.inf)
    of_study = int(np.where(found.named, wall, np.inf).argmin())
    best = int(wall.argmin())
    place = best if wall[best] < _CLEARLY * wall[of_study] else of_study
    limit = _limit(found, place, found.wall)
    if found.named[place]:
        return limit
    exact = study.figures(limit.point[None], np.zeros(1, dtype=np.bool_))  # not interpolated
    return replace(limit, value=float(exact.wall.value[0]))


def efficient_up_to(found: ScalesInView | None, threshold: float, column: int) -> Limit | None:
    """Return the largest scale with at least this efficiency, and its interval; None if there is none."""
    if found is None:
        return None
    enough = np.flatnonzero(np.nan_to_num(found.efficiency.value) >= threshold)
    if not len(enough):
        return None
    limit = _limit(found, int(enough[-1]), found.efficiency.value)
    lower, upper = _ends(found, threshold, column)
    return replace(limit, lower=lower, upper=upper)


def _ends(found: ScalesInView, threshold: float, column: int) -> tuple[float, float]:
    """Return up to which scales efficiency surely, and possibly, reaches a threshold; NaN if unknown.

    Where an end of the efficiency's interval crosses the threshold is an end of the limit's. Intervals
    that are not known lie between those of the scales around them.
    """
    scales, efficiency = found.points[:, column], found.efficiency
    sides = np.stack([efficiency.below, efficiency.above])
    known = np.asarray(np.isfinite(sides).all(axis=0))
    if not known[found.named & np.isfinite(efficiency.value)].all():
        return np.nan, np.nan
    logs = np.log(scales)
    below, above = (np.interp(logs, logs[known], side[known]) for side in sides)
    whole = Estimate(efficiency.value, below, above)
    surely, possibly = (np.flatnonzero(end >= threshold) for end in (whole.lower, whole.upper))
    lower = float(scales[surely[-1]]) if len(surely) else 0.0
    return lower, np.inf if possibly[-1] == len(scales) - 1 else float(scales[possibly[-1]])


def _limit(found: ScalesInView, place: int, values: FloatArray) -> Limit:
    return Limit(
        point=found.points[place],
        measured=bool(found.measured[place]),
        value=float(values[place]),
        at_the_end=place == len(values) - 1,
    )


def limit_interval(found: Limit) -> dict[str, float | None] | None:
    """Return the ends of the 90 % interval of a limit's scale; None if they are unknown.

    ``upper`` is None if it lies beyond all scales looked at, ``lower`` if it lies below them.
    """
    if math.isnan(found.lower):
        return None
    return {
        "lower": number(found.lower) if found.lower else None,
        "upper": number(found.upper) if math.isfinite(found.upper) else None,
    }


def interval_behind(found: Limit, parameter: str) -> str:
    """Write the interval behind the point of a limit, along the parameter that scales."""
    return limit_interval_text(limit_interval(found), parameter, len(found.point))


def limit_interval_text(interval: Mapping[str, float | None] | None, parameter: str, count: int) -> str:
    """Write the interval behind a point: `` (256 to 1024)``, `` (256 or more)``; empty without one.

    Args:
        count: of parameters; if there are several, the one that scales is named.
    """
    if interval is None or interval["lower"] == interval["upper"]:
        return ""
    lower, upper = interval["lower"], interval["upper"]
    name = f"{visible(parameter)}: " if count > 1 else ""
    if lower is None:
        return "" if upper is None else f" ({name}at most {value_text(upper)})"
    between = f"{value_text(lower)} or more" if upper is None else spoken_interval(lower, upper, value_text)
    return f" ({name}{between})"

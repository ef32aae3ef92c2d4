"""How far a program scales: where it is fastest, and up to which scale it is efficient.

All commands look at the same scales: measured ones, doublings of the smallest, about four per doubling in
between, and the target.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.number_text import value_text
from pipeline.questions.analysis import along_parameter
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Figures, RuntimeStudy, ScaledTimes
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import number, spoken_interval

_STEPS_PER_DOUBLING = 4
_MOST_STEPS = 120
_CLEARLY = 0.98  # of the wall time of the others: what is predicted and not faster than that is not named
_TRIES = 12  # of scales between two that a limit lies between
_DIGITS = 3  # of a limit
_ROUNDING = 1e-9  # of a logarithm


@dataclass(frozen=True, eq=False, kw_only=True)
class Limit:
    """A scale at which something is reached."""

    point: FloatArray  # float64[D]
    measured: bool  # whether the figure there is measured rather than predicted
    value: float  # the figure: wall time in seconds, or efficiency
    at_the_end: bool  # whether it is the largest scale looked at, so that the limit may lie beyond
    # lower end of the 90 % interval of the scale; NaN if it is unknown, 0 below all scales
    lower: float = np.nan
    upper: float = np.nan  # upper end; infinite if it is beyond all scales
    # the next measured scale, if efficiency is too low there; NaN if that was not measured
    below_at: float = np.nan


@dataclass(frozen=True, eq=False)
class ScalesInView(Rows):
    """Q scales along the parameter that scales, ascending."""

    column: int  # the parameter that scales
    unit: float  # what measured scales are multiples of; 0 if of nothing
    points: FloatArray  # float64[Q, D]
    measured: BoolArray  # bool[Q]
    rank: IntArray  # int64[Q], 0 for measured scales, 1 for doublings of the smallest, 2 for all others
    wall: FloatArray  # float64[Q], seconds
    # float64[Q], by what factor models are too short at the measured scales around, at least 1
    missed: FloatArray
    efficiency: Estimate  # Q of them

    @property
    def scales(self) -> FloatArray:
        """float64[Q]."""
        return self.points[:, self.column]

    def least(self, values: FloatArray, among: IntArray) -> int:
        """Return where positive values are least, of some of the scales, one or more.

        What is predicted is named only if it is clearly less, also where models are too short.
        """
        compared, found = np.where(np.isfinite(values), values * self.missed, np.inf), -1
        for rank in np.unique(self.rank[among]):
            rows = among[self.rank[among] == rank]
            best = int(rows[compared[rows].argmin()])
            if found < 0 or compared[best] < _CLEARLY * compared[found]:
                found = best
        return found


def scales_in_view(study: RuntimeStudy, target: FloatArray) -> ScalesInView | None:
    """Look at all measured scales and those up to a target float64[D], or just beyond.

    With too few scales to predict from, they are the measured ones. None without an efficiency.
    """
    if not study.scales:
        return None
    known = study.analysis.experiment.points[:, study.column]
    first, last = float(known.min()), float(max(known.max(), target[study.column]))
    doubled = first * 2.0 ** np.ceil(np.log2(last / first) - _ROUNDING)
    scales = np.union1d(*looked_at(known, max(last, doubled)))
    points = along_parameter(target, study.column, scales)
    measured, _ = study.measured_at(points)
    inside = scales <= known.max() if study.analysis.observed != "measured" else np.zeros_like(measured)
    shown = measured | ~(inside | study.analysis.is_profile)  # projected times are interpolated
    points, measured = points[shown], measured[shown]
    return in_view(study, study.figures(points, measured))


def in_view(study: ScaledTimes, figures: Figures) -> ScalesInView:
    """Return the scales of figures that differ in the parameter that scales alone, ascending."""
    known, scales = (one[:, study.column] for one in (study.known, figures.points))
    doublings = np.log2(scales / known.min())
    rank = np.where(np.abs(doublings - np.round(doublings)) < _ROUNDING, 1, 2)
    return ScalesInView(
        column=study.column,
        unit=_unit(known),
        points=figures.points,
        measured=figures.measured,
        rank=np.where(figures.measured, 0, rank),
        wall=figures.wall.value,
        missed=_missed(study, figures),
        efficiency=figures.of_scaling,
    )


def _missed(study: ScaledTimes, figures: Figures) -> FloatArray:
    """Return by what factor models are too short between measured scales, at least 1; 1 elsewhere."""
    there = figures.take(figures.measured)
    scales, known = (np.log(one.points[:, study.column]) for one in (figures, there))
    if len(known) < 2:
        return np.ones(len(scales))
    truth, said = there.wall.value, _predicted(study, there.points).wall.value
    short = np.log(np.divide(truth, said, out=np.ones(len(known)), where=(truth > 0) & (said > 0)))
    inside = ~figures.measured & (scales > known[0]) & (scales < known[-1])
    return np.where(inside, np.exp(np.maximum(np.interp(scales, known, short), 0.0)), 1.0)


def _predicted(study: ScaledTimes, points: FloatArray) -> Figures:
    """Predict points without intervals."""
    none_measured, unknown = np.zeros(len(points), dtype=np.bool_), np.full(len(points), np.nan)
    total = study.totals(points, none_measured).value
    return study.figures(points, none_measured, Estimate(total, unknown, unknown))


def job_points(study: ScaledTimes, target: FloatArray) -> FloatArray:
    """Return the points of a job, float64[Q, D], ascending up to the scale of a target float64[D].

    Scales between powers of two are whole nodes from one node on, if the cores of a node are known.
    """
    column, last = study.column, float(target[study.column])
    given, between = looked_at(study.known[:, column], last)
    node = _node(study, target)
    if node is not None:
        whole = np.maximum(np.round(between / node), 1.0) * node
        between = np.where(between > node, whole, between)
        between = between[between < last]
    return along_parameter(target, column, np.union1d(given, between))


def _node(study: ScaledTimes, target: FloatArray) -> float | None:
    """Return the scale that fills a node; None if it is unknown, or cores do not grow with the scale."""
    one, two = study.locations(along_parameter(target, study.column, np.array([1.0, 2.0])))
    if study.node_cores is None or two != 2 * one or not np.isfinite(one):
        return None
    return float(study.node_cores / one)


def looked_at(measured: FloatArray, last: float) -> tuple[FloatArray, FloatArray]:
    """Return values of a parameter up to a last one: measured, doublings and the last; and those between.

    Those between are multiples of the smallest measured one if all are (whole nodes), else whole numbers if
    these are. Another last one gives the same ones as far as it reaches.
    """
    known, unit = np.unique(measured), _unit(measured)
    first = min(float(known[0]), last)
    doublings = int(np.clip(np.floor(np.log2(last / first)), 0, _MOST_STEPS))
    given = np.union1d(np.append(known[known <= last], last), first * 2.0 ** np.arange(doublings + 1))
    between = np.concatenate([_steps(first, end) for end in (float(known[-1]), last)])
    if unit:
        between = unit * np.round(between / unit)
    return given, np.setdiff1d(between[between < last], given)


def _steps(first: float, last: float) -> FloatArray:
    """Return scales from one to another: all of a nearer end, or some of them."""
    doublings, step = math.log2(last / first), 1 / _STEPS_PER_DOUBLING
    while doublings > step * _MOST_STEPS:
        step *= 2
    return np.asarray(first * 2.0 ** (step * np.arange(int(doublings / step + _ROUNDING) + 1)))


def _unit(measured: FloatArray) -> float:
    """Return what all measured values are multiples of, the smallest or one; 0 if of neither."""
    units = (float(measured.min()), 1.0)
    return next((unit for unit in units if (measured == unit * np.round(measured / unit)).all()), 0.0)


def up_to(found: ScalesInView | None, study: RuntimeStudy, figures: Figures) -> ScalesInView | None:
    """Return measured scales and those up to a target, the last of some figures, with one beyond them."""
    if found is None:
        return None
    target, last = figures.points[-1, found.column], study.analysis.experiment.points[:, found.column].max()
    part = found.take(found.scales <= max(target, last))
    if target <= last or part.scales[-1] == target:  # among measured scales it is not one more to choose
        return part
    ahead = in_view(study, figures.take(np.array([len(figures.points) - 1])))
    return ScalesInView.joined([part, ahead])


def fastest(study: RuntimeStudy, found: ScalesInView | None) -> Limit | None:
    """Return the scale of the least wall time; None unless processes are added to a fixed problem."""
    if found is None or study.comparison is not Comparison.STRONG or not np.isfinite(found.wall).any():
        return None
    return _limit(found, found.least(found.wall, np.arange(len(found))), found.wall)


def efficient_up_to(study: ScaledTimes, found: ScalesInView | None, threshold: float) -> Limit | None:
    """Return the largest scale with at least this efficiency, and its interval; None if there is none.

    Measurements decide where they can: models tell only beyond the last one if it is efficient enough.
    """
    if found is None:
        return None
    found = found.take(np.isfinite(found.efficiency.value))
    known = found.take(found.measured)
    if len(known) and (known.efficiency.value[-1] < threshold or found.measured[-1]):
        return _measured_limit(known, threshold)
    ahead = found.take(found.scales >= known.scales.max(initial=0.0))
    if not len(ahead) or ahead.efficiency.value[0] < threshold:
        return None
    limit = _predicted_limit(study, ahead, threshold)
    lower, here = _where_below(ahead, ahead.efficiency.lower, threshold), limit.point[found.column]
    if lower == 0 and len(known):
        lower, _ = _measured_ends(known, threshold)
    upper = _where_below(ahead, ahead.efficiency.upper, threshold)
    return replace(limit, lower=np.minimum(lower, here), upper=np.maximum(upper, here))


def _measured_limit(known: ScalesInView, threshold: float) -> Limit | None:
    enough = np.flatnonzero(known.efficiency.value >= threshold)
    if not len(enough):
        return None
    limit, following = _limit(known, int(enough[-1]), known.efficiency.value), known.scales[enough[-1] + 1 :]
    lower, upper = _measured_ends(known, threshold)
    return replace(
        limit, lower=lower, upper=upper, below_at=float(following[0]) if len(following) else np.nan
    )


def _measured_ends(known: ScalesInView, threshold: float) -> tuple[float, float]:
    """Return the last scale that is surely efficient, 0 without one, and the first that surely is not."""
    ends = known.efficiency.lower, known.efficiency.upper
    if np.isnan(ends).any():
        return np.nan, np.nan
    surely, possibly = (np.flatnonzero(end >= threshold) for end in ends)
    scales = np.append(known.scales, np.inf)
    return float(scales[surely[-1]]) if len(surely) else 0.0, float(scales[possibly[-1] + 1])


def _predicted_limit(study: ScaledTimes, ahead: ScalesInView, threshold: float) -> Limit:
    """Return the last scale before efficiency is first too low; at the first one it is not."""
    values = ahead.efficiency.value
    too_low = np.append(np.flatnonzero(values < threshold), len(values))[0]
    limit = _limit(ahead, int(too_low) - 1, values)
    if too_low == len(values):
        return limit
    high, beyond = float(ahead.scales[too_low]), float(values[too_low])
    for _ in range(_TRIES):
        low = float(limit.point[ahead.column])
        step = _step(low, ahead.unit)
        if low + step >= high:
            break
        share = (limit.value - threshold) / (limit.value - beyond)
        guess = np.clip(_floor(low * (high / low) ** share, ahead.unit), low + step, high - step)
        (point,) = along_parameter(limit.point, ahead.column, guess[None])
        value = float(_predicted(study, point[None]).of_scaling.value[0])
        if value >= threshold:
            limit = replace(limit, point=point, measured=False, value=value)
        else:
            high, beyond = float(guess), value
    return limit


def _where_below(ahead: ScalesInView, ends: FloatArray, threshold: float) -> float:
    """Return up to which scale ends of intervals reach a threshold.

    Infinite if all do, 0 if the first does not, NaN if they are unknown.
    """
    if np.isnan(ends).any():
        return np.nan
    too_low = np.append(np.flatnonzero(ends < threshold), len(ends))[0]
    if too_low in (0, len(ends)):
        return np.inf if too_low else 0.0
    low, high = ahead.scales[too_low - 1 : too_low + 1]
    enough, less = ends[too_low - 1 : too_low + 1]
    share = (enough - threshold) / (enough - less) if np.isfinite(enough) else 1.0
    return max(_floor(float(low * (high / low) ** share), ahead.unit), float(low))


def _step(scale: float, unit: float) -> float:
    """Return by what limits around a scale differ: the unit or, if that is less, a third digit."""
    digit = 10.0 ** (math.floor(math.log10(scale / (unit or 1.0))) - _DIGITS + 1)
    return max(digit, 1.0) * unit if unit else digit


def _floor(scale: float, unit: float) -> float:
    step = _step(scale, unit)
    return math.floor(scale / step + _ROUNDING) * step


def within(limit: Limit | None, found: ScalesInView | None) -> Limit | None:
    """Return a limit of efficiency as it is seen up to the last of some scales."""
    if limit is None or found is None:
        return None
    last = float(found.scales[-1])
    if limit.point[found.column] < last:
        beyond = math.isnan(limit.below_at) and limit.upper >= last
        return replace(limit, upper=np.inf if beyond else limit.upper)
    end = _limit(found, len(found) - 1, found.efficiency.value)
    return replace(end, lower=np.minimum(limit.lower, last), upper=limit.upper + np.inf)


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


def limit_interval_text(interval: Mapping[str, float | None] | None, parameter: str, count: int) -> str:
    """Write the interval behind a point: `` (256 to 1024)``, `` (256 or more)``; empty without one.

    Of several parameters, the one that scales is named.
    """
    if interval is None or interval["lower"] == interval["upper"]:
        return ""
    lower, upper = interval["lower"], interval["upper"]
    name = f"{visible(parameter)}: " if count > 1 else ""
    if lower is None:
        return "" if upper is None else f" ({name}at most {value_text(upper)})"
    between = f"{value_text(lower)} or more" if upper is None else spoken_interval(lower, upper, value_text)
    return f" ({name}{between})"

"""Crossovers: where leading kernels pass each other, as the measurements show and as it is predicted beyond.

Within the measured range the means of neighbouring scales say which of two kernels is larger, and repetitions
how sure that is. Beyond it the forecasts do, with the scales between which the intervals of the two overlap
and the probability that it happens at all. Start-up and shut-down are not compared with the program's work.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.kernels import mean_over_repetitions
from pipeline.models.prediction import LEAST_LOWER, Prediction, in_parts
from pipeline.models.scaling_models import Curve
from pipeline.statistics import TWO_SIDED, normal_below, student_below
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import figure, point_text, probability_text, spoken_interval, value_text

LEADING_SHARE = 0.05  # of the total, that kernels take where they pass each other
_CERTAIN = 0.995  # probability that is written as over 99 %
_GRID = 400  # scales between which curves cross
_SURE = 0.9  # probability from which repetitions decide which of two kernels is larger
_BORROWED = 2.0  # degrees of freedom that the noise at other scales is worth at one


@dataclass(frozen=True, kw_only=True)
class Crossover:
    """One kernel becomes larger than another."""

    overtakes: int  # index of the kernel that passes the other
    overtaken: int  # index of the other
    # value of the scaled parameter where both are equal, between the measured means or on the curves
    at: float
    seen: bool  # whether the measurements show it, else it is predicted
    # the neighbouring measured scales whose means have another order; of a predicted one the scales between
    # which the intervals overlap, infinite if they do so up to the end
    between: tuple[float, float]
    # that both orders are real and no noise; of a predicted one, that it happens up to the end of what is
    # looked at. NaN if it is unknown, as without repetitions
    probability: float
    measured: bool  # whether it lies within the measured range

    def named(
        self, parameter: str, overtakes: Sequence[str] = (), overtaken: Sequence[str] = ()
    ) -> "NamedCrossover":
        """Return it with the name of the parameter that scales and the call paths of the kernels."""
        first, last = self.between
        return NamedCrossover(
            overtakes=overtakes,
            overtaken=overtaken,
            at={parameter: self.at},
            measured=self.measured,
            seen=self.seen,
            between=(first, None if last == np.inf else last),
            probability=self.probability,
        )


@dataclass(frozen=True, kw_only=True)
class NamedCrossover:
    """A crossover as ``summary.json`` has it, and its words; attributes as of `Crossover`."""

    overtakes: Sequence[str]
    overtaken: Sequence[str]
    at: Mapping[str, float]
    measured: bool
    seen: bool
    between: tuple[float, float | None]  # None for the second if the intervals overlap up to the end
    probability: float

    @property
    def place(self) -> str:
        """Where one kernel overtakes another: ``between p = 4 and 8``, ``at p = 45.0 (20 to 90)``."""
        ((name, at),) = self.at.items()
        first, last = self.between
        if self.seen:
            return f"between {point_text({name: first})} and {value_text(first if last is None else last)}"
        interval = f"{figure(first)} or later" if last is None else spoken_interval(first, last)
        return f"at {visible(name)} = {figure(at)} ({interval})"

    def certainty(self, horizon: Mapping[str, float], seen: str = "seen") -> str:
        """Say if it was seen or is predicted up to a horizon, and how sure: ``predicted, 78 % by p = 128``.

        What is said where it was seen differs: on another machine it is projected.
        """
        if np.isnan(self.probability):
            return f"{seen}, not repeated" if self.seen else "predicted"
        text = "over 99 %" if self.probability > _CERTAIN else probability_text(self.probability)
        return f"{seen}, {text} sure" if self.seen else f"predicted, {text} by {point_text(horizon)}"

    def sentence(self, over: str, past: str, horizon: Mapping[str, float], seen: str = "seen") -> str:
        """Say which kernel overtakes which, where, and how sure that is, given their names."""
        place = f"{self.place[0].upper()}{self.place[1:]}"
        return f"{place} {over} overtakes {past} ({self.certainty(horizon, seen)})"


def leading_crossovers(found: Sequence[NamedCrossover], limit: int) -> list[NamedCrossover]:
    """Return so many crossovers in their order: the likeliest ahead, half of them if many were seen."""
    ahead = sorted((one for one in found if not one.seen), key=lambda one: -np.nan_to_num(one.probability))
    seen = [one for one in found if one.seen]
    likely = ahead[: max((limit + 1) // 2, limit - len(seen))]
    chosen = [*likely, *reversed(seen)][:limit]
    return [one for one in found if any(one is other for other in chosen)]


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredLine:
    """What was measured along the parameter that scales, with the other parameters at the target."""

    scales: FloatArray  # float64[m], ascending
    values: FloatArray  # float64[K, m, R], repetitions apart, NaN where nothing was measured


@dataclass(frozen=True, eq=False, kw_only=True)
class Ahead:
    """What is predicted of kernels along that parameter: of all K, or of some that may lead."""

    curve: Curve  # from scales float64[Q] to predicted values float64[K, Q]
    scales: FloatArray  # float64[S], ascending, where intervals are known
    # `below` and `above`: float64[K, S], logarithms of value over lower end, and of upper end over value
    below: FloatArray
    above: FloatArray
    first: float  # and `last`: the smallest and the largest measured scale
    last: float
    horizon: float  # the largest scale to look at
    kernels: IntArray | None = None  # int64[n], which they are of K; None if all
    # from scales float64[Q] to the total of all K, float64[Q]; None if it is the sum of the curves
    total: Curve | None = None


def measured_line(points: FloatArray, values: FloatArray, target: FloatArray, column: int) -> MeasuredLine:
    """Take the measured points, float64[P, D], that differ from a target, float64[D], in one parameter alone.

    Values are float64[K, P, R]; the column is that of the parameter that scales.
    """
    same = (np.delete(points, column, axis=1) == np.delete(target, column)).all(axis=1)
    rows = np.flatnonzero(same)
    rows = rows[np.argsort(points[rows, column], kind="stable")]
    return MeasuredLine(scales=points[rows, column], values=values[:, rows])


def half_intervals(prediction: Prediction) -> tuple[FloatArray, FloatArray]:
    """Return logarithms of value over lower end and of upper end over value, float64[K, S]; 0 of nothing."""
    usable = prediction.value > 0
    value = np.where(usable, prediction.value, 1.0)
    lower = np.where(usable, np.maximum(prediction.lower, LEAST_LOWER * value), 1.0)
    return np.log(value / lower), np.log(np.where(usable, prediction.upper, 1.0) / value)


def crossovers(line: MeasuredLine, ahead: Ahead | None, apart: BoolArray) -> tuple[Crossover, ...]:
    """Find, by scale, where leading kernels pass each other, as measured and as predicted beyond.

    Where nothing was measured with the other parameters of the target, all are predicted; with too few scales
    to predict from, none. Kernels `apart`, bool[K], are compared with no other.
    """
    found = _seen(line, apart) if len(line.scales) > 1 else []
    if ahead is not None:
        found += _predicted(line, ahead, apart)
    return tuple(sorted(found, key=lambda c: (c.at, c.overtakes, c.overtaken)))


def _seen(line: MeasuredLine, apart: BoolArray) -> list[Crossover]:
    mean = np.nan_to_num(mean_over_repetitions(line.values))
    total = mean.sum(axis=0)
    kernels = np.flatnonzero((mean >= LEADING_SHARE * total).any(axis=1) & ~apart)
    found = []
    for past in kernels.tolist():
        for over in kernels.tolist():
            if over == past or not (mean[over] > mean[past]).any() or not (mean[over] < mean[past]).any():
                continue
            sure = _larger(line.values[over], line.values[past])
            for place in _changes(sure, mean[over] - mean[past]):
                at, share = _where(line.scales, mean[[over, past]], total, place)
                if share >= LEADING_SHARE:
                    found.append(
                        Crossover(
                            overtakes=over,
                            overtaken=past,
                            at=at,
                            seen=True,
                            between=(float(line.scales[place]), float(line.scales[place + 1])),
                            probability=float((1 - sure[place]) * sure[place + 1]),
                            measured=True,
                        )
                    )
    return found


def _larger(one: FloatArray, other: FloatArray) -> FloatArray:
    """Probability that one kernel is larger than another at m scales, from float64[m, R] of both.

    Student's test of their differences, relative to their sums, over the repetitions, which have both; their
    noise at the other scales counts a little. NaN if there are no repetitions.
    """
    size = one + other
    relative = np.where(size > 0, (one - other) / np.where(size > 0, size, 1.0), np.nan)
    known = np.isfinite(relative)
    count = known.sum(axis=1)
    mean = np.nan_to_num(mean_over_repetitions(relative))
    squares = (np.where(known, relative - mean[:, None], 0.0) ** 2).sum(axis=1)
    degrees = np.maximum(count - 1, 0)
    if not degrees.any():
        return np.full(len(mean), np.nan)
    pooled = squares.sum() / degrees.sum()
    variance = (squares + _BORROWED * pooled) / (degrees + _BORROWED)
    error = np.sqrt(variance / np.maximum(count, 1))
    certain = np.where(mean > 0, 1.0, np.where(mean < 0, 0.0, 0.5))
    tested = student_below(degrees + _BORROWED, mean / np.where(error > 0, error, 1.0))
    return np.where(count > 0, np.where(error > 0, tested, certain), 0.5)


def _changes(sure: FloatArray, gap: FloatArray) -> list[int]:
    """Return the scales from which to the next the mean of a kernel becomes larger than that of another.

    Between one scale that surely says smaller and the next that surely says larger there is one: the last.
    The probability float64[m] that it is larger, `sure`, is NaN if only the difference of the means decides.
    """
    order = np.where(np.isnan(sure), np.sign(gap), 1.0 * (sure >= _SURE) - 1.0 * (sure <= 1 - _SURE))
    told = np.flatnonzero(order)
    rises = np.flatnonzero((gap[:-1] <= 0) & (gap[1:] > 0))
    found = []
    for before, after in zip(told[:-1].tolist(), told[1:].tolist(), strict=True):
        inside = rises[(rises >= before) & (rises < after)]
        if order[before] < 0 < order[after] and len(inside):
            found.append(int(inside[-1]))
    return found


def _where(scales: FloatArray, mean: FloatArray, total: FloatArray, place: int) -> tuple[float, float]:
    """Return the scale behind a place where the means of two kernels cross, and their share of the total.

    The means, float64[2, m], lie on straight lines in logarithms, or over that of the scale if one is zero.
    The place is the first behind which the first kernel is larger.
    """
    means, whole = mean[:, place : place + 2], total[place : place + 2]
    positive = bool((means > 0).all())
    lines = np.log(means) if positive else means
    gap = lines[0] - lines[1]
    part = -gap[0] / (gap[1] - gap[0])
    at = scales[place] * (scales[place + 1] / scales[place]) ** part
    value = lines[0, 0] + part * (lines[0, 1] - lines[0, 0])
    there = whole[0] + part * (whole[1] - whole[0])
    return float(at), float((np.exp(value) if positive else value) / there)


def _predicted(line: MeasuredLine, ahead: Ahead, apart: BoolArray) -> list[Crossover]:
    """Find crossovers beyond what was measured on the line; the order at its end is the measured one."""
    known = len(line.scales) > 0
    start = float(line.scales[-1]) if known else ahead.first
    if not 0 < start < ahead.horizon or not len(apart):
        return []
    scales = np.geomspace(start, ahead.horizon, _GRID)
    some = np.arange(len(apart)) if ahead.kernels is None else ahead.kernels
    leads, total = _overview(ahead, scales, len(some))
    at_start = None
    if known:
        means = np.nan_to_num(mean_over_repetitions(line.values[:, -1]))
        total[0], at_start = means.sum(), means[some]
        leads |= at_start >= LEADING_SHARE * total[0]
    kernels = np.flatnonzero(leads & ~apart[some])
    values = np.concatenate([ahead.curve(part)[kernels] for part in in_parts(scales, len(some))], axis=1)
    logs, places = np.log(scales), np.log(ahead.scales)
    below, above = (
        np.stack([np.interp(logs, places, side) for side in sides[kernels]]) if len(kernels) else values
        for sides in (ahead.below, ahead.above)
    )
    if at_start is not None:
        values[:, 0], below[:, 0], above[:, 0] = at_start[kernels], 0.0, 0.0
    found = []
    for past in range(len(kernels)):
        gap = values - values[past]
        matters = values[past] >= LEADING_SHARE * total
        crosses = (gap[:, :-1] <= 0) & (gap[:, 1:] > 0) & matters[:-1]
        for over, place in zip(*(index.tolist() for index in np.nonzero(crosses)), strict=True):
            one, other = (_KernelCurve(values[k], below[k], above[k]) for k in (over, past))
            first, last = _overlap(one, other, place)
            part = -gap[over, place] / (gap[over, place + 1] - gap[over, place])
            at = float(scales[place] * (scales[place + 1] / scales[place]) ** part)
            found.append(
                Crossover(
                    overtakes=int(some[kernels[over]]),
                    overtaken=int(some[kernels[past]]),
                    at=at,
                    seen=False,
                    between=(float(scales[first]), float(scales[last]) if last < _GRID else np.inf),
                    probability=_probability(one, other),
                    measured=at <= ahead.last,
                )
            )
    return found


def _overview(ahead: Ahead, scales: FloatArray, kernels: int) -> tuple[BoolArray, FloatArray]:
    """Return which kernels lead at some scale, bool[K], and the total at every scale, float64[Q]."""
    leads, totals = np.zeros(kernels, dtype=np.bool_), []
    for part in in_parts(scales, kernels):
        values = ahead.curve(part)
        total = values.sum(axis=0) if ahead.total is None else ahead.total(part)
        leads |= (values >= LEADING_SHARE * total).any(axis=1)
        totals.append(total)
    return leads, np.concatenate(totals)


@dataclass(frozen=True, eq=False)
class _KernelCurve:
    """A kernel at Q scales: values and half intervals in logarithms, float64[Q] each."""

    value: FloatArray
    below: FloatArray
    above: FloatArray


def _overlap(over: _KernelCurve, past: _KernelCurve, place: int) -> tuple[int, int]:
    """Return the last scale before a crossing, and the first after it, where the intervals are apart.

    The first or the number of scales if there is none.
    """
    before = over.value * np.exp(over.above) < past.value * np.exp(-past.below)
    after = over.value * np.exp(-over.below) > past.value * np.exp(past.above)
    earlier, later = np.flatnonzero(before[: place + 1]), np.flatnonzero(after[place + 1 :])
    return int(earlier[-1]) if len(earlier) else 0, int(later[0]) + place + 1 if len(later) else len(before)


def _probability(over: _KernelCurve, past: _KernelCurve) -> float:
    """Return the probability that one kernel is larger than another at some scale, of independent errors."""
    both = (over.value > 0) & (past.value > 0)
    gap = np.log(np.where(both, over.value, 1.0) / np.where(both, past.value, 1.0))
    error = np.where(gap > 0, np.hypot(over.below, past.above), np.hypot(over.above, past.below)) / TWO_SIDED
    normal = normal_below(gap / np.where(error > 0, error, 1.0))
    larger = np.where(error > 0, normal, 1.0 * (gap > 0))
    return float(np.where(both, larger, 1.0 * (over.value > past.value)).max())

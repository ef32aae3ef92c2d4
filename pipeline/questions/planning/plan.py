"""The doubt about a total, what observations would take from it, and a plan that spends a budget on them.

Bayes linear adjustment (Goldstein and Wooff, "Bayes Linear Statistics", 2007, section 3): only means and
covariances are believed in, and the variance that observing y leaves of t is Var(t) - Cov(t, y)^2 / Var(y),
whatever the outcome. The covariances come from the mixture of a kernel's rivals: what they disagree about
(between), what their coefficients leave open (within), and how far behaviour drifts from any formula.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.reduction import Reduction
from pipeline.models.fit import fit
from pipeline.models.observations import LEAST_MISFIT
from pipeline.models.options import ModelOptions
from pipeline.models.rivals import from_power
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis, Level
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.statistics import TWO_SIDED

_REPETITIONS = (1, 2, 3, 5, 10)
_KERNELS = 128  # of most doubt at the target; the others hardly move the total
_LEAST_GAIN = 0.02  # of the interval's width: less is not worth a run
_CLEARLY_LESS = (
    0.9  # what a plan by gain must leave of the doubt that a plan by gain per cost leaves, to be preferred
)
_LEAST_NOISE = 0.002  # relative, of one repetition
_DEVIATION = 0.0125  # a mean absolute error of one percent as a standard deviation
_MOST_STEPS = 12
_MINDED_LITTLE = (
    0.25  # power of the cost in a plan that minds it little: ten repetitions must help twice as much as one
)


_TAIL = (
    0.98  # rivals count no further out than this interval: one absurd formula must not be the whole variance
)
_FEWEST_DEGREES = 3.0  # below, a Student t has no variance


@dataclass(frozen=True, eq=False)
class ValueBeliefs:
    """Expected values of K kernels at Q points, before further measurements."""

    value: FloatArray  # float64[K, Q]
    covariance: FloatArray  # float64[K, Q, Q]
    rivals: FloatArray  # float64[K, M, Q], what each rival says

    def adjusted(self, place: int, noise: FloatArray) -> "ValueBeliefs":
        """Return the beliefs after one observation at a place; values stay what is expected now.

        The noise, float64[K], is the variance of what is observed there about its expected value.
        """
        column = self.covariance[:, :, place]
        total = column[:, place] + noise
        gain = column / np.where(total > 0, total, 1.0)[:, None]
        covariance = self.covariance - gain[:, :, None] * column[:, None, :]
        return ValueBeliefs(self.value, covariance, self.rivals)


def beliefs(models: ScalingModels, points: FloatArray) -> ValueBeliefs:
    """Take the joint means and covariances of K kernels at points float64[Q, D] from their rivals."""
    outer, known = models.predict(points, _TAIL), models.rivals
    place, there = known.grid()
    design = models.hypotheses.design(points)[known.hypothesis[place]]
    rivals = np.einsum("kmqc,kmc->kmq", design, known.coefficients[place])
    sharpness = models.hypotheses.sharpness[known.hypothesis[place]][:, :, None]
    rivals, stretch = from_power(rivals, np.ones(rivals.shape), sharpness)
    design = design * np.sqrt(stretch)[..., None]
    rivals = np.clip(rivals, outer.lower[:, None], outer.upper[:, None])
    weight = np.where(there, known.weight[place], 0.0)[:, :, None]
    offset = rivals - (weight * rivals).sum(axis=1, keepdims=True)
    between = np.einsum("kmq,kmr->kqr", weight * offset, offset)
    degrees = np.maximum(known.degrees, _FEWEST_DEGREES)
    spread = weight[:, :, 0] * (degrees / (degrees - 2))[:, None]
    moved = design @ known.covariance[place]
    within = np.einsum("km,kmqc,kmrc->kqr", spread, moved, design, optimize=True)
    doublings = np.log2(np.maximum(points / models.last, 1.0))
    shared = np.minimum(doublings[:, None, :], doublings[None, :, :]).sum(axis=2)
    size = outer.value * known.drift[:, None]
    drift = size[:, :, None] * size[:, None, :] * shared
    return ValueBeliefs(outer.value, between + within + drift, rivals)


@dataclass(frozen=True, eq=False)
class Places:
    """Where measurements could be taken."""

    points: FloatArray  # float64[Q, D]
    cost: FloatArray  # float64[Q], core-seconds of one repetition
    measured: BoolArray  # bool[Q], measured already


@dataclass(frozen=True, eq=False, kw_only=True)
class Doubt:
    """What is not known about a total of K kernels at a target, the last place of the beliefs."""

    start: ValueBeliefs  # beliefs before any further measurement
    noise: FloatArray  # float64[K], relative standard deviation of one repetition
    misfit: FloatArray  # float64[K], relative standard deviation that all repetitions at a point share
    repetitions: FloatArray  # float64[K], taken so far at measured points
    correlation: float  # of the kernels' errors
    rest: float  # variance of the total from kernels that are not among the K

    def observation_variance(self, places: Places) -> FloatArray:
        """Variance of the mean of further repetitions about its expected value, float64[K, Q, repetitions].

        Where a point was measured before, its misfit is in the data already: only what the noise of those
        repetitions left open can be learnt, the information 1/(m^2 + s^2/(R+n)) - 1/(m^2 + s^2/R).
        """
        count = np.array(_REPETITIONS, dtype=np.float64)
        noise, misfit = (self.noise**2)[:, None, None], (self.misfit**2)[:, None, None]
        so_far = self.repetitions[:, None, None]
        fresh = misfit + noise / count
        more = 1 / (1 / (misfit + noise / (so_far + count)) - 1 / (misfit + noise / so_far))
        relative = np.where(places.measured[:, None], more, fresh)
        variance: FloatArray = relative * (self.start.value[:, :-1] ** 2)[..., None]
        return variance

    def deviation(self, now: ValueBeliefs) -> float:
        """Return the standard deviation of the total at the target."""
        return float(self.total_deviation(now.covariance[:, -1, -1]))

    def total_deviation(self, variance: FloatArray) -> FloatArray:
        """Standard deviations of totals, float64[...], from the kernels' variances, float64[K, ...]."""
        variance = np.maximum(variance, 0.0)
        apart, together = variance.sum(axis=0), np.sqrt(variance).sum(axis=0) ** 2
        total: FloatArray = np.sqrt((1 - self.correlation) * apart + self.correlation * together + self.rest)
        return total


def measured_already(points: FloatArray, measured: FloatArray) -> BoolArray:
    """Return which points, float64[Q, D], are among the measured ones, float64[P, D]."""
    known: BoolArray = (points[:, None] == measured).all(axis=2).any(axis=1)
    return known


def doubt_about_total(
    models: ScalingModels, places: Places, at: FloatArray, noise: FloatArray | None
) -> tuple[Doubt, IntArray]:
    """Take the doubt about the total at a target from the models, and which kernels it is about, int64[K].

    Places are the candidates; the noise, float64 for each kernel, is the relative standard deviation of one
    repetition, NaN if unknown.
    """
    far = models.predict(at[None])
    width = (far.upper - far.lower)[:, 0] / (2 * TWO_SIDED)
    order = np.argsort(-width, kind="stable")
    kernels, left = order[:_KERNELS], order[_KERNELS:]
    few = models.take(kernels)
    known, misfit = _relative_errors(few, None if noise is None else noise[kernels])
    repetitions = np.maximum(few.quality.repetitions, 1).astype(np.float64)
    start = beliefs(few, np.vstack([places.points, at]))
    doubt = Doubt(
        start=start,
        noise=known,
        misfit=misfit,
        repetitions=repetitions,
        correlation=models.correlation,
        rest=float((width[left] ** 2).sum()),
    )
    return doubt, kernels


def repetition_noise(values: FloatArray) -> FloatArray:
    """Relative standard deviation of a repetition of float64[K, P, R], float64[K], NaN without one."""
    there = np.isfinite(values)
    count = there.sum(axis=2)
    known = np.where(there, values, 0.0)
    mean = known.sum(axis=2) / np.maximum(count, 1)
    squares = (np.where(there, known - mean[:, :, None], 0.0) ** 2).sum(axis=2)
    usable = (count > 1) & (mean > 0)
    relative = (squares / np.where(usable, mean, 1.0) ** 2 * usable).sum(axis=1)
    degrees = ((count - 1) * usable).sum(axis=1)
    noise: FloatArray = np.sqrt(np.where(degrees > 0, relative / np.maximum(degrees, 1), np.nan))
    return noise


def _relative_errors(models: ScalingModels, noise: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Split what models are off at measured points into noise and misfit, relative deviations float64[K].

    Where the noise of one repetition is unknown, residuals decide; misfit is what all repetitions at a point
    share.
    """
    quality = models.quality
    residual = _DEVIATION * quality.smape * np.sqrt(quality.points / np.maximum(quality.points - 2, 1))
    repetitions = np.maximum(quality.repetitions, 1).astype(np.float64)
    known = residual * np.sqrt(repetitions) if noise is None else noise
    known = np.maximum(np.where(np.isfinite(known), known, residual * np.sqrt(repetitions)), _LEAST_NOISE)
    return known, np.sqrt(np.maximum(residual**2 - known**2 / repetitions, 0.0))


@dataclass(frozen=True, eq=False)
class Step:
    """One measurement of a plan."""

    place: int  # index of the point
    repetitions: int  # how often
    before: ValueBeliefs  # and `after`: beliefs without and with it
    after: ValueBeliefs


def plan(doubt: Doubt, places: Places, budget: float) -> list[Step]:
    """Spend a budget step by step on what takes most from the doubt per core-second.

    A plan that takes what helps most and hardly minds the cost replaces it if it leaves clearly less doubt:
    greed by ratio alone can miss the one expensive measurement that decides (Khuller, Moss and Naor, "The
    budgeted maximum coverage problem", 1999).
    """
    thrifty, lavish = (_greedy(doubt, places, budget, power) for power in (1.0, _MINDED_LITTLE))
    if lavish and doubt.deviation(lavish[-1].after) < _CLEARLY_LESS * doubt.deviation(thrifty[-1].after):
        return lavish
    return thrifty


def _greedy(doubt: Doubt, places: Places, budget: float, power: float) -> list[Step]:
    """Take the measurement of most gain / cost^power that is affordable, again and again."""
    variance = doubt.observation_variance(places)
    count = np.array(_REPETITIONS)
    cost = places.cost[:, None] * count
    free = np.ones(len(cost), dtype=bool)
    now, least = doubt.start, _LEAST_GAIN * doubt.deviation(doubt.start)
    steps: list[Step] = []
    while len(steps) < _MOST_STEPS:
        gain = doubt.deviation(now) - doubt.total_deviation(_variance_after(now, variance))
        worth = (gain >= least) & (gain > 0) & (cost <= budget) & free[:, None]
        if not worth.any():
            break
        best = np.where(worth, gain / cost**power, -np.inf)
        place, often = np.unravel_index(int(best.argmax()), best.shape)
        after = now.adjusted(int(place), variance[:, place, often])
        steps.append(Step(int(place), int(count[often]), now, after))
        now, budget, free[place] = after, budget - float(cost[place, often]), False
    return steps


def _variance_after(now: ValueBeliefs, variance: FloatArray) -> FloatArray:
    """Variance at the target after each possible observation, float64[K, Q, repetitions]."""
    to_target = now.covariance[:, :-1, -1]
    own = np.einsum("kqq->kq", now.covariance)[:, :-1]
    total = own[..., None] + variance
    after: FloatArray = now.covariance[:, -1, -1, None, None] - (to_target**2)[..., None] / np.where(
        total > 0, total, 1.0
    )
    return after


Quantity: TypeAlias = Literal["efficiency", "speedup", "time", "core-hours"]


@dataclass(frozen=True, eq=False, kw_only=True)
class WantedFigure:
    """A figure at a target scale."""

    at: FloatArray  # float64[D], the target
    # efficiency (parallel or weak) and speed-up relative to the smallest measured scale, wall time, or
    # core-hours
    quantity: Quantity = "efficiency"
    width: float = 0.2  # wanted width of its 90 % interval, relative to the value: 0.2 is +-10 %


def answer(analysis: Analysis, question: WantedFigure) -> Estimate:
    """Predict the figure that is asked for with its 90 % interval; times in seconds.

    Value and ends are NaN if models or data do not give the figure: no efficiency without a parameter that
    counts processes, no interval of a ratio if nothing was repeated.
    """
    at = np.asarray(question.at, dtype=np.float64)[None]
    figures = RuntimeStudy(analysis).figures(at, np.zeros(1, dtype=np.bool_))
    return {
        "efficiency": figures.of_scaling,
        "speedup": figures.speedup,
        "time": figures.wall,
        "core-hours": figures.core_hours,
    }[question.quantity]


def relative_width(estimate: Estimate) -> float:
    """Return the width of a figure's interval relative to its value; infinite if it is unknown."""
    width = float((estimate.upper - estimate.lower)[0] / estimate.value[0])
    return width if np.isfinite(width) else float("inf")


_DRAWS = 8
_LEAST_END = 1e-3  # of a value, what its lower end counts as


def foreseen_widths(
    analysis: Analysis,
    question: WantedFigure,
    points: FloatArray,
    repetitions: IntArray,
    options: ModelOptions | None = None,
) -> FloatArray:
    """Return the widths that the answer may have after further runs, float64[`_DRAWS`], equally probable.

    These are `repetitions` int64[Q] at points float64[Q, D]; options say how the experiment is modelled.
    """
    wanted = repetitions > 0
    points, repetitions = points[wanted], repetitions[wanted]
    widths = []
    for number in range(_DRAWS):
        further = _drawn(analysis, points, repetitions, np.random.default_rng(number))
        widths.append(relative_width(answer(_continued(analysis, points, further, options), question)))
    return np.array(widths)


def _drawn(
    analysis: Analysis, points: FloatArray, repetitions: IntArray, random: "np.random.Generator"
) -> FloatArray:
    """Draw the values of further runs, float64[K, Q, most repetitions], NaN beyond the repetitions.

    What is expected are the models' predictions, off by a share of their intervals that all points have in
    common; at measured points they move towards the means so far, as far as the models' misfit goes beyond
    the noise, and at others they miss what formulas miss of real programs.
    """
    models, kernels = analysis.callpaths.models, analysis.callpaths.kernels
    count = len(kernels)
    alike = np.sqrt(models.correlation) * random.standard_normal()
    normal = alike + np.sqrt(1 - models.correlation) * random.standard_normal(count)
    ahead = models.predict(points)
    usable = ahead.value > 0
    size = np.where(usable, ahead.value, 1.0)
    ends = np.where(normal[:, None] > 0, ahead.upper, np.maximum(ahead.lower, _LEAST_END * size))
    side = np.where(usable, np.abs(np.log(np.where(usable, ends, 1.0) / size)), 0.0) / TWO_SIDED
    expected = np.where(usable, size * np.exp(normal[:, None] * side), 0.0)
    noise, misfit = _relative_errors(models, repetition_noise(kernels.values))
    known, place = analysis.experiment.measured_at(points)
    made = np.maximum(np.isfinite(kernels.values).sum(axis=2)[:, place], 1)
    of_mean, off = noise[:, None] ** 2 / made, misfit[:, None] ** 2
    weight = np.where(known, off / (off + of_mean), 0.0)
    expected += weight * (np.where(known, kernels.mean[:, place], 0.0) - expected)
    left = np.where(known, np.sqrt(weight * of_mean), np.sqrt(LEAST_MISFIT))
    expected *= np.exp(left * random.standard_normal(expected.shape))
    runs = int(repetitions.max(initial=1))
    errors = _noise(analysis, (len(points), runs), random)
    values = expected[..., None] * np.maximum(1 + errors, _LEAST_END)
    return np.where(np.arange(runs) < repetitions[:, None], values, np.nan)


def _noise(analysis: Analysis, shape: tuple[int, int], random: "np.random.Generator") -> FloatArray:
    """Draw relative errors of runs, float64[K, *shape], that go together as those of the repetitions do.

    If nothing was repeated, they are as large as the residuals of the models, and independent.
    """
    values, mean = analysis.callpaths.kernels.values, analysis.callpaths.kernels.mean
    count = np.isfinite(values).sum(axis=2, keepdims=True)
    usable = np.isfinite(values) & (count > 1) & (mean[..., None] > 0)
    relative = np.where(usable, values / np.where(usable, mean[..., None], 1.0) - 1, 0.0)
    degrees = int(np.maximum(count[:, :, 0].max(axis=0) - 1, 0).sum())
    if not degrees:
        size = _DEVIATION * analysis.callpaths.models.quality.smape[:, None, None]
        return np.asarray(size * random.standard_normal((len(values), *shape)))
    residuals = relative.reshape(len(relative), -1) / np.sqrt(degrees)
    drawn: FloatArray = (
        residuals @ random.standard_normal((residuals.shape[1], shape[0] * shape[1]))
    ).reshape(len(values), *shape)
    return drawn


def _continued(
    analysis: Analysis, points: FloatArray, further: FloatArray, options: ModelOptions | None
) -> Analysis:
    """Return the analysis with further runs, float64[K, Q, R], at points float64[Q, D]."""
    experiment, kernels = analysis.experiment, analysis.callpaths.kernels
    known, place = experiment.measured_at(points)
    every = np.vstack([experiment.points, points[~known]])
    row = np.where(known, place, len(experiment.points) + np.cumsum(~known) - 1)
    before = kernels.values.shape[2]
    values = np.full((len(kernels), len(every), before + further.shape[2]), np.nan)
    values[:, : len(experiment.points), :before] = kernels.values
    values[:, row, before:] = further
    whole = replace(
        experiment, points=every, values={analysis.metric: Reduction(values, values, values, values)}
    )
    per = analysis.callpaths.models.per
    models = fit(experiment.parameters, every, values, options, parts=kernels.additive, per=per)
    return replace(analysis, experiment=whole, callpaths=Level(replace(kernels, values=values), models))

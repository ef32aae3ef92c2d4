"""What a campaign is to answer, and the width that the answer is expected to have after further runs.

The experiment is continued with runs drawn from what its models predict, and modelled again: preposterior
analysis (Raiffa and Schlaifer, "Applied Statistical Decision Theory", 1961, chapter 4). The width then holds
all that the real one will: rivals, trends, back-tests and degrees of freedom.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.reduction import Reduction
from pipeline.models.fit import fit
from pipeline.models.noise import LEAST_MISFIT
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import Analysis, Level
from pipeline.questions.planning.plan import DEVIATION, relative_errors, repetition_noise
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.statistics.student import TWO_SIDED

Quantity: TypeAlias = Literal["efficiency", "speedup", "time", "core-hours"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """A figure at a target scale.

    Attributes:
        at: float64[D], the target.
        quantity: efficiency (parallel or weak) and speed-up relative to the smallest measured scale, wall
            time, or core-hours.
        width: wanted width of its 90 % interval, relative to the value: 0.2 is +-10 %.
    """

    at: FloatArray
    quantity: Quantity = "efficiency"
    width: float = 0.2


def answer(analysis: Analysis, question: Question) -> Estimate:
    """Predict the figure that is asked for with its 90 % interval; times in seconds.

    Value and ends are NaN if models or data do not give the figure: no efficiency without a parameter that
    counts processes, no interval of a ratio if nothing was repeated.
    """
    at = np.asarray(question.at, dtype=np.float64)[None]
    figures = RuntimeStudy(analysis).figures(at, np.zeros(1, dtype=np.bool_))
    match question.quantity:
        case "efficiency":
            return figures.of_scaling
        case "speedup":
            return figures.speedup
        case "time":
            return figures.wall
        case "core-hours":
            return figures.core_hours


def relative_width(estimate: Estimate) -> float:
    """Return the width of a figure's interval relative to its value; infinite if it is unknown."""
    width = float((estimate.upper - estimate.lower)[0] / estimate.value[0])
    return width if np.isfinite(width) else float("inf")


DRAWS = 8
_LEAST_END = 1e-3  # of a value, what its lower end counts as


def foreseen_widths(
    analysis: Analysis,
    question: Question,
    points: FloatArray,
    repetitions: IntArray,
    options: ModelOptions | None = None,
) -> FloatArray:
    """Return the widths that the answer may have after further runs, float64[`DRAWS`], equally probable.

    Args:
        analysis: the modelled experiment.
        question: what is asked.
        points: float64[Q, D], where further runs are made.
        repetitions: int64[Q], how many at each.
        options: how the experiment is modelled.
    """
    wanted = repetitions > 0
    points, repetitions = points[wanted], repetitions[wanted]
    widths = []
    for number in range(DRAWS):
        further = _drawn(analysis, points, repetitions, np.random.default_rng(number))
        widths.append(relative_width(answer(_continued(analysis, points, further, options), question)))
    return np.array(widths)


def _drawn(
    analysis: Analysis, points: FloatArray, repetitions: IntArray, random: np.random.Generator
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
    noise, misfit = relative_errors(models, repetition_noise(kernels.values))
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


def _noise(analysis: Analysis, shape: tuple[int, int], random: np.random.Generator) -> FloatArray:
    """Draw relative errors of runs, float64[K, *shape], that go together as those of the repetitions do.

    If nothing was repeated, they are as large as the residuals of the models, and independent.
    """
    values, mean = analysis.callpaths.kernels.values, analysis.callpaths.kernels.mean
    count = np.isfinite(values).sum(axis=2, keepdims=True)
    usable = np.isfinite(values) & (count > 1) & (mean[..., None] > 0)
    relative = np.where(usable, values / np.where(usable, mean[..., None], 1.0) - 1, 0.0)
    degrees = int(np.maximum(count[:, :, 0].max(axis=0) - 1, 0).sum())
    if not degrees:
        size = DEVIATION * analysis.callpaths.models.quality.smape[:, None, None]
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

"""Which further measurements would narrow the prediction of the total most for what they cost."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import UsageError
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.planning.designs import candidate_points
from pipeline.questions.planning.plan import REPETITIONS, Doubt, Places, Step, doubt_about_total, plan
from pipeline.wording.quantities import quantity

_NAMED = 5  # kernels named at most
_SHARE = 0.1  # of a measurement's use, from which a kernel is named
_LIKELY = 0.05  # weight from which a rival is named


@dataclass(frozen=True)
class Settled:
    """What a measurement settles about one kernel.

    Attributes:
        kernel: index of the kernel.
        share: its share in what the measurement takes from the doubt about the total, 0 to 1.
        rivals: growth of the models between which it decides; empty if it only sharpens coefficients.
    """

    kernel: int
    share: float
    rivals: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A further measurement, to be taken after those advised before it.

    Attributes:
        point: parameter values.
        repetitions: how often.
        cost: core-seconds for all repetitions.
        width: expected width of the total's interval at the target afterwards, relative to the value.
        reduction: share of the width before this measurement that it is expected to take away, 0 to 1.
        settles: the kernels about which it says most.
    """

    point: tuple[float, ...]
    repetitions: int
    cost: float
    width: float
    reduction: float
    settles: tuple[Settled, ...]


def repetition_noise(values: FloatArray) -> FloatArray:
    """Relative standard deviation of one repetition, float64[K], NaN where no point was repeated.

    Args:
        values: float64[K, P, R], NaN where nothing was measured.
    """
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


def advise(
    models: ScalingModels,
    measured: FloatArray,
    at: FloatArray,
    budget: float,
    *,
    noise: FloatArray | None = None,
    candidates: FloatArray | None = None,
    cost: FloatArray | None = None,
) -> list[Advice]:
    """Plan further measurements for a sharper prediction of the total at a target.

    Every measurement observes all kernels. What it would take from the variance of the total at the target is
    known beforehand (`beliefs`); the plan takes in sequence the point and the number of repetitions that
    take most per core-second, or a single more expensive measurement if that is worth more than the whole
    plan (Khuller, Moss and Naor, "The budgeted maximum coverage problem", 1999).

    Args:
        models: kernels that sum up to the total, in core-seconds (exclusive effort) unless `cost` is given.
        measured: float64[P, D], the points measured so far.
        at: float64[D], the target.
        budget: core-seconds to spend.
        noise: float64[K], relative standard deviation of one repetition, see `repetition_noise`; if it is
            None or NaN the models' residuals are used.
        candidates: float64[Q, D], points to choose from; None proposes some.
        cost: float64[Q], core-seconds of one repetition at the candidates; None takes the predicted total.

    Returns:
        The plan in its order; empty if nothing affordable narrows the interval by `LEAST_GAIN`.

    Raises:
        UsageError: an invalid target or budget.
    """
    at = np.asarray(at, dtype=np.float64).reshape(-1)
    if len(at) != len(models.parameters) or not (np.isfinite(at) & (at > 0)).all():
        raise UsageError(f"the target needs a positive value of each of {', '.join(models.parameters)}")
    if not budget > 0:
        raise UsageError(f"a budget of {quantity(budget, 'core-s')} pays for no measurement")
    points = (
        candidate_points(measured, at) if candidates is None else np.asarray(candidates, dtype=np.float64)
    )
    if cost is None:
        cost = models.expected(points).sum(axis=0)
    places = Places(points, np.maximum(cost, 1e-300), (points[:, None] == measured).all(axis=2).any(axis=1))
    doubt, kernels = doubt_about_total(models, places, at, noise)
    steps = plan(doubt, places, budget)
    total = models.predict(at[None]).combine(lambda a: a.sum(axis=0, keepdims=True), models.correlation)
    width = float((total.upper - total.lower)[0, 0] / max(abs(float(total.value[0, 0])), 1e-300))
    return [_advice(models, kernels, places, doubt, step, width) for step in steps]


def _advice(
    models: ScalingModels, kernels: IntArray, places: Places, doubt: Doubt, step: Step, width: float
) -> Advice:
    before, after = doubt.deviation(step.before), doubt.deviation(step.after)
    taken = np.maximum(step.before.covariance[:, -1, -1] - step.after.covariance[:, -1, -1], 0.0)
    share = taken / max(float(taken.sum()), 1e-300)
    named = [int(k) for k in np.argsort(-share)[:_NAMED] if share[k] >= _SHARE]
    noise = np.sqrt(doubt.observation_variance(places)[:, step.place, REPETITIONS.index(step.repetitions)])
    return Advice(
        point=tuple(places.points[step.place].tolist()),
        repetitions=step.repetitions,
        cost=float(places.cost[step.place]) * step.repetitions,
        width=width * after / doubt.deviation(doubt.start),
        reduction=1 - after / before,
        settles=tuple(
            Settled(
                int(kernels[k]),
                float(share[k]),
                _told_apart(models, int(kernels[k]), doubt.start.rivals[k, :, step.place], float(noise[k])),
            )
            for k in named
        ),
    )


def _told_apart(models: ScalingModels, kernel: int, said: FloatArray, noise: float) -> tuple[str, ...]:
    """Growth of the chosen model and of likely rivals that say something else by more than the noise."""
    weight = models.rivals.take(np.array([kernel])).weight
    likely = np.flatnonzero(weight > _LIKELY).tolist()
    differing = [m for m in likely if abs(said[m] - said[0]) > noise]
    growths = dict.fromkeys(models.formula(kernel, m).growth for m in [0, *differing])
    return tuple(growths) if len(growths) > 1 else ()

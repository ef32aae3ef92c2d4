"""How well models fit, and what a user must know beside their figures."""

from dataclasses import dataclass
from enum import IntFlag

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from pipeline.models.observations import Observations


class Note(IntFlag):
    """Remarks on one kernel's model; stored as the bits of an int64."""

    FEW_POINTS = 1
    CANNOT_TELL = 2
    NOTHING_MEASURED = 4
    SINGLE_REPETITION = 8
    LAST_SEGMENT = 16
    OUTSIDE_SPACE = 32
    CONFOUNDED = 64
    FEW_VALUES = 128
    FOLLOWS_TREND = 256
    MISSES_POINT = 512
    UNRELIABLE = 1024


_TEXT = {
    Note.FEW_POINTS: "fewer than 5 points",
    Note.CANNOT_TELL: "cannot tell",
    Note.NOTHING_MEASURED: "nothing measured",
    Note.SINGLE_REPETITION: "one repetition: noise is estimated from the misfit alone",
    Note.LAST_SEGMENT: "behaviour changes within the range: model of the last segment",
    Note.OUTSIDE_SPACE: "grows faster than any exponent tried",
    Note.CONFOUNDED: "parameters change together in all runs: their effects cannot be distinguished",
    Note.FEW_VALUES: "fewer than 3 values of a parameter: its growth is a guess",
    Note.FOLLOWS_TREND: "predictions follow the trend of the last points",
    Note.MISSES_POINT: "the best model misses a point by more than a factor of 2",
    Note.UNRELIABLE: "unreliable, so without a law and not called a bottleneck",
}


def note_texts(bits: int) -> tuple[str, ...]:
    """Return the remarks in words."""
    return tuple(text for note, text in _TEXT.items() if bits & note)


@dataclass(frozen=True, eq=False, kw_only=True)
class Quality(Rows):
    """What is known about the models of K kernels."""

    probability_growing: FloatArray  # float64[K], probability that the leading term grows
    # float64[K, D], where the model's segment begins; the range unless the behaviour changes
    valid_from: FloatArray
    smape: FloatArray  # float64[K], symmetric mean absolute percentage error of the chosen model, 0 to 200
    cv_smape: FloatArray  # float64[K], the same with every point predicted from the others
    points: IntArray  # int64[K], measured points
    repetitions: IntArray  # int64[K], largest number of repetitions at a point
    note: IntArray  # int64[K], bits of `Note`


def quality_of(
    data: Observations,
    fitted: FloatArray,
    left_out: FloatArray,
    *,
    growing: FloatArray,
    note: IntArray,
    start: IntArray | None = None,
) -> Quality:
    """Judge chosen models of K kernels, from the first of P points on that each is about.

    What they give, float64[K, P], is `fitted`, and `left_out` with every point predicted from the others.
    With the probability of growing, float64[K].
    """
    first = np.broadcast_to(data.points.min(axis=0), (len(data.mean), data.points.shape[1]))
    measured = data.measured
    if start is not None:
        first = data.points[start]
        measured = measured & (np.arange(len(data.points)) >= start[:, None])
    return Quality(
        probability_growing=growing,
        valid_from=first,
        smape=smape(fitted, data.mean, measured),
        cv_smape=smape(left_out, data.mean, measured),
        points=data.measured.sum(axis=1),
        repetitions=data.count.max(axis=1),
        note=note,
    )


_FEW_POINTS = 5
ENOUGH_POINTS = 3  # with fewer, every formula fits: there is no law
_COMMON_CAUSES = 3.0  # points' worth of belief that misfit beyond the range strikes all kernels alike


def smape(predicted: FloatArray, mean: FloatArray, measured: BoolArray | FloatArray) -> FloatArray:
    """Symmetric mean absolute percentage error over the measured points, the last axis, 0 to 200."""
    size = np.abs(predicted) + np.abs(mean)
    error = np.abs(predicted - mean) / np.where(size > 0, size, 1.0) * measured
    return np.asarray(200 * error.sum(axis=-1) / np.maximum(measured.sum(axis=-1), 1))


def correlation_of_errors(error: FloatArray, measured: BoolArray, misfit_share: FloatArray) -> float:
    """Estimate how strongly the errors of the kernels go together, for the interval of their sum.

    The variance of the summed residuals float64[K, P], in the unit of the data, lies between that of
    independent ones (0) and of residuals that all err to the same side (1). Noise is independent and is
    estimated so. Misfit has causes that kernels share (memory, network, the program's own algorithms): as far
    as the errors are misfit, a share of each kernel's variance, the estimate is drawn towards 1.
    """
    error = np.where(measured, error, 0.0)
    squares = (error**2).sum()
    together = np.abs(error).sum(axis=0) ** 2
    spare = together.sum() - squares
    if spare <= 1e-12 * squares or squares == 0:
        return 1.0
    estimate = float(np.clip(((error.sum(axis=0) ** 2).sum() - squares) / spare, 0.0, 1.0))
    weight = np.abs(error).sum(axis=1)
    prior = _COMMON_CAUSES * float((weight * misfit_share).sum() / weight.sum())
    points = error.shape[1]
    return float((points * estimate + prior) / (points + prior))


def notes(data: Observations) -> IntArray:
    """Remarks on each kernel that follow from the data alone, int64[K], bits of `Note`."""
    count = data.measured.sum(axis=1)
    bits = Note.FEW_POINTS * (count < _FEW_POINTS) + Note.NOTHING_MEASURED * (count == 0)
    return np.asarray(bits.astype(np.int64) + Note.SINGLE_REPETITION * (data.count.max(axis=1) == 1))

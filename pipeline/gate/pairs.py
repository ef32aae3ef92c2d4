"""Two programs that ran in turn, A B A B: every run is compared with the run beside it.

What the machine did meanwhile it did to both runs of a pair, so that it cancels: what is left over of all
kernels together is due to the programs.
"""

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError
from pipeline.gate.estimates import Estimates
from pipeline.gate.matching import Matched
from pipeline.gate.noise import natural_logs
from pipeline.gate.outliers import precise_kernels, robust_log_means

FEWEST_PAIRS = 2  # with which pairs say how much they differ


def paired_factor(matched: Matched, kernels: BoolArray) -> Estimates:
    """Estimate the factor that kernels share from pairs of runs, float64[1, P].

    Args:
        matched: two studies whose runs were interleaved; the values are as measured.
        kernels: bool[matched kernels], those that matter and are not sums of others.

    Raises:
        InputError: runs cannot be paired at any point.
    """
    first, second = _paired_values(matched, kernels)
    difference = natural_logs(second) - natural_logs(first)
    spread = np.array([_spread(one) for one in difference])
    chosen = difference[precise_kernels(spread)] if np.isfinite(spread).any() else difference
    with np.errstate(all="ignore"):
        common = np.nanmedian(np.where(np.isfinite(chosen).any(axis=0), chosen, 0.0), axis=0)
    common = np.where(np.isfinite(chosen).any(axis=0), common, np.nan)
    (means,) = robust_log_means(np.exp(common)[None])
    degrees = float(means.degrees.sum())
    variance = float(means.squares.sum()) / degrees if degrees else np.nan
    error = np.full(means.mean.shape, np.nan)
    np.divide(variance, means.count, out=error, where=means.count > 0)
    return Estimates(means.mean, np.sqrt(error), np.full(error.shape, degrees))


def _spread(difference: FloatArray) -> float:
    """Standard deviation of the differences of one kernel, float64[P, R], around their points' means."""
    known = np.isfinite(difference)
    count = known.sum(axis=1, keepdims=True)
    mean = np.where(known, difference, 0.0).sum(axis=1, keepdims=True) / np.maximum(count, 1)
    degrees = int(np.maximum(count - 1, 0).sum())
    squares = float(np.where(known, difference - mean, 0.0).__pow__(2).sum())
    return float(np.sqrt(squares / degrees)) if degrees else float("nan")


def _paired_values(matched: Matched, kernels: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Values of both studies, float64[K, P, pairs] each, NaN where a point has fewer pairs."""
    baseline, candidate = matched.baseline, matched.candidate
    pairs = [
        _pairs(numbers_a, numbers_b)
        for numbers_a, numbers_b in zip(
            _numbers(baseline.values, baseline.repetitions)[matched.base_at],
            _numbers(candidate.values, candidate.repetitions)[matched.candidate_at],
            strict=True,
        )
    ]
    most = max((len(one) for one in pairs), default=0)
    if most < FEWEST_PAIRS:
        raise InputError(
            "the runs cannot be paired",
            hint="run both programs in turn and number the repetitions alike, as app.p8.r1, app.p8.r2, ...",
        )
    shape = (int(kernels.sum()), len(pairs), most)
    first, second = np.full(shape, np.nan), np.full(shape, np.nan)
    for p, one in enumerate(pairs):
        first[:, p, : len(one)] = baseline.values[kernels, matched.base_at[p]][:, one[:, 0]]
        second[:, p, : len(one)] = candidate.values[kernels, matched.candidate_at[p]][:, one[:, 1]]
    return first, second


def _numbers(values: FloatArray, repetitions: IntArray | None) -> IntArray:
    """Number of every repetition, int64[P, R], -1 if there is no run; by their order if they have none."""
    measured = np.isfinite(values).any(axis=0)
    order = np.cumsum(measured, axis=1)
    return np.where(measured, order if repetitions is None else repetitions, -1)


def _pairs(first: IntArray, second: IntArray) -> IntArray:
    """Indices of the repetitions with the same number, int64[pairs, 2]."""
    where = {number: r for r, number in enumerate(second.tolist()) if number >= 0}
    found = [(r, where[number]) for r, number in enumerate(first.tolist()) if number in where]
    return np.array(found, dtype=np.int64).reshape(-1, 2)

"""Two programs that ran in turn, A B A B: every run is compared with the run beside it.

What the machine did meanwhile it did to both runs of a pair, so that it cancels: what is left over of all
kernels together is due to the programs.
"""

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from pipeline.gate.estimates import Estimates
from pipeline.gate.matching import Matched
from pipeline.gate.measurements import KernelValues, Scope
from pipeline.gate.noise import LogMeans, natural_logs
from pipeline.gate.outliers import kernel_spread, known_median, precise_kernels, robust_log_means
from pipeline.gate.runs import run_factors

FEWEST_PAIRS = 2  # with which pairs say how much they differ


def paired_means(
    baseline: KernelValues, candidate: KernelValues, rows: IntArray, at: tuple[IntArray, IntArray]
) -> tuple[LogMeans, LogMeans]:
    """Reduce pairs of runs: means of the log ratios, whose noise is that of pairs.

    Args:
        baseline, candidate: two studies with the same kernels whose runs were interleaved.
        rows: int64[K], the kernels.
        at: int64[P] each, the indices of the common points in either study.

    Returns:
        Zeros for the baseline and the log ratios for the candidate; the noise is that of one run.

    Raises:
        InputError: runs cannot be paired at any point.
    """
    difference = _differences(baseline, candidate, rows, at)
    alone = np.array([candidate.kernels[row].level is Scope.CALLPATH for row in rows.tolist()], dtype=bool)
    factor = np.nan_to_num(run_factors(np.exp(difference), alone).log_factor)
    (each,) = robust_log_means(np.exp(difference - factor))
    nothing = np.zeros(each.mean.shape)
    return (
        LogMeans(nothing, each.count, nothing, nothing),
        LogMeans(each.mean, each.count, each.squares / 2, each.degrees),
    )


def paired_factor(matched: Matched, rows: IntArray) -> Estimates:
    """Estimate the factor that kernels share from pairs of runs, float64[1, P]; arguments as above.

    Args:
        matched: two studies whose runs were interleaved, as measured.
        rows: int64[K], the kernels that matter and are not sums of others.
    """
    difference = _differences(
        matched.baseline, matched.candidate, rows, (matched.base_at, matched.candidate_at)
    )
    chosen = difference[precise_kernels(kernel_spread(difference))]
    (factor,) = robust_log_means(np.exp(known_median(chosen, 0))[None])
    degrees = float(factor.degrees.sum())
    error = np.full(factor.mean.shape, np.nan)
    squares = np.full(factor.mean.shape, float(factor.squares.sum()))
    np.divide(squares, degrees * factor.count, out=error, where=(factor.count > 0) & (degrees > 0))
    return Estimates(factor.mean, np.sqrt(error), np.full(error.shape, degrees))


def _differences(
    baseline: KernelValues, candidate: KernelValues, rows: IntArray, at: tuple[IntArray, IntArray]
) -> FloatArray:
    """Log ratios of pairs of runs, float64[K, P, pairs], NaN where a point has fewer pairs."""
    pairs = [
        _pairs(one, two)
        for one, two in zip(_numbers(baseline)[at[0]], _numbers(candidate)[at[1]], strict=True)
    ]
    most = max((len(one) for one in pairs), default=0)
    if most < FEWEST_PAIRS:
        raise InputError(
            "the runs cannot be paired",
            hint="run both programs in turn and number the repetitions alike, as app.p8.r1, app.p8.r2, ...",
        )
    first, second = natural_logs(baseline.values[rows]), natural_logs(candidate.values[rows])
    difference = np.full((len(rows), len(pairs), most), np.nan)
    for p, one in enumerate(pairs):
        ratio = second[:, at[1][p], one[:, 1]] - first[:, at[0][p], one[:, 0]]
        difference[:, p, : len(one)] = ratio
    return difference


def _numbers(study: KernelValues) -> IntArray:
    """Number of every repetition, int64[P, R], -1 if there is no run; by their order if they have none."""
    measured = np.isfinite(study.values).any(axis=0)
    order = np.cumsum(measured, axis=1)
    return np.where(measured, order if study.repetitions is None else study.repetitions, -1)


def _pairs(first: IntArray, second: IntArray) -> IntArray:
    """Indices of the repetitions with the same number, int64[pairs, 2]."""
    where = {number: r for r, number in enumerate(second.tolist()) if number >= 0}
    found = [(r, where[number]) for r, number in enumerate(first.tolist()) if number in where]
    return np.array(found, dtype=np.int64).reshape(-1, 2)

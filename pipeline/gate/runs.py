"""What every run does to all of its kernels: a slow node, another job, a slow hour.

A slow run is slow in all kernels, so its factor is estimated jointly over them and taken out of every value.
"""

from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.gate.measurements import KernelValues, Scope
from pipeline.gate.noise import LEAST, natural_logs
from pipeline.gate.outliers import kernel_spread, known_median, precise_kernels, repetition_weights
from pipeline.wording.quantities import point_text, times

FEWEST_KERNELS = 10  # needed to separate the factor of every run from the noise of its kernels
OUTLYING_SPREADS = 5.0  # of the factors of runs
OUTLYING_FACTOR = 1.2
MOST_NAMED = 3  # outlying runs named in a notice


@dataclass(frozen=True, eq=False)
class RunFactors:
    """What every run does to all of its kernels, beside the typical run of its point.

    Attributes:
        log_factor: float64[P, R], natural logarithm; 0 for a typical run and if it cannot be separated from
            noise, NaN if there was no run.
        outlying: bool[P, R], runs far from the other repetitions of their point.
        spread: standard deviation of the logarithm over typical runs; NaN without repetitions.
        degrees: degrees of freedom behind `spread`.
    """

    log_factor: FloatArray
    outlying: BoolArray
    spread: float
    degrees: float


def run_factors(values: FloatArray, independent: BoolArray) -> RunFactors:
    """Estimate the factors of all runs of a study.

    With fewer than `FEWEST_KERNELS` only outlying runs have a factor other than 1: by how much the kernel
    that is disturbed least departs from its repetitions.

    Args:
        values: float64[K, P, R], NaN if not measured.
        independent: bool[K], the kernels that matter and are not sums of others.
    """
    logs = natural_logs(values[independent])
    measured = np.isfinite(logs).any(axis=0)
    residual = logs - known_median(logs, 2)[:, :, None]
    chosen = residual[precise_kernels(kernel_spread(logs))]
    many = len(chosen) >= FEWEST_KERNELS
    common = known_median(chosen, 0) if many else _least_disturbed(residual)
    common = np.where(measured, common, np.nan)
    spread = float(kernel_spread(common[None])[0])
    scale = np.full((1, len(common)), np.fmax(spread, LEAST))
    weight = repetition_weights(common[None], scale)[0]
    level = (weight * np.nan_to_num(common)).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-300)
    factor = common - level[:, None]
    outlying = np.abs(np.nan_to_num(factor)) > max(OUTLYING_SPREADS * spread, np.log(OUTLYING_FACTOR))
    degrees = float(np.maximum(weight.sum(axis=1) - 1, 0).sum())
    return RunFactors(factor if many else np.where(outlying, factor, common * 0), outlying, spread, degrees)


def _least_disturbed(residual: FloatArray) -> FloatArray:
    """Of all kernels' residuals, float64[K, P, R], the one nearest to 0 if their signs agree, else 0."""
    if len(residual) < 2:
        return np.zeros(residual.shape[1:])
    low, high = (np.nan_to_num(f(residual, axis=0)) for f in (np.fmin.reduce, np.fmax.reduce))
    smallest = np.minimum(np.abs(low), np.abs(high))
    return np.where(low > 0, smallest, 0.0) - np.where(high < 0, smallest, 0.0)


@dataclass(frozen=True, eq=False)
class Typical:
    """A study as if every run had been a typical one of its point.

    Attributes:
        measurements: the values without the factors of the runs.
        measured: the values as measured.
        runs: the factors.
    """

    measurements: KernelValues
    measured: KernelValues
    runs: RunFactors

    def notices(self, study: str) -> tuple[str, ...]:
        """Name the outlying runs of a study in one sentence; empty if there are none."""
        where = np.argwhere(self.runs.outlying).tolist()
        if not where:
            return ()
        points = self.measured.named(self.measured.points)
        numbers = self.measured.repetitions
        named = [
            f"{point_text(points[p])} repetition {r + 1 if numbers is None else numbers[p, r]} "
            f"({times(float(np.exp(self.runs.log_factor[p, r])))})"
            for p, r in where[:MOST_NAMED]
        ]
        more = f" and {len(where) - MOST_NAMED} more" if len(where) > MOST_NAMED else ""
        return (
            f"runs of {study} that were slow or fast in all kernels, compared without that factor: "
            f"{', '.join(named)}{more}",
        )


def typical_runs(study: KernelValues, share_floor: float) -> Typical:
    """Take the factors of the runs out of all values of a study; the noise of small kernels says nothing."""
    large = (study.share >= share_floor).any(axis=1)
    alone = np.array([kernel.level is Scope.CALLPATH for kernel in study.kernels], dtype=bool)
    runs = run_factors(study.values, alone & large)
    values = study.values * np.exp(-np.nan_to_num(runs.log_factor))
    return Typical(replace(study, values=values), study, runs)

"""All tests of one check, made together so that false alarms are shared among them."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.gate.change_tests import Changes, Estimates, estimate_changes
from pipeline.gate.forecast import Forecast, predicted_ratio, take_forecast
from pipeline.gate.log_ratios import log_ratios
from pipeline.gate.options import CheckOptions
from pipeline.gate.pairing import Pair
from pipeline.gate.rules import RuleTests, names
from pipeline.statistics.multiple_testing import holm

FOUND = 0.9  # power for which the smallest detectable factor is told


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """Tests of the K kernels that matter, and of the rules.

    Attributes:
        rows: int64[K], the kernels in the pair.
        log_factor: float64[K], logarithm of the factor each may change by.
        changes: what the common points say.
        models: ratios of predictions at the targets, used only where too few points are common.
        worse: float64[K, P + 1 + Q + Q], adjusted p-values for "worse": points, rise, targets, models.
        better: the same for "better", adjusted among themselves: an improvement fails no check.
        rules: float64[n], adjusted p-values of the rules, in the same family as `worse`.
        tests: how many tests `worse` and `rules` count.
        detectable: float64[K], smallest factor found with 90 % probability at the largest common scale; NaN
            where nothing can be tested.
    """

    rows: IntArray
    log_factor: FloatArray
    changes: Changes
    models: Estimates
    worse: FloatArray
    better: FloatArray
    rules: FloatArray
    tests: int
    detectable: FloatArray


@dataclass(frozen=True, eq=False)
class Material:
    """Where kernels take a share of the total that matters, on either side.

    Attributes:
        measured: bool[K, P], at every common point.
        target: bool[K, Q], at every target, by the lower end of a prediction, or at the largest common scale.
    """

    measured: BoolArray
    target: BoolArray

    @property
    def tests(self) -> BoolArray:
        """bool[K, P + 1 + Q + Q]: which tests of `Family.worse` are about something that matters.

        A kernel that is dust at a point may jump there by any factor: that is an outlier of nobody's concern.
        """
        return np.hstack([self.measured, self.target[:, -1:], self.target, self.target])


def material(both: Pair, base: Forecast, ahead: Forecast, floor: float) -> Material:
    """Tell where kernels reach a share of the total."""
    measured = (
        np.maximum(both.baseline.share[:, both.base_at], both.candidate.share[:, both.candidate_at]) >= floor
    )
    target = np.maximum(base.least_share, ahead.least_share) >= floor
    if len(both.scale):
        target |= measured[:, [int(np.argmax(both.scale))]]
    return Material(measured, target)


def test_family(
    both: Pair, base: Forecast, ahead: Forecast, targets: FloatArray, rules: RuleTests, options: CheckOptions
) -> Family:
    """Make all tests of a check.

    Args:
        both: the two studies.
        base, ahead: their forecasts at the targets, kernel by kernel of the pair.
        targets: float64[Q], the parameter that scales at the targets.
        rules: tests that need no baseline.
        options: factors, floor and level.
    """
    matters = material(both, base, ahead, options.share_floor).tests
    rows = np.flatnonzero(matters.any(axis=1))
    ratios = log_ratios(
        both.points,
        both.baseline.values[rows][:, both.base_at],
        both.candidate.values[rows][:, both.candidate_at],
    )
    log_factor = np.log(factors(both, rows, options))
    changes = estimate_changes(ratios, both.scale, targets, both.is_callpath[rows])
    models = predicted_ratio(take_forecast(base, rows), take_forecast(ahead, rows))
    comparable = (changes.measured.degrees > 0) & np.isfinite(changes.measured.error)
    models.log_ratio[comparable.any(axis=1)] = np.nan
    worse = np.where(matters[rows], _p_values(changes, models, log_factor), np.nan)
    better = np.where(matters[rows], _p_values(_mirrored(changes), _mirror(models), log_factor), np.nan)
    adjusted = holm(np.concatenate([worse.reshape(-1), rules.p]))
    tests = int(np.isfinite(adjusted).sum())
    return Family(
        rows=rows,
        log_factor=log_factor,
        changes=changes,
        models=models,
        worse=adjusted[: worse.size].reshape(worse.shape),
        better=holm(better),
        rules=adjusted[worse.size :],
        tests=tests,
        detectable=_detectable(
            changes.measured, both.scale, log_factor, options.false_alarms / max(tests, 1)
        ),
    )


def factors(both: Pair, rows: IntArray, options: CheckOptions) -> FloatArray:
    """Return the factor that each kernel may change by, float64[K]; the last rule that names it decides."""
    found = np.full(len(rows), options.factor)
    for rule in options.kernels:
        if rule.factor is not None:
            named = [names(rule.match, both.candidate.kernels[i]) for i in rows.tolist()]
            found[named] = rule.factor
    return found


def _p_values(changes: Changes, models: Estimates, log_factor: FloatArray) -> FloatArray:
    """P-values of one direction; growing alone counts only where the target is estimated to be worse."""
    rise = changes.rise.above(log_factor)
    ahead = np.where(np.isfinite(changes.target.log_ratio), changes.target.log_ratio, -np.inf)
    rise[ahead[:, -1] <= log_factor] = np.nan
    return np.hstack(
        [
            changes.measured.above(log_factor),
            rise,
            changes.target.above(log_factor),
            models.above(log_factor),
        ]
    )


def _mirror(estimates: Estimates) -> Estimates:
    return Estimates(-estimates.log_ratio, estimates.error, estimates.degrees)


def _mirrored(changes: Changes) -> Changes:
    return Changes(
        measured=_mirror(changes.measured),
        rise=_mirror(changes.rise),
        target=_mirror(changes.target),
        noise=changes.noise,
        common=changes.common,
        spread=changes.spread,
    )


def _detectable(measured: Estimates, scale: FloatArray, log_factor: FloatArray, level: float) -> FloatArray:
    """Smallest factor found with probability `FOUND` by a test at `level` at each kernel's largest scale."""
    found = np.full(len(log_factor), np.nan)
    known = np.isfinite(measured.error) & (measured.degrees > 0)
    rows = np.flatnonzero(known.any(axis=1))
    if len(rows):
        column = np.where(known, scale, -np.inf).argmax(axis=1)[rows]
        degrees, error = measured.degrees[rows, column], measured.error[rows, column]
        reach = (stdtrit(degrees, 1 - level) + stdtrit(degrees, FOUND)) * error
        found[rows] = np.exp(np.minimum(log_factor[rows] + reach, 700.0))
    return found

"""Ratios and their errors, against scipy's and statsmodels' tests of the same things."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from pipeline.gate.estimates import Estimates
from pipeline.gate.repetition_noise import CERTAIN, LEAST_NOISE, log_means
from pipeline.gate.rules import ENOUGH_KERNELS, MEDIAN_OF_SQUARE, estimate_changes, mean_over_points, trend

SCALE = np.array([8.0, 16, 32, 64])
UNLIMITED = np.full(1, np.inf)


def changes(baseline, candidate, scale=SCALE, independent=None):
    return estimate_changes(log_means(baseline), log_means(candidate), scale, independent)


def noisy(mean, noise, repetitions, seed):
    rng = np.random.default_rng(seed)
    return np.exp(np.log(mean)[..., None] + noise * rng.normal(size=(*np.shape(mean), repetitions)))


def estimates(log_ratio, error, degrees):
    return Estimates(*(np.atleast_2d(np.asarray(a, dtype=float)) for a in (log_ratio, error, degrees)))


def test_p_values_and_intervals_are_those_of_students_distribution():
    one = estimates([0.3, -0.2, np.nan], [0.1, 0.2, 0.1], [4.0, 7.0, 5.0])
    p = one.above(np.array([0.1]))[0]
    assert np.allclose(p[:2], [stats.t.sf(2.0, 4), stats.t.sf(-1.5, 7)])
    assert np.isnan(p[2])
    assert one.inverse.above(np.array([0.1]))[0, 0] == pytest.approx(stats.t.sf(-4.0, 4))
    lower, upper = one.interval(0.9)
    assert np.log(lower[0, :2]) == pytest.approx(
        [0.3 - 0.1 * stats.t.ppf(0.95, 4), -0.2 - 0.2 * stats.t.ppf(0.95, 7)]
    )
    assert np.log(upper[0, :2]) == pytest.approx(
        [0.3 + 0.1 * stats.t.ppf(0.95, 4), -0.2 + 0.2 * stats.t.ppf(0.95, 7)]
    )


@pytest.mark.parametrize("unknown", [{"error": np.nan}, {"degrees": 0.0}, {"log_ratio": np.nan}])
def test_without_error_or_degrees_of_freedom_there_is_no_test(unknown):
    one = estimates(**({"log_ratio": 0.3, "error": 0.1, "degrees": 4.0} | unknown))
    assert not one.known.any()
    assert np.isnan(one.above(np.zeros(1))).all()
    assert np.isnan(one.interval(0.9)).all()


def test_one_degree_of_freedom_is_enough_for_a_test():
    assert estimates(0.3, 0.1, 1.0).known.all()
    found = changes(noisy([[5.0]], 0.1, 2, seed=1), noisy([[6.0]], 0.1, 1, seed=2), SCALE[:1])
    assert found.measured.known.all() and found.measured.degrees[0, 0] == 1


def test_one_kernel_at_one_point_is_the_t_test_of_two_samples():
    before, now = noisy([[5.0]], 0.1, 4, seed=1), noisy([[6.0]], 0.1, 6, seed=2)
    measured = changes(before, now, SCALE[:1]).measured
    oracle = stats.ttest_ind(np.log(now[0, 0]), np.log(before[0, 0]), alternative="greater")
    assert measured.degrees[0, 0] == 8
    assert measured.above(np.zeros(1))[0, 0] == pytest.approx(oracle.pvalue)


def test_the_median_of_the_genomic_control_is_that_of_chi_squared():
    assert pytest.approx(stats.chi2.median(1), rel=1e-6) == MEDIAN_OF_SQUARE


@pytest.mark.parametrize("kernels", [ENOUGH_KERNELS - 1, ENOUGH_KERNELS, 400])
def test_errors_widen_by_what_differs_between_the_studies_beyond_repetitions(kernels):
    rng = np.random.default_rng(3)
    jobs = 0.1 * rng.normal(size=(kernels, 4))
    before = noisy(np.ones((kernels, 4)), 0.05, 5, seed=4)
    now = before * np.exp(jobs)[:, :, None] * 1.5
    found = changes(before, now)
    known = 0.05**2 * 2 / 5
    if kernels < ENOUGH_KERNELS:
        assert (found.between == 1).all()
    else:
        assert found.between.mean() == pytest.approx(0.1**2 / known, rel=0.6 if kernels < 20 else 0.15)
    plain = np.sqrt(found.noise.variance * 2 / 5)
    assert np.allclose(found.measured.error, plain * np.sqrt(found.between))
    assert found.shared.log_factor == pytest.approx(np.full(4, np.log(1.5)), abs=0.1)


def test_studies_that_agree_better_than_chance_do_not_narrow_the_errors():
    before = noisy(np.ones((30, 4)), 0.05, 5, seed=4)
    assert (changes(before, before).between == 1).all()


def test_sums_of_kernels_do_not_teach_the_noise_of_kernels():
    before = noisy(np.ones((12, 4)), 0.05, 5, seed=5)
    now = noisy(np.ones((12, 4)), 0.05, 5, seed=6)
    with_sum = [np.concatenate([values.sum(axis=0, keepdims=True), values]) for values in (before, now)]
    alone = changes(before, now)
    both = changes(*with_sum, independent=np.arange(13) > 0)
    for a, b in (
        (alone.measured, both.measured),
        (alone.beyond.mean, both.beyond.mean),
        (alone.beyond.rise, both.beyond.rise),
    ):
        for mine, theirs in zip(vars(a).values(), vars(b).values(), strict=True):
            assert np.array_equal(mine, theirs[1:])
    assert np.array_equal(alone.shared.log_factor, both.shared.log_factor)
    assert both.measured.error[0, 0] < 0.5 * both.measured.error[1:, 0].min()
    assert both.noise.limit[0] >= 32


def test_points_without_values_on_either_side_or_without_noise_are_unknown():
    before, now = noisy(np.ones((3, 4)), 0.1, 3, seed=1), noisy(np.ones((3, 4)), 0.1, 3, seed=2)
    before[0, 1], now[0, 2] = np.nan, 0.0
    found = changes(before, now)
    assert found.measured.known[0].tolist() == [True, False, False, True]
    assert found.measured.known[1:].all()
    assert not changes(before[..., :1], now[..., :1]).measured.known.any()


def test_repetitions_of_both_sides_count():
    before, now = noisy(np.ones((1, 1)), 0.1, 3, seed=1), noisy(np.ones((1, 1)), 0.1, 12, seed=2)
    found = changes(before, now, SCALE[:1])
    assert found.measured.error[0, 0] == pytest.approx(np.sqrt(found.noise.variance[0, 0] * (1 / 3 + 1 / 12)))
    assert found.measured.degrees[0, 0] == 13


@pytest.mark.parametrize("known", [[True] * 4, [True, False, True, True]])
def test_the_trend_is_a_weighted_line_over_the_logarithm_of_the_scale(known):
    y, error = np.array([0.1, 0.3, -0.05, 0.5]), np.array([0.05, 0.1, 0.08, 0.2])
    x = np.log(SCALE)
    measured = estimates(np.where(known, y, np.nan), error, np.full(4, 1e9))
    rise, misfit = trend(measured, UNLIMITED, x)
    line = sm.WLS(y[known], sm.add_constant(x[known]), weights=error[known] ** -2.0).fit(
        cov_type="fixed scale"
    )
    reach = np.ptp(x)
    assert rise.log_ratio[0, 0] == pytest.approx(line.params[1] * reach)
    assert rise.error[0, 0] == pytest.approx(line.bse[1] * reach)
    excess = max((line.wresid**2).sum() / (sum(known) - 2), 1)
    assert misfit[0] == pytest.approx(excess)


def test_a_line_that_leaves_something_over_widens_the_rise():
    step = np.array([[1.0, 1, 1, 2]])
    before, now = noisy(np.ones((1, 4)), 0.01, 5, seed=1), noisy(step, 0.01, 5, seed=2)
    found = changes(before, now)
    bare, misfit = trend(found.measured, found.noise.limit, np.log(SCALE))
    assert misfit[0] > 100
    assert found.beyond.rise.error[0, 0] == pytest.approx(bare.error[0, 0] * np.sqrt(misfit[0]))


def test_two_points_give_a_rise_and_one_gives_none():
    for known, has_rise in ((2, True), (1, False), (0, False)):
        y = np.where(np.arange(4) < known, 0.5, np.nan)
        rise, _ = trend(estimates(y, np.full(4, 0.1), np.full(4, 9.0)), UNLIMITED, np.log(SCALE))
        assert rise.known[0, 0] == has_rise


def test_points_of_one_scale_show_no_trend():
    same = estimates([0.1, 0.2, 0.3], [0.1] * 3, [9.0] * 3)
    rise, _ = trend(same, UNLIMITED, np.full(3, np.log(8.0)))
    assert not rise.known.any()


def test_without_points_there_is_no_trend():
    nothing = Estimates(*(np.empty((2, 0)) for _ in range(3)))
    rise, misfit = trend(nothing, np.full(2, np.inf), np.empty(0))
    assert rise.log_ratio.shape == (2, 1)
    assert not rise.known.any()
    assert misfit.tolist() == [1, 1]


def test_degrees_of_freedom_of_a_trend_are_satterthwaites_and_capped():
    """Welch's test weighs two variances as the trend weighs its points: by one over the squared errors."""
    one, two = np.array([1.0, 2, 4, 3]), np.array([2.0, 2.5, 1.5, 1.0, 9, 3, 4])
    shares = np.array([one.var(ddof=1) / 4, two.var(ddof=1) / 7])
    welch = stats.ttest_ind(one, two, equal_var=False).df
    pair = estimates([0.1, 0.2], shares**-0.5, [3.0, 6.0])
    x = np.log(SCALE[:2])
    assert trend(pair, UNLIMITED, x)[0].degrees[0, 0] == pytest.approx(welch)
    assert trend(pair, np.full(1, 5.0), x)[0].degrees[0, 0] == 5.0
    sure = estimates([0.1, 0.2], [1.0, 1.0], [1e12, 1e12])
    assert trend(sure, UNLIMITED, x)[0].degrees[0].tolist() == [CERTAIN]


def test_the_least_noise_keeps_identical_runs_from_being_certain():
    same = np.ones((1, 4, 3))
    found = changes(same, same * 1.0005)
    assert np.allclose(found.measured.error, LEAST_NOISE * np.sqrt(2 / 3))
    assert (found.measured.above(np.zeros(1)) > 0.1).all()


def test_the_mean_over_points_is_weighted_and_widened_by_their_differences():
    y, error = np.array([0.1, 0.3, -0.05, 0.5]), np.array([0.05, 0.1, 0.08, 0.2])
    mean = mean_over_points(estimates(y, error, np.full(4, 1e9)), UNLIMITED)
    line = sm.WLS(y, np.ones(4), weights=error**-2.0).fit(cov_type="fixed scale")
    excess = max((line.wresid**2).sum() / 3, 1)
    assert excess > 1
    assert mean.log_ratio[0, 0] == pytest.approx(line.params[0])
    assert mean.error[0, 0] == pytest.approx(line.bse[0] * np.sqrt(excess))
    one = estimates([0.1, np.nan], [0.1, 0.1], [9.0, 9.0])
    assert not mean_over_points(one, UNLIMITED).known.any()

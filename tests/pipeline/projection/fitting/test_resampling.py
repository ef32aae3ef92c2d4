"""How good a fit is, against Student's t, the F test and leave-one-out means by hand."""

import numpy as np
import pytest
from scipy import stats

from ingest.errors import ModelError
from pipeline.projection.fitting.resampling import Measurements, lack_of_fit, resample

DATA = np.array([9.0, 10.5, 11.0, 12.5, 10.0, 10.6])


def mean_of(targets, weights):
    """Fit a constant by weighted least squares, one per row."""
    return ((targets * weights**2).sum(axis=1) / (weights**2).sum(axis=1))[:, None]


def constant_curve(points):
    return lambda parameters: np.repeat(parameters, points, axis=1)


def fitted(data, weights="equal", *, draws=2000):
    return resample(mean_of, constant_curve(len(data)), Measurements({}, data, weights), key="k", draws=draws)


def test_weights_are_those_of_the_curve_or_equal():
    curve = np.linspace(8.0, 12.0, 6)
    assert Measurements({}, DATA).point_weights(curve).tolist() == (1 / curve).tolist()
    assert Measurements({}, -DATA, "equal").point_weights(curve).tolist() == [1.0] * 6
    # A curve that misses a point by far, or is negative, weighs it no more than a tenth of the value.
    assert Measurements({}, np.array([10.0])).point_weights(np.array([-3.0])) == pytest.approx([1.0])
    for bad in (0.0, -1.0):
        with pytest.raises(
            ModelError, match=r"^relative weights need positive measurements; use weights = 'equal'$"
        ):
            Measurements({}, np.array([1.0, bad])).point_weights(np.ones(2))


def test_a_fit_with_relative_weights_has_the_mean_of_relative_deviations():
    """The weights are those of its own curve: low values do not weigh more."""
    data = np.array([1.0, 2.0, 9.0])
    assert fitted(data, "relative").estimate == pytest.approx([4.0])


def test_a_constant_with_equal_weights_has_students_intervals():
    found = fitted(DATA)
    n, sd = len(DATA), DATA.std(ddof=1)
    assert found.estimate == pytest.approx([DATA.mean()])
    assert found.sigma == pytest.approx(sd)
    assert found.draws.shape == (2000, 1)
    standardised = (found.draws[:, 0] - DATA.mean()) / (sd / np.sqrt(n))
    assert stats.kstest(standardised, stats.t(n - 1).cdf).pvalue > 0.01
    assert stats.kstest(found.scatter / sd, stats.t(n - 1).cdf).pvalue > 0.01
    assert abs(np.corrcoef(found.scatter, found.draws[:, 0])[0, 1]) < 0.1


def test_relative_weights_scale_residuals_and_simulated_noise_by_the_values():
    curve = np.array([1.0, 10.0, 100.0, 1000.0])

    def solve(targets, weights):
        squared = weights**2
        return ((squared * targets) @ curve / (squared @ curve**2))[:, None]

    data = curve * np.array([0.9, 1.1, 1.05, 0.96])
    found = resample(solve, lambda p: p * curve, Measurements({}, data), key="k", draws=4000)
    residual = data / (found.estimate[0] * curve) - 1
    assert np.mean(residual) == pytest.approx(0.0, abs=1e-6)
    assert found.sigma == pytest.approx(np.sqrt(np.sum(residual**2) / 3))
    # The factor is a mean of four relative deviations: Student's t with three degrees of freedom.

    standardised = (found.draws[:, 0] / found.estimate[0] - 1) / (found.sigma / 2)
    assert np.quantile(np.abs(standardised), 0.9) == pytest.approx(stats.t(3).ppf(0.95), rel=0.15)


def test_figures_of_the_fit():
    found = fitted(DATA)
    others = (DATA.sum() - DATA) / (len(DATA) - 1)
    assert found.left_out == pytest.approx(others)


def test_draws_are_repeatable_and_depend_on_name_and_data():
    again = fitted(DATA, draws=10).draws
    assert np.array_equal(fitted(DATA, draws=10).draws, again)
    assert not np.array_equal(fitted(DATA * 1.001, draws=10).draws, 1.001 * again)
    other = resample(
        mean_of, constant_curve(len(DATA)), Measurements({}, DATA, "equal"), key="other", draws=10
    ).draws
    assert not np.array_equal(other, again)
    assert (
        len(resample(mean_of, constant_curve(len(DATA)), Measurements({}, DATA, "equal"), key="k").draws)
        == 1000
    )


@pytest.mark.parametrize("points", [1, 2])
def test_more_measurements_than_parameters_are_needed(points):
    two = lambda targets, weights: targets[:, :1] * np.ones(2)  # noqa: E731
    curve = lambda parameters: parameters[:, :1] * np.ones(points)  # noqa: E731
    line = f"^{points} measurements cannot determine 2 parameters; measure at least 3 points$"
    with pytest.raises(ModelError, match=line):
        resample(two, curve, Measurements({}, np.ones(points), "equal"), key="k")


def test_exact_data_have_no_scatter():
    found = fitted(np.full(4, 3.0))
    assert found.sigma == 0.0
    assert (found.draws == 3.0).all()
    assert fitted(np.zeros(4)).sigma == 0.0


POINTS = np.repeat([1.0, 2.0, 3.0, 4.0], 3)


def test_lack_of_fit_is_the_f_test_against_pure_error():
    rng = np.random.default_rng(3)
    observed = 10 + POINTS**2 + 0.5 * rng.standard_normal(len(POINTS))
    slope, offset = np.polyfit(POINTS, observed, 1)
    curve = offset + slope * POINTS
    found = lack_of_fit(Measurements({"x": POINTS}, observed, "equal"), curve, 2)
    groups = observed.reshape(4, 3)
    pure = np.sum((groups - groups.mean(axis=1, keepdims=True)) ** 2)
    lack = 3 * np.sum((groups.mean(axis=1) - curve[::3]) ** 2)
    expected = stats.f.sf((lack / 2) / (pure / 8), 2, 8)
    assert found.probability == pytest.approx(expected, rel=1e-10)
    assert found.mean_deviation == pytest.approx(np.mean(np.abs(groups.mean(axis=1) / curve[::3] - 1)))
    three = lack_of_fit(Measurements({"x": POINTS}, observed, "equal"), curve, 3)
    assert three.probability == pytest.approx(stats.f.sf(lack / (pure / 8), 1, 8), rel=1e-10)
    assert np.isnan(lack_of_fit(Measurements({"x": POINTS}, observed, "equal"), curve, 4).probability)


def test_lack_of_fit_with_relative_weights_divides_by_the_curve():
    observed = np.array([9.0, 11.0, 99.0, 101.0, 1000.0, 1010.0])
    points = np.repeat([1.0, 2.0, 3.0], 2)
    curve = np.array([11.0, 11.0, 100.0, 100.0, 1000.0, 1000.0])
    found = lack_of_fit(Measurements({"x": points}, observed), curve, 1)
    means = np.repeat([10.0, 100.0, 1005.0], 2)
    pure = np.sum(((observed - means) / curve) ** 2)
    lack = np.sum(((means - curve) / curve) ** 2)
    assert found.probability == pytest.approx(stats.f.sf((lack / 2) / (pure / 3), 2, 3), rel=1e-10)
    assert found.mean_deviation == pytest.approx((1 / 11 + 0 + 5 / 1000) / 3)


def test_repetitions_are_equal_in_all_inputs():
    observed = np.array([1.0, 1.1, 2.0, 2.1])
    repeated = {"x": np.array([1.0, 1.0, 2.0, 2.0]), "y": np.array([5.0, 5.0, 5.0, 5.0])}
    apart = {**repeated, "y": np.array([5.0, 6.0, 5.0, 6.0])}
    assert np.isfinite(lack_of_fit(Measurements(repeated, observed, "equal"), observed * 1.01, 1).probability)
    assert np.isnan(lack_of_fit(Measurements(apart, observed, "equal"), observed, 1).probability)
    # One point measured twice is enough.
    one = {"x": np.array([1.0, 2.0, 3.0, 3.0])}
    assert np.isfinite(lack_of_fit(Measurements(one, observed, "equal"), observed * 1.01, 1).probability)
    # Without inputs everything is one point.
    assert np.isnan(lack_of_fit(Measurements({}, observed, "equal"), observed, 1).probability)
    assert (
        lack_of_fit(Measurements({}, np.array([1.0, 3.0]), "equal"), np.array([1.0, 1.0]), 0).mean_deviation
        == 1.0
    )


def test_exact_repetitions_leave_no_doubt():
    observed = np.array([1.0, 1.0, 2.0, 2.0, 4.0, 4.0])
    points = np.repeat([1.0, 2.0, 3.0], 2)
    data = Measurements({"x": points}, observed, "equal")
    assert lack_of_fit(data, observed * 1.1, 1).poor
    assert np.isnan(lack_of_fit(data, observed, 1).probability)


def verdict(deviation, *, scatter=None, by_neighbours=1.0):
    """Return the verdict on points that lie off the curve by `deviation`, with repetitions that scatter."""
    points = np.arange(1.0, 9.0)
    observed = 1 + deviation * np.tile([1.0, -1.0], 4)
    if scatter is None:
        data = Measurements({"x": points}, observed, "equal")
        return lack_of_fit(data, np.ones(8), 1, by_neighbours=by_neighbours)
    repeated = np.concatenate([observed * (1 + scatter), observed * (1 - scatter)])
    return lack_of_fit(Measurements({"x": np.tile(points, 2)}, repeated, "equal"), np.ones(16), 1)


def test_a_formula_is_poor_if_points_are_further_off_than_scatter_puts_them():
    sharp = verdict(0.021, scatter=0.001)
    assert sharp.poor
    assert sharp.probability < 1e-6
    off = "points lie 2.1 % off the curve on average"
    assert sharp.notice == (
        f"the formula does not fit its data ({off}, far more than the scatter of the repetitions)"
    )
    assert not verdict(0.019, scatter=0.001).poor
    assert verdict(0.019, scatter=0.001).probability < 1e-6
    # Significant at 1.5 %, not at 1 %.
    vague = verdict(0.05, scatter=0.0222)
    assert 0.01 < vague.probability < 0.015
    assert (vague.poor, vague.notice) == (False, "")
    # Without repetitions: rows on one side, or more than any scatter.
    rows = verdict(0.021, by_neighbours=0.009)
    assert rows.notice == f"the formula does not fit its data ({off}, neighbours on the same side)"
    assert not verdict(0.021, by_neighbours=0.011).poor
    assert verdict(0.41).notice.startswith("the formula does not fit its data (points lie 41.0 % off")
    assert "points lie 1.00e+52 % off" in verdict(1e50).notice
    for deviation, notices in ((0.149, False), (0.151, True), (0.39, True)):
        assert not verdict(deviation).poor
        assert bool(verdict(deviation).notice) is notices
    assert verdict(0.151).notice == (
        "points lie 15.1 % off the curve on average; repeat measurements to tell scatter from a wrong formula"
    )
    assert verdict(0.3, scatter=0.4).notice == ""


def test_neighbours_are_hardly_alike_if_the_formula_is_right():
    """A bend is seen without repetitions, however the points are ordered; scatter is not."""
    random = np.random.default_rng(2)
    order = random.permutation(24)
    points, bend = np.arange(24.0)[order], 0.1 * np.linspace(-1, 1, 24)[order] ** 2
    rows = [
        resample(
            mean_of, constant_curve(24), Measurements({"x": points}, 1 + by * bend + 0.02 * noise), key="k"
        ).lack.by_neighbours
        for by in (0.0, 1.0)
        for noise in random.standard_normal((40, 24))
    ]
    assert np.mean(np.array(rows[:40]) < 0.1) < 0.25
    assert np.median(rows[40:]) < 0.01


def test_values_of_zero_and_negative_values_have_a_deviation():
    negative = np.array([-1.0, -2.0])
    assert lack_of_fit(
        Measurements({"x": np.arange(2.0)}, negative, "equal"), negative * 1.1, 1
    ).mean_deviation == pytest.approx(0.1 / 1.1)
    zero = lack_of_fit(Measurements({"x": np.arange(2.0)}, np.zeros(2), "equal"), np.zeros(2), 1)
    assert (zero.mean_deviation, zero.poor) == (0.0, False)

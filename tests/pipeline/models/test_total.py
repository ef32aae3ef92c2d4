"""The sum of all kernels and its parts know each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models import scaling_models
from pipeline.models.fit import fit, fit_parts
from pipeline.models.kernels import sum_groups
from pipeline.models.observations import observe
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import LEVEL
from pipeline.models.quality import Note
from pipeline.models.total import added, agreeing_with_measured_sum, predict_total, summed, wild_last_run

P = np.array([4.0, 8, 16, 32, 64])[:, None]
TARGETS = np.array([[16.0], [128.0], [1024.0]])


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
@settings(max_examples=20, deadline=None)
def test_the_total_is_the_sum_of_its_kernels(seed, kernels):
    random = np.random.default_rng(seed)
    values = random.lognormal(0, 1, (kernels, 1, 1)) * P[:, 0][:, None] ** random.uniform(
        -0.5, 2, (kernels, 1, 1)
    )
    values = values * random.lognormal(0, 0.2, (kernels, len(P), 2))
    models = fit(("p",), P, values, parts=True)
    total = predict_total(models, TARGETS)
    np.testing.assert_allclose(total.value[0], models.predict(TARGETS).value.sum(axis=0), rtol=1e-9)
    assert (total.lower <= total.value).all() and (total.value <= total.upper).all()


def test_what_is_summed_was_measured_for_all():
    values = np.array([[[1.0, 3.0], [4.0, 4.0]], [[2.0, np.nan], [np.nan, np.nan]]])
    found = summed(observe(P[:2], values))
    assert found.mean.tolist() == [[4.0, 0.0]]
    assert found.count.tolist() == [[1, 0]]
    assert found.squares.tolist() == [[2.0, 0.0]]


def wandering():
    """Time moves between two timers; their sum is smooth."""
    share = np.array([0.5, 0.2, 0.6, 0.3, 0.9])
    whole = 10 * P[:, 0] ** 0.5
    return np.stack([whole * share, whole * (1 - share)])[:, :, None]


def test_a_smooth_sum_steadies_its_parts():
    truth = 10 * 256**0.5
    far = np.array([[256.0]])
    apart = fit(("p",), P, wandering()).predict(far).value.sum()
    together = fit(("p",), P, wandering(), parts=True).predict(far).value.sum()
    assert abs(np.log(together / truth)) < abs(np.log(apart / truth))


def test_the_uncertain_parts_move_most():
    steady = np.concatenate([wandering(), (5 + 0 * P[:, 0])[None, :, None]])
    models = fit(("p",), P, steady, parts=True)
    shift = np.abs(models.trend.shift)
    assert shift[2] < 0.1 * shift[:2].max()
    assert models.whole.trend is not None and len(models.whole) == 1


def test_without_the_model_of_the_sum_intervals_add_up_by_their_correlation():
    models = fit(("p",), P, wandering())
    one, other = predict_total(models, TARGETS), added(models, models.predict(TARGETS))
    for name in ("value", "lower", "upper"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def width(factors):
    """Logarithm of the ratio of the ends of the interval of a total that is the scale times factors."""
    curve = P[:, 0] * np.array(factors)
    total = predict_total(
        fit(("p",), P, np.stack([curve, 0.5 * curve])[:, :, None], parts=True), np.array([[256.0]])
    )
    return np.log(total.upper / total.lower)[0, 0]


def test_a_bend_at_the_end_widens_the_interval():
    assert width([1, 1.05, 0.95, 1, 2.0]) > 1.5 * width([1, 1.05, 0.95, 1.02, 1])


def test_if_formulas_hold_the_interval_is_that_of_the_added_kernels():
    random = np.random.default_rng(1)
    points = 2.0 ** np.arange(2, 9)[:, None]
    values = (10 + points[:, 0])[None, :, None] * (1 + 0.02 * random.standard_normal((60, 7, 4)))
    models = fit(("p",), points, values, parts=True)
    assert models.trend.errors.formulas_hold > 0.999999
    one, other = predict_total(models, TARGETS), added(models, models.predict(TARGETS))
    for name in ("lower", "upper"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6)
    assert (one.lower < one.value).all() and (one.value < one.upper).all()


def test_the_interval_of_the_total_has_the_level_that_is_requested():
    models = fit(("p",), P, wandering(), parts=True)
    far = np.array([[256.0]])
    wide, narrow = (predict_total(models, far, level) for level in (0.9, 0.5))
    ratio = np.log(narrow.upper / narrow.value) / np.log(wide.upper / wide.value)
    assert ratio[0, 0] == pytest.approx(0.6745 / 1.645, rel=0.1)


def test_values_do_not_depend_on_the_level():
    models = fit(("p",), P, wandering(), parts=True)
    for predict in (models.predict, lambda *asked: predict_total(models, *asked)):
        np.testing.assert_allclose(predict(TARGETS, 0.5).value, predict(TARGETS, 0.95).value, rtol=1e-12)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.sampled_from([0.5, 0.9, 0.95]))
@settings(max_examples=20, deadline=None)
def test_the_interval_of_the_total_is_possible_and_needed_given_its_kernels(seed, kernels, level):
    random = np.random.default_rng(seed)
    values = random.lognormal(0, 2, (kernels, 1, 1)) * P[:, 0][:, None] ** random.uniform(
        -1, 2, (kernels, 1, 1)
    )
    models = fit(("p",), P, values * random.lognormal(0, 0.5, (kernels, len(P), 2)), parts=True)
    parts, total = models.predict(TARGETS, level), predict_total(models, TARGETS, level)
    assert (total.lower >= parts.lower.sum(axis=0) * (1 - 1e-9))[
        0, 0
    ]  # beyond the range straight lines count
    assert (total.lower <= total.value).all()
    assert (total.upper <= parts.upper.sum(axis=0) * (1 + 1e-9)).all()
    assert (total.upper >= parts.upper.max(axis=0) * (1 - 1e-9)).all()


def test_one_kernel_is_its_own_sum():
    assert fit(("p",), P, wandering()[:1], parts=True).whole is None


def test_remarks_say_where_formula_prediction_and_measurement_part():
    jump = np.array([1.0, 1.0, 1.0, 1.0, 9.0])[None, :, None]
    smooth = (3 + P[:, 0])[None, :, None]
    models = fit(("p",), P, np.concatenate([jump, smooth, np.zeros((1, 5, 1))]))
    assert models.quality.note[0] & (Note.FOLLOWS_TREND | Note.MISSES_POINT)
    assert not models.quality.note[1] & Note.MISSES_POINT
    assert not models.quality.note[2] & (Note.FOLLOWS_TREND | Note.MISSES_POINT)


def test_a_sum_that_was_measured_is_modelled_as_if_its_parts_were_not_there():
    random = np.random.default_rng(3)
    values = wandering() * random.lognormal(0, 0.02, (1, len(P), 3))
    errors = np.array([0.3, 0.3])
    measured, estimated = (
        agreeing_with_measured_sum(fit_parts(("p",), P, values, ModelOptions(), errors=errors, of_sum=of_sum))
        for of_sum in (0.0, 0.1)
    )
    alone = fit(("p",), P, sum_groups(values, np.zeros(2, dtype=np.int64), 1)).predict(TARGETS)
    found = predict_total(measured, TARGETS)
    for end in ("value", "lower", "upper"):
        np.testing.assert_allclose(getattr(found, end), getattr(alone, end), rtol=1e-12)
    np.testing.assert_allclose(measured.predict(TARGETS).value.sum(axis=0), alone.value[0], rtol=1e-9)
    assert estimated.predictor is None
    assert (predict_total(estimated, TARGETS).upper > alone.upper).all()


SCALES = 2.0 ** np.arange(6)[:, None]
WILD = np.array([100, 104, 109, 118, 132, 1900.0])


def test_a_wild_last_run_may_be_an_accident_or_a_break():
    models = fit(("p",), SCALES, WILD[None, :, None], parts=True)
    total = predict_total(models, np.array([[64.0]]))
    assert total.lower[0, 0] < 200 and total.upper[0, 0] > 1900
    assert "took 13 times as long" in wild_last_run(models)[0]
    assert wild_last_run(fit(("p",), SCALES, WILD[None, :, None].clip(max=145), parts=True)) == []


def test_beyond_the_range_values_and_upper_ends_are_bounded():
    random = np.random.default_rng(5)
    values = np.exp(0.5 * random.standard_normal((3, 6, 1)).cumsum(axis=1)) * SCALES**1.4
    models, far = fit(("p",), SCALES, values, parts=True), np.array([[64.0], [256.0]])
    last, total = values[:, -1].sum(), predict_total(models, far)
    steeper = max(0.0, models.whole.trend.trend.steady[0] - 1.5)
    bound = last * (far[:, 0] / 32) ** (2 + steeper)
    assert (total.upper[0] <= np.maximum(bound, total.value[0] * (far[:, 0] / 32) ** 0.5) * 1.01).all()


def test_sums_of_many_kernels_are_those_of_all_predictions(monkeypatch):
    random = np.random.default_rng(3)
    values = random.lognormal(0, 1, (40, 1, 1)) * P[:, 0][:, None] ** random.uniform(-0.5, 2, (40, 1, 1))
    values = values * random.lognormal(0, 0.05, (40, len(P), 2))
    values[0, :2] = 0.0  # begins in between
    models = fit(("p",), P, values, parts=True)
    points = np.geomspace(4.0, 8000.0, 40)[:, None]
    exact = models.expected(points).sum(axis=0)
    assert not len(models.common_scales)
    monkeypatch.setattr(scaling_models, "MANY", 39)
    many = fit(("p",), P, values, parts=True)
    assert set(P[:, 0]) < set(many.common_scales) and (many.common_scales % 1 == 0).sum() > 15
    np.testing.assert_allclose(many.sum_of_values(points, LEVEL), exact, rtol=5e-3)
    measured = many.sum_of_values(P, LEVEL)
    np.testing.assert_allclose(measured, models.expected(P).sum(axis=0), rtol=1e-9)
    beyond = np.array([[2.0], [1e6]])  # between no scales
    np.testing.assert_allclose(many.sum_of_values(beyond, LEVEL), models.expected(beyond).sum(axis=0))

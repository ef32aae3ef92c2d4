from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ingest.errors import UsageError
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.target_forecast import (
    LEVEL,
    Forecasts,
    as_estimates,
    forecast,
    forecast_recognised,
    modelled,
    predicted_ratio,
)
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import Prediction
from pipeline.models.total import agreeing, predict_total
from pipeline.statistics import NORMAL_90
from tests.pipeline.gate.studies import SCALES, study, without

TARGETS = np.array([[256.0], [512.0]])


@pytest.fixture(scope="module")
def ahead():
    return forecast(study({"a": 10.0, "b": np.array(SCALES) / 8}), TARGETS, ModelOptions())


def predicting(ahead, value, lower, upper):
    return replace(ahead, prediction=Prediction(*(np.asarray(a, dtype=float) for a in (value, lower, upper))))


def ratio_of(before, now):
    return predicted_ratio(Forecasts(baseline=before, candidate=now, targets=TARGETS))


def test_targets_take_what_they_leave_out_from_the_largest_measured_values():
    whole = replace(
        study({"a": 1.0}), parameters=("p", "n"), points=np.column_stack([SCALES, [5.0, 4, 3, 2, 1]])
    )
    assert whole.targets(()).tolist() == [[512.0, 5.0]]
    assert whole.targets(({"n": 7.0}, {"p": 9.0, "n": 3.0})).tolist() == [[128.0, 7.0], [9.0, 3.0]]
    assert whole.points[-1].tolist() == [128.0, 1.0]


def test_an_unknown_parameter_of_a_target_is_refused_with_those_there_are():
    with pytest.raises(UsageError) as error:
        study({"a": 1.0}).targets(({"q": 4.0},))
    assert str(error.value) == "targets: no parameter 'q'; parameters here: p"


def test_the_share_beyond_doubt_is_the_lower_end_over_the_predicted_total(ahead):
    total = ahead.prediction.value[0]
    assert np.allclose(ahead.least_share, np.minimum(ahead.prediction.lower / total, 1))
    b = ahead.least_share[4]
    assert (b < ahead.prediction.value[4] / total).all()
    assert ahead.prediction.value[4] == pytest.approx([32, 64], rel=0.05)


def test_a_prediction_of_nothing_has_no_share():
    nothing = forecast(study({"a": 0.0}, noise=0), TARGETS, ModelOptions())
    assert (nothing.least_share == 0).all()


def test_a_part_of_a_forecast_keeps_everything_together(ahead):
    for part in (ahead.take(np.array([4, 0])), ahead.of([ahead.kernels[4], ahead.kernels[0]])):
        assert part.kernels == (ahead.kernels[4], ahead.kernels[0])
        for name in ("value", "lower", "upper"):
            assert np.array_equal(getattr(part.prediction, name), getattr(ahead.prediction, name)[[4, 0]])
        assert np.array_equal(part.least_share, ahead.least_share[[4, 0]])
        assert np.array_equal(part.degrees, ahead.degrees[[4, 0]])
        assert part.formulas[0]().text() == ahead.formulas[4]().text()


def random_study(rng, seed):
    """Kernels of two levels of callers, some with the same name, that grow in some way."""
    p = np.array(SCALES, dtype=float)
    names = [("main", f"k{k}") for k in range(int(rng.integers(1, 8)))] + [("main", "other", "k0")]
    efforts = {path: rng.lognormal(0, 1.5) * (p / 8) ** rng.uniform(-0.3, 1.0) for path in names}
    return study(efforts, noise=rng.uniform(0.01, 0.1), repetitions=int(rng.integers(2, 6)), seed=seed)


@pytest.mark.parametrize("seed", range(6))
def test_predictions_are_those_of_the_models_of_call_paths_and_regions(seed):
    whole = random_study(np.random.default_rng(seed), seed)
    callpaths, regions = (whole.rows_of(level) for level in (Scope.CALLPATH, Scope.REGION))
    models = fit(("p",), whole.points, whole.values[callpaths], parts=True)
    of_regions = agreeing(fit(("p",), whole.points, whole.values[regions], parts=True), models)
    found = forecast(whole, TARGETS, ModelOptions())
    for rows, expected in (
        (callpaths, models.predict(TARGETS)),
        (regions, of_regions.predict(TARGETS)),
        (np.array([0]), predict_total(models, TARGETS)),
    ):
        for name in ("value", "lower", "upper"):
            assert np.array_equal(getattr(found.prediction, name)[rows], getattr(expected, name))


def test_models_that_a_study_brings_are_asked_and_not_fitted_again(ahead):
    known = modelled(study({"a": 10.0, "b": np.array(SCALES) / 8}), ModelOptions())
    assert modelled(known, ModelOptions()) is known
    assert modelled(replace(known, values=2 * known.values), ModelOptions()).models is not known.models
    doubled = replace(known, models=replace(known.models, callpaths=known.models.callpaths.take([1, 0])))
    swapped = forecast(doubled, TARGETS, ModelOptions()).prediction.value
    rows = known.rows_of(Scope.CALLPATH)
    assert np.allclose(swapped[rows[::-1]], ahead.prediction.value[rows])


def test_what_a_baseline_leaves_out_is_part_of_the_total_and_of_nothing_else():
    every = study({"a": 10.0, "b": np.array(SCALES) / 8, "small": 1.0}, noise=0.001)
    found = forecast(without(every, "small"), TARGETS, ModelOptions()).prediction
    whole = forecast(every, TARGETS, ModelOptions()).prediction
    assert len(found.value) == 5
    assert np.allclose(found.value[0], whole.value[0], rtol=0.002)
    assert np.allclose(found.value[1:3], found.value[3:])
    assert (found.value[0] > 1.01 * found.value[3:].sum(axis=0)).all()


def test_an_error_that_all_measurements_share_widens_predictions():
    plain = study({"a": 10.0, "b": 5.0})
    error = np.where([kernel.region == "a" for kernel in plain.kernels], 0.5, 0.0)
    error[0] = 0.3
    unsure = forecast(replace(plain, common_error=error), TARGETS, ModelOptions()).prediction
    sure = forecast(plain, TARGETS, ModelOptions()).prediction
    ratio = np.log(unsure.upper / sure.upper)[:, 0]
    assert [one > 0.3 for one in ratio.tolist()] == [True, True, False, True, False]


def test_call_paths_that_were_not_moved_are_predicted_as_measured():
    every = study({"a": 10.0, "b": np.array(SCALES) / 8, "c": 3.0}, noise=0.05)
    ahead = forecast(every, TARGETS, ModelOptions())
    unmoved = forecast_recognised(every, every, TARGETS, ModelOptions())
    assert np.array_equal(unmoved.prediction.value, ahead.prediction.value)
    moved = list(every.kernels)
    row = every.rows_of(Scope.CALLPATH)[1]
    moved[row] = KernelId(Scope.CALLPATH, ("main", "renamed"))
    merged = replace(
        every, kernels=tuple(moved), values=every.values * np.where(np.arange(7) == row, 2, 1)[:, None, None]
    )
    found = forecast_recognised(merged, every, TARGETS, ModelOptions())
    assert found.kernels == tuple(moved)
    same = np.arange(7) != row
    assert np.array_equal(found.prediction.value[same], ahead.prediction.value[same])
    assert np.allclose(found.prediction.value[row], 2 * ahead.prediction.value[row], rtol=0.1)


def test_the_ratio_of_predictions_combines_their_half_intervals_in_logarithms(ahead):
    one, two = ahead.take(np.array([1])), ahead.take(np.array([2]))
    before = predicting(one, [[10.0, 10]], [[1, 1]], [[20, 11]])
    now = predicting(two, [[40.0, 40]], [[10, 40]], [[4000, 4000]])
    ratio = ratio_of(before, now)
    assert np.array_equal(ratio.value, [[4.0, 4.0]])
    assert ratio.lower[0] == pytest.approx([4 * np.exp(-np.hypot(np.log(4), np.log(2))), 4 / 1.1])
    assert ratio.upper[0] == pytest.approx([4 * np.exp(np.hypot(np.log(100), np.log(10)))] * 2)
    inverse = ratio_of(now, before)
    assert np.allclose(inverse.lower, 1 / ratio.upper) and np.allclose(inverse.upper, 1 / ratio.lower)


def test_a_test_of_predictions_has_the_error_of_the_halves_that_separate_them(ahead):
    one, two = replace(ahead.take(np.array([1])), degrees=np.array([5.0])), ahead.take(np.array([2]))
    before = predicting(one, [[10.0, 10]], [[1, 1]], [[20, 11]])
    now = predicting(replace(two, degrees=np.array([4.0])), [[40.0, 40]], [[10, 40]], [[4000, 4000]])
    both = Forecasts(baseline=before, candidate=now, targets=TARGETS)
    tested = as_estimates(predicted_ratio(both), both)
    z = stats.norm.ppf((1 + LEVEL) / 2)
    assert pytest.approx(z, rel=1e-7) == NORMAL_90
    assert np.allclose(tested.log_ratio, np.log(4))
    assert tested.error[0] == pytest.approx([np.hypot(np.log(4), np.log(2)) / z, np.log(1.1) / z])
    assert tested.degrees[0].tolist() == [4.0, 4.0]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (([[0.0]], [[0.0]], [[1.0]]), ([[2.0]], [[1.0]], [[3.0]])),
        (([[2.0]], [[1.0]], [[3.0]]), ([[0.0]], [[0.0]], [[3.0]])),
        (([[2.0]], [[1.0]], [[np.inf]]), ([[3.0]], [[1.0]], [[4.0]])),
    ],
)
def test_predictions_without_a_logarithm_or_an_interval_give_no_ratio(ahead, before, now):
    one = ahead.take(np.array([1]))
    ratio = ratio_of(predicting(one, *before), predicting(one, *now))
    assert np.isnan(ratio.value).all() and np.isnan(ratio.lower).all() and np.isnan(ratio.upper).all()


def test_a_prediction_that_may_be_nothing_leaves_the_ratio_open_at_that_end(ahead):
    one = ahead.take(np.array([1]))
    some, perhaps = predicting(one, [[2.0]], [[1.0]], [[3.0]]), predicting(one, [[2.0]], [[0.0]], [[3.0]])
    assert ratio_of(some, perhaps).lower[0, 0] < 1e-8 < 1e8 < ratio_of(perhaps, some).upper[0, 0]


def test_two_scales_predict_no_ratio():
    one, two = (forecast(study({"a": 10.0}, scales=(8, 16)[:n]), TARGETS, ModelOptions()) for n in (1, 2))
    three = forecast(study({"a": 10.0}, scales=(8, 16, 32)), TARGETS, ModelOptions())
    assert np.isfinite(ratio_of(three, three).value).all()
    for few in (one, two):
        assert np.isnan(ratio_of(few, three).value).all() and np.isnan(ratio_of(three, few).value).all()

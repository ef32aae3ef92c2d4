from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ingest.errors import UsageError
from pipeline.gate.target_forecast import (
    LEVEL,
    NORMAL_QUANTILE,
    Forecast,
    forecast,
    predicted_ratio,
    target_points,
)
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import Prediction
from tests.pipeline.gate.studies import SCALES, study
from tests.pipeline.models.made import changed

TARGETS = np.array([[256.0], [512.0]])


@pytest.fixture(scope="module")
def ahead():
    return forecast(study({"a": 10.0, "b": np.array(SCALES) / 8}), TARGETS, ModelOptions())


def predicting(ahead, value, lower, upper):
    return Forecast(
        ahead.models,
        Prediction(*(np.asarray(a, dtype=float) for a in (value, lower, upper))),
        ahead.least_share,
    )


def test_targets_take_what_they_leave_out_from_the_largest_measured_values():
    whole = replace(
        study({"a": 1.0}), parameters=("p", "n"), points=np.column_stack([SCALES, [5.0, 4, 3, 2, 1]])
    )
    assert target_points(whole, ()).tolist() == [[512.0, 5.0]]
    assert target_points(whole, ({"n": 7.0}, {"p": 9.0, "n": 3.0})).tolist() == [[128.0, 7.0], [9.0, 3.0]]
    assert whole.points[-1].tolist() == [128.0, 1.0]


def test_an_unknown_parameter_of_a_target_is_refused_with_those_there_are():
    with pytest.raises(UsageError) as error:
        target_points(study({"a": 1.0}), ({"q": 4.0},))
    assert str(error.value) == "targets: no parameter 'q'; parameters here: p"


def test_the_share_beyond_doubt_is_the_lower_end_over_the_predicted_total(ahead):
    total = ahead.prediction.value[0]
    assert np.allclose(ahead.least_share, np.minimum(ahead.prediction.lower / total, 1))
    b = ahead.least_share[4]
    assert (b < ahead.prediction.value[4] / total).all()
    assert b[0] < b[1]
    assert ahead.prediction.value[4] == pytest.approx([32, 64], rel=0.05)


def test_a_prediction_of_nothing_has_no_share():
    nothing = forecast(study({"a": 0.0}, noise=0), TARGETS, ModelOptions())
    assert (nothing.least_share == 0).all()


def test_a_part_of_a_forecast_keeps_everything_together(ahead):
    part = ahead.take(np.array([4, 0]))
    assert np.array_equal(part.prediction.value, ahead.prediction.value[[4, 0]])
    assert np.array_equal(part.prediction.lower, ahead.prediction.lower[[4, 0]])
    assert np.array_equal(part.prediction.upper, ahead.prediction.upper[[4, 0]])
    assert np.array_equal(part.least_share, ahead.least_share[[4, 0]])
    assert part.models.formula(0).text() == ahead.models.formula(4).text()


def test_the_ratio_of_predictions_has_the_errors_of_the_halves_that_separate_them(ahead):
    one, two = ahead.take(np.array([1])), ahead.take(np.array([2]))
    one, two = (
        replace(f, models=changed(f.models, degrees=np.array([d]))) for f, d in ((one, 5.0), (two, 4.0))
    )
    before = predicting(one, [[10.0, 10]], [[1, 1]], [[20, 11]])
    now = predicting(two, [[40.0, 40]], [[10, 40]], [[4000, 4000]])
    ratio = predicted_ratio(before, now)
    z = stats.norm.ppf((1 + LEVEL) / 2)
    assert pytest.approx(z, rel=1e-7) == NORMAL_QUANTILE
    assert np.allclose(ratio.log_ratio, np.log(4))
    assert ratio.error[0] == pytest.approx([np.hypot(np.log(4), np.log(2)) / z, np.log(1.1) / z])
    assert ratio.degrees[0].tolist() == predicted_ratio(now, before).degrees[0].tolist() == [4.0, 4.0]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (([[0.0]], [[0.0]], [[1.0]]), ([[2.0]], [[1.0]], [[3.0]])),
        (([[2.0]], [[1.0]], [[3.0]]), ([[2.0]], [[0.0]], [[3.0]])),
        (([[2.0]], [[2.0]], [[2.0]]), ([[3.0]], [[3.0]], [[3.0]])),
        (([[2.0]], [[1.0]], [[np.inf]]), ([[3.0]], [[1.0]], [[4.0]])),
    ],
)
def test_predictions_without_a_logarithm_or_an_interval_give_no_ratio(ahead, before, now):
    one = ahead.take(np.array([1]))
    ratio = predicted_ratio(predicting(one, *before), predicting(one, *now))
    assert np.isnan(ratio.log_ratio).all() and np.isnan(ratio.error).all()

"""Who overtakes whom: as the measurements show, and as forecasts with their intervals say beyond them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pipeline.models.prediction import Prediction
from pipeline.questions.crossovers import (
    LEADING_SHARE,
    Ahead,
    MeasuredLine,
    crossovers,
    half_intervals,
    measured_line,
)

SCALES = np.array([8.0, 16, 32, 64])
NOTHING = MeasuredLine(scales=np.empty(0), values=np.empty((0, 0, 1)))


def line(*means, noise=0.01, repetitions=5, scales=SCALES, seed=1):
    """Measurements of kernels given by their means; the noise is one for all, or one per scale."""
    means = np.array([np.broadcast_to(m, len(scales)) for m in means], dtype=float)
    rng = np.random.default_rng(seed)
    spread = np.broadcast_to(noise, len(scales))[:, None]
    values = means[..., None] * np.exp(spread * rng.normal(size=(*means.shape, repetitions)))
    return MeasuredLine(scales=np.asarray(scales, dtype=float), values=values)


def ahead(predict, first=8.0, last=64.0, horizon=1024.0, side=0.2):
    """Curves with the same half-width of their intervals in logarithms everywhere."""
    scales = np.geomspace(last, horizon, 9)
    sides = np.full((len(predict(scales)), 9), side)
    return Ahead(
        curve=predict, scales=scales, below=sides, above=sides, first=first, last=last, horizon=horizon
    )


def found(measured, forecast=None, apart=()):
    marks = np.zeros(len(measured.values) or len(forecast.below), dtype=bool)
    marks[list(apart)] = True
    return crossovers(measured, forecast, marks)


def pairs(measured, forecast=None, apart=()):
    return [(c.overtakes, c.overtaken) for c in found(measured, forecast, apart)]


def test_what_was_seen_lies_between_the_scales_whose_means_have_another_order():
    (one,) = found(line([10.0, 10, 10, 10], [1.0, 4, 16, 40]))
    assert (one.overtakes, one.overtaken, one.seen, one.measured) == (1, 0, True, True)
    assert one.between == (16.0, 32.0)
    assert one.at == pytest.approx(16 * 2 ** (np.log(2.5) / np.log(4)), rel=0.02)
    assert one.probability > 0.999


def test_a_kernel_that_takes_nothing_at_first_overtakes():
    (one,) = found(line([10.0, 10, 10, 10], [0.0, 0, 7, 22]))
    assert one.between == (32.0, 64.0)


@pytest.mark.parametrize("first", [0, 1])
def test_the_other_kernel_is_overtaken_where_the_order_changes_back(first):
    means = [10.0, 10, 10, 10], [1.0, 20, 20, 1]
    measured = line(*(means if first == 0 else means[::-1]))
    assert [(c.overtakes, c.overtaken, c.between) for c in found(measured)] == [
        (1 - first, first, (8.0, 16.0)),
        (first, 1 - first, (32.0, 64.0)),
    ]


def test_noise_that_changes_the_order_of_means_is_no_crossover():
    flickering = [10.0, 10, 10, 10], [9.9, 10.1, 9.9, 10.1]
    assert found(line(*flickering, noise=0.3)) == ()
    assert pairs(line(*flickering, noise=0.0001)) == [(1, 0), (0, 1), (1, 0)]


def test_repetitions_say_how_sure_the_orders_on_both_sides_are():
    measured = line([10.0, 10, 10, 10], [1.0, 9.7, 30, 30], noise=0.05)
    (one,) = found(measured)
    assert one.between == (16.0, 32.0)
    a, b = measured.values[1, 1], measured.values[0, 1]
    plain = stats.ttest_1samp((a - b) / (a + b), 0.0, alternative="less").pvalue
    assert one.probability == pytest.approx(1 - plain, abs=0.08)
    assert 0.5 < one.probability < 0.999
    quiet = replace(measured, values=measured.values.mean(axis=2, keepdims=True) * np.ones(5))
    assert found(quiet)[0].probability == 1.0


def test_a_scale_that_says_neither_order_does_not_hide_a_crossover():
    measured = line([10.0, 10, 10, 10], [1.0, 10.2, 9.8, 40], noise=[0.01, 0.3, 0.3, 0.01], seed=4)
    (one,) = found(measured)
    assert one.between[0] >= 8 and one.between[1] <= 64
    assert one.probability < 0.99


def test_without_repetitions_means_tell_the_order_and_nothing_how_sure():
    (one,) = found(line([10.0, 10, 10, 10], [1.0, 4, 16, 40], repetitions=1))
    assert one.between == (16.0, 32.0) and np.isnan(one.probability)


def test_runs_that_lack_a_kernel_count_for_nothing():
    measured = line([10.0, 10, 10, 10], [1.0, 4, 16, 40])
    measured.values[1, 1] = np.nan
    assert found(measured)[0].overtakes == 1
    measured.values[0, :, 2:] = np.nan
    assert np.isfinite(found(measured)[0].probability)


@pytest.mark.parametrize(("share", "count"), [(1.1 * LEADING_SHARE, 1), (0.9 * LEADING_SHARE, 0)])
def test_kernels_below_a_share_of_the_total_are_nobodys_concern(share, count):
    rest = 10 * (1 / share - 1)
    many = [np.full(4, rest / 40)] * 40
    assert len(found(line([10.0] * 4, [9.0, 9.5, 10.5, 11], *many, noise=0.0001))) == count

    def predict(p):
        return np.vstack([p * 0 + 10, p / 12, np.full((40, len(p)), rest / 40)])

    assert len(found(NOTHING, ahead(predict, horizon=150.0))) == count


def test_what_is_set_apart_is_compared_with_nothing_but_counts_in_the_total():
    means = [10.0, 10, 10, 10], [1.0, 4, 16, 40]
    assert pairs(line(*means), apart=[0]) == pairs(line(*means), apart=[1]) == []
    assert pairs(line(*means, [500.0] * 4), apart=[2]) == []

    def predict(p):
        return np.array([p * 0 + 100.0, p])

    assert pairs(NOTHING, ahead(predict)) == [(1, 0)]
    assert pairs(NOTHING, ahead(predict), apart=[0]) == pairs(NOTHING, ahead(predict), apart=[1]) == []


def constant_and_linear(p):
    return np.array([np.full(len(p), 100.0), p])


def test_a_predicted_crossover_is_where_the_curves_cross_with_the_range_in_which_intervals_overlap():
    (one,) = found(line([100.0] * 4, SCALES), ahead(constant_and_linear))
    assert (one.overtakes, one.overtaken, one.seen, one.measured) == (1, 0, False, False)
    assert one.at == pytest.approx(100, rel=0.01)
    assert one.between == pytest.approx((100 * np.exp(-0.4), 100 * np.exp(0.4)), rel=0.02)
    assert one.probability > 0.999


@pytest.mark.parametrize("side", [0.3, 1.5])
def test_the_probability_is_that_of_the_better_place_up_to_the_end(side):
    (one,) = found(line([100.0] * 4, SCALES), ahead(constant_and_linear, horizon=200.0, side=side))
    z = np.log(200 / 100) / (np.hypot(side, side) / 1.645)
    assert one.probability == pytest.approx(stats.norm.cdf(z), rel=1e-3)
    assert (one.between[1] == np.inf) == (side == 1.5)


def test_sides_that_face_each_other_count():
    """The lower half of the interval of what overtakes, and the upper half of what is overtaken."""
    forecast = ahead(constant_and_linear, horizon=200.0, side=0.3)
    wide = np.array([[3.0], [0.3]]) * np.ones((2, 9))
    for below, above, same in ((wide, wide[::-1], True), (wide[::-1], wide, False)):
        (one,) = found(line([100.0] * 4, SCALES), replace(forecast, below=below, above=above))
        z = np.log(2) / (np.hypot(0.3, 0.3) / 1.645)
        assert (one.probability == pytest.approx(stats.norm.cdf(z), rel=1e-3)) == same


def test_beyond_the_measurements_the_order_begins_as_measured():
    """Curves that say 1 is larger already: it overtakes right behind what was measured."""
    (one,) = found(line([70.0] * 4, SCALES), ahead(lambda p: np.array([p * 0 + 70.0, 1.3 * p])))
    assert one.at == pytest.approx(64, rel=0.02) and one.between[0] == 64.0
    assert not one.seen


def test_what_was_seen_is_not_predicted_again():
    forecast = ahead(lambda p: np.array([p * 0 + 30.0, p]))
    (one,) = found(line([30.0] * 4, SCALES), forecast)
    assert one.seen and one.between == (16.0, 32.0)


def test_without_measurements_at_these_parameters_all_is_predicted():
    forecast = replace(ahead(constant_and_linear), first=8.0, last=256.0)
    (one,) = found(NOTHING, forecast)
    assert not one.seen and one.measured
    assert one.at == pytest.approx(100, rel=0.01)


def test_with_too_few_scales_only_what_was_seen_is_said():
    assert [c.seen for c in found(line([10.0, 10], [1.0, 40], scales=(8, 16)))] == [True]
    assert found(line([10.0], [1.0], scales=(8,))) == ()


@pytest.mark.parametrize(("first", "last", "horizon"), [(0.0, 8.0, 32.0), (4.0, 4.0, 4.0)])
def test_a_range_without_extent_has_no_crossovers(first, last, horizon):
    forecast = Ahead(
        curve=lambda p: np.ones((2, len(p))),
        scales=np.array([1.0]),
        below=np.zeros((2, 1)),
        above=np.zeros((2, 1)),
        first=first,
        last=last,
        horizon=horizon,
    )
    assert found(NOTHING, forecast) == ()
    nobody = replace(forecast, curve=lambda p: np.ones((0, len(p))), below=np.zeros((0, 1)), horizon=64.0)
    assert crossovers(NOTHING, nobody, np.zeros(0, dtype=bool)) == ()


def test_all_are_in_the_order_of_scales():
    measured = line([90.0] * 4, [1.0, 10, 60, 100], [60.0, 60, 60, 60])
    forecast = ahead(lambda p: np.array([p * 0 + 90, p * 0 + 100, 60 * (p / 64) ** 2]))
    every = found(measured, forecast)
    assert [(c.overtakes, c.overtaken, c.seen) for c in every] == [
        (1, 2, True),
        (1, 0, True),
        (2, 0, False),
        (2, 1, False),
    ]
    assert [c.at for c in every] == sorted(c.at for c in every)


def test_many_scales_in_parts_are_one_range(monkeypatch):
    whole = found(line([100.0] * 4, SCALES), ahead(constant_and_linear))
    monkeypatch.setattr("pipeline.models.prediction.VALUES_AT_ONCE", 100)
    assert whole and found(line([100.0] * 4, SCALES), ahead(constant_and_linear)) == whole


def test_the_line_has_the_points_with_the_other_parameters_of_the_target():
    points = np.array([[16.0, 2], [8, 1], [8, 2], [32, 1]])
    values = np.arange(8.0).reshape(2, 4, 1)
    taken = measured_line(points, values, np.array([64.0, 2]), 0)
    assert taken.scales.tolist() == [8, 16]
    assert taken.values[..., 0].tolist() == [[2, 0], [6, 4]]
    assert measured_line(points, values, np.array([64.0, 3]), 0).values.shape == (2, 0, 1)


def test_half_intervals_are_logarithms_and_nothing_has_none():
    below, above = half_intervals(Prediction(*(np.array([row]) for row in ([2.0, 0], [1.0, 0], [6.0, 1]))))
    assert below.tolist() == [[np.log(2), 0.0]]
    assert above.tolist() == [[np.log(3), 0.0]]

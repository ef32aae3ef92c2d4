"""Local trends, and predictions that combine formulas with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.observations import observe
from pipeline.models.trend import (
    ABOVE,
    BELOW,
    FULL_REACH,
    HALF_LIFE,
    KEPT_SLOPE,
    OVERHEAD_POWER,
    SIZE_POWER,
    STEEPEST_FALL,
    STEEPEST_RISE_OF_SIZES,
    STRAIGHTENS,
    CombinedTrend,
    ForecastErrors,
    local_trend,
)

P = np.array([4.0, 8, 16, 32])[:, None]
FAR = np.array([[128.0]])
REACH = np.log(4.0)


def trend_of(values, points=P, parameters=("p",), formulas=None):
    data = observe(points, np.asarray(values, dtype=float)[:, :, None])
    return local_trend(parameters, data, formulas or (lambda at: np.ones((len(values), len(at)))))


def combined(trend, formula=0.1, of_trend=0.1, hold=0.0, noise=0.0, shift=0.0):
    kernels, parameters = len(trend.logs), trend.points.shape[1]
    return CombinedTrend(
        trend=trend,
        noise=np.full(kernels, noise),
        errors=ForecastErrors(
            formula=np.full(parameters, formula), trend=np.full(parameters, of_trend), formulas_hold=hold
        ),
        shift=np.full(kernels, shift),
        grows=np.zeros(kernels, dtype=bool),
    )


def bent_up(slope):
    """What a slope adds over the reach, by hand: straight the more, the nearer it is to 1."""
    bend, part = min((1 - slope) / (1 - STRAIGHTENS), 1), slope / OVERHEAD_POWER
    return bend * np.log(1 - part + part * 4**OVERHEAD_POWER) + (1 - bend) * slope * REACH


def quantiles(lower, middle, upper, points=1):
    return np.repeat(np.array([lower, middle, upper])[:, None, None], points, axis=2)


@given(st.floats(STEEPEST_FALL + 0.01, -0.01), st.floats(0.01, 1e6))
@settings(deadline=None)
def test_a_falling_power_law_goes_on(slope, size):
    trend = trend_of([size * P[:, 0] ** slope])
    assert np.exp(trend.at(FAR)[0, 0]) == pytest.approx(size * 128**slope, rel=0.01)


@pytest.mark.parametrize(
    ("name", "power"), [("p", OVERHEAD_POWER), ("nodes", OVERHEAD_POWER), ("n", SIZE_POWER)]
)
@given(slope=st.floats(0.01, STRAIGHTENS))
@settings(deadline=None, max_examples=20)
def test_what_grows_beside_a_constant_part_bends_up(name, power, slope):
    """At the end of the range the part is as large as the slope there says."""
    end = trend_of([P[:, 0] ** slope], parameters=(name,))
    share = slope / power
    expected = 32**slope * ((1 - share) + share * (128 / 32) ** power)
    assert np.exp(end.at(FAR)[0, 0]) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("name", "slope"), [("p", 1.0), ("p", 1.4), ("n", 1.0), ("n", 1.7)])
def test_steep_slopes_go_on_as_they_are(name, slope):
    constant = 1e5 + 0 * P[:, 0]  # strong scaling
    trend = trend_of([P[:, 0] ** slope, constant], parameters=(name,))
    assert np.exp(trend.at(FAR)[0, 0]) == pytest.approx(128**slope, rel=0.02)


def test_in_between_trends_bend_the_less_the_steeper():
    slopes = np.array([0.5, 0.7, 0.9, 1.0])
    trend = trend_of([*(P[:, 0] ** s for s in slopes), 1e5 + 0 * P[:, 0]])
    bent = trend.at(FAR)[:4, 0] - trend.at(P[-1:])[:4, 0] - slopes * REACH
    assert (np.diff(bent) < 0).all() and bent[-1] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("slope", [1.2, 1.4])
def test_weak_scaling_keeps_a_part_of_what_slopes_exceed_1_by(slope):
    trend = trend_of([P[:, 0] ** slope, 100 * P[:, 0]])
    added = trend.at(FAR)[:, 0] - trend.at(P[-1:])[:, 0]
    assert added == pytest.approx([(1 + KEPT_SLOPE * (slope - 1)) * REACH, REACH], rel=0.01)


def test_it_is_weak_scaling_if_the_sum_grows_with_the_processes():
    steep = P[:, 0] ** 1.4
    weak, strong = trend_of([steep, 100 * P[:, 0]]), trend_of([steep, 1e5 + 0 * steep])
    assert (weak.power[0], weak.kept[0]) == (0, KEPT_SLOPE)
    assert (strong.power[0], strong.kept[0]) == (OVERHEAD_POWER, 1)
    assert trend_of([P[:, 0]], parameters=("n",)).kept[0] == 1
    assert trend_of([[1.0, np.nan, np.nan, np.nan]]).kept[0] == 1


@pytest.mark.parametrize(
    ("name", "power", "kept"),
    [
        ("p", -2, STEEPEST_FALL),
        ("n", 3, 3),
        ("size", 7, STEEPEST_RISE_OF_SIZES),
        ("n", -2, STEEPEST_FALL),
    ],
)
def test_slopes_that_are_never_kept_up_are_cut(name, power, kept):
    trend = trend_of([P[:, 0] ** power], parameters=(name,))
    assert trend.at(FAR)[0, 0] - trend.at(P[-1:])[0, 0] == pytest.approx(kept * REACH, rel=0.01)


def test_the_last_points_count_most_and_the_trend_goes_through_the_last():
    bent = np.array([[1.0, 1.0, 1.0, 2.0]])
    trend = trend_of(bent)
    assert np.exp(trend.at(P[-1:])[0, 0]) == pytest.approx(2.0)
    # Weights by hand, 1 at the end and half of that `HALF_LIFE` doublings before: the slope of the line.
    x, y, weight = np.log(P[:, 0]), np.log(bent[0]), 2.0 ** (-np.arange(3, -1, -1) / HALF_LIFE)
    centred = x - np.average(x, weights=weight)
    slope = (weight * centred * y).sum() / (weight * centred**2).sum()
    assert trend.at(FAR)[0, 0] == pytest.approx(np.log(2) + bent_up(slope), rel=1e-2)


def test_gaps_and_zeros_are_left_out_and_nothing_has_no_trend():
    trend = trend_of([[1.0, np.nan, 4.0, 8.0], [0.0, 2.0, 4.0, 8.0], [0.0, 0.0, 0.0, 0.0]])
    assert np.exp(trend.at(FAR)[:2, 0]) == pytest.approx([32, 32], rel=0.02)
    assert np.isnan(trend.at(FAR)[2, 0])


def test_inside_the_range_nothing_is_added():
    trend = combined(trend_of([[1.0, 2, 4, 8]]))
    inside = quantiles(1.0, 2.0, 3.0)
    assert trend.combined(inside, np.array([[16.0]]), 0.9) is inside


def test_both_count_by_their_errors():
    trend = trend_of([[1.0, 2, 4, 8]])  # 32 at p = 128
    exact = quantiles(8.0, 8.0, 8.0)
    for formula, of_trend, share in ((0.1, 0.1, 0.5), (0.1, 0.2, 0.2), (0.2, 0.1, 0.8)):
        found = combined(trend, formula, of_trend).combined(exact, FAR, 0.9)
        assert found[1, 0, 0] == pytest.approx(8 * (np.exp(trend.at(FAR)[0, 0]) / 8) ** share, rel=1e-6)


def test_the_own_interval_of_the_formula_counts_towards_the_trend():
    trend = combined(trend_of([[1.0, 2, 4, 8]]), 0.0, 0.1)
    upwards, downwards = quantiles(8.0, 8.0, 16.0), quantiles(4.0, 8.0, 8.0)
    assert trend.combined(upwards, FAR, 0.9)[1, 0, 0] > 16
    assert trend.combined(downwards, FAR, 0.9)[1, 0, 0] == pytest.approx(8)


def test_if_formulas_hold_the_trend_adds_nothing():
    trend = combined(trend_of([[1.0, 2, 4, 8]]), 0.5, 0.01, hold=1.0)
    found = trend.combined(quantiles(7.0, 8.0, 9.0), FAR, 0.9)
    assert found[1, 0, 0] == pytest.approx(8)
    assert found[0, 0, 0] == pytest.approx(7, rel=0.02)
    assert found[2, 0, 0] == pytest.approx(9, rel=0.02)


def test_the_interval_holds_the_errors_of_both_and_their_distance():
    trend = combined(trend_of([[1.0, 2, 4, 8]]), 0.1, 0.1)
    apart = np.log(np.exp(trend.trend.at(FAR)[0, 0]) / 8)
    low, value, high = trend.combined(quantiles(8.0, 8.0, 8.0), FAR, 0.9)[:, 0, 0]
    variance = 2 * (0.1 * REACH) ** 2 / 4 + 0.25 * apart**2
    spread = 1.6449 * np.sqrt(variance)
    assert np.log(value / low) == pytest.approx(BELOW * spread, rel=1e-3)
    assert np.log(high / value) == pytest.approx(ABOVE * spread, rel=1e-3)


def test_noise_of_the_last_points_makes_the_trend_less_certain():
    trend = trend_of([[1.0, 2, 4, 8]])
    exact = quantiles(8.0, 8.0, 8.0)
    quiet, noisy = (combined(trend, noise=n).combined(exact, FAR, 0.9)[1, 0, 0] for n in (0.0, 0.5))
    assert 8 < noisy < quiet


def test_the_trend_gains_its_weight_a_little_beyond_the_range():
    trend = combined(trend_of([[1.0, 2, 4, 8]]))
    near = 32 * np.exp(FULL_REACH / 2)
    found = trend.combined(quantiles(4.0, 4.0, 4.0), np.array([[near]]), 0.9)[1, 0, 0]
    full = 4 * (np.exp(trend.trend.at(np.array([[near]]))[0, 0]) / 4) ** 0.5
    assert np.log(found / 4) == pytest.approx(0.5 * np.log(full / 4), rel=1e-6)


def test_a_shift_grows_with_the_reach():
    trend = trend_of([[1.0, 2, 4, 8]])
    exact = quantiles(8.0, 8.0, 8.0)
    plain, moved = (combined(trend, shift=s).combined(exact, FAR, 0.9) for s in (0.0, 0.1))
    assert moved / plain == pytest.approx(np.full((3, 1, 1), np.exp(0.1 * REACH)))


def test_predictions_of_zero_stay():
    trend = combined(trend_of([[1.0, 2, 4, 8]]))
    nothing = quantiles(0.0, 0.0, 5.0)
    assert np.array_equal(trend.combined(nothing, FAR, 0.9), nothing)


GRID = np.array([(p, n) for p in (4.0, 8, 16) for n in (10.0, 20, 40)])


def test_a_plane_of_two_parameters_goes_on_along_each():
    plane = 3 * GRID[:, 0] ** 0.5 * GRID[:, 1] ** 1.2
    trend = trend_of([plane], GRID, ("p", "n"))
    for target in ([64.0, 40.0], [16.0, 160.0], [64.0, 160.0]):
        expected = 3 * target[0] ** 0.5 * target[1] ** 1.2
        assert np.exp(trend.at(np.array([target]))[0, 0]) == pytest.approx(expected, rel=0.02)


def test_several_parameters_bend_nowhere():
    trend = trend_of([3 * GRID[:, 0] ** 0.5], GRID, ("p", "n"))
    assert trend.power.tolist() == [0, 0]
    weak = trend_of([GRID[:, 0] ** 1.4 * GRID[:, 1]], GRID, ("p", "n"))
    assert weak.kept.tolist() == [KEPT_SLOPE, KEPT_SLOPE]


def test_what_a_formula_of_two_parameters_misses_nearby_it_goes_on_to_miss():
    values = np.ones((1, 9))
    values[0, -1] = 2.0  # at p = 16, n = 40, where the formula says 1
    trend = trend_of(values, GRID, ("p", "n"))
    targets = np.array([[64.0, 40.0], [64.0, 10.0], [16.0, 40.0], [16 * np.exp(FULL_REACH / 2), 40.0]])
    assert trend.misfit_at(targets)[0] == pytest.approx([np.log(2), 0.0, 0.0, np.log(2) / 2])
    assert not trend_of([[1.0, 2, 4, 8]]).misfit.any()


def test_the_bend_is_the_change_of_slope_over_the_last_two_doublings():
    assert trend_of([[1.0, 2, 4, 8]]).bend() == pytest.approx(0, abs=1e-9)
    assert trend_of([[1.0, 2, 4, 16]]).bend() == pytest.approx(1)
    assert trend_of([[1.0, 2, 4, 4]]).bend() == pytest.approx(1)
    assert trend_of([[1.0, 1.0]], P[:2]).bend() == 0
    assert trend_of([np.ones(9)], GRID, ("p", "n")).bend() == 0


def test_kernels_are_taken_in_the_order_asked_for():
    every = trend_of([[1.0, 2, 4, 8], [1.0, 1, 1, 1], [8.0, 8, 8, 8]])
    some = combined(every, shift=0.0).take(np.array([2, 0]))
    assert np.array_equal(some.trend.at(FAR), every.at(FAR)[[2, 0]])
    assert len(some.noise) == len(some.shift) == len(some.trend.misfit) == 2


@pytest.mark.parametrize(
    ("points", "values", "bend"),
    [
        ([4, 8, 16], [1, 2, 16], 2),  # the last doubling makes 8, the one before it 2
        ([4, 8, 16], [1, 8, 16], 2),
        ([1, 2, 4, 8], [7, 1, 2, 16], 2),
        ([1, 2, 4, 8], [1, 2, 4, 8], 0),
        ([4, 6, 8, 12, 16], [1, 5, 2, 3, 16], 2),  # points between count for nothing
        ([4, 8, 16, 20], [1, 2, 4, 8], np.log(2) / np.log(1.25) - 1),  # less than a doubling from the last
        ([1, 64, 128], [1, 64, 32], 2),  # the one before is as near as it gets
        ([1, 2, 64], [1, 2, 1024], 0.8),  # as is the middle
        ([1, 2], [1, 4], 0),
        ([1, 2, 4, 8], [0, 1, 2, 16], 2),
        ([1, 2, 4, 8], [0, 0, 2, 16], 0),
    ],
)
def test_the_bend_is_how_much_the_slope_changes_over_the_last_two_doublings(points, values, bend):
    trend = trend_of([values], np.array(points, dtype=float)[:, None])
    assert trend.bend() == pytest.approx(bend, abs=1e-9)


def test_several_parameters_have_no_bend():
    points = np.array([[1.0, 1], [2, 1], [4, 2], [8, 3]])
    assert trend_of([[1.0, 2, 4, 32]], points, ("p", "n")).bend() == 0

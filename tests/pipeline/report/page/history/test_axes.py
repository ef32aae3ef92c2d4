import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.page.history.trend_drawing import Axis, axis_of, in_parts


def test_few_entries_are_parts_of_their_own():
    found = in_parts(np.array([1.0, np.nan, 3.0]), 10)
    assert found.place.tolist() == [0, 1, 2]
    for row in (found.low, found.middle, found.high):
        assert np.array_equal(row, [1, np.nan, 3], equal_nan=True)


def test_many_entries_are_put_together():
    values = np.arange(1.0, 101)
    values[10:15] = np.nan
    found = in_parts(values, 10)
    assert found.place.tolist() == [4.5 + 10 * n for n in range(10)]
    assert found.middle[[0, 1, 9]].tolist() == [5.5, 18, 95.5]
    assert [found.low[0], found.high[0]] == pytest.approx([1.9, 9.1])
    assert [found.low[1], found.high[1]] == pytest.approx([16.4, 19.6])


def test_parts_of_several_entries_have_five_at_least():
    assert len(in_parts(np.ones(11), 10).place) == 3
    assert len(in_parts(np.ones(10), 10).place) == 10


@given(st.integers(1, 500), st.integers(1, 60))
def test_there_are_never_more_parts_than_asked_for_and_all_entries_count(count, most):
    values = np.ones(count)
    values[-1] = 5.0
    found = in_parts(values, most)
    assert len(found.place) <= most
    assert np.isfinite(found.middle).all()
    assert found.place.max() <= count - 1


@pytest.mark.parametrize("logarithmic", [False, True])
def test_values_become_pixels_from_the_bottom_up(logarithmic):
    axis = Axis(1.0, 100.0, 10.0, 110.0, logarithmic)
    assert axis(np.array([1.0, 100.0, 1000.0, 0.5])).tolist() == [110, 10, 10, 110]
    assert axis(np.array([10.0]))[0] == pytest.approx(60 if logarithmic else 110 - 100 * 9 / 99)


@given(st.floats(1e-9, 1e9), st.floats(1.2, 1e6))
def test_ticks_are_round_few_and_within_the_axis(low, factor):
    for logarithmic in (False, True):
        axis = Axis(low, low * factor, 0.0, 100.0, logarithmic)
        ticks = axis.ticks()
        assert len(ticks) <= 7
        assert logarithmic or len(ticks) >= 2
        assert all(low * 0.999999 <= tick <= low * factor * 1.000001 for tick in ticks)
        for tick in ticks:
            assert len(f"{tick:.12g}".replace("e", ".").strip("0").replace(".", "")) <= 16
            assert float(f"{tick:.7g}") == pytest.approx(tick)


def test_an_axis_holds_the_middle_of_the_values_and_shows_noise_as_noise():
    values = np.where(np.arange(200) == 7, 50.0, 1.0)
    axis = axis_of(in_parts(values, 200), [1.0], 0.0, 100.0, logarithmic=True)
    assert axis.high < 2
    assert axis.high / axis.low >= 1.2
    assert axis_of(in_parts(values, 200), [3.0], 0.0, 100.0, logarithmic=True).high > 3

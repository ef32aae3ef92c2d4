"""Regions and call paths have one total."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.fit import SURELY_GROWING, fit
from pipeline.models.kernels import sum_groups
from pipeline.models.total import agreeing, predict_total

P = np.array([1.0, 2, 4, 8])[:, None]
POINTS = np.array([[2.0], [6.0], [32.0], [1024.0]])


def levels(seed, paths=9, groups=3):
    """Fit call paths and, on their own, the regions that they belong to."""
    random = np.random.default_rng(seed)
    values = random.lognormal(0, 1, (paths, 1, 1)) * P[:, 0][:, None] ** random.uniform(-1, 2, (paths, 1, 1))
    values = values * random.lognormal(0, 0.3, (paths, len(P), 3))
    regions = sum_groups(values, np.arange(paths) % groups, groups)
    return fit(("p",), P, regions, parts=True), fit(("p",), P, values, parts=True)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_both_levels_add_up_to_the_same_total_with_the_same_interval(seed, groups):
    coarse, fine = levels(seed, groups=groups)
    agreed = agreeing(coarse, fine)
    found = agreed.predict(POINTS)
    np.testing.assert_allclose(found.value.sum(axis=0), fine.predict(POINTS).value.sum(axis=0), rtol=1e-9)
    one, other = predict_total(agreed, POINTS), predict_total(fine, POINTS)
    for end in ("value", "lower", "upper"):
        np.testing.assert_array_equal(getattr(one, end), getattr(other, end))
    narrow = agreed.predict(POINTS, 0.5).value.sum(axis=0)
    np.testing.assert_allclose(narrow, fine.predict(POINTS, 0.5).value.sum(axis=0), rtol=1e-9)
    own = coarse.predict(POINTS)
    # upper ends are as far away, unless a part would be larger than the sum beyond the range
    most = np.where(POINTS[:, 0] > P.max(), np.maximum(one.upper, found.value), np.inf)
    expected = np.minimum(own.upper / own.value * found.value, most)
    np.testing.assert_allclose(found.upper, expected, rtol=1e-9)
    # lower ends are as far away, unless that were below what a kernel that surely grows was measured with
    lower, own_lower = found.lower / found.value, own.lower / own.value
    assert (lower >= own_lower * (1 - 1e-9)).all()
    unsure = agreed.quality.probability_growing < SURELY_GROWING
    np.testing.assert_allclose(lower[unsure], own_lower[unsure], rtol=1e-9)


def test_some_regions_are_predicted_as_among_all():
    agreed = agreeing(*levels(3))
    few = agreed.take([2, 0]).predict(POINTS, 0.5)
    every = agreed.predict(POINTS, 0.5)
    np.testing.assert_allclose(few.value, every.value[[2, 0]], rtol=1e-12)
    np.testing.assert_allclose(few.upper, every.upper[[2, 0]], rtol=1e-12)
    again = agreed.take([2, 0]).take([1]).predict(POINTS, 0.5)
    np.testing.assert_allclose(again.value, every.value[[0]], rtol=1e-12)


def test_what_is_known_well_hardly_moves():
    random = np.random.default_rng(1)
    steady = np.full((1, 4, 3), 5.0) * random.lognormal(0, 0.001, (1, 4, 3))
    wild = P[:, 0][None, :, None] * random.lognormal(0, 0.5, (1, 4, 3))
    coarse = fit(("p",), P, np.concatenate([steady, wild]))
    fine = fit(("p",), P, np.concatenate([steady, 1.2 * wild]))
    far = np.array([[16.0]])
    moved = agreeing(coarse, fine).predict(far).value / coarse.predict(far).value
    assert 1.0 <= moved[0, 0] < 1.05
    assert moved[1, 0] > 1.1


def test_a_small_uncertain_region_hardly_moves():
    random = np.random.default_rng(1)
    steady = np.full((1, 4, 3), 50.0) * random.lognormal(0, 0.001, (1, 4, 3))
    wild = np.full((1, 4, 3), 1.0) * random.lognormal(0, 0.5, (1, 4, 3))
    coarse = fit(("p",), P, np.concatenate([steady, wild]))
    fine = fit(("p",), P, np.concatenate([0.8 * steady, wild]))
    far = np.array([[16.0]])
    moved = agreeing(coarse, fine).predict(far).value / coarse.predict(far).value
    assert moved[0, 0] == pytest.approx(0.8, abs=0.02)
    assert moved[1, 0] == pytest.approx(1.0, abs=0.1)


def test_regions_without_any_value_stay_so():
    coarse = fit(("p",), P, np.zeros((2, 4, 1)))
    assert not agreeing(coarse, coarse).predict(POINTS).value.any()


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("at_once", [1 << 19, 10])
def test_values_alone_are_those_of_the_predictions_whatever_is_remembered(monkeypatch, few, at_once):
    coarse, fine = levels(5)
    expected = {level: models.predict(POINTS) for level, models in (("fine", fine), ("coarse", coarse))}
    sums = predict_total(fine, POINTS)
    if few:
        monkeypatch.setattr("pipeline.models.prediction.ROOM", 2 * 3 * len(fine))
    monkeypatch.setattr("pipeline.models.prediction.VALUES_AT_ONCE", at_once)
    for _ in range(2):  # then some are known
        again, other = levels(5)[::-1]
        np.testing.assert_array_equal(again.expected(POINTS), expected["fine"].value)
        np.testing.assert_array_equal(other.expected(POINTS), expected["coarse"].value)
        np.testing.assert_array_equal(again.predict(POINTS[::-1]).upper, expected["fine"].upper[:, ::-1])
        total, agreed = predict_total(again, POINTS), agreeing(other, again)
        for end in ("value", "lower", "upper"):
            np.testing.assert_allclose(getattr(total, end), getattr(sums, end), rtol=1e-12)
        np.testing.assert_allclose(agreed.expected(POINTS).sum(axis=0), sums.value[0], rtol=1e-9)
        narrow = again.sum_of_values(POINTS, 0.5)
        np.testing.assert_allclose(narrow, fine.predict(POINTS, 0.5).value.sum(axis=0), rtol=1e-12)


def test_memory_holds_the_points_that_were_last_asked_for(monkeypatch):
    fine = levels(7)[1]
    monkeypatch.setattr("pipeline.models.prediction.ROOM", 2 * 3 * len(fine))
    for point in POINTS[[0, 1, 0, 2]]:
        fine.predict(point[None])
    assert fine.memory.knows(POINTS, 0.9).tolist() == [True, False, True, False]
    assert not fine.memory.knows(POINTS, 0.5).any()
    assert fine.memory.sum_of_values(POINTS[1], 0.9) == fine.predict(POINTS[1][None]).value.sum()
    assert fine.memory.sum_of_values(POINTS[3], 0.9) is None
    assert fine.take([0]).memory.knows(POINTS, 0.9).sum() == 2

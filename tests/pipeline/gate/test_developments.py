import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gate.trends import development, development_of_each


def noise(n, seed=0, size=0.015):
    return size * np.random.default_rng(seed).normal(size=n)


@pytest.mark.slow
def test_a_drift_is_no_staircase():
    along = np.linspace(0, 1, 40)
    logs = np.log(1.3) * along + 0.015 * np.random.default_rng(1).normal(size=(50, 40))
    found = development_of_each(np.exp(logs))
    ones = [one.drift for one in found if one.drift is not None and not one.steps]
    assert len(ones) >= 45
    per_entry = [np.log(drift.factor) / (drift.last - drift.first) for drift in ones]
    assert np.median(per_entry) == pytest.approx(np.log(1.3) / 39, rel=0.1)


def test_a_step_is_no_drift():
    for step in (1.1, 1.4):
        shift = np.log(step) * (np.arange(40) >= 24)
        logs = shift + 0.015 * np.random.default_rng(2).normal(size=(50, 40))
        found = development_of_each(np.exp(logs))
        assert sum(one.drift is not None for one in found) <= 1
        assert sum([c.first <= 24 <= c.last for c in one.steps] == [True] for one in found) >= 45


def test_entries_that_resemble_their_neighbours_seldom_drift():
    """Of 200 series without a test of what their correlation explains 4 do."""
    logs = 0.02 * np.random.default_rng(3).normal(size=(200, 80))
    for t in range(1, 80):
        logs[:, t] += 0.8 * logs[:, t - 1]
    assert sum(one.drift is not None for one in development_of_each(np.exp(logs[:, 50:]))) <= 1


def test_a_drift_within_the_series_has_its_ends():
    rising = np.clip((np.arange(60) - 30) / 29, 0, 1)
    found = development(np.exp(np.log(1.3) * rising + noise(60)))
    assert found.steps == ()
    assert 24 <= found.drift.first <= 36 and found.drift.last == 59
    assert found.drift.factor == pytest.approx(1.3, rel=0.1)
    assert found.drift.p < 1e-4


def test_a_step_beside_a_drift_is_both():
    n = np.arange(40)
    found = development(np.exp(np.log(1.2) * n / 39 + np.log(1.3) * (n >= 24) + noise(40)))
    assert [step.at for step in found.steps] == [24]
    assert found.steps[0].factor == pytest.approx(1.3, rel=0.04)
    assert found.drift.factor == pytest.approx(1.2, rel=0.1)


def test_one_slow_night_does_not_hide_a_drift():
    logs = np.log(1.3) * np.linspace(0, 1, 40) + noise(40)
    logs[20] += 2
    found = development(np.exp(logs))
    assert found.drift is not None and found.steps == ()


def test_flat_short_and_constant_series_do_nothing():
    flat = development_of_each(np.exp(0.015 * np.random.default_rng(3).normal(size=(100, 60))))
    assert sum(one.drift is not None or bool(one.steps) for one in flat) <= 1
    assert development(np.ones(30)) == development(np.arange(1.0, 6)) == development(np.ones(3))


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter(seed, unit):
    values = np.exp(np.log(1.3) * np.linspace(0, 1, 30) + noise(30, seed))
    found, scaled = development(values), development(unit * values)
    assert [c.at for c in scaled.steps] == [c.at for c in found.steps]
    assert (scaled.drift is None) == (found.drift is None)
    if found.drift is not None:
        assert scaled.drift.factor == pytest.approx(found.drift.factor)

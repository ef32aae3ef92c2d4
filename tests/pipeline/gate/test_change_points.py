import numpy as np
import pytest

from pipeline.gate.change_points import change_points, drift, pettitt


def series(*levels, noise=0.02, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([np.full(n, level) for n, level in levels]) * np.exp(
        noise * rng.normal(size=sum(n for n, _ in levels))
    )


def test_a_step_is_found_where_it_is():
    (found,) = change_points(series((10, 1.0), (12, 1.2)))
    assert found.at == 10
    assert found.factor == pytest.approx(1.2, rel=0.03)


def test_two_steps_are_found():
    assert [c.at for c in change_points(series((10, 1.0), (10, 1.5), (10, 1.2)))] == [10, 20]


def test_chance_alone_rarely_changes_anything():
    rng = np.random.default_rng(3)
    assert sum(pettitt(rng.normal(size=15))[1] <= 0.05 for _ in range(200)) <= 20


def test_one_slow_run_is_no_change():
    values = series((20, 1.0))
    values[7] = 9.0
    assert change_points(values) == ()


def test_a_slow_drift_shows():
    values = series((20, 1.0)) * 1.02 ** np.arange(20)
    found = drift(values)
    assert found is not None
    assert found.p < 1e-4
    assert found.factor == pytest.approx(1.02**19, rel=0.05)


def test_short_or_constant_series_say_nothing():
    assert drift(np.ones(30)) is None
    assert drift(np.arange(1.0, 5.0)) is None
    assert change_points(np.array([1.0, 1, 1, 2, 2, 2])) == ()

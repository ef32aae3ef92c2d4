"""How well formulas fit tells whether they hold."""

import numpy as np
import pytest

from pipeline.models.back_test import BEST, odds_of_fit
from pipeline.models.fit import fit
from pipeline.models.observations import observe

P = 2.0 ** np.arange(2, 9)[:, None]


def odds(values, points=P):
    return odds_of_fit(fit(("p",), points, values), observe(points, values))


def repeated(truth, noise=0.01, kernels=30, repetitions=5):
    random = np.random.default_rng(4)
    exact = np.broadcast_to(truth, (kernels, truth.shape[-1]))[:, :, None]
    return exact * (1 + noise * random.standard_normal((kernels, exact.shape[1], repetitions)))


def test_formulas_that_fit_within_the_noise_hold():
    likely, kernels = odds(repeated(10 + P[:, 0]))
    assert 6 < likely <= BEST
    assert kernels == 30


def test_formulas_that_miss_by_more_than_the_noise_do_not():
    waves = 1 + 0.1 * np.cos(np.arange(len(P)) * 2)
    assert odds(repeated((10 + P[:, 0]) * waves))[0] < -5


def test_much_noise_hides_what_formulas_miss():
    sure, unsure = (odds(repeated(10 + P[:, 0], noise))[0] for noise in (0.01, 0.3))
    assert abs(unsure) < 0.1 * sure


def test_without_repetitions_or_points_to_spare_nothing_is_known():
    once = repeated(10 + P[:, 0], repetitions=1)
    assert odds(once) == (0, 0)
    assert odds(repeated(P[:3, 0]), P[:3]) == (0, 0)  # a constant, a coefficient and an exponent


def test_values_far_below_the_largest_need_not_be_fitted():
    steep = P[:, 0] ** 3.0
    off = np.array([3.0, *np.ones(len(P) - 1)])
    assert steep[0] < 1e-4 * steep[-1]
    assert odds(repeated(steep * off))[0] == pytest.approx(odds(repeated(steep))[0], abs=1.5)

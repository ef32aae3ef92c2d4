"""Settings are chosen by what they predict of the largest scales."""

import numpy as np
import pytest

from pipeline.models import observations
from pipeline.models.observations import observe, sample_of
from pipeline.models.one_parameter import COARSE, EXACT, Setting, choose_setting
from pipeline.models.options import ModelOptions
from pipeline.models.search_space import SpaceChoice, one_parameter_space

POINTS = 2.0 ** np.arange(2, 10)
SPACE = one_parameter_space(ModelOptions(), 4.0, SpaceChoice(steep=True, falling=False, mixed=True))


def chosen(truth, points=POINTS, noise=0.01, walk=0.0, kernels=40, seed=1):
    random = np.random.default_rng(seed)
    steps = np.cumsum(random.normal(0, walk, (kernels, len(points))), axis=1)
    values = (truth * np.exp(steps))[:, :, None] * random.lognormal(0, noise, (kernels, len(points), 4))
    return choose_setting(sample_of(observe(points[:, None], values)), SPACE, nonnegative=True)


def test_plain_behaviour_needs_no_steep_exponents_and_no_walk():
    found = chosen(5 + POINTS)
    assert not found.steep
    assert found.structure.walk == 0.0


def test_steep_exponents_are_taken_if_the_data_are_steep():
    assert chosen(1 + 1e-6 * POINTS**4.5).steep


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_behaviour_that_follows_no_formula_walks(seed, monkeypatch):
    monkeypatch.setattr(observations, "LEAST_MISFIT", 0.0)  # which would explain so small a walk
    monkeypatch.setattr(observations, "MISFIT_DEGREES", 1e9)
    points = 2.0 ** np.linspace(2, 10, 16)
    assert chosen(5 + points, points, noise=0.005, walk=0.03, seed=seed).structure.walk == 10.0
    assert chosen(5 + points, points, noise=0.06, seed=seed).structure.walk == 0.0


def test_values_far_below_the_largest_are_not_explained_if_they_follow_another_law():
    odd = np.where(POINTS < 64, 1e-3 * (1 + np.arange(8) % 2 * 3), POINTS**2 / 1000)
    assert chosen(odd, noise=0.02).structure.floor == COARSE
    assert chosen(POINTS**2 / 1000, noise=0.02).structure.floor == EXACT


def test_with_too_few_points_the_simplest_setting_is_taken():
    few, enough = POINTS[:3], POINTS[:4]
    assert chosen(1e-6 * few**4.5, few, noise=1e-3) == Setting()
    assert chosen(1e-6 * enough**4.5, enough, noise=1e-3).steep

"""Doubt about a total, and what observations take from it."""

import numpy as np
import pytest

from pipeline.models.fit import fit
from pipeline.questions.planning.plan import (
    Places,
    beliefs,
    doubt_about_total,
    measured_already,
    plan,
    repetition_noise,
)

P = 2.0 ** np.arange(1, 8)[:, None]
AT = np.array([4096.0])


def measure(points, repetitions, seed=0, noise=0.1):
    p = points[:, 0]
    values = np.stack([100 + 0 * p, 1 + 0.1 * p**1.5, 2 + 0.3 * p * np.log2(p), 0.5 + 0.01 * p**2])[..., None]
    return values * (1 + noise * np.random.default_rng(seed).standard_normal((4, len(points), repetitions)))


VALUES = measure(P, 3)
MODELS = fit(("p",), P, VALUES)


def steps_for(budget):
    points = np.vstack([P, [[256.0], [512.0], [4096.0]]])
    places = Places(points, MODELS.expected(points).sum(axis=0), measured_already(points, P))
    doubt, _ = doubt_about_total(MODELS, places, AT, repetition_noise(VALUES))
    return places, doubt, plan(doubt, places, budget)


@pytest.mark.parametrize("budget", [3e2, 1e4, 3e4, 1e5])
def test_a_plan_keeps_to_the_budget_and_narrows_step_by_step(budget):
    places, doubt, steps = steps_for(budget)
    assert sum(places.cost[step.place] * step.repetitions for step in steps) <= budget
    left = [doubt.deviation(doubt.start), *(doubt.deviation(step.after) for step in steps)]
    assert left == sorted(left, reverse=True) and (budget < 1e4 or left[0] > left[-1])
    assert len({step.place for step in steps}) == len(steps)


def test_more_budget_leaves_less_doubt():
    left = [found[1].deviation(found[2][-1].after) for found in map(steps_for, (1e4, 3e4, 1e5, 1e6))]
    assert left == sorted(left, reverse=True)


def test_nothing_is_planned_where_nothing_is_affordable():
    assert steps_for(1e-3)[2] == []


def test_noise_of_repetitions():
    noise = repetition_noise(measure(P, 50, seed=3))
    assert noise == pytest.approx(0.1, rel=0.2)
    assert np.isnan(repetition_noise(VALUES[:, :, :1])).all()
    assert np.isnan(repetition_noise(np.full((1, 2, 3), np.nan))).all()


def test_beliefs_are_covariances():
    covariance = beliefs(MODELS, np.array([[8.0], [256.0], [4096.0]])).covariance
    assert covariance == pytest.approx(covariance.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(covariance).min(axis=1) == pytest.approx(0, abs=1e-6 * covariance.max())


def test_observing_the_target_itself_settles_it():
    start = beliefs(MODELS, np.array([[8.0], [4096.0]]))
    after = start.adjusted(1, np.zeros(4))
    assert after.covariance[:, 1, 1] == pytest.approx(0, abs=1e-9 * start.covariance[:, 1, 1].max())

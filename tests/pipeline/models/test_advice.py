"""Advice on further measurements."""

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.models.fit import fit
from pipeline.questions.planning.advice import advise, repetition_noise
from pipeline.questions.planning.designs import MOST_POINTS, candidate_points
from pipeline.questions.planning.plan import beliefs

P = 2.0 ** np.arange(1, 8)[:, None]
AT = np.array([4096.0])


def total(p):
    return np.stack([100 + 0 * p, 1 + 0.1 * p**1.5, 2 + 0.3 * p * np.log2(p), 0.5 + 0.01 * p**2])


def measure(points, repetitions, seed=0, noise=0.1):
    values = total(points[:, 0])[:, :, None]
    return values * (1 + noise * np.random.default_rng(seed).standard_normal((4, len(points), repetitions)))


VALUES = measure(P, 3)
MODELS = fit(("p",), P, VALUES)
NOISE = repetition_noise(VALUES)


def width(models):
    prediction = models.predict(AT[None]).combine(lambda a: a.sum(axis=0, keepdims=True), models.correlation)
    return float((prediction.upper - prediction.lower)[0, 0])


@pytest.mark.parametrize("budget", [3e2, 1e4, 3e4, 1e5])
def test_a_plan_keeps_to_the_budget_and_narrows_step_by_step(budget):
    plan = advise(MODELS, P, AT, budget, noise=NOISE)
    assert sum(step.cost for step in plan) <= budget
    widths = [step.width for step in plan]
    assert widths == sorted(widths, reverse=True)
    assert all(0 < step.reduction <= 1 and step.repetitions >= 1 for step in plan)
    assert len({step.point for step in plan}) == len(plan)


def test_more_budget_leaves_less_doubt():
    widths = [advise(MODELS, P, AT, budget, noise=NOISE)[-1].width for budget in (1e4, 3e4, 1e5, 1e6)]
    assert widths == sorted(widths, reverse=True)


def test_the_cost_is_what_the_models_predict():
    step = advise(MODELS, P, AT, 1e4, noise=NOISE)[0]
    one = MODELS.predict(np.array([step.point])).value.sum()
    assert step.cost == pytest.approx(one * step.repetitions)


def width_after(step, seed):
    values = np.full((4, len(P) + 1, max(3, step.repetitions)), np.nan)
    values[:, :-1, :3] = VALUES
    values[:, -1, : step.repetitions] = measure(np.array([step.point]), step.repetitions, seed)[:, 0]
    return width(fit(("p",), np.vstack([P, [step.point]]), values))


def test_taking_the_advice_mostly_narrows_the_interval():
    step = advise(MODELS, P, AT, 1e4, noise=NOISE)[0]
    assert np.median([width_after(step, seed) for seed in range(9, 16)]) < 0.8 * width(MODELS)


def test_the_kernel_in_doubt_is_named_with_the_rivals_told_apart():
    step = advise(MODELS, P, AT, 1e5, noise=NOISE)[0]
    assert sum(s.share for s in step.settles) > 0.5
    assert all(len(s.rivals) != 1 for s in step.settles)


def test_parameters_that_always_changed_together_are_to_be_changed_apart():
    points = np.array([(100 * q, q) for q in (10.0, 20.0, 40.0, 80.0, 160.0)])
    noise = 1 + 0.02 * np.random.default_rng(1).standard_normal((1, 5, 4))
    models = fit(("p", "q"), points, points[:, 1][None, :, None] ** 2 * noise)
    step = advise(models, points, np.array([16000.0, 20.0]), 1e5)[0]
    assert step.point[0] != 100 * step.point[1]
    assert step.reduction > 0.5


def test_own_candidates_and_costs():
    points = np.array([[256.0], [512.0]])
    plan = advise(MODELS, P, AT, 100.0, noise=NOISE, candidates=points, cost=np.array([10.0, 1000.0]))
    assert [step.point for step in plan] == [(256.0,)]
    assert plan[0].cost <= 100


def test_nothing_is_advised_where_nothing_is_affordable():
    assert advise(MODELS, P, AT, 1e-3, noise=NOISE) == []


@pytest.mark.parametrize(("at", "budget"), [([4096.0, 1.0], 1e3), ([-1.0], 1e3), ([4096.0], 0.0)])
def test_targets_and_budgets_that_cannot_be_meant(at, budget):
    with pytest.raises(UsageError):
        advise(MODELS, P, np.array(at), budget)


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


def test_candidates_reach_from_the_measured_range_to_the_target():
    points = candidate_points(P, AT)
    assert points.min() == 2
    assert points.max() == 4096
    assert (points == np.round(points)).all()
    grid = np.array([(x, y) for x in (20.0, 30.0, 40.0, 50.0) for y in (1.0, 2.0, 3.0, 4.0)])
    assert len(candidate_points(grid, np.array([800.0, 64.0]))) <= MOST_POINTS

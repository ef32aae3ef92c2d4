"""Advice on further measurements."""

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.models.fit import fit
from pipeline.models.total import predict_total
from pipeline.questions.planning.advice import (
    LEAST_GAIN,
    MOST_POINTS,
    USEFUL_WIDTH,
    advise,
    candidate_points,
    larger_points,
)

P = 2.0 ** np.arange(1, 8)[:, None]
AT = np.array([1024.0])


def total(p):
    """Work, a knee that no formula has, and communication."""
    return np.stack([100 + 0 * p, 20 * np.maximum(p / 16, 1) ** 0.7, 1 + 0.1 * p**1.2])


def measure(points, repetitions, seed=0, noise=0.05):
    random = np.random.default_rng(seed)
    values = total(points[:, 0])[:, :, None]
    bumps = 1 + noise * random.standard_normal((3, len(points), 1))
    return values * bumps * (1 + 0.01 * random.standard_normal((3, len(points), repetitions)))


VALUES = measure(P, 3)
MODELS = fit(("p",), P, VALUES, parts=True)


def interval(models, at=AT):
    found = predict_total(models, at[None])
    return (float(part[0, 0]) for part in (found.lower, found.value, found.upper))


def width(models, at=AT):
    lower, value, upper = interval(models, at)
    return (upper - lower) / value


def test_what_is_promised_is_the_present_interval_as_far_beyond_the_range() -> None:
    plan = advise(MODELS, P, AT, 1e6)
    assert plan.width == pytest.approx(width(MODELS)) and plan.beyond
    step = plan.steps[0]
    assert 128 < step.point[0] < 1024
    assert step.width == pytest.approx(width(MODELS, AT * 128 / step.point[0]))
    assert step.reduction == pytest.approx(1 - step.width / plan.width)
    one = float(predict_total(MODELS, np.array([step.point])).value[0, 0])
    assert step.cost == pytest.approx(one * step.repetitions, rel=1e-6)
    assert sum(settled.share for settled in step.settles) > 0.5


@pytest.mark.parametrize("budget", [2e2, 1e3, 1e4])
def test_a_plan_keeps_to_the_budget_and_every_step_is_worth_it(budget: float) -> None:
    plan = advise(MODELS, P, AT, budget, repetitions=3)
    before = plan.width
    assert sum(step.cost for step in plan.steps) <= budget
    for step in plan.steps:
        assert 1 <= step.repetitions <= 3
        assert step.width <= (1 - LEAST_GAIN) * before
        before = step.width
    assert bool(plan.steps) == (budget > 2e2) and LEAST_GAIN == 0.2
    assert (plan.instead is None) == bool(plan.steps)


def test_a_step_that_the_rest_of_the_budget_does_not_pay_for_is_left_out() -> None:
    quiet = fit(("p",), P, measure(P, 3, noise=0.02), parts=True)

    def steep(points: np.ndarray) -> np.ndarray:
        return points[:, 0] ** 3

    first, second = advise(quiet, P, AT, 1e12, cost=steep).steps
    assert (first.point, second.point) == ((256.0,), (512.0,))
    assert advise(quiet, P, AT, first.cost + 0.9 * second.cost, cost=steep).steps == (first,)


@pytest.mark.slow
def test_taking_the_advice_gives_about_the_width_that_was_promised() -> None:
    step = advise(MODELS, P, AT, 1e4, repetitions=3).steps[0]
    reached = []
    for seed in range(9, 16):
        values = np.concatenate([VALUES, measure(np.array([step.point]), 3, seed)], axis=1)
        reached.append(width(fit(("p",), np.vstack([P, [step.point]]), values, parts=True)))
    assert np.median(reached) / 1.5 < step.width < 1.5 * np.median(reached)


def test_what_stays_useless_is_not_advised_but_what_would_help_is_named() -> None:
    """One kernel explodes, so that its interval is wide wherever it is beyond the range."""
    values = VALUES.copy()
    values[2] *= np.array([1, 1, 1, 1, 1, 2, 6.0])[:, None]
    models = fit(("p",), P, values, parts=True)
    plan = advise(models, P, AT, float(models.expected(np.array([[300.0]])).sum()))
    lower, _, upper = interval(models, AT)
    assert upper > USEFUL_WIDTH * lower and plan.steps == ()
    assert plan.instead is not None and plan.instead.point == (512.0,)
    assert plan.instead.cost > plan.budget and plan.instead.repetitions == 1


def test_the_target_itself_is_measured_only_if_nothing_on_the_way_helps() -> None:
    near = np.array([160.0])
    plan = advise(MODELS, P, near, 1e6)
    assert [step.point for step in plan.steps] in ([], [(160.0,)])
    assert all(step.point < (1024.0,) for step in advise(MODELS, P, AT, 1e6).steps)


def test_inside_the_range_nothing_larger_is_advised() -> None:
    for at in (np.array([48.0]), np.array([64.0])):
        plan = advise(MODELS, P, at, 1e6)
        assert plan.steps == () and plan.instead is None and not plan.beyond
        assert plan.width == pytest.approx(width(MODELS, at))


def test_parameters_that_always_changed_together_are_to_be_changed_apart() -> None:
    points = np.array([(100 * q, q) for q in (10.0, 20.0, 40.0, 80.0, 160.0)])
    noise = 1 + 0.02 * np.random.default_rng(1).standard_normal((1, 5, 4))
    models = fit(("p", "q"), points, points[:, 1][None, :, None] ** 2 * noise)
    plan = advise(models, points, np.array([16000.0, 20.0]), 1e5)
    step = plan.steps[0]
    assert step.point[0] != 100 * step.point[1]
    assert plan.steps[-1].width < (1 - LEAST_GAIN) * plan.width


def test_costs_of_runs_may_be_given() -> None:
    cheap = advise(MODELS, P, AT, 100.0, cost=lambda points: points[:, 0] / 10).steps[0]
    assert cheap.cost == cheap.point[0] / 10
    assert advise(MODELS, P, AT, 1e-3).steps == ()


@pytest.mark.parametrize(("at", "budget"), [([4096.0, 1.0], 1e3), ([-1.0], 1e3), ([4096.0], 0.0)])
def test_targets_and_budgets_that_cannot_be_meant(at: list[float], budget: float) -> None:
    with pytest.raises(UsageError):
        advise(MODELS, P, np.array(at), budget)


def test_larger_points_lie_on_the_way_to_the_target() -> None:
    assert larger_points(P, AT).ravel().tolist() == [256.0, 512.0, 1024.0]
    grid = np.array([(x, y) for x in (20.0, 30.0, 40.0) for y in (1.0, 2.0, 4.0)])
    assert larger_points(grid, np.array([39.0, 12.0])).tolist() == [[40.0, 8.0], [40.0, 12.0]]
    both = larger_points(grid, np.array([80.0, 8.0])).tolist()
    assert both == [[40.0, 8.0], [80.0, 4.0], [80.0, 8.0]]
    assert len(larger_points(P, np.array([64.0]))) == 0


def test_candidates_reach_from_the_measured_range_to_the_target() -> None:
    points = candidate_points(P, np.array([4096.0]))
    assert points.min() == 2
    assert points.max() == 4096
    assert (points == np.round(points)).all()
    grid = np.array([(x, y) for x in (20.0, 30.0, 40.0, 50.0) for y in (1.0, 2.0, 3.0, 4.0)])
    assert len(candidate_points(grid, np.array([800.0, 64.0]))) <= MOST_POINTS

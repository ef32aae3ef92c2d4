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
CALLPATHS = [("work",), ("knee",), ("communication",)]


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
    plan = advise(MODELS, CALLPATHS, P, AT, 1e6)
    assert plan.relative_width == pytest.approx(width(MODELS)) and plan.beyond
    step = plan.plan[0]
    assert 128 < step.at["p"] < 1024
    assert step.relative_width_after == pytest.approx(width(MODELS, AT * 128 / step.at["p"]))
    assert step.reduction == pytest.approx(1 - step.relative_width_after / plan.relative_width)
    one = float(predict_total(MODELS, np.array([[step.at["p"]]])).value[0, 0])
    assert step.cost == pytest.approx(one * step.repetitions, rel=1e-6)
    assert sum(settled.share for settled in step.settles) > 0.5
    assert {settled.callpath for settled in step.settles} <= set(CALLPATHS)


@pytest.mark.parametrize("budget", [2e2, 1e3, 1e4])
def test_a_plan_keeps_to_the_budget_and_every_step_is_worth_it(budget: float) -> None:
    plan = advise(MODELS, CALLPATHS, P, AT, budget, repetitions=3)
    before = plan.relative_width
    assert sum(step.cost for step in plan.plan) <= budget
    for step in plan.plan:
        assert 1 <= step.repetitions <= 3
        assert step.relative_width_after <= (1 - LEAST_GAIN) * before
        before = step.relative_width_after
    assert bool(plan.plan) == (budget > 2e2) and LEAST_GAIN == 0.2
    assert (plan.instead is None) == bool(plan.plan)


def test_a_step_that_the_rest_of_the_budget_does_not_pay_for_is_left_out() -> None:
    quiet = fit(("p",), P, measure(P, 3, noise=0.02), parts=True)

    def steep(points: np.ndarray) -> np.ndarray:
        return points[:, 0] ** 3

    first, second = advise(quiet, CALLPATHS, P, AT, 1e12, cost=steep).plan
    assert (first.at, second.at) == ({"p": 256}, {"p": 512})
    assert advise(quiet, CALLPATHS, P, AT, first.cost + 0.9 * second.cost, cost=steep).plan == (first,)


@pytest.mark.slow
def test_taking_the_advice_gives_about_the_width_that_was_promised() -> None:
    step = advise(MODELS, CALLPATHS, P, AT, 1e4, repetitions=3).plan[0]
    reached = []
    for seed in range(9, 16):
        values = np.concatenate([VALUES, measure(np.array([[step.at["p"]]]), 3, seed)], axis=1)
        reached.append(width(fit(("p",), np.vstack([P, [[step.at["p"]]]]), values, parts=True)))
    assert np.median(reached) / 1.5 < step.relative_width_after < 1.5 * np.median(reached)


def test_what_stays_useless_is_not_advised_but_what_would_help_is_named() -> None:
    """One kernel explodes, so that its interval is wide wherever it is beyond the range."""
    values = VALUES.copy()
    values[2] *= np.array([1, 1, 1, 1, 1, 2, 6.0])[:, None]
    models = fit(("p",), P, values, parts=True)
    plan = advise(models, CALLPATHS, P, AT, float(models.expected(np.array([[300.0]])).sum()))
    lower, _, upper = interval(models, AT)
    assert upper > USEFUL_WIDTH * lower and plan.plan == ()
    assert plan.instead is not None and plan.instead.at == {"p": 512}
    assert plan.instead.cost > plan.budget and plan.instead.repetitions == 1


def test_the_target_itself_is_measured_only_if_nothing_on_the_way_helps() -> None:
    near = np.array([160.0])
    plan = advise(MODELS, CALLPATHS, P, near, 1e6)
    assert [step.at for step in plan.plan] in ([], [{"p": 160}])
    assert all(step.at["p"] < 1024 for step in advise(MODELS, CALLPATHS, P, AT, 1e6).plan)


def test_inside_the_range_nothing_larger_is_advised() -> None:
    for at in (np.array([48.0]), np.array([64.0])):
        plan = advise(MODELS, CALLPATHS, P, at, 1e6)
        assert plan.plan == () and plan.instead is None and not plan.beyond
        assert plan.relative_width == pytest.approx(width(MODELS, at))


def test_parameters_that_always_changed_together_are_to_be_changed_apart() -> None:
    points = np.array([(100 * q, q) for q in (10.0, 20.0, 40.0, 80.0, 160.0)])
    noise = 1 + 0.02 * np.random.default_rng(1).standard_normal((1, 5, 4))
    models = fit(("p", "q"), points, points[:, 1][None, :, None] ** 2 * noise)
    plan = advise(models, [("f",)], points, np.array([16000.0, 20.0]), 1e5)
    step = plan.plan[0]
    assert step.at["p"] != 100 * step.at["q"]
    assert plan.plan[-1].relative_width_after < (1 - LEAST_GAIN) * plan.relative_width


def test_costs_of_runs_may_be_given() -> None:
    cheap = advise(MODELS, CALLPATHS, P, AT, 100.0, cost=lambda points: points[:, 0] / 10).plan[0]
    assert cheap.cost == cheap.at["p"] / 10
    assert advise(MODELS, CALLPATHS, P, AT, 1e-3).plan == ()


@pytest.mark.parametrize(("at", "budget"), [([4096.0, 1.0], 1e3), ([-1.0], 1e3), ([4096.0], 0.0)])
def test_targets_and_budgets_that_cannot_be_meant(at: list[float], budget: float) -> None:
    with pytest.raises(UsageError):
        advise(MODELS, CALLPATHS, P, np.array(at), budget)


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

"""What a campaign measures next, and the widths that it plans."""

import numpy as np
import pytest

from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.planning.plan import WantedFigure, answer, foreseen_widths, relative_width
from pipeline.questions.planning.rounds import End, MadeRound, Progress, Purpose, next_round
from tests.pipeline.questions.runtime.programs import SIZE, STRONG, experiment

SCALES = np.array([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0], [64.0]])
COST = np.full(7, 10.0)
AT = np.array([256.0])


def times(at):
    return {"work": 64 / at[0], "MPI_Allreduce": 0.05 * at[0] ** 0.5}


def study(scales=(1, 2, 4, 8, 16), *, noise=0.02, repetitions=2, decision=STRONG):
    points = [(p,) for p in scales]
    more = {} if decision is STRONG else {"names": ("n",), "locations": lambda at: 4}
    found = experiment(points, times, noise=noise, repetitions=repetitions, **more)
    return analyse(found, decision, "time", ModelOptions())


def progress(done=(), scales=SCALES, **more):
    counts = np.zeros(len(scales), dtype=np.int64)
    counts[: len(done)] = done
    return Progress(**({"points": scales, "done": counts, "cost": COST[: len(scales)]} | more))


def question(width=0.2, quantity="efficiency"):
    return WantedFigure(at=AT, quantity=quantity, width=width)


FIVE = SCALES[:5]
STUDY = study()


def test_a_campaign_begins_with_a_pilot_whether_costs_are_known_or_not():
    for cost in (COST, np.full(7, np.nan)):
        found = next_round(progress(cost=cost), question())
        assert (found.purpose, found.repetitions.tolist()) == (Purpose.PILOT, [1, 1, 0, 1, 0, 0, 0])
        assert np.isnan(found.width) and np.isnan(found.expected) and found.end is None
    assert next_round(progress(), question()).cost == 30.0
    assert np.isnan(found.cost)


def test_new_scales_are_run_once_before_all_are_repeated():
    pilot = study((1, 2, 4), repetitions=1)
    first = next_round(progress([1, 1, 1], FIVE), question(), pilot)
    assert (first.purpose, first.repetitions.tolist()) == (Purpose.SERIES, [1, 1, 1, 1, 1])
    assert np.isnan(first.expected)
    second = next_round(progress([1, 1, 1, 1, 1], FIVE), question(), study(repetitions=1))
    assert (second.purpose, second.repetitions.tolist()) == (Purpose.SERIES, [1] * 5)
    assert 0 < second.expected < 1.05 * second.width < 10


def test_a_short_budget_pays_for_a_larger_scale_before_it_pays_for_repetitions():
    cost = np.array([10.0, 10.0, 10.0, 20.0, 40.0])
    pilot = study((1, 2, 4), repetitions=1)
    found = next_round(progress([1, 1, 1], FIVE, cost=cost, budget=70.0), question(), pilot)
    assert (found.purpose, found.repetitions.tolist()) == (Purpose.SERIES, [0, 0, 0, 1, 1])
    rest = next_round(progress([1] * 5, FIVE, cost=cost, budget=25.0), question(), study(repetitions=1))
    assert (rest.purpose, rest.repetitions.tolist()) == (Purpose.SERIES, [1, 1, 0, 0, 0])


def test_a_narrow_answer_ends_the_campaign_but_only_after_the_series():
    width = relative_width(answer(STUDY, question()))
    found = next_round(progress([2] * 5, FIVE), question(1.01 * width), STUDY)
    assert (found.end, found.width) == (End.ANSWERED, width)
    assert not found.repetitions.any() and found.cost == 0.0
    assert (
        next_round(progress([2, 2, 2, 2, 1], FIVE), question(1.01 * width), STUDY).purpose is Purpose.SERIES
    )


def test_scales_closer_to_the_target_are_run_if_they_narrow_the_answer():
    width = relative_width(answer(STUDY, question()))
    found = next_round(progress([2] * 5 + [0, 0]), question(0.7 * width), STUDY)
    assert found.purpose is Purpose.SERIES and found.repetitions[6] == 1
    done = progress([2] * 5, SCALES[:6], cost=np.array([10.0] * 5 + [np.nan]))
    assert next_round(done, question(0.7 * width), STUDY).repetitions[5] == 1


@pytest.mark.slow
def test_repetitions_that_cannot_narrow_the_answer_are_not_made():
    found = next_round(progress([5] * 5, FIVE), question(0.01), study(repetitions=5))
    assert found.end is End.NOTHING_HELPS
    assert 0.01 < found.expected < 2 * found.width


@pytest.mark.slow
def test_extra_runs_have_a_chance_to_answer():
    noisy = study(noise=0.3)
    width = relative_width(answer(noisy, question()))
    found = next_round(progress([2] * 5, FIVE), question(0.9 * width), noisy)
    assert found.purpose is Purpose.EXTRA
    assert found.cost == 10.0 * found.repetitions.sum() > 0
    assert 0.3 * width < found.expected < 1.5 * width


@pytest.mark.slow
def test_rounds_that_bring_nothing_of_what_was_foreseen_are_the_last():
    noisy = study(noise=0.3)
    width = relative_width(answer(noisy, question()))
    for before, purpose in ((width, None), (1.3 * width, Purpose.EXTRA)):
        made = [MadeRound(extra=False, width=before)]
        made += [MadeRound(extra=True, foreseen=0.9 * before, width=before)] * 3
        made += [MadeRound(extra=True, foreseen=0.9 * before, width=width)]
        found = next_round(progress([2] * 5, FIVE, rounds=made), question(0.9 * width), noisy)
        assert (found.purpose, found.end) == (purpose, None if purpose else End.NOTHING_HELPS)
    wider = [MadeRound(extra=True, foreseen=1.1 * width, width=width)] * 5
    found = next_round(progress([2] * 5, FIVE, rounds=wider), question(0.9 * width), noisy)
    assert found.end is End.NOTHING_HELPS
    made = [MadeRound(extra=extra, foreseen=0.9 * width, width=width) for extra in (True, False, *[True] * 3)]
    unforeseen = [MadeRound(extra=True, width=width)] * 5
    for other in (made, made[2:], unforeseen):
        found = next_round(progress([2] * 5, FIVE, rounds=other), question(0.9 * width), noisy)
        assert found.purpose is Purpose.EXTRA


@pytest.mark.slow
def test_what_would_help_may_cost_more_than_is_left():
    noisy = study(noise=0.3)
    width = relative_width(answer(noisy, question()))
    found = next_round(progress([2] * 5, FIVE, budget=9.0), question(0.9 * width), noisy)
    assert (found.end, found.width) == (End.BUDGET, width)
    assert next_round(progress(budget=9.0), question()).end is End.BUDGET


def test_a_budget_that_is_overspent_pays_for_no_run():
    assert next_round(progress(budget=-5.0), question()).end is End.BUDGET
    free = next_round(progress(budget=-5.0, cost=np.array([0.0] * 2 + [10.0] * 5)), question())
    assert (free.repetitions.tolist(), free.cost) == ([1, 1, 0, 0, 0, 0, 0], 0.0)


def test_the_budget_cuts_the_most_expensive_runs():
    found = next_round(progress(budget=25.0), question())
    assert (found.repetitions.tolist(), found.cost) == ([1, 1, 0, 0, 0, 0, 0], 20.0)


def test_without_a_question_everything_is_measured():
    assert next_round(progress()).purpose is Purpose.PILOT
    series = next_round(progress([1, 1, 0, 1]), None, STUDY)
    assert (series.purpose, series.repetitions.tolist()) == (Purpose.SERIES, [4, 4, 5, 4, 5, 5, 5])
    assert next_round(progress([5] * 7), None, STUDY).end is End.MEASURED
    assert next_round(progress([5] * 7), None, None).end is End.MEASURED


def test_what_cannot_be_modelled_gets_its_series_only():
    found = next_round(progress([1, 1, 1, 1, 1], FIVE), question())
    assert (found.purpose, found.repetitions.tolist()) == (Purpose.SERIES, [1] * 5)
    assert next_round(progress([2] * 5, FIVE), question()).end is End.MEASURED


@pytest.mark.parametrize("quantity", ["efficiency", "speedup", "time", "core-hours"])
def test_answers_are_the_figures_of_the_runtime(quantity):
    found = answer(STUDY, question(quantity=quantity))
    truth = {"efficiency": 64 / (64 + 0.05 * 256**1.5), "time": 64 / 256 + 0.05 * 16}
    truth |= {"speedup": 256 * truth["efficiency"], "core-hours": truth["time"] * 256 / 3600}
    assert found.lower[0] < truth[quantity] * 64.05 / 64 * 1.05
    assert found.upper[0] > truth[quantity] * 0.95
    assert relative_width(found) == pytest.approx((found.upper - found.lower)[0] / found.value[0])


@pytest.mark.slow
def test_a_figure_that_does_not_exist_has_no_width():
    mesh = study(decision=SIZE)
    assert relative_width(answer(mesh, question())) == float("inf")
    assert relative_width(answer(mesh, question(quantity="time"))) < 10
    assert next_round(progress([2] * 5, FIVE), question(), mesh).end is End.NOTHING_HELPS


@pytest.mark.slow
def test_foreseen_widths_are_those_that_further_runs_have():
    again = np.full(5, 3)
    foreseen = foreseen_widths(STUDY, question(), FIVE, again)
    reached = relative_width(answer(study(repetitions=5), question()))
    assert foreseen.min() / 1.5 < reached < 1.5 * foreseen.max()
    assert foreseen_widths(STUDY, question(), FIVE, again).tolist() == foreseen.tolist()


@pytest.mark.slow
def test_points_get_the_runs_that_are_asked_for():
    ends = SCALES[[0, 4]]
    most, some = (foreseen_widths(STUDY, question(), ends, np.array(runs)) for runs in ([3, 3], [3, 1]))
    assert (most != some).all()
    every = np.array([0, 3, 0, 0, 3])
    assert (
        foreseen_widths(STUDY, question(), FIVE, every).tolist()
        == foreseen_widths(STUDY, question(), FIVE[[1, 4]], np.array([3, 3])).tolist()
    )


@pytest.mark.slow
def test_a_scale_at_the_target_is_foreseen_to_settle_it():
    beyond = np.array([[128.0], [256.0]])
    foreseen = foreseen_widths(STUDY, question(), beyond, np.array([2, 2]))
    assert np.median(foreseen) < 0.5 * relative_width(answer(STUDY, question()))


def test_several_parameters():
    grid = np.array([(p, n) for p in (1.0, 2.0, 4.0) for n in (10.0, 20.0, 30.0)])

    def seconds(at):
        return {"work": at[1] ** 2 / at[0], "MPI_Allreduce": 0.1 * at[1]}

    target = WantedFigure(at=np.array([16.0, 30.0]), quantity="time", width=0.1)
    asked = Progress(points=grid, done=np.zeros(9, dtype=np.int64), cost=np.full(9, np.nan))
    pilot = next_round(asked, target)
    assert pilot.repetitions.sum() == 5
    points = grid[pilot.repetitions > 0]
    runs = experiment([tuple(p) for p in points], seconds, names=("p", "n"), repetitions=1, noise=0.01)
    analysis = analyse(runs, STRONG, "time", ModelOptions())
    found = next_round(Progress(points=grid, done=pilot.repetitions, cost=np.full(9, 5.0)), target, analysis)
    assert found.purpose is Purpose.SERIES
    assert found.repetitions[(grid == [4, 30]).all(axis=1)] == 1

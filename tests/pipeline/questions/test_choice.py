"""Jobs at several scales: what they take, how probably they hold limits, and which is the best."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.questions.choice import JobLimits, choose
from pipeline.questions.runtime.estimate import SINGLE_RUN
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.limits import job_points
from pipeline.questions.runtime.runtime import runtime
from tests.pipeline.questions.runtime.programs import strong, weak

NOISY = {"noise": 0.05}


def noisy():
    return strong(**NOISY)


def chosen(analysis, last=64.0, **more):
    limits = {name: more.pop(name) for name in list(more) if name in JobLimits.__dataclass_fields__}
    study = RuntimeStudy(analysis, node_cores=more.pop("node_cores", None))
    return choose(study, job_points(study, np.array([last])), JobLimits(**limits), **more)


def scales(choice):
    return choice.at_scales.figures.points[:, 0].tolist()


def wall_at(choice, p):
    return choice.at_scales.figures.wall.take([scales(choice).index(p)])


def test_jobs_are_as_measured_and_else_those_that_predictions_are_of_to_the_last_digit():
    analysis = noisy()
    found = chosen(analysis).at_scales.figures
    expected = runtime(analysis, found.points).figures
    known = expected.points[: len(analysis.experiment.points), 0].tolist()
    ahead = len(known)
    rows = [known.index(p) if p in known else ahead + i for i, p in enumerate(found.points[:, 0].tolist())]
    assert found.measured.tolist() == [row < ahead for row in rows]
    assert 3 < sum(row < ahead for row in rows) < len(rows)
    for name in ("wall", "core_hours", "efficiency", "effort", "speedup"):
        mine, theirs = getattr(found, name), getattr(expected, name).take(np.array(rows))
        for end in ("value", "below", "above"):
            assert np.array_equal(getattr(mine, end), getattr(theirs, end), equal_nan=True), (name, end)


def test_a_scale_measured_once_is_as_sure_as_runs_of_public_programs():
    analysis = strong(noise=0.05, repetitions=1)
    found = chosen(analysis, deadline=20.0).at_scales
    (at,) = np.flatnonzero(found.figures.points[:, 0] == 4)
    measured = runtime(analysis, found.figures.points).figures
    (there,) = np.flatnonzero((measured.points[:, 0] == 4) & measured.measured)
    assert found.figures.wall.value[at] == measured.wall.value[there]
    assert found.figures.wall.below[at] == found.figures.wall.above[at] == SINGLE_RUN
    assert np.isfinite(found.probability).all()


def test_a_deadline_at_an_end_of_the_interval_holds_with_what_the_interval_says():
    analysis = noisy()
    wall = wall_at(chosen(analysis), 32.0)
    for bound, probability in ((wall.lower, 0.05), (wall.value, 0.5), (wall.upper, 0.95)):
        found = chosen(analysis, deadline=float(bound[0]))
        assert found.at_scales.probability[scales(found).index(32.0)] == pytest.approx(probability, abs=1e-3)


def test_wall_time_and_cost_are_one_limit():
    analysis = noisy()
    wall = wall_at(chosen(analysis), 32.0)
    deadline = float(wall.value[0])
    both = chosen(analysis, deadline=deadline, budget=deadline * 32 / 3600)
    alone = chosen(analysis, deadline=deadline)
    place = scales(both).index(32.0)
    assert both.at_scales.probability[place] == pytest.approx(alone.at_scales.probability[place], rel=1e-9)
    assert both.at_scales.tightest[place] in ("deadline", "budget")


@pytest.mark.slow
@given(st.floats(0.3, 30), st.floats(0.05, 0.99))
@settings(max_examples=20)
def test_all_limits_hold_no_more_probably_than_each_and_no_less_than_if_they_were_unrelated(deadline, share):
    analysis = STUDY
    both = chosen(analysis, deadline=deadline, efficiency=share).at_scales.probability
    one, other = (
        chosen(analysis, **limit).at_scales.probability
        for limit in ({"deadline": deadline}, {"efficiency": share})
    )
    assert (both <= np.minimum(one, other) + 1e-9).all()
    assert (both >= one * other - 2e-3).all()


STUDY = noisy()


def test_an_efficiency_that_no_time_misses_leaves_the_deadline():
    found, alone = (chosen(STUDY, deadline=5.0, **more) for more in ({"efficiency": 1e-9}, {}))
    assert found.at_scales.probability == pytest.approx(alone.at_scales.probability, abs=1e-6)


def test_the_fastest_the_cheapest_and_the_most_efficient_job_hold():
    found = chosen(STUDY, deadline=10.0)
    assert set(found.best) == {"fastest", "cheapest", "most efficient"}
    figures, holds = found.at_scales.figures, np.flatnonzero([job.holds for job in found.jobs])
    assert all(job.holds for job in found.best.values())
    least = found.best["fastest"].wall_seconds.value, found.best["cheapest"].core_hours.value
    assert figures.wall.value[holds].min() == pytest.approx(least[0])
    assert figures.core_hours.value[holds].min() == pytest.approx(least[1])
    assert 64 / 10 < found.best["cheapest"].point["p"] <= 10
    assert found.relaxed == ()


def holding(limits):
    return {job.point["p"]: job.holds for job in chosen(STUDY, **limits).jobs}


def test_limits_that_are_relaxed_so_far_hold_and_a_little_less_do_not():
    found = chosen(STUDY, deadline=1.3, efficiency=0.85)
    assert not found.best and not any(job.holds for job in found.jobs)
    assert [list(one.limits) for one in found.relaxed] == [["deadline"], ["efficiency"]]
    for one in found.relaxed:
        assert holding(found.limits | one.limits)[one.job.point["p"]]
        ((name, value),) = one.limits.items()
        less = found.limits | {name: value * (0.99 if name == "deadline" else 1.01)}
        assert not any(holding(less).values())


def test_limits_that_only_together_are_in_the_way_are_relaxed_together():
    found = chosen(STUDY, deadline=0.01, budget=1e-6)
    (one,) = found.relaxed
    assert list(one.limits) == ["deadline", "budget"]
    assert holding(one.limits)[one.job.point["p"]]


def test_scales_are_measured_ones_powers_of_two_and_whole_nodes():
    found = chosen(STUDY, last=100.0, node_cores=6)
    p = np.array(scales(found))
    assert {1, 2, 4, 8, 16, 32, 64, 100} <= set(p.tolist())
    others = p[~np.isin(p, [1, 2, 4, 8, 16, 32, 64, 100]) & (p > 6)]
    assert len(others) > 5 and (others % 6 == 0).all()
    assert (found.at_scales.nodes == np.ceil(p / 6)).all()
    hours = found.at_scales.figures.wall.value * found.at_scales.nodes * 6 / 3600
    assert found.at_scales.figures.core_hours.value == pytest.approx(hours)


def test_of_a_problem_that_grows_with_the_scale_the_largest_is_named():
    found = chosen(weak(noise=0.02), deadline=4.0)
    assert set(found.best) == {"largest"}
    assert 5 < found.best["largest"].point["p"] < 20

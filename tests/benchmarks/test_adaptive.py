"""The simulation of campaigns: programs with a known truth, the fixed design, rounds, and the table."""

import numpy as np
import pytest

from benchmarks.adaptive.__main__ import trial
from benchmarks.adaptive.campaign import Runs, fixed_design, in_rounds
from benchmarks.adaptive.programs import FAMILIES, draw
from benchmarks.adaptive.table import tables
from pipeline.questions.planning.rounds import End, Purpose


@pytest.mark.parametrize("family", FAMILIES)
def test_runs_scatter_about_the_truth(family):
    program = draw(family, np.random.default_rng(3))
    point = program.scales[2]
    exact = program.effort(point[None]).sum()
    random = np.random.default_rng(4)
    runs = np.array([program.run(point, random).sum() for _ in range(400)])
    assert np.median(runs) == pytest.approx(exact, rel=0.02)
    assert 0.005 < np.std(np.log(np.sort(runs)[:360])) < 0.06
    assert program.truth > 0


def test_losses_are_a_tenth_to_seven_tenths_at_the_largest_scale():
    for seed in range(20):
        program = draw("strong", np.random.default_rng(seed))
        work, effort = (program.effort(np.array([[32.0]]))[:most].sum() for most in (2, 5))
        assert 0.1 <= 1 - work / effort <= 0.7


def test_the_fixed_design_costs_what_its_runs_cost():
    program = draw("strong", np.random.default_rng(1))
    found = fixed_design(program, np.random.default_rng(2))
    assert found.cost == pytest.approx(5 * program.effort(program.scales).sum(), rel=0.2)
    assert found.width > 0 and isinstance(found.inside, bool)


@pytest.mark.slow
def test_a_campaign_in_rounds_stops_when_narrow_and_keeps_to_its_budget():
    program = draw("strong, bending", np.random.default_rng(1))
    fixed = fixed_design(program, np.random.default_rng(2))
    easy = in_rounds(program, 1e3, 1e9, np.random.default_rng(3))
    assert (easy.end, [purpose for purpose, *_ in easy.rounds]) == (
        End.ANSWERED,
        [Purpose.PILOT, Purpose.SERIES, Purpose.SERIES],
    )
    assert easy.cost < 0.5 * fixed.cost
    hard = in_rounds(program, 1e-3, fixed.cost, np.random.default_rng(3))
    assert hard.end in (End.NOTHING_HELPS, End.BUDGET)
    assert hard.cost <= 1.2 * fixed.cost


def test_runs_become_an_experiment_with_their_repetitions():
    program = draw("mesh, walking", np.random.default_rng(1))
    runs = Runs(program, np.random.default_rng(2))
    for scale, count in ((8.0, 2), (12.0, 1), (16.0, 1)):
        runs.make(np.array([scale]), count)
    experiment = runs.modelled().experiment
    assert experiment.shape == (3, 2)
    assert np.isnan(experiment.values["time"].sum[:, 1:, 1]).all()
    assert np.nansum(experiment.values["time"].sum) == pytest.approx(runs.cost)


@pytest.mark.slow
def test_programs_of_two_parameters_are_measured_on_a_grid_or_on_lines():
    program = draw("strong at sizes, walking", np.random.default_rng(1))
    assert (program.parameters, program.target.tolist()) == (("p", "n"), [128.0, 64.0])
    assert len(program.scales) == 25
    work, grown = program.effort(np.array([[2.0, 8.0], [2.0, 32.0]])).sum(axis=0)
    assert 16 / 1.5 < grown / work < 256 * 1.5
    fixed = fixed_design(program, np.random.default_rng(2), 1)
    rounds = in_rounds(program, 1e3, 1e9, np.random.default_rng(3))
    assert rounds.end is End.ANSWERED
    assert rounds.cost < 1.2 * fixed.cost


@pytest.mark.slow
def test_rounds_answer_for_less_than_the_fixed_design():
    trials = [trial(number, 7) for number in range(2)]
    lines = list(tables(trials))
    assert lines[2].startswith("| all | 2 | ")
    assert [line.split("|")[1].strip() for line in lines[3:6]] == ["formulas hold", *FAMILIES[:2]]
    assert sum(t.rounds.cost for t in trials) < 0.7 * sum(t.fixed_cost for t in trials)
    assert any(line.startswith("Ends: ") for line in lines)

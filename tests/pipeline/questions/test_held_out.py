"""Runs held out, and what models made without them predict there."""

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.experiment import Experiment
from ingest.scaling import Scaling, decide_scaling
from pipeline.columns.answers import held_out_table
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import Analysis, analyse
from pipeline.questions.held_out import COMPARED_KERNELS, QUESTION, compared, hold_out
from pipeline.questions.question import TargetForecast
from pipeline.questions.what_if import what_if
from tests.pipeline.questions.runtime.programs import experiment

SCALES = (1, 2, 4, 8, 16, 32)


def program(last: float = 1.0) -> Experiment:
    """A program whose effort is 100 + 3 p, exactly, times a factor at the last scale."""
    return experiment(
        [(p,) for p in SCALES],
        lambda at: {
            name: (last if at[0] == SCALES[-1] else 1.0) * time
            for name, time in (("solve", 100 / at[0]), ("MPI_Allreduce", 3.0))
        },
        repetitions=3,
    )


def modelled(study: Experiment) -> Analysis:
    return analyse(study, decide_scaling(study, Scaling.STRONG), "time", ModelOptions())


def test_what_is_exact_is_predicted_without_errors() -> None:
    study = hold_out(program(), ["p > 8"])
    assert study.points[:, 0].tolist() == [1, 2, 4, 8]
    assert study.notices[-1] == "models are made without 6 of 18 runs, which are held out (p > 8)"
    found = compared(modelled(study))
    assert found is not None
    assert found.points[:, 0].tolist() == [16, 32]
    assert found.kernels[:2] == ("solve", "MPI_Allreduce")
    np.testing.assert_allclose(found.measured[0], [100 + 3 * 16, 100 + 3 * 32])
    np.testing.assert_allclose(found.errors[:3], 0.0, atol=1e-9)


def test_errors_are_relative_to_what_was_measured() -> None:
    study = modelled(hold_out(program(last=2.0), ["p >= 16"]))
    found = QUESTION.ask(TargetForecast(analysis=study, targets=np.array([[32.0]])))
    assert found is not None
    first, last = found.points
    assert (first.at, last.at) == ({"p": 16}, {"p": 32})
    assert last.measured == pytest.approx(2 * (100 + 3 * 32))
    assert last.relative_error == pytest.approx(-0.5, abs=0.01)
    assert (first.inside, last.inside) == (True, False)
    solve = found.kernels[0]
    assert (solve.callpath, solve.points, solve.inside) == (("solve",), 2, 1)
    assert solve.mean_error == pytest.approx(0.25, abs=0.01)
    sentence = held_out_table(found).notes[0]
    assert sentence.startswith("held out at 2 scales: mean error 25.") and sentence.endswith("1 of 2 inside")


def test_any_of_several_conditions_holds_a_run_out() -> None:
    found = compared(modelled(hold_out(program(), ["p == 32", "repetition == 1"])))
    assert found is not None
    assert found.conditions == ("p == 32", "repetition == 1")
    assert found.points[:, 0].tolist() == list(SCALES)


def test_repetitions_are_compared_with_what_the_others_say_at_the_same_point() -> None:
    study = program()
    for reduction in study.values.values():
        for array in vars(reduction).values():
            array[:, :, 2] *= 1.25
    left = hold_out(study, ["repetition == 3"])
    assert left.shape == (len(SCALES), 2)
    assert {run.repetition for run in left.runs} == {0, 1}
    found = compared(modelled(left))
    assert found is not None
    np.testing.assert_allclose(found.errors[0], 1 / 1.25 - 1)


def test_points_that_are_kept_keep_their_runs() -> None:
    study = hold_out(program(), ["p == 2", "repetition == 1"])
    assert study.points[:, 0].tolist() == [1, 4, 8, 16, 32]
    assert [(run.point, run.repetition) for run in study.runs] == [(i, r) for i in range(5) for r in (0, 1)]
    whole = program()
    np.testing.assert_array_equal(study.values["time"].sum, whole.values["time"].sum[:, [0, 2, 3, 4, 5], 1:])


def test_only_the_largest_kernels_are_compared() -> None:
    names = [f"f{k}" for k in range(COMPARED_KERNELS + 3)]
    study = experiment(
        [(p,) for p in SCALES], lambda at: {name: k + 1.0 for k, name in enumerate(names)}, repetitions=2
    )
    found = compared(modelled(hold_out(study, ["p == 32"])))
    assert found is not None
    assert found.kernels == tuple(names[: -COMPARED_KERNELS - 1 : -1])


def test_nothing_is_compared_if_nothing_is_held_out_or_the_study_is_another() -> None:
    study = program()
    assert hold_out(study, ()) is study
    assert compared(modelled(study)) is None
    analysis = modelled(hold_out(study, ["p == 32"]))
    assert compared(what_if(analysis, ["solve=0.5"])) is None


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("n > 3", "no parameter 'n'; choose one of p, repetition"),
        ("p ~ 3", "is no condition on runs"),
        ("p > 32", r"no run has p > 32; there are p = 1, 2, 4, 8, 16, 32, up to 3 repetitions"),
        ("repetition > 3", r"no run has repetition > 3"),
        ("p > 2", "2 scales of p left; leave 3 at least"),
        ("p > 0", "no run is left; leave 3 at least"),
    ],
)
def test_what_cannot_be_is_refused(condition: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        hold_out(program(), [condition])


def test_a_second_parameter_needs_enough_values_only_if_others_of_it_are_held_out() -> None:
    points = [(p, n) for p in (1, 2, 4, 8) for n in (16, 32)]
    study = experiment(points, lambda at: {"solve": at[1] / at[0]}, names=("p", "n"))
    assert len(hold_out(study, ["p == 8"]).points) == 6
    with pytest.raises(UsageError, match="1 scale of n left"):
        hold_out(study, ["n == 32"])

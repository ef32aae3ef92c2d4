"""POP efficiencies at targets, from the parts of the run time."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from ingest.run_settings import STATISTIC
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.pop import efficiencies, pop_parts
from tests.pipeline.questions.runtime.programs import STRONG, WEAK, ideal
from tests.profiles import make_profile


def study(decision, scales=(2, 4, 8, 16, 32)):
    """The first location computes 1.5 times as long as the others, which wait for it in MPI_Recv."""
    runs = []
    for p in scales:
        work = 60.0 / (p + 0.5) if decision is STRONG else 3.0
        computing = [1.5 * work] + [work] * (p - 1)
        waiting = [0.2 * p**0.5 + 1.5 * work - own for own in computing]
        profile = make_profile(
            {"time": {("main",): [0.0] * p, ("main", "work"): computing, ("main", "MPI_Recv"): waiting}}
        )
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(profile, ["time"])))
    return RuntimeStudy(analyse(align(["p"], runs), decision, "time", ModelOptions()))


@pytest.mark.parametrize("decision", [STRONG, WEAK])
def test_they_continue_what_is_measured(decision):
    made, full = study(decision), study(decision, (2, 4, 8, 16, 32, 64))
    expected = efficiencies(full.analysis.experiment, decision)
    found = pop_parts(made, np.array([[16.0], [64.0]]))
    for name in ("load_balance", "communication", "parallel", "computation", "overall"):
        inside, beyond = getattr(found, name)
        assert inside == pytest.approx(getattr(expected, name)[3], rel=0.05), name
        assert beyond == pytest.approx(getattr(expected, name)[5], rel=0.2), name
    for values in (found.load_balance, found.communication):
        assert (values >= 0).all() and (values <= 1).all()
    assert found.parallel == pytest.approx(found.load_balance * found.communication)


def test_logs_have_no_load_balance_but_the_same_parallel_efficiency():
    measured, points = study(STRONG), np.array([[16.0], [64.0]])
    experiment = measured.analysis.experiment
    logs = tuple(replace(run, attributes={STATISTIC: "mean of processes"}) for run in experiment.runs)
    analysis = replace(measured.analysis, experiment=replace(experiment, runs=logs))
    found, expected = pop_parts(RuntimeStudy(analysis), points), pop_parts(measured, points)
    assert np.isnan(found.load_balance).all() and np.isnan(found.communication).all()
    assert found.parallel.tolist() == expected.parallel.tolist()
    assert found.overall.tolist() == expected.overall.tolist()


def test_without_communication_there_are_none():
    assert pop_parts(RuntimeStudy(ideal()), np.array([[64.0]])) is None

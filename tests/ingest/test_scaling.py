import pytest

from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, decide_scaling, process_parameter
from tests.profiles import make_profile

MAIN, SOLVE, REDUCE = ("main",), ("main", "solve"), ("main", "MPI_Allreduce")


def study(computing, processes=(1, 2, 4, 8), waiting=float):
    runs = []
    for p in processes:
        times = {MAIN: [0.0] * p, SOLVE: [computing(p)] * p, REDUCE: [waiting(p)] * p}
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(make_profile({"time": times}), ["time"])))
    return align(["p"], runs)


def test_computing_time_that_falls_like_1_over_p_is_strong_scaling():
    decision = decide_scaling(study(lambda p: 100.0 / p))
    assert decision.scaling is Scaling.STRONG
    assert decision.parameter == "p"
    assert "p^-1.00" in decision.reason


def test_computing_time_that_stays_is_weak_scaling():
    assert decide_scaling(study(lambda p: 100.0)).scaling is Scaling.WEAK


def test_waiting_does_not_count_as_computing():
    assert decide_scaling(study(lambda p: 1.0 / p, waiting=lambda p: 1000.0)).scaling is Scaling.STRONG


def test_an_unclear_slope_is_said():
    decision = decide_scaling(study(lambda p: 100.0 / p**0.55))
    assert "not clearly" in decision.reason


def test_what_the_user_says_wins():
    decision = decide_scaling(study(lambda p: 100.0 / p), Scaling.WEAK)
    assert decision.scaling is Scaling.WEAK
    assert "as requested" in decision.reason


@pytest.mark.parametrize("name", ["n", "p"])
def test_a_parameter_that_does_not_change_the_number_of_locations_counts_no_processes(name):
    runs = [
        MeasuredRun((float(n),), 1, reduce_profile(make_profile({"time": {MAIN: [float(n)]}}), ["time"]))
        for n in (8, 16, 32)
    ]
    experiment = align([name], runs)
    assert process_parameter(experiment) == ""
    assert decide_scaling(experiment).scaling is Scaling.NONE

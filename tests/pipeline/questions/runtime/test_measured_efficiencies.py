from dataclasses import replace

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from ingest.run_settings import STATISTIC
from ingest.scaling import Scaling, ScalingDecision
from pipeline.questions.runtime.pop import NO_COUNTERS, NOT_FROM_MEANS, efficiencies
from tests.profiles import make_profile

MAIN, SOLVE, SEND = ("main",), ("main", "solve"), ("main", "MPI_Send")
STRONG = ScalingDecision(Scaling.STRONG, "p", "")
WEAK = ScalingDecision(Scaling.WEAK, "p", "")


def run(p, solve, send, **counters):
    time = {MAIN: [0.0] * len(solve), SOLVE: solve, SEND: send}
    metrics = {"time": time}
    for name, values in counters.items():
        metrics[name] = {MAIN: [0.0] * len(solve), SOLVE: values, SEND: [1e9] * len(solve)}
    names = ["time", *counters]
    return MeasuredRun((float(p),), 1, reduce_profile(make_profile(metrics), names))


def test_the_metrics_of_a_tiny_study_computed_by_hand():
    # p = 2: useful 6 and 4 of 8 seconds: balance 5/6, communication 6/8, parallel 5/8;
    # useful in all 10 against 8 on one process: computation scalability 0.8.
    found = efficiencies(align(["p"], [run(1, [8.0], [0.0]), run(2, [6.0, 4.0], [2.0, 4.0])]), STRONG)
    assert found.load_balance.tolist() == pytest.approx([1.0, 5 / 6])
    assert found.communication.tolist() == pytest.approx([1.0, 6 / 8])
    assert found.parallel.tolist() == pytest.approx([1.0, 5 / 8])
    assert found.computation.tolist() == pytest.approx([1.0, 0.8])
    assert found.overall.tolist() == pytest.approx([1.0, 0.5])
    assert np.isnan(found.ipc).all()
    assert NO_COUNTERS in found.notices


def test_weak_scaling_compares_useful_time_per_location():
    found = efficiencies(align(["p"], [run(1, [8.0], [0.0]), run(2, [8.0, 8.0], [2.0, 2.0])]), WEAK)
    assert found.computation.tolist() == pytest.approx([1.0, 1.0])
    assert found.parallel.tolist() == pytest.approx([1.0, 0.8])


@pytest.mark.parametrize(
    ("instructions", "cycles"), [("PAPI_TOT_INS", "PAPI_TOT_CYC"), ("instructions:u", "cpu-cycles")]
)
def test_counters_of_computing_regions_give_the_factors_of_computation(instructions, cycles):
    runs = [
        run(1, [8.0], [0.0], **{instructions: [1000.0], cycles: [500.0]}),
        run(2, [5.0, 5.0], [0.0, 0.0], **{instructions: [600.0, 600.0], cycles: [400.0, 400.0]}),
    ]
    found = efficiencies(align(["p"], runs), STRONG)
    assert found.frequency.tolist() == pytest.approx([1.0, (800 / 10) / (500 / 8)])
    assert found.ipc * found.instructions * found.frequency == pytest.approx(found.computation)
    assert found.ipc.tolist() == pytest.approx([1.0, 0.75])
    assert found.instructions.tolist() == pytest.approx([1.0, 1000 / 1200])


def test_without_communication_nothing_is_guessed():
    profile = make_profile({"time": {MAIN: [1.0], SOLVE: [2.0]}})
    experiment = align(["p"], [MeasuredRun((1.0,), 1, reduce_profile(profile, ["time"]))])
    assert efficiencies(experiment, STRONG) is None


def test_waiting_in_openmp_barriers_is_not_useful_but_loop_bodies_are():
    loop, barrier = "!$omp for @a.c:3", "!$omp implicit barrier @a.c:9"
    paths = {MAIN: [0.0, 0.0], ("main", loop): [3.0, 1.0], ("main", barrier): [0.0, 2.0], SEND: [1.0, 1.0]}
    profile = make_profile({"time": paths}, paradigm={loop: "openmp", barrier: "openmp"})
    experiment = align(["p"], [MeasuredRun((2.0,), 1, reduce_profile(profile, ["time"]))])
    found = efficiencies(experiment, STRONG)
    assert found.load_balance.tolist() == pytest.approx([2 / 3])
    assert found.communication.tolist() == pytest.approx([3 / 4])


def test_instructions_of_threads_that_spin_in_a_barrier_are_not_work():
    barrier = "!$omp implicit barrier @a.c:9"
    runs = []
    for p, spinning in ((1, 0.0), (2, 5000.0)):
        counters = {
            MAIN: [0.0] * p,
            SOLVE: [1000.0 / p] * p,
            ("main", barrier): [spinning] * p,
            SEND: [9.0] * p,
        }
        metrics = {"time": counters, "PAPI_TOT_INS": counters, "PAPI_TOT_CYC": counters}
        profile = make_profile(metrics, paradigm={barrier: "openmp"})
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(profile, list(metrics))))
    found = efficiencies(align(["p"], runs), STRONG)
    assert found.instructions.tolist() == pytest.approx([1.0, 1.0])


def test_means_of_processes_have_no_load_balance():
    runs = [run(1, [8.0], [0.0]), run(2, [5.0, 5.0], [3.0, 3.0])]
    means = [
        replace(r, profile=replace(r.profile, attributes={STATISTIC: "mean of processes"})) for r in runs
    ]
    found = efficiencies(align(["p"], means), STRONG)
    assert np.isnan(found.load_balance).all()
    assert np.isnan(found.communication).all()
    assert found.parallel.tolist() == pytest.approx([1.0, 5 / 8])
    assert found.overall.tolist() == pytest.approx([1.0, 0.8 * 5 / 8])
    assert NOT_FROM_MEANS in found.notices
    assert NOT_FROM_MEANS not in efficiencies(align(["p"], runs), STRONG).notices

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align, experiment_from_series
from ingest.profile import CPU, Metric
from ingest.reduction import reduce_profile
from ingest.region_class import GPU_KERNEL
from ingest.run_settings import GENERATOR, TABLE_SETTING
from ingest.scaling import (
    Scaling,
    computing_time_per_location,
    decide_scaling,
    location_unit,
    process_parameter,
)
from ingest.series import MeasuredSeries
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


def without_waiting(computing):
    """A study whose profiles have no region that communicates."""
    times = {p: {MAIN: [0.0] * p, SOLVE: [computing(p)] * p} for p in (1, 2, 4, 8)}
    return align(["p"], [run_at((float(p),), values) for p, values in times.items()])


def test_weak_scaling_is_not_claimed_if_waiting_may_look_like_computing():
    decision = decide_scaling(without_waiting(lambda p: 100.0))
    assert (decision.scaling, decision.parameter) == (Scaling.NONE, "p")
    assert "strong or weak is unknown" in decision.reason and "p^0.00" in decision.reason
    assert "use --scaling strong or --scaling weak" in decision.reason
    assert decide_scaling(without_waiting(lambda p: 100.0 / p)).scaling is Scaling.STRONG
    assert decide_scaling(without_waiting(lambda p: 100.0), Scaling.WEAK).scaling is Scaling.WEAK


def test_waiting_does_not_count_as_computing():
    assert decide_scaling(study(lambda p: 1.0 / p, waiting=lambda p: 1000.0)).scaling is Scaling.STRONG


def accelerated(kernels, hosts=1, accelerators=1, computing=3.0, processes=(1, 2, 4, 8)):
    """A study of programs with hosts and accelerators in each process; hosts compute for the same time."""
    runs = []
    for p in processes:
        device = [*[CPU] * (hosts * p), *range(accelerators * p)]
        times = {
            MAIN: [computing if of == CPU else 0.0 for of in device],
            ("main", "axpy"): [0.0 if of == CPU else kernels(p) for of in device],
            REDUCE: [1.0 if of == CPU else 0.0 for of in device],
        }
        profile = make_profile({"time": times}, paradigm={"axpy": GPU_KERNEL}, device=device)
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(profile, ["time"])))
    return align(["p"], runs)


def test_kernels_on_accelerators_compute():
    assert decide_scaling(accelerated(lambda p: 100.0 / p)).scaling is Scaling.STRONG
    assert decide_scaling(accelerated(lambda p: 100.0)).scaling is Scaling.WEAK
    two_each = accelerated(lambda p: 5.0 / p, accelerators=2)
    expected = [[3.0 + 10.0 / p] for p in (1, 2, 4, 8)]  # per host
    assert computing_time_per_location(two_each) == pytest.approx(np.array(expected))


def test_without_hosts_accelerators_are_the_locations():
    devices_only = accelerated(lambda p: 100.0 / p, hosts=0, accelerators=2)
    assert process_parameter(devices_only) == "p"
    assert computing_time_per_location(devices_only)[:, 0].tolist() == [100.0 / p for p in (1, 2, 4, 8)]


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


def test_a_series_file_is_modelled_as_it_is():
    points = np.array([[1.0], [2.0]])
    series = MeasuredSeries(
        source="a.txt",
        parameters=("p",),
        points=points,
        callpaths=(("f",),),
        metrics=(Metric("time", ""),),
        values={"time": np.ones((1, 2, 1))},
    )
    decision = decide_scaling(experiment_from_series(series))
    assert (decision.scaling, decision.parameter) == (Scaling.NONE, "")
    assert "as they are" in decision.reason


def test_without_computing_time_strong_scaling_is_assumed():
    decision = decide_scaling(study(lambda p: 0.0))
    assert decision.scaling is Scaling.STRONG
    assert "no computing time was measured" in decision.reason


@pytest.mark.parametrize(
    ("exponent", "scaling", "clear"),
    [
        (-1.29, Scaling.STRONG, True),
        (-1.31, Scaling.STRONG, False),
        (-0.71, Scaling.STRONG, True),
        (-0.69, Scaling.STRONG, False),
        (-0.51, Scaling.STRONG, False),
        (-0.49, Scaling.WEAK, False),
        (-0.31, Scaling.WEAK, False),
        (-0.29, Scaling.WEAK, True),
        (0.29, Scaling.WEAK, True),
        (0.31, Scaling.WEAK, False),
    ],
)
def test_half_way_between_the_two_the_decision_changes_and_near_it_is_unclear(exponent, scaling, clear):
    decision = decide_scaling(study(lambda p: 100.0 * p**exponent))
    assert decision.scaling is scaling
    assert ("not clearly" not in decision.reason) == clear
    assert f"p^{exponent:.2f}" in decision.reason


def run_at(point, times, process=None):
    return MeasuredRun(point, 1, reduce_profile(make_profile({"time": times}, process=process), ["time"]))


def test_computing_time_is_useful_time_per_location():
    loop, barrier = ("main", "!$omp for"), ("main", "!$omp barrier")
    times = {MAIN: [1.0, 2.0], loop: [3.0, 4.0], barrier: [50.0, 60.0], REDUCE: [70.0, 80.0]}
    profile = make_profile({"time": times}, paradigm={loop[-1]: "openmp", barrier[-1]: "openmp"})
    experiment = align(["p"], [MeasuredRun((2.0,), 1, reduce_profile(profile, ["time"]))])
    assert computing_time_per_location(experiment).tolist() == [[5.0]]


def test_the_parameter_along_which_locations_grow_counts_processes():
    runs = [run_at((n, p), {MAIN: [1.0 / p] * p}) for p in (1, 2, 4) for n in (10.0, 20.0)]
    experiment = align(["n", "p"], runs)
    assert process_parameter(experiment) == "p"
    assert decide_scaling(experiment).scaling is Scaling.STRONG
    noisy = [run_at((x, 1.0), {MAIN: [1.0] * k}) for x, k in ((1.0, 2), (2.0, 1), (4.0, 3), (8.0, 2))]
    assert process_parameter(align(["x", "y"], noisy)) == ""


def test_a_parameter_that_is_zero_or_negative_counts_no_processes():
    for values in ((0.0, 1.0, 2.0), (-1.0, 1.0, 2.0)):
        runs = [run_at((x,), {MAIN: [1.0] * (i + 1)}) for i, x in enumerate(values)]
        assert process_parameter(align(["x"], runs)) == ""


def test_slopes_are_taken_with_the_other_parameters_fixed():
    runs = [run_at((float(p), n), {MAIN: [n * n / p] * p}) for p in (1, 2, 4) for n in (1.0, 8.0)]
    runs.append(run_at((16.0, 64.0), {MAIN: [1e6] * 16}))  # alone with its n
    decision = decide_scaling(align(["p", "n"], runs))
    assert decision.parameter == "p" and "p^-1.00" in decision.reason


def falling(name, power=-0.9, **more):
    points = np.array([[1.0], [2.0], [4.0], [16.0]])
    return experiment_from_series(
        MeasuredSeries(
            source="made",
            parameters=(name,),
            points=points,
            callpaths=(("main",),),
            metrics=(Metric("time", ""),),
            values={"time": 100 * points[None, :] ** power},
            **more,
        )
    )


def test_series_that_fall_with_processes_are_strong_and_the_other_is_offered():
    for name in ("p", "nodes", "jobsize"):
        decision = decide_scaling(falling(name))
        assert (decision.scaling, decision.parameter) == (Scaling.STRONG, name)
        expected = (
            f"values fall as {name}^-0.90: strong scaling; if the problem grows with it, use --scaling weak"
        )
        assert decision.reason == expected
    for series in (falling("n"), falling("p", -0.4), falling("p", 0.1)):
        assert decide_scaling(series).scaling is Scaling.NONE
    assert decide_scaling(falling("p"), Scaling.WEAK).scaling is Scaling.WEAK


def tables_of(name, seconds=lambda k: 100.0 / k, generator=TABLE_SETTING):
    runs = []
    for k in (1, 2, 4, 8):
        profile = make_profile({"time": {MAIN: [seconds(k)] * k}})
        profile.attributes[GENERATOR] = generator
        runs.append(MeasuredRun((float(k),), 1, reduce_profile(profile, ["time"])))
    return align([name], runs)


def test_locations_of_tables_are_what_they_count():
    found = {name: location_unit(tables_of(name)) for name in ("nodes", "gpus", "p", "cores", "num_tasks")}
    assert found == {"nodes": "node", "gpus": "GPU", "p": "core", "cores": "core", "num_tasks": "core"}
    assert location_unit(tables_of("nodes", generator="Score-P")) == "core"
    assert [location_unit(falling(name)) for name in ("nodes", "p", "n")] == ["node", "core", "core"]


def test_nodes_whose_time_falls_are_strong_and_the_other_is_offered():
    decision = decide_scaling(tables_of("nodes"))
    assert decision.scaling is Scaling.STRONG
    assert decision.reason.endswith("strong scaling; if the problem grows with it, use --scaling weak")
    assert "--scaling" not in decide_scaling(tables_of("p")).reason
    assert decide_scaling(tables_of("nodes", lambda k: 100.0)).scaling is Scaling.NONE

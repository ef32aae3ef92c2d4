"""What limits kernels, by verdicts on their counters, and how sure that is without them."""

import numpy as np
import pytest

from pipeline.models.options import ModelOptions
from pipeline.projection.rooflines.region_verdicts import RESOURCES, Bound, RegionVerdict, Resource, Use
from pipeline.projection.study.kernel_table import (
    PATTERNS,
    TYPICAL_MIX,
    KernelTable,
    Pattern,
    exponents_within,
    limits_of,
    network_ratio,
    pattern_of,
    posts,
    seconds_of_call,
    seconds_of_calls,
    signs_of,
)
from pipeline.projection.study.projected_study import project_study
from tests.pipeline.projection.study.machines import FAST, SLOW, machine, study


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (RegionVerdict(bound=Bound.MEMORY, level="DRAM"), Resource.MEMORY),
        (RegionVerdict(bound=Bound.MEMORY, level="L2"), Resource.L2),
        (RegionVerdict(bound=Bound.ARITHMETIC), Resource.ARITHMETIC),
        (RegionVerdict(bound=Bound.LATENCY, not_judged=()), Resource.LATENCY),
        (RegionVerdict(bound=Bound.LATENCY, not_judged=("L1",)), None),
        (RegionVerdict(bound=Bound.ASSUMED), None),
        (RegionVerdict(bound=Bound.MEMORY, level="DRAM", uses={"DRAM": Use(2.0, 1.0)}), None),
        (None, None),
    ],
)
def test_a_verdict_without_doubts_tells_what_limits(tmp_path, found, expected):
    caches = '[values]\nbw_l2 = "100 GB/s"'
    places = [machine(tmp_path, text.replace("[values]", caches), "a") for text in (SLOW, FAST)]
    counted = limits_of([found], *places)
    assert counted.decided[0] == (expected is not None)
    assert [one for one, share in zip(RESOURCES, counted.limits[0], strict=True) if share] == (
        [expected] if expected else []
    )
    assert counted.lacking == ()


def test_a_limit_without_its_value_on_both_machines_decides_nothing(tmp_path):
    found = RegionVerdict(bound=Bound.LATENCY, not_judged=())
    slow = machine(tmp_path, SLOW, "slow")
    plain = machine(tmp_path, FAST.replace('latency_memory = "50 ns"', ""), "plain")
    counted = limits_of([found, found], slow, plain)
    assert counted.lacking == ("latency_memory",)
    assert not counted.decided.any()


@pytest.mark.parametrize(
    "own", [(0.1, 0.25, 0.0, 0.65), (0.1, 0.45, 0.0, 0.45), (1.0, 0.0, 0.0, 0.0), (0.15, 0.65, 0.2, 0.0)]
)
def test_the_interval_of_a_stranger_holds_each_program_learned_from(own):
    """They miss their own mixes by 20 %."""
    random, one = np.random.default_rng(0), np.zeros(1, dtype=np.int64)
    typical, truly = (
        np.array([dict(zip(TYPICAL_MIX, mix, strict=True)).get(resource, 0.0) for resource in RESOURCES])
        for mix in (TYPICAL_MIX.values(), own)
    )
    table = KernelTable(
        way=one,
        pattern=one,
        finishes=one > 0,
        mix=typical[None],
        tested=one > 0,
        doubt=np.ones(1),
        signs=("",),
        visits=None,
        moved=None,
    )
    slower = random.normal(scale=0.4, size=(len(RESOURCES), 400))  # logarithms, of 400 pairs of machines
    there = table.drawn_mix(one, random)[1:, 0] @ slower
    there += table.method_error(one) * random.standard_normal((len(there), 1))
    truth = truly @ slower + random.normal(scale=0.2, size=400)
    lower, upper = np.quantile(there, [0.05, 0.95], axis=0)
    assert np.mean((lower <= truth) & (truth <= upper)) > 0.88
    assert np.median(upper - lower) < np.log(3.5)


TYPICAL = np.array([TYPICAL_MIX.get(one, 0.0) for one in RESOURCES])
MEMORY, ARITHMETIC, CLOCK = (
    RESOURCES.index(one) for one in (Resource.MEMORY, Resource.ARITHMETIC, Resource.CLOCK)
)
NODE = SLOW.replace("cores = 4", "cores = 16").replace(
    "64 Gflop", "256 Gflop"
)  # 20 GB/s alone, 2.5 of 40 if all 16 cores compute
POINT = np.array([[16.0]])


def program(p):
    """Of one node of 16 cores: bound by bandwidth, flat, and half serial."""
    slower = 20.0 / min(20.0, 40.0 / p)
    return {"stream": 40.0 / p * slower, "flat": 40.0 / p, "serial": 20.0 + 20.0 / p}


@pytest.fixture(scope="module")
def projected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    places = machine(folder, NODE, "node"), machine(folder, FAST, "fast")
    return project_study(study(program)["time"], {}, *places, ModelOptions())


def of(projected, name):
    level = projected.here.callpaths
    k = level.kernels.regions.index(name)
    here, there = (one.callpaths.models.predict(POINT) for one in (projected.here, projected.there))
    return projected.callpaths.table.mix[k], there.value[k, 0] / here.value[k, 0], k


def test_a_kernel_that_saturates_a_node_goes_over_by_bandwidth(projected):
    mix, factor, k = of(projected, "stream")
    assert mix[MEMORY] > 0.8
    assert factor == pytest.approx(2.5 / 40, rel=0.45)  # GB/s of a process here over there
    assert factor < of(projected, "flat")[1] / 2
    assert projected.callpaths.table.signs[k] == "times within a node say 100 % bandwidth"


def test_a_kernel_whose_time_per_core_is_flat_does_not_go_by_bandwidth(projected):
    mix, factor, _ = of(projected, "flat")
    assert mix[MEMORY] < 0.06
    assert mix.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(mix[1:] / mix[ARITHMETIC], TYPICAL[1:] / TYPICAL[ARITHMETIC])
    assert 0.25 < factor < 0.5  # a quarter by arithmetic, half by latency and clock
    assert any("names or times within a node" in one for one in projected.assumptions)


def test_the_sign_makes_bandwidth_surer_and_leaves_the_rest_as_open_as_it_was(projected):
    table = projected.callpaths.table
    k = np.array([of(projected, name)[2] for name in ("flat", "serial")])
    draws = table.drawn_mix(k, np.random.default_rng(0))[1:]
    np.testing.assert_allclose(draws.sum(axis=2), 1.0)
    with_sign, without = draws[..., MEMORY].T
    assert np.std(with_sign) < 0.4 * np.std(without)
    split = draws[..., ARITHMETIC] / (draws[..., ARITHMETIC] + draws[..., CLOCK])
    np.testing.assert_allclose(split[:, 0], split[:, 1])


def test_costs_that_grow_before_bandwidth_falls_are_no_sign(projected):
    mix, _, k = of(projected, "serial")
    np.testing.assert_allclose(mix, TYPICAL)
    assert projected.callpaths.table.signs[k] == ""


@pytest.mark.parametrize(
    "text", [SLOW, NODE.replace('bw_core = "20 GB/s"', "")], ids=["bandwidth falls by two", "no core's"]
)
def test_without_a_node_that_tells_the_mix_stays(tmp_path, text):
    places = machine(tmp_path, text, "here"), machine(tmp_path, FAST, "fast")
    found = project_study(study(program)["time"], {}, *places, ModelOptions())
    assert set(found.callpaths.table.signs) == {""}
    np.testing.assert_allclose(of(found, "stream")[0], TYPICAL)


def test_exponents_err_by_what_the_line_misses():
    bandwidth = np.array([20.0, 20.0, 10.0, 5.0, 2.5])
    noisy = 10.0 * (20.0 / bandwidth) ** 0.5 * np.array([1.0, 1.0, 0.7, 1.5, 1.0])
    found = exponents_within(np.stack([10.0 * (20.0 / bandwidth) ** 0.5, noisy, 0.0 * noisy]), bandwidth)
    assert found is not None
    slope, error = found
    assert slope[0] == pytest.approx(0.5)
    assert error[1] > 2 * error[0]
    assert np.isnan(slope[2])
    steep = exponents_within(10.0 * (20.0 / bandwidth[None]) ** 2, bandwidth)
    assert steep is not None
    assert np.isnan(steep[0]).all()
    assert exponents_within(noisy[None, :1], bandwidth[:1]) is None


@pytest.mark.parametrize(
    ("name", "said", "more"),
    [
        ("cblas_dgemm", "dense algebra", {Resource.ARITHMETIC}),
        ("dfftw_execute_", "Fourier transform", {Resource.MEMORY, Resource.ARITHMETIC}),
        ("hpcg::ComputeSPMV(int)", "sparse or vector algebra", {Resource.MEMORY}),
        ("nbnxn_kernel", "particles", {Resource.ARITHMETIC, Resource.CLOCK}),
    ],
)
def test_a_name_moves_the_mix_halfway_and_makes_it_no_surer(name, said, more):
    mix, doubt, words = signs_of([name], TYPICAL, 0.03, None)
    assert words == [f"the name says {said}"]
    assert mix.sum() == pytest.approx(1.0)
    assert {RESOURCES[k] for k in np.flatnonzero(mix[0] > TYPICAL)} == more
    assert (mix[0] >= TYPICAL / 2).all()
    assert doubt[0] == 1.0


@pytest.mark.parametrize("name", ["main", "density_update", "std::make_pair", "CalcForceForNodes", "solver"])
def test_other_names_say_nothing(name):
    mix, _, words = signs_of([name], TYPICAL, 0.03, None)
    assert words == [""]
    np.testing.assert_array_equal(mix[0], TYPICAL)


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("MPI_Send", Pattern.MESSAGE),
        ("MPI_Irecv", Pattern.MESSAGE),
        ("MPI_Allreduce", Pattern.REDUCTION),
        ("MPI_Iallreduce", Pattern.REDUCTION),
        ("mpi_allreduce_", Pattern.REDUCTION),
        ("MPI_Allreduce_init", Pattern.REDUCTION),
        ("MPI_Ibcast", Pattern.TREE),
        ("MPI_Allgatherv", Pattern.TREE),
        ("PMPI_Alltoallv_c", Pattern.ALL_TO_ALL),
        ("MPI_Wait", Pattern.MESSAGE),
    ],
)
def test_patterns_follow_from_names(name, pattern):
    assert pattern_of(name) is pattern


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("MPI_Irecv", True),
        ("MPI_Isend", True),
        ("MPI_Startall", True),
        ("MPI_Recv", False),
        ("MPI_Wait", False),
        ("MPI_Send", False),
    ],
)
def test_what_starts_a_message_does_not_wait_for_it(name, starts):
    assert posts(name) is starts


def test_calls_by_hand(tmp_path):
    slow, eight = machine(tmp_path, SLOW, "slow"), np.array([8.0])
    message = 2e-6 + 1000 / 1e9
    found = [seconds_of_call(slow, pattern, eight, np.array([1000.0]))[0, 0] for pattern in Pattern]
    more_than_empty = 999 / 1e9
    assert found == pytest.approx(
        [
            message,
            10e-6 * 3 + more_than_empty,
            10e-6 * 3 / 2 + more_than_empty,
            7 * (2e-6 + 1000 / 7 / 1e9),
        ]
    )


def test_all_calls_of_all_processes_add_up(tmp_path):
    slow = machine(tmp_path, SLOW, "slow")
    patterns = np.array([PATTERNS.index(p) for p in (Pattern.REDUCTION, Pattern.MESSAGE)])
    visits = np.array([[0.0, 400.0], [100.0, 800.0]])
    moved = np.array([[0.0, 3200.0], [1e8, 8e8]])
    found = seconds_of_calls(slow, patterns, visits, moved, np.array([1.0, 8.0]))
    expected = [[0, 400 * (30e-6 + 7e-9)], [100 * (2e-6 + 1e-3), 800 * (2e-6 + 1e-3)]]
    np.testing.assert_allclose(found[0], expected)
    np.testing.assert_allclose(found[1], expected)


def test_networks_compare_by_pattern_if_sizes_are_unknown(tmp_path):
    """An allreduce takes half as long on the fast network, a message between a half and a tenth."""
    both, p = (machine(tmp_path, SLOW, "slow"), machine(tmp_path, FAST, "fast")), np.array([64.0])
    message, reduction = (network_ratio(*both, one, p, "") for one in (Pattern.MESSAGE, Pattern.REDUCTION))
    assert 0.1 < message[0, 0] < 0.5
    assert message[0, 0] < reduction[0, 0] <= 0.5
    assert np.log(message[1:]).std() > 0.3

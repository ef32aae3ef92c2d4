"""Signs of what limits kernels: names, and times within a node."""

import numpy as np
import pytest

from pipeline.models.options import ModelOptions
from pipeline.projection.study.kernel_table import TYPICAL_MIX, exponents_within, signs_of
from pipeline.projection.study.projected_study import project_study
from pipeline.projection.study.study_machine import RESOURCES, Resource
from tests.pipeline.projection.study.machines import FAST, SLOW, machine, study

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

"""Studies on another machine: the program, its kernels, its limits."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.projection.study.projected_study import project_study
from pipeline.questions.analysis import look_ahead
from pipeline.questions.runtime.runtime import runtime
from tests.pipeline.projection.study.machines import FAST, SLOW, machine, study

POINTS = np.array([[1.0], [4.0], [16.0], [64.0], [1024.0]])


def times(p):
    """A sweep that scales, sums whose messages take 10 us * log2(p) each, and as much waiting, start-up."""
    return {
        "sweep": 100.0 / p,
        "MPI_Allreduce": 1e4 * (10e-6 * np.log2(p) + 8e-9) + 0.01 * 100.0 / p,
        "MPI_Init": 0.5,
    }


def counts(p):
    return {"sweep": (10, 0), "MPI_Allreduce": (10_000, 80_000), "MPI_Init": (1, 0)}


@pytest.fixture(scope="module")
def measured():
    return study(times, counts)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    return machine(folder, SLOW, "slow"), machine(folder, FAST, "fast")


@pytest.fixture(scope="module")
def projection(measured, places):
    return project_study(measured["time"], measured, *places, ModelOptions())


def of(level, name):
    return level.kernels.regions.index(name)


def predictions(analysis):
    for level in (analysis.callpaths, analysis.regions):
        yield level.kernels.values
        yield from vars(level.models.predict(POINTS)).values()
        yield from vars(level.models.predict(POINTS, 0.5)).values()


def test_on_its_own_machine_a_study_stays_what_it_is(measured, places):
    found = project_study(measured["time"], measured, places[0], places[0], ModelOptions())
    for here, there in zip(predictions(found.here), predictions(found.there), strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-9)


def test_on_a_machine_with_the_same_figures_values_stay_and_intervals_do_not(measured, places, tmp_path):
    twin = machine(tmp_path, SLOW, "twin")
    found = project_study(measured["time"], measured, places[0], twin, ModelOptions())
    here, there = (one.callpaths.models.predict(POINTS) for one in (found.here, found.there))
    np.testing.assert_allclose(there.value, here.value, rtol=1e-9)
    sweep = of(found.there.callpaths, "sweep")
    assert (there.upper[sweep] / there.value[sweep] > 1.2).all()


def test_a_kernel_that_computes_by_hand(projection):
    level = projection.there.callpaths
    sweep = of(level, "sweep")
    here = projection.here.callpaths.models.predict(POINTS).value[sweep]
    memory = np.array([20 / 80, 10 / 80, 10 / 40, 10 / 40, 10 / 40])
    expected = here * (0.5 * memory + 0.25 * (64 / 4) / (512 / 8) + 0.25 * 50 / 100)
    found = level.models.predict(POINTS)
    np.testing.assert_allclose(found.value[sweep], expected)
    assert (found.lower[sweep] < 0.8 * expected).all()
    assert (found.upper[sweep] > 1.25 * expected).all()


def test_an_mpi_region_by_hand(projection, measured):
    level, p = projection.there.callpaths, POINTS[:, 0]
    row, sweep = of(level, "MPI_Allreduce"), of(level, "sweep")
    here = projection.here.callpaths.models.predict(POINTS).value
    there = level.models.predict(POINTS).value
    calls = measured["visits"].callpaths.models.predict(POINTS).value[row]
    on_slow, on_fast = (calls * (us * 1e-6 * np.log2(p) + 7 / rate) for us, rate in ((10, 1e9), (5, 10e9)))
    transferred = np.minimum(on_slow, here[row])
    expected = transferred * on_fast / on_slow + (here[row] - transferred) * there[sweep] / here[sweep]
    np.testing.assert_allclose(there[row], expected, rtol=1e-9)


def test_calls_that_move_nothing_go_with_the_computing(places):
    """MPI_Irecv posts a message whose bytes are counted where it is completed."""

    def program(p):
        return {"work": 80.0 / p, "MPI_Irecv": 0.5 / p, "MPI_Wait": 1.0 / p}

    calls = {"MPI_Irecv": (1000, 0), "MPI_Wait": (1000, 8_000_000)}
    measured = study(program, lambda p: calls)
    found = project_study(measured["time"], measured, *places, ModelOptions())
    here, there = (one.callpaths.models.predict(POINTS).value for one in (found.here, found.there))
    level = found.there.callpaths
    factor = {name: there[of(level, name)] / here[of(level, name)] for name in program(1)}
    np.testing.assert_allclose(factor["MPI_Irecv"], factor["work"])
    assert (np.abs(factor["MPI_Wait"] / factor["work"] - 1) > 0.05).any()


def test_the_total_is_the_sum_of_its_kernels(projection):
    total = predict_total(projection.there.callpaths.models, POINTS)
    for level in (projection.there.callpaths, projection.there.regions):
        np.testing.assert_allclose(level.models.predict(POINTS).value.sum(axis=0), total.value[0])
    assert (total.lower < total.value).all()
    assert (total.upper > total.value).all()


def test_the_total_errs_at_least_by_what_it_errs_here(projection):
    here, there = (predict_total(one.callpaths.models, POINTS) for one in (projection.here, projection.there))
    assert (there.upper / there.value >= here.upper / here.value).all()
    assert (there.lower / there.value <= here.lower / here.value).all()


def test_counters_tell_what_limits_a_kernel(places):
    """Triad uses 15 GB/s of 20 on one core, multiply 12 Gflop/s of 16; nothing was counted of the rest."""

    def program(p):
        return {"triad": 60.0 / p, "multiply": 30.0 / p, "rest": 10.0 / p}

    def counters(p):
        moved = {"triad": 8e9 * 60 / p / 64, "multiply": 1e7 / p}
        return {
            "PAPI_L3_TCM": moved,
            "PAPI_FP_OPS": {"triad": 1e9 * 60 / p, "multiply": 12e9 * 30 / p},
            "PAPI_L2_TCM": moved,
            "PAPI_L1_DCM": moved,
        }

    measured = study(program, counters=counters)
    found = project_study(measured["time"], measured, *places, ModelOptions())
    level, p = found.there.callpaths, POINTS[:, 0]
    here = found.here.callpaths.models.predict(POINTS).value
    there = level.models.predict(POINTS)
    triad, multiply, rest = (of(level, name) for name in ("triad", "multiply", "rest"))
    memory = np.minimum(20, 40 / np.minimum(p, 4)) / np.minimum(80, 320 / np.minimum(p, 8))
    np.testing.assert_allclose(there.value[triad], here[triad] * memory)
    np.testing.assert_allclose(there.value[multiply], here[multiply] * (64 / 4) / (512 / 8))
    assert found.callpaths.tested[[triad, multiply]].all()
    assert not found.callpaths.tested[rest]
    width = [np.log(there.upper[row, 2] / there.lower[row, 2]) for row in (triad, rest)]
    assert width[0] < 0.5 * width[1]
    assert any("counters tell what limits 90.0 % of the computing" in one for one in found.assumptions)


def test_start_up_stays(projection):
    level = projection.there.callpaths
    row = of(level, "MPI_Init")
    here = projection.here.callpaths.models.predict(POINTS)
    found = level.models.predict(POINTS)
    np.testing.assert_allclose(found.value[row], here.value[row])
    assert (found.upper[row] / here.value[row] > 1.8).all()
    assert look_ahead(projection.there, level, POINTS[-1:]).standing.start_up[row]


def test_measured_values_are_taken_there_kernel_by_kernel(projection):
    level, here = projection.there.callpaths, projection.here.callpaths
    sweep = of(level, "sweep")
    factor = level.kernels.values[sweep] / here.kernels.values[sweep]
    np.testing.assert_allclose(factor[:, 0], factor[:, 1])  # repetitions alike
    assert factor[0, 0] == pytest.approx(0.5 * 20 / 80 + 0.25 / 4 + 0.25 / 2)


def test_limits_follow_the_other_machine(projection):
    here, there = (runtime(one, np.array([[1024.0]])) for one in (projection.here, projection.there))
    assert there.figures.wall.value[0] < here.figures.wall.value[0] / 2
    assert there.figures.wall.below[0] > here.figures.wall.below[0]  # what the projection misses counts
    assert here.figures.longest[0] / here.figures.wall.value[0] == pytest.approx(
        there.figures.longest[0] / there.figures.wall.value[0], rel=0.01
    )


def test_some_kernels_are_predicted_as_among_all(projection):
    models = projection.there.callpaths.models
    some = models.take([2, 0])
    np.testing.assert_array_equal(some.predict(POINTS).upper, models.predict(POINTS).upper[[2, 0]])
    assert some.take([1]).predict(POINTS).value[0, 0] == models.predict(POINTS).value[0, 0]


def test_points_are_predicted_alike_one_by_one(projection, monkeypatch):
    there = projection.there.callpaths.models.predictor
    together = there.predict(POINTS, 0.9)
    monkeypatch.setattr(type(there.transfer), "points_at_once", 1)
    np.testing.assert_allclose(replace(there, known={}).predict(POINTS, 0.9).upper, together.upper)


def test_waiting_for_a_core_falls_away(tmp_path):
    """Eight processes on four cores: half of their time they wait in MPI for each other's turn."""

    def shared(p):
        waits = 10.0 * p / 4 if p > 4 else 0.0
        return {"work": 80.0 / p, "MPI_Wait": waits / p}

    measured = study(shared, lambda p: {"MPI_Wait": (100, 0)}, scales=(1, 2, 4, 8, 16))
    alone = machine(tmp_path, SLOW.replace("[terms.message]", "[terms.message_node]"), "alone")
    cluster = machine(tmp_path, SLOW, "cluster")
    found = project_study(measured["time"], measured, alone, cluster, ModelOptions())
    level = found.there.callpaths
    wait = level.kernels.mean[of(level, "MPI_Wait")]
    here = found.here.callpaths.kernels.mean[of(level, "MPI_Wait")]
    assert here[-2] > 15
    assert wait[-2] < 0.1 * here[-2]
    work = of(level, "work")
    np.testing.assert_allclose(level.kernels.mean[work], found.here.callpaths.kernels.mean[work], rtol=0.02)
    assert any("shared the 4 cores" in one for one in found.assumptions)


def test_without_counts_communication_goes_with_the_computing(measured, places):
    found = project_study(measured["time"], {}, *places, ModelOptions())
    level = found.there.callpaths
    there, here = (one.callpaths.models.predict(POINTS).value for one in (found.there, found.here))
    row, sweep = of(level, "MPI_Allreduce"), of(level, "sweep")
    np.testing.assert_allclose(there[row] / here[row], there[sweep] / here[sweep])


def test_a_machine_without_a_network_leaves_open_what_was_waiting(measured, places, tmp_path):
    silent = machine(tmp_path, SLOW[: SLOW.index("[terms")], "silent")
    found = project_study(measured["time"], measured, silent, places[1], ModelOptions())
    known = project_study(measured["time"], measured, *places, ModelOptions())
    row = of(found.there.callpaths, "MPI_Allreduce")
    ends = [one.there.callpaths.models.predict(POINTS[1:2]) for one in (found, known)]
    widths = [(end.upper[row] / end.lower[row])[0] for end in ends]
    assert widths[0] > widths[1]
    assert any("how much of its MPI time was waiting is open" in one for one in found.assumptions)


def test_only_times_are_projected(measured, places):
    with pytest.raises(UsageError, match="models of visits cannot be projected"):
        project_study(measured["visits"], {}, *places, ModelOptions())


def test_assumptions_are_said(projection):
    text = "; ".join(projection.assumptions)
    assert "no counters tell" in text
    assert "to 50 % by memory bandwidth" in text

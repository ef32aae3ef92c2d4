"""Studies on another machine: the program, its kernels, its limits."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.errors import UsageError
from ingest.profile import CPU
from ingest.reduction import reduce_profile
from ingest.region_class import GPU_KERNEL
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.projection.study.kernel_table import TYPICAL_MIX, Pattern, network_ratio
from pipeline.projection.study.projected_study import measured_inside, project_study
from pipeline.questions.analysis import analyse, look_ahead
from pipeline.questions.choice import JobLimits, choose
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.limits import job_points
from pipeline.questions.runtime.runtime import runtime
from tests.pipeline.projection.study.machines import FAST, SLOW, STRONG, machine, study
from tests.profiles import make_profile

MEMORY, ARITHMETIC, LATENCY, CLOCK = TYPICAL_MIX.values()
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


@pytest.mark.slow
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


def test_what_takes_all_scales_there_alike_cancels_in_the_efficiency(places, tmp_path):
    swept = study(lambda p: {"sweep": 100.0 / p}, counts)
    twin = machine(tmp_path, SLOW, "twin")
    found = project_study(swept["time"], swept, places[0], twin, ModelOptions())
    for measured in (False, True):
        points = POINTS[1:3]
        here, there = (
            RuntimeStudy(one).figures(points, np.full(len(points), measured))
            for one in (found.here, found.there)
        )
        np.testing.assert_allclose(there.efficiency.below, here.efficiency.below, rtol=2e-3)
        np.testing.assert_allclose(there.efficiency.above, here.efficiency.above, rtol=1e-3)
        assert (there.wall.below > here.wall.below + 0.1).all()
    none = RuntimeStudy(found.there).figures(POINTS[:0], np.zeros(0, dtype=np.bool_))
    assert len(none.wall) == len(none.efficiency) == 0
    there = RuntimeStudy(found.there)
    jobs = choose(there, job_points(there, POINTS[-1]), JobLimits()).at_scales.figures
    known = RuntimeStudy(found.there).figures(jobs.points, jobs.measured)
    np.testing.assert_allclose(jobs.wall.below, known.wall.below)


def test_a_kernel_that_computes_by_hand(projection):
    level = projection.there.callpaths
    sweep = of(level, "sweep")
    here = projection.here.callpaths.models.predict(POINTS).value[sweep]
    memory = np.array([20 / 80, 10 / 80, 10 / 40, 10 / 40, 10 / 40])
    expected = (
        here
        * memory**MEMORY
        * ((64 / 4) / (512 / 8)) ** ARITHMETIC
        * (50 / 100) ** LATENCY
        * (2 / 4) ** CLOCK
    )
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


@pytest.mark.slow
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


def test_counters_tell_what_limits_a_kernel(places, tmp_path):
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
    vectors = machine(tmp_path, FAST.replace("512 Gflop", "8192 Gflop"), "vectors")
    found = project_study(measured["time"], measured, places[0], vectors, ModelOptions())
    level, p = found.there.callpaths, POINTS[:, 0]
    here = found.here.callpaths.models.predict(POINTS).value
    there = level.models.predict(POINTS)
    triad, multiply, rest = (of(level, name) for name in ("triad", "multiply", "rest"))
    memory = np.minimum(20, 40 / np.minimum(p, 4)) / np.minimum(80, 320 / np.minimum(p, 8))
    np.testing.assert_allclose(there.value[triad], here[triad] * memory)
    np.testing.assert_allclose(there.value[multiply], here[multiply] * (64 / 4) / (8192 / 8))
    assert found.callpaths.table.tested[[triad, multiply]].all()
    assert not found.callpaths.table.tested[rest]
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
    assert factor[0, 0] == pytest.approx(
        (20 / 80) ** MEMORY * (1 / 4) ** ARITHMETIC * (1 / 2) ** (LATENCY + CLOCK)
    )


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


def test_without_counts_communication_is_half_messages_half_waiting(measured, places):
    found = project_study(measured["time"], {}, *places, ModelOptions())
    level = found.there.callpaths
    there, here = (one.callpaths.models.predict(POINTS) for one in (found.there, found.here))
    row, sweep = of(level, "MPI_Allreduce"), of(level, "sweep")
    network = network_ratio(*places, Pattern.REDUCTION, POINTS[:, 0], "network")[0]
    communicates, computes = (there.value[k] / here.value[k] for k in (row, sweep))
    np.testing.assert_allclose(communicates, (network + computes) / 2)
    assert any("communication was not counted" in one for one in found.assumptions)


def test_without_counts_and_network_communication_goes_with_the_computing(measured, places, tmp_path):
    silent = machine(tmp_path, SLOW[: SLOW.index("[terms")], "silent")
    found = project_study(measured["time"], {}, silent, places[1], ModelOptions())
    level = found.there.callpaths
    there, here = (one.callpaths.models.predict(POINTS[:2]).value for one in (found.there, found.here))
    row, sweep = of(level, "MPI_Allreduce"), of(level, "sweep")
    np.testing.assert_allclose(there[row] / here[row], there[sweep] / here[sweep])


def test_measured_values_count_at_and_between_measured_scales(places):
    """A step that no model follows: at 4 and 8 processes its values are those measured, at 6 between them."""

    def step(p):
        return {"work": (100.0 if p < 8 else 40.0) / p}

    found = project_study(study(step)["time"], {}, *places, ModelOptions())
    level = found.here.callpaths
    row = of(level, "work")
    four, six, eight = level.models.predict(np.array([[4.0], [6.0], [8.0]])).value[row]
    np.testing.assert_allclose([four, eight], level.kernels.mean[row, 2:4])
    share = np.log(6 / 4) / np.log(2)
    assert six == pytest.approx(four ** (1 - share) * eight**share)
    measured, asked = found.there.callpaths.kernels.mean[row], found.there.callpaths.models
    np.testing.assert_allclose(asked.predict(np.array([[4.0], [8.0]])).value[row], measured[2:4])


def test_a_slow_run_counts_at_its_scale_and_not_between():
    analysis = study(lambda p: {"work": 100.0 / p})["time"]
    kernels = analysis.callpaths.kernels
    values = np.repeat(kernels.values[:, :, :1], 3, axis=2)
    values[:, 2, 0] *= 4  # one of three runs at 4 processes
    kernels = replace(kernels, values=values)
    models = measured_inside(analysis.callpaths.models, analysis.experiment.points, kernels)
    row, share = kernels.regions.index("work"), np.log(6 / 4) / np.log(2)
    four, six = models.predict(np.array([[4.0], [6.0]])).value[row]
    assert four == pytest.approx(2 * values[row, 2, 1])
    assert six == pytest.approx(values[row, 2, 1] ** (1 - share) * values[row, 3, 1] ** share)


def test_what_scaling_loses_is_half_messages_if_no_timer_tells(places):
    """Half of the core-seconds beyond 4 cores are lost: a quarter goes by the networks."""
    found = project_study(
        study(lambda p: {"work": (100.0 if p <= 4 else 200.0) / p})["time"], {}, *places, ModelOptions()
    )
    here, there = (one.callpaths.kernels for one in (found.here, found.there))
    row = here.regions.index("work")
    factor = there.mean[row] / here.mean[row]
    network = [
        network_ratio(*places, one, np.array([8.0]), "network")[0, 0]
        for one in (Pattern.REDUCTION, Pattern.MESSAGE)
    ]
    computing = (
        factor[2] * (10 / 40 / (10 / 40)) ** MEMORY * 2**MEMORY
    )  # memory: 10 of 80 GB/s at 4, of 40 at 8
    assert factor[3] == pytest.approx(0.75 * computing + 0.25 * np.sqrt(np.prod(network)))
    assert any("no timer tells communication" in one for one in found.assumptions)


def test_a_machine_without_a_network_leaves_open_what_was_waiting(measured, places, tmp_path):
    silent = machine(tmp_path, SLOW[: SLOW.index("[terms")], "silent")
    found = project_study(measured["time"], measured, silent, places[1], ModelOptions())
    known = project_study(measured["time"], measured, *places, ModelOptions())
    row = of(found.there.callpaths, "MPI_Allreduce")
    ends = [one.there.callpaths.models.predict(POINTS[1:2]) for one in (found, known)]
    widths = [(end.upper[row] / end.lower[row])[0] for end in ends]
    assert widths[0] > widths[1]
    assert any("how much of its MPI time was waiting is open" in one for one in found.assumptions)


def test_its_values_are_said_to_be_projected(projection):
    there = projection.there
    assert (there.observed, there.back_test.judged_by) == ("projected", "projected")
    assert projection.here.observed == "measured"


def test_only_times_are_projected(measured, places):
    with pytest.raises(UsageError, match="models of visits cannot be projected"):
        project_study(measured["visits"], {}, *places, ModelOptions())


def test_assumptions_are_said(projection):
    text = "; ".join(projection.assumptions)
    assert "no counters tell" in text
    assert "to 30 % by memory bandwidth" in text


def test_kernels_of_accelerators_go_by_their_bandwidth_and_peak(tmp_path):
    """Twice the bandwidth and eight times the peak: four times as fast, or anything from two to eight."""
    main, kernel, runs = ("main",), ("main", "axpy"), []
    for p in (1, 2, 4, 8, 16):
        values = {"time": {main: [9.0] * p + [0.0] * p, kernel: [0.0] * p + [80.0 / p] * p}}
        device = [*[CPU] * p, *range(p)]
        profile = make_profile(values, paradigm={"axpy": GPU_KERNEL}, device=device)
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(profile, ["time"])))
    measured = analyse(align(["p"], runs), STRONG, "gpu_time", ModelOptions())
    places = [
        machine(
            tmp_path,
            SLOW.replace("cores = 4", f'cores = 4\nbw_gpu = "{bw} TB/s"\npeak_gpu = "{peak} Tflop/s"'),
            bw,
        )
        for bw, peak in ((1, 10), (2, 80))
    ]
    found = project_study(measured, {}, *places, ModelOptions())
    row = of(found.here.callpaths, "axpy")
    here, there = (one.callpaths.models.predict(np.array([[8.0]])) for one in (found.here, found.there))
    assert there.value[row, 0] == pytest.approx(here.value[row, 0] / 4)
    assert there.lower[row, 0] < here.value[row, 0] / 6 < here.value[row, 0] / 2.7 < there.upper[row, 0]
    assert any("kernels of accelerators" in one for one in found.assumptions)
    silent = machine(tmp_path, SLOW, "silent")
    kept = project_study(measured, {}, places[0], silent, ModelOptions()).there.callpaths
    assert kept.models.predict(np.array([[8.0]])).value[row, 0] == pytest.approx(here.value[row, 0])

from dataclasses import replace

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.errors import InputError
from ingest.profile import MetricKind
from ingest.reduction import reduce_profile
from ingest.resource_use import memory_attributes
from ingest.scaling import Scaling, ScalingDecision
from pipeline.gate.kernel_values import KernelId, Origin, Scope, measurements_of, regions_of, wall_times
from pipeline.questions.locations import Comparison
from tests.pipeline.gate.studies import many, study
from tests.profiles import make_profile

REGION, CALLPATH = KernelId(Scope.REGION, ("f",)), KernelId(Scope.CALLPATH, ("main", "f"))
TOTAL = KernelId(Scope.TOTAL, ("total",))


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        ("f", {REGION, CALLPATH}),
        ("*/f", {REGION, CALLPATH}),
        ("main/f", {CALLPATH}),
        ("main/*", {CALLPATH}),
        ("*", {REGION, CALLPATH}),
        ("total", {TOTAL}),
        ("tot*", set()),
        ("*/g", set()),
    ],
)
def test_patterns_select_kernels_by_level(pattern, matching):
    assert {kernel for kernel in (TOTAL, REGION, CALLPATH) if kernel.matches(pattern)} == matching


def test_memory_of_a_run_has_no_kernels_that_could_be_compared(experiment):
    stating = [replace(run, attributes=memory_attributes("RSS", memory=2.0**20)) for run in experiment.runs]
    for runs, said in ((experiment.runs, "no metric 'memory'"), (tuple(stating), "memory has no sum over")):
        with pytest.raises(InputError, match=said):
            measurements_of(
                replace(experiment, runs=runs), ScalingDecision(Scaling.STRONG, "p", ""), "memory"
            )


def test_a_root_is_below_nothing():
    assert not KernelId(Scope.CALLPATH, ("f",)).matches("*/f")


def test_names_of_kernels():
    assert (CALLPATH.text, CALLPATH.region) == ("main/f", "f")
    assert regions_of((TOTAL, REGION, KernelId(Scope.CALLPATH, ("main", "g")))) == {"f", "g"}


def test_means_leave_out_what_was_not_measured():
    whole = study({"a": 1.0, "b": 3.0}, noise=0, repetitions=3)
    whole.values[:, 0, 1:] = np.nan
    whole.values[1, 1, :] = np.nan
    assert np.allclose(whole.mean[:, :2], [[4, 4], [1, 0], [3, 3], [1, 1], [3, 3]])
    assert np.allclose(whole.share[:, 1], [1, 0, 0.75, 0.25, 0.75])


def test_shares_of_a_total_of_zero_are_zero():
    assert (study({"a": 0.0}).share == 0).all()


def test_kernels_below_a_share_at_every_point_are_left_out_and_the_total_stays():
    whole = study(many(tiny=1e-4, late=[0, 0, 0, 0, 1.0]))
    kept = whole.above_share(0.001)
    assert "tiny" not in {kernel.region for kernel in kept.kernels}
    assert "late" in {kernel.region for kernel in kept.kernels}
    assert kept.kernels[0] == TOTAL
    assert kept.smallest_share == 0.001
    exactly = study({"a": 1.0, "b": 3.0}, noise=0).above_share(0.25)
    assert len(exactly.kernels) == 5


def test_rows_keep_values_and_places_together():
    whole = study({"a": 1.0, "b": 3.0})
    part = whole.take([4, 1])
    assert part.kernels == (whole.kernels[4], whole.kernels[1])
    assert np.array_equal(part.values, whole.values[[4, 1]])
    assert part.files == ("/src/b.c", "/src/a.c")
    assert part.lines.tolist() == [2, 1]


def test_regions_that_are_one_call_path_but_for_rounding():
    whole = study(
        {("main", "a"): 1.0, ("main", "b", "a"): 5e-5, ("main", "c"): 1.0, ("main", "d", "c"): 5e-4}
    )
    assert whole.only_callpaths() == {"a": ("main", "a")}
    no_regions = whole.take([i for i, k in enumerate(whole.kernels) if k.level is not Scope.REGION])
    assert no_regions.only_callpaths() == {}


MAIN, SOLVE, SEND, OTHER = ("main",), ("main", "solve"), ("main", "solve", "MPI_Send"), ("main", "MPI_Send")
TIMES = {  # per number of processes: seconds of each
    1: {MAIN: [1.0], SOLVE: [8.0], SEND: [0.0], OTHER: [0.0]},
    2: {MAIN: [1.0, 1.0], SOLVE: [6.0, 4.0], SEND: [1.0, 3.0], OTHER: [1.0, 1.0]},
    4: {MAIN: [1.0] * 4, SOLVE: [2.0] * 4, SEND: [1.0] * 4, OTHER: [3.0] * 4},
}
SOURCES = {"main": ("main.c", 3), "solve": ("solve.c", 7), "MPI_Send": ("", -1)}


@pytest.fixture
def experiment():
    runs = [
        MeasuredRun((float(p),), 1, reduce_profile(make_profile({"time": times}), ["time"]))
        for p, times in TIMES.items()
    ]
    found = align(["p"], runs)
    files, lines = zip(*(SOURCES[name] for name in found.regions.name), strict=True)
    return replace(found, regions=replace(found.regions, file=files, line=np.array(lines)))


def place(whole, *callpath):
    row = whole.kernels.index(KernelId(Scope.REGION if len(callpath) == 1 else Scope.CALLPATH, callpath))
    return whole.files[row], whole.lines[row]


def test_an_experiment_gives_total_regions_and_call_paths(experiment):
    whole = measurements_of(experiment, ScalingDecision(Scaling.STRONG, "p", ""), "time", Origin("m"))
    assert [k.callpath for k in whole.kernels[:1]] == [("total",)]
    assert {k.region for k in whole.kernels if k.level is Scope.REGION} == {"main", "solve", "MPI_Send"}
    assert (whole.parameter, whole.scaling, whole.metric, whole.unit) == ("p", "strong", "effort", "core-s")
    by_kernel = {kernel: whole.mean[row].tolist() for row, kernel in enumerate(whole.kernels)}
    assert by_kernel[TOTAL] == [9, 18, 28]
    assert by_kernel[KernelId(Scope.REGION, ("MPI_Send",))] == [0, 6, 16]
    assert by_kernel[KernelId(Scope.CALLPATH, SEND)] == [0, 4, 4]
    assert whole.origin == Origin("m")
    assert whole.parallel_efficiency.tolist() == pytest.approx([1.0, 6 / 9, 3 / 7])
    assert whole.typical_balance.tolist() == pytest.approx([1.0, 6 / 7, 1.0])
    assert whole.uneven[whole.kernels.index(KernelId(Scope.CALLPATH, SOLVE)), 1] == pytest.approx(6 / 5)
    assert np.isnan(whole.uneven[0]).all()
    assert whole.comparison is Comparison.STRONG
    assert whole.locations(np.array([[64.0]])).tolist() == [64]


def test_callees_without_a_source_take_their_callers_and_regions_that_of_their_largest_call_path(experiment):
    whole = measurements_of(experiment, ScalingDecision(Scaling.STRONG, "p", ""), "time")
    assert place(whole, *SOLVE) == ("solve.c", 7)
    assert place(whole, *SEND) == ("solve.c", 7)
    assert place(whole, *OTHER) == ("main.c", 3)
    assert place(whole, "MPI_Send") == ("main.c", 3)
    assert (whole.files[0], whole.lines[0]) == ("", -1)
    assert whole.origin == Origin()


def test_line_zero_is_a_line(experiment):
    lines = np.where(experiment.regions.line == 7, 0, experiment.regions.line)
    zero = replace(experiment, regions=replace(experiment.regions, line=lines))
    whole = measurements_of(zero, ScalingDecision(Scaling.STRONG, "p", ""), "time")
    assert place(whole, *SOLVE) == ("solve.c", 0)


def test_what_is_not_available_is_said_so(experiment):
    whole = measurements_of(replace(experiment, runs=()), ScalingDecision(Scaling.NONE, "", ""), "time")
    assert (whole.parameter, whole.scaling) == ("p", "none")
    assert np.isnan(whole.parallel_efficiency).all()
    assert whole.load_balance is None and whole.uneven is None


def test_a_metric_without_a_sum_is_refused():
    profile = make_profile({"max_time": {("main",): [1.0]}}, kinds={"max_time": MetricKind.MAXIMUM})
    runs = [MeasuredRun((p,), 1, reduce_profile(profile, ["max_time"])) for p in (1.0, 2.0)]
    with pytest.raises(InputError, match="max_time has no sum over call paths"):
        measurements_of(align(["p"], runs), ScalingDecision(Scaling.STRONG, "p", ""), "max_time")


POINT = np.array([64.0])


def whole(comparison, **changed):
    """Two kernels of 8 + 8 p and 100 core-seconds, on 2 p locations."""
    made = study({"a": [8 + 8 * p for p in (8, 16, 32)], "b": 100.0}, scales=(8, 16, 32), noise=0)
    return replace(made, comparison=comparison, locations=lambda points: 2 * points[:, 0], **changed)


@pytest.mark.parametrize(
    ("made", "values", "seconds", "factor"),
    [
        (whole(Comparison.STRONG), [620.0, 520, 100, 520, 100], 1 / 128, 1),
        (whole(Comparison.WEAK, metric="time", unit="s"), [620.0, 520, 100, 520, 100], 1, 1),
        # seconds of one location become effort: 8 times the locations
        (whole(Comparison.STRONG, metric="time", unit="s"), [43.0, 18, 25, 18, 25], 1, 1 / 8),
    ],
    ids=["effort", "wall time", "seconds of one location"],
)
def test_effort_is_compared_under_strong_scaling_and_wall_time_under_weak(made, values, seconds, factor):
    found = wall_times(made, np.array(values), POINT)
    assert found.seconds == pytest.approx(np.array(values) * seconds)
    assert found.efficiency == pytest.approx(factor * np.array([172.0, 72, 100, 72, 100]) / values)


def test_what_is_compared_has_the_same_other_parameters():
    made = whole(Comparison.STRONG)
    points = np.array([[8.0, 1.0], [16.0, 2.0], [32.0, 2.0]])
    made = replace(made, parameters=("p", "n"), points=points)
    values = made.mean[:, 2]
    assert wall_times(made, values, np.array([64.0, 2.0])).efficiency[1] == pytest.approx(136 / 264)
    assert wall_times(made, values, np.array([64.0, 1.0])).efficiency[1] == pytest.approx(72 / 264)
    unknown = wall_times(made, values, np.array([64.0, 3.0]))
    assert np.isnan(unknown.efficiency).all() and unknown.seconds[1] == pytest.approx(264 / 128)


@pytest.mark.parametrize(
    "made",
    [whole(Comparison.STRONG, metric="visits", unit=""), replace(whole(Comparison.STRONG), locations=None)],
    ids=["no time", "locations unknown"],
)
def test_nothing_is_said_of_what_is_not_known(made):
    found = wall_times(made, made.mean[:, 0], POINT)
    assert np.isnan(found.seconds).all() and np.isnan(found.efficiency).all()


def test_sizes_have_no_efficiency_and_zero_has_none():
    made = whole(Comparison.SIZE)
    assert np.isnan(wall_times(made, made.mean[:, 0], POINT).efficiency).all()
    found = wall_times(whole(Comparison.STRONG), np.array([100.0, 0, 100, 0, 100]), POINT)
    assert np.isnan(found.efficiency[1]) and found.seconds[1] == 0

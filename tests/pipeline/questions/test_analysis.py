"""The models stage as a whole on a program whose kernels are known."""

from pathlib import Path

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.cpp_names import short_name
from ingest.errors import ModelError, UsageError
from ingest.locate import locate
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, ScalingDecision, decide_scaling
from pipeline.gate.kernel_values import measurements_of
from pipeline.models import scaling_models
from pipeline.models.options import ModelOptions
from pipeline.models.total import added
from pipeline.questions import analysis as analysis_module
from pipeline.questions.analysis import (
    analyse,
    default_target,
    extrapolation,
    largest_point,
    look_ahead,
    measured_total,
    named_targets,
    scaling_of,
    target_beyond,
)
from pipeline.stages.ingest import ingest
from tests.pipeline.questions.runtime.programs import experiment
from tests.profiles import make_profile

MAIN, WORK, SUM, AGAIN = ("main",), ("main", "work"), ("main", "sum"), ("main", "work", "sum")
STRONG = ScalingDecision(Scaling.STRONG, "p", "")
SCALES = (4, 8, 16, 32, 64)


def efforts(p):
    """Core-seconds of each call path: `sum` grows with p, all others are constant."""
    return {MAIN: 10.0, WORK: 1000.0, AGAIN: 1.5 * p, SUM: 0.5 * p}


def study(scales=SCALES, noise=0.0):
    random = np.random.default_rng(1)
    runs = []
    for p in scales:
        for r in (1, 2, 3):
            factor = random.lognormal(0, noise)
            times = {path: [effort * factor / p] * p for path, effort in efforts(p).items()}
            profile = reduce_profile(make_profile({"time": times}), ["time"])
            runs.append(MeasuredRun((float(p),), r, profile))
    return align(["p"], runs)


@pytest.fixture(scope="module")
def analysis():
    return analyse(study(), STRONG, "time", ModelOptions())


def test_a_parameter_that_never_varies_is_not_what_scales():
    runs = []
    for n in SCALES:
        profile = reduce_profile(make_profile({"time": {MAIN: [1.0], WORK: [2.0 * n]}}), ["time"])
        runs.append(MeasuredRun((1.0, float(n)), 1, profile))
    experiment = align(["p", "n"], runs)
    analysis = analyse(experiment, decide_scaling(experiment), "time", ModelOptions())
    assert (analysis.parameter, default_target(analysis).tolist()) == ("n", [[4 * 64.0]])
    assert measurements_of(experiment, decide_scaling(experiment), "time").parameter == "n"


def test_call_paths_and_regions_are_modelled(analysis):
    assert analysis.callpaths.kernels.callpaths == (MAIN, WORK, AGAIN, SUM)
    assert analysis.regions.kernels.callpaths == (("main",), ("work",), ("sum",))
    assert analysis.regions.models.formula(2).growth == "p"
    assert analysis.regions.models.predict(np.array([[1000.0]])).value[:, 0] == pytest.approx(
        [10, 1000, 2000], rel=1e-3
    )
    assert analysis.parameter == "p"


def test_regions_of_one_call_path_each_have_its_models_and_others_have_their_own(analysis):
    runs = [
        MeasuredRun(
            (float(p),), 1, reduce_profile(make_profile({"time": {MAIN: [1.0], WORK: [3.0 + p]}}), ["time"])
        )
        for p in SCALES
    ]
    flat = analyse(align(["p"], runs), STRONG, "time", ModelOptions())
    assert flat.regions.models is flat.callpaths.models
    assert flat.regions.kernels.callpaths == (("main",), ("work",))
    assert analysis.regions.models is not analysis.callpaths.models


def test_the_measured_total_is_the_mean_sum_of_all_call_paths(analysis):
    assert measured_total(analysis) == pytest.approx([1010 + 2 * p for p in SCALES])


def test_without_a_target_it_is_four_times_the_largest_scale(analysis):
    assert default_target(analysis).tolist() == [[256.0]]


def test_a_number_alone_is_the_only_parameter():
    one, two = np.array([[2.0], [8.0]]), np.array([[2.0, 10.0], [8.0, 20.0]])
    assert named_targets(["p"], one, [{"": 64.0}], "--at").tolist() == [[64.0]]
    assert named_targets(["p", "n"], two, [{"p": 64.0}], "--at").tolist() == [[64.0, 20.0]]
    with pytest.raises(UsageError, match="--at: 64 may be of several parameters; name it: p=64, n=64"):
        named_targets(["p", "n"], two, [{"": 64.0}], "--at")


def test_the_outlook_ranks_shares_and_flags(analysis):
    found = look_ahead(analysis, analysis.regions, np.array([[128.0], [4096.0]]))
    assert found.share_measured == pytest.approx(np.array([10, 1000, 128]) / 1138)
    total = 1010 + 2 * 4096
    assert found.share_target == pytest.approx(np.array([10, 1000, 8192]) / total, rel=1e-3)
    assert found.order.tolist() == [2, 1, 0]
    assert found.total.value[0] == pytest.approx([1010 + 256, total], rel=1e-3)
    assert [list(flags) for flags in found.flags] == [
        [],
        ["dominant_measured"],
        ["growing", "coming_bottleneck", "dominant_at_target"],
    ]
    (crossing,) = found.crossovers
    assert (crossing.overtakes, crossing.overtaken, crossing.measured) == (2, 1, False)
    assert crossing.at == pytest.approx(500, rel=0.01)


@pytest.mark.parametrize("level", ["callpaths", "regions"])
def test_a_predicted_crossover_is_where_what_is_predicted_of_both_is_equal_and_intervals_overlap(level):
    noisy = analyse(study(noise=0.03), STRONG, "time", ModelOptions())
    kernels = getattr(noisy, level)
    found = look_ahead(noisy, kernels, np.array([[2048.0]])).crossovers
    assert found and not any(one.seen for one in found)
    for one in found:
        pair = [one.overtakes, one.overtaken]
        there = kernels.models.predict(np.array([[one.at]])).take(pair)
        assert there.value[0, 0] == pytest.approx(there.value[1, 0], rel=0.03)
        first, last = one.between
        before = kernels.models.predict(np.array([[first]])).take(pair)
        assert before.upper[0, 0] == pytest.approx(before.lower[1, 0], rel=0.1)
        if np.isfinite(last):
            after = kernels.models.predict(np.array([[last]])).take(pair)
            assert after.lower[0, 0] == pytest.approx(after.upper[1, 0], rel=0.1)


def test_crossovers_of_the_sample_are_those_of_its_means():
    """Of HPCG on up to 8 processes: MPI passes the smoother, though no model of it is reliable."""
    read = ingest(locate(Path(__file__).parents[3] / "sample_profiles" / "hpcg-strong"), "time")
    found = analyse(read.experiment, decide_scaling(read.experiment), "time", ModelOptions())
    names = [short_name(name) for name in found.regions.kernels.regions]
    ahead = look_ahead(found, found.regions, default_target(found))
    listed = {(names[c.overtakes], names[c.overtaken]): c for c in ahead.crossovers}
    send = listed["MPI_Send", "ComputeSYMGS_ref"]
    assert (send.seen, send.between) == (True, (4.0, 8.0)) and 0.5 < send.probability < 0.95
    mean = found.regions.kernels.mean
    scales = found.experiment.points[:, 0].tolist()
    for one in ahead.crossovers:
        if one.seen:
            before, after = (scales.index(end) for end in one.between)
            assert after == before + 1
            gap = mean[one.overtakes] - mean[one.overtaken]
            assert gap[before] < 0 < gap[after]
        else:
            assert one.at > 8 and one.between[0] >= 8 and one.probability > 0.5


def test_a_sum_has_the_interval_that_correlated_errors_give():
    noisy = analyse(study(noise=0.05), STRONG, "time", ModelOptions())
    models = noisy.callpaths.models
    prediction = models.predict(np.array([[128.0]]))
    total = added(models, prediction)
    above = (prediction.upper - prediction.value)[:, 0]
    r = models.correlation
    expected = np.sqrt((1 - r) * (above**2).sum() + r * above.sum() ** 2)
    assert total.upper[0, 0] - total.value[0, 0] == pytest.approx(expected)
    assert total.value[0, 0] == pytest.approx(prediction.value.sum())


def test_the_largest_point_has_the_largest_scale_then_the_largest_others():
    points = np.array([[1.0, 8.0, 2.0], [9.0, 4.0, 2.0], [2.0, 8.0, 1.0], [2.0, 8.0, 5.0]])
    assert largest_point(points, 1) == 3
    assert largest_point(points, 0) == 1
    assert largest_point(points[:3], 1) == 2


def test_runs_without_a_parameter_cannot_be_modelled():
    profile = reduce_profile(make_profile({"time": {MAIN: [1.0]}}), ["time"])
    experiment = align([], [MeasuredRun((), 1, profile)])
    with pytest.raises(ModelError, match="no parameter"):
        analyse(experiment, ScalingDecision(Scaling.NONE, "", ""), "time", ModelOptions())


@pytest.mark.parametrize(("text", "scaling"), [("auto", None), ("weak", Scaling.WEAK)])
def test_scaling_in_words(text, scaling):
    assert scaling_of(text) is scaling


@pytest.mark.parametrize("sizes", [(), (100, 200, 400)])
def test_a_forecast_does_not_depend_on_what_processes_are_called(sizes):
    """It is seen from the runs what counts processes; names decide only where they do not tell."""

    def predicted(name):
        points = [(p, *n) for p in SCALES for n in ([(n,) for n in sizes] or [()])]
        names = (name, "n")[: len(points[0])]
        runs = experiment(
            points, lambda at: {"work": sum(at) / at[0], "wait": 0.1 * at[0]}, names=names, noise=0.02
        )
        found = analyse(runs, decide_scaling(runs, Scaling.STRONG), "time", ModelOptions())
        return np.stack([*vars(found.regions.models.predict(default_target(found))).values()])

    plain = predicted("p")
    for name in ("jobsize", "mpi.world.size", "Prozesse"):
        assert np.array_equal(predicted(name), plain)


NODES = ("nodes", "tasks", "threads")
FILLED = np.array([[4.0, 48, 1], [8, 48, 1], [16, 48, 1], [4, 12, 4], [8, 12, 4], [16, 12, 4]])


def test_a_target_beyond_several_counts_of_processes_is_a_combination_that_was_measured():
    assert target_beyond(NODES, FILLED, 0, 4.0).tolist() == [[64, 48, 1]]
    (target,) = named_targets(NODES, FILLED, [{"nodes": 64.0, "threads": 4.0}], "--at")
    assert target.tolist() == [64, 12, 4]


def test_factors_of_what_counts_processes_multiply_and_sizes_do_not():
    targets = np.array([[64.0, 48, 4], [64, 12, 4], [16, 12, 4]])
    assert extrapolation(NODES, FILLED, targets).tolist() == [16, 4, 1]
    grid = np.array([[p, n] for p in (2.0, 4, 8) for n in (16.0, 32)])
    assert extrapolation(("p", "n"), grid, np.array([[32.0, 64.0]])).tolist() == [4]


@pytest.mark.parametrize("many", [1, 2])
def test_crossovers_among_many_kernels_are_those_among_all(monkeypatch, many):
    target = np.array([[4096.0]])

    def found(level):
        analysis = analyse(study(noise=0.05), STRONG, "time", ModelOptions())
        return look_ahead(analysis, getattr(analysis, level), target).crossovers

    levels = ("callpaths", "regions")
    among_all = [found(level) for level in levels]
    for module in (scaling_models, analysis_module):
        monkeypatch.setattr(module, "MANY", many)
    for level, expected in zip(levels, among_all, strict=True):
        pairs = [(one.overtakes, one.overtaken) for one in found(level)]
        assert pairs == [(one.overtakes, one.overtaken) for one in expected] and pairs
        assert [one.at for one in found(level)] == pytest.approx([one.at for one in expected], rel=0.02)

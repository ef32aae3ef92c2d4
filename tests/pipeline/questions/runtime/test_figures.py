"""Wall time, speed-up and efficiency of programs whose times are known, and of real ones."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.alignment import MeasuredRun, align, experiment_from_series
from ingest.experiment import OverheadCorrection
from ingest.locate import locate
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, ScalingDecision, decide_scaling
from ingest.series import SeriesBuilder
from pipeline.config.options import Options
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.analysis import analyse, default_target
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.runtime import runtime
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled
from tests.pipeline.questions.runtime.programs import SIZE, STRONG, experiment, ideal, strong, weak
from tests.profiles import make_profile

SAMPLES = Path(__file__).parents[4] / "sample_profiles"


def figures(analysis, *targets):
    points = np.array(targets or default_target(analysis), dtype=float).reshape(
        -1, len(analysis.experiment.parameters)
    )
    return runtime(analysis, points).figures


def test_ideal_strong_scaling_is_exact():
    found = figures(ideal(), 32, 64)
    p = np.array([1, 2, 4, 8, 16, 32, 64])
    assert found.points[:, 0].tolist() == p.tolist()
    assert found.measured.tolist() == [True] * 5 + [False] * 2
    assert found.locations.tolist() == p.tolist()
    assert found.wall.value == pytest.approx(64 / p, rel=1e-3)
    assert found.speedup.value == pytest.approx(p, rel=1e-3)
    assert found.efficiency.value == pytest.approx(np.ones(7), rel=1e-3)
    assert found.core_hours.value == pytest.approx(np.full(7, 64 / 3600), rel=1e-3)
    assert found.longest[:5] == pytest.approx(64 / p[:5])
    assert np.isnan(found.weak_efficiency.value).all() and np.isnan(found.work_rate.value).all()


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.floats(0.0, 0.2))
@settings(max_examples=8, deadline=None)
def test_figures_agree_with_each_other_and_with_the_total(seed, start, noise):
    random = np.random.default_rng(seed)
    serial = random.uniform(0, 1)
    runs = experiment(
        [(start * k,) for k in (1, 2, 4, 8)],
        lambda at: {"work": 50 / at[0], "serial": serial, "MPI_Send": 0.01 * at[0]},
        noise=noise,
    )
    analysis = analyse(runs, STRONG, "time", ModelOptions())
    targets = np.array([[start * 16.0], [start * 32.0]])
    found = runtime(analysis, targets).figures
    np.testing.assert_allclose(found.wall.value * found.locations, found.effort.value)
    factor = found.locations / found.locations[0]
    np.testing.assert_allclose(found.efficiency.value, found.speedup.value / factor)
    np.testing.assert_allclose(found.speedup.value, found.wall.value[0] / found.wall.value)
    for ends in (found.speedup, found.efficiency):
        assert (ends.value[0], ends.lower[0], ends.upper[0]) == (1.0, 1.0, 1.0)
        assert (ends.lower <= ends.value).all() and (ends.value <= ends.upper).all()
    total = predict_total(analysis.callpaths.models, targets)
    for end in ("value", "lower", "upper"):
        np.testing.assert_allclose(getattr(found.effort, end)[4:], getattr(total, end)[0], rtol=1e-9)


def test_the_interval_of_a_speed_up_holds_the_doubt_of_both_points():
    found = figures(strong(noise=0.05), 64)
    wider = np.hypot(found.wall.below[1:], found.wall.above[0])
    assert found.speedup.above[1:] == pytest.approx(wider)


def test_weak_scaling_has_weak_efficiency_and_time_per_location():
    found = figures(weak(), 64)
    p = found.points[:, 0]
    assert found.wall.value == pytest.approx(2 + 0.1 * p, rel=0.01)
    assert found.effort.value == pytest.approx((2 + 0.1 * p) * p, rel=0.01)
    assert found.weak_efficiency.value == pytest.approx(2.1 / (2 + 0.1 * p), rel=0.01)
    assert np.isnan(found.efficiency.value).all() and np.isnan(found.speedup.value).all()
    assert found.of_scaling is found.weak_efficiency


def test_over_a_size_that_counts_work_there_is_a_work_rate():
    runs = experiment(
        [(n,) for n in (8, 16, 32, 64)],
        lambda at: {"work": at[0] ** 2},
        names=["atoms"],
        locations=lambda _: 2,
    )
    found = figures(analyse(runs, SIZE, "time", ModelOptions()), 256)
    n = found.points[:, 0]
    assert found.locations.tolist() == [2.0] * 5
    assert found.wall.value == pytest.approx(n**2, rel=0.01)
    assert found.work_rate.value == pytest.approx(8 / n, rel=0.01)
    assert np.isnan(found.speedup.value).all()


def test_each_point_is_compared_with_the_smallest_scale_of_its_other_parameters():
    points = [(p, n) for p in (2, 4, 8, 16) for n in (8, 16, 32)]
    runs = experiment(points, lambda at: {"work": at[1] / at[0], "rest": 0.1}, names=["p", "n"])
    analysis = analyse(runs, STRONG, "time", ModelOptions())
    found = figures(analysis, (32, 32), (32, 100))
    assert found.reference[:, 0].tolist() == [2.0] * 14
    assert found.reference[:, 1].tolist() == found.points[:, 1].tolist()
    expected = (found.points[:, 1] / 2 + 0.1) / (found.points[:, 1] / found.points[:, 0] + 0.1)
    assert found.speedup.value == pytest.approx(expected, rel=0.1)
    assert found.speedup.value[:12] == pytest.approx(expected[:12])
    assert found.speedup.below[13] > 0  # the reference is predicted, too
    assert found.extrapolation[12:] == pytest.approx([2.0, 100 / 32])


def test_a_target_that_was_measured_is_predicted_beside_it():
    analysis = strong(noise=0.1)
    found = figures(analysis, 8)
    assert found.points[[3, 5], 0].tolist() == [8.0, 8.0]
    assert found.measured[[3, 5]].tolist() == [True, False]
    total = predict_total(analysis.callpaths.models, np.array([[8.0]])).value[0, 0]
    assert found.effort.value[5] == pytest.approx(total) != found.effort.value[3]


def test_below_the_measured_range_is_extrapolated_too():
    found = figures(strong(scales=(4, 8, 16, 32)), 1, 64)
    assert found.extrapolation.tolist() == [1, 1, 1, 1, 4, 2]


def test_unknown_locations_leave_efficiency():
    odd = {1: 1, 2: 3, 4: 4, 8: 17, 16: 20}
    found = figures(
        analyse(
            experiment(
                [(p,) for p in odd], lambda at: {"work": 8 / odd[at[0]]}, locations=lambda at: odd[at[0]]
            ),
            STRONG,
            "time",
            ModelOptions(),
        ),
        32,
    )
    assert np.isnan(found.locations).all() and np.isnan(found.wall.value).all()
    assert found.efficiency.value == pytest.approx(np.ones(6), rel=1e-3)
    assert np.isnan(found.speedup.value).all()


def series(parameter, metric, decision=None, work=lambda p: 64 / p):
    data = SeriesBuilder(source="made", parameters=(parameter,))
    for p in (1, 2, 4, 8, 16):
        data.add("main->work", metric, (float(p),), [work(p)] * 2)
        data.add("main->sum", metric, (float(p),), [1.0, 1.0])
    found = experiment_from_series(data.series())
    return analyse(found, decision or decide_scaling(found), metric, ModelOptions())


def test_a_series_of_times_that_do_not_fall_with_processes_says_nothing_about_scaling():
    analysis = series("p", "time", work=lambda p: 64 + p)
    found = runtime(analysis, np.array([[32.0]]))
    assert found.comparison is Comparison.UNKNOWN
    assert found.figures.wall.value[:5] == pytest.approx([65 + p for p in (1, 2, 4, 8, 16)])
    assert np.isnan(found.figures.effort.value).all() and np.isnan(found.figures.speedup.value).all()
    assert found.fastest is None and found.losses == ()
    assert "--scaling" in found.notices[0]


def test_a_series_said_to_scale_strongly_has_speed_up():
    analysis = series("p", "time", ScalingDecision(Scaling.STRONG, "", ""))
    found = runtime(analysis, np.array([[32.0]]))
    assert found.figures.locations.tolist() == [1, 2, 4, 8, 16, 32]
    assert found.figures.speedup.value[:5] == pytest.approx([65 / (64 / p + 1) for p in (1, 2, 4, 8, 16)])
    assert found.figures.effort.value[4] == pytest.approx(16 * 5)
    lost = found.losses[0]
    assert dict(zip(lost.regions, lost.core_seconds, strict=True)) == pytest.approx(
        {"sum": 15.0, "work": 0.0, "main": 0.0}, abs=1e-9
    )


@pytest.mark.parametrize(("parameter", "unit"), [("p", "core-s"), ("nodes", "node-s"), ("n_gpus", "GPU-s")])
def test_a_series_of_times_that_fall_with_processes_is_strong_and_offers_the_other(parameter, unit):
    found = runtime(series(parameter, "time"), np.array([[32.0]]))
    assert found.comparison is Comparison.STRONG
    assert found.figures.speedup.value[:5] == pytest.approx([65 / (64 / p + 1) for p in (1, 2, 4, 8, 16)])
    assert found.effort_unit == unit
    assert np.isfinite(found.figures.core_hours.value).all() == (unit == "core-s")
    assert found.notices[0].endswith("strong scaling; if the problem grows with it, use --scaling weak")


def test_a_series_over_sizes_has_a_work_rate_if_they_count_work():
    edges = runtime(series("n", "time"), np.array([[32.0]])).figures
    assert np.isnan(edges.work_rate.value).all() and edges.time_ratio.value[1] == pytest.approx(65 / 33)
    found = runtime(series("cells", "time"), np.array([[32.0]]))
    assert found.comparison is Comparison.SIZE
    assert found.figures.work_rate.value[:2] == pytest.approx([1.0, 2 * 65 / 33])
    assert np.isnan(found.figures.effort.value).all()
    assert np.isfinite(found.figures.wall.value).all() and not found.notices


@pytest.mark.parametrize("metric", ["visits", "PAPI_TOT_INS", "bytes_sent", "timestep"])
def test_other_metrics_have_no_runtime(metric):
    assert runtime(series("p", metric), np.array([[32.0]])) is None


def test_an_error_that_all_scales_share_widens_times_and_cancels_in_ratios():
    analysis = strong(noise=0.05)
    before = figures(analysis, 64)
    count = len(analysis.experiment.tree)
    correction = OverheadCorrection(
        share=0.9,
        cost=1e-7,
        deviation=np.full(count, 0.4),
        total_deviation=0.3,
        measurable=np.ones(count, dtype=np.bool_),
        source="",
    )
    corrected = replace(analysis, experiment=replace(analysis.experiment, correction=correction))
    after, common = figures(corrected, 64), 1.645 * 0.3
    assert after.wall.above == pytest.approx(np.hypot(before.wall.above, common))
    assert after.core_hours.below == pytest.approx(np.hypot(before.effort.below, common))
    assert after.efficiency.above.tolist() == before.efficiency.above.tolist()


@pytest.mark.slow
def test_the_sample_by_hand():
    analysis = modelled(ingest(locate(SAMPLES / "hpcg-strong"), "time"), Options(), "time")
    found = figures(analysis)
    assert found.wall.value[:4] == pytest.approx([10.7, 5.15, 6.03, 6.96], abs=0.05)
    assert 100 * found.efficiency.value[:4] == pytest.approx([100, 104, 44, 19], abs=0.6)
    assert found.longest[:4] == pytest.approx(found.wall.value[:4], rel=0.003)


def test_threads_that_idle_are_said():
    runs = []
    for p in (1, 2, 4, 8):
        times = {("main",): [1.0] + [0.0] * (p - 1), ("main", "work"): [8 / p] * p}
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(make_profile({"time": times}), ["time"])))
    found = runtime(analyse(align(["p"], runs), STRONG, "time", ModelOptions()), np.array([[16.0]]))
    assert found.figures.longest[:4] == pytest.approx([1 + 8 / p for p in (1, 2, 4, 8)])
    (notice,) = found.notices
    assert notice.startswith("the longest location takes up to 1.8 times the mean")  # 2 / (9 / 8)


def test_no_time_at_all():
    runs = experiment([(p,) for p in (1, 2, 4, 8)], lambda at: {"work": 0.0})
    found = runtime(analyse(runs, STRONG, "time", ModelOptions()), np.array([[16.0]]))
    assert found.figures.effort.value.tolist() == [0.0] * 5
    assert found.efficient_up_to.point.tolist() == [1.0] and found.back_test is None
    assert found.losses[0].total == 0.0


def test_rates_are_shown_beside_the_times_that_were_made_from_them(tmp_path):
    scales = (1, 2, 4, 8, 16)
    (tmp_path / "t.csv").write_text("p,ns/day\n" + "".join(f"{p},{10 * p**0.9}\n" for p in scales))
    study = modelled(ingest(locate(tmp_path / "t.csv"), "time"), Options(), "time")
    answer = runtime(study, np.array([[32.0]]))
    rate, wall = answer.figures.rate, answer.figures.wall
    assert answer.rate_unit == "ns/day"
    assert rate.value[:5] == pytest.approx([10 * p**0.9 for p in scales])
    assert rate.lower[-1] * wall.upper[-1] == pytest.approx(86400)
    assert rate.upper[-1] * wall.lower[-1] == pytest.approx(86400)


def test_times_have_no_rate(strong_study):
    answer = runtime(modelled(ingest(locate(strong_study), "time"), Options(), "time"), np.array([[32.0]]))
    assert answer.rate_unit == "" and np.isnan(answer.figures.rate.value).all()

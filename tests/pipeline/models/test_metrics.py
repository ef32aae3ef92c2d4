"""Which metrics are modelled beside the chosen one, and their kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.alignment import MeasuredRun, align
from ingest.experiment import OverheadCorrection
from ingest.profile import CPU, MetricKind
from ingest.reduction import reduce_profile
from ingest.region_class import GPU_KERNEL
from ingest.scaling import Scaling, decide_scaling
from pipeline.models.kernels import kernels_of, metrics_beside
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse, default_target, look_ahead
from tests.profiles import make_profile

MAIN, SOLVE, INNER, OUTER = ("main",), ("main", "solve"), ("main", "solve", "sum"), ("main", "sum")
KINDS = {"min_time": MetricKind.MINIMUM, "max_time": MetricKind.MAXIMUM}
TINY = 1e-6
PROCESSES = (1, 2, 4, 8, 16)


def experiment(visits=lambda p: 10.0 * p, each=lambda p: 0.5, metrics=None):
    """`sum` is called from two places; its visits and the time of each are functions of p."""
    runs = []
    for p in PROCESSES:
        count, seconds = visits(p), each(p)
        values = {
            "time": {MAIN: [1.0] * p, SOLVE: [8.0 / p] * p, INNER: [count * seconds] * p, OUTER: [TINY] * p},
            "visits": {MAIN: [1.0] * p, SOLVE: [5.0] * p, INNER: [count] * p, OUTER: [2.0] * p},
            "min_time": {MAIN: [9.0] * p, SOLVE: [3.0] * p, INNER: [0.25 * p] * p, OUTER: [TINY] * p},
            "max_time": {MAIN: [9.0] * p, SOLVE: [4.0] * p, INNER: [0.5 * p] * p, OUTER: [TINY] * p},
            "bytes": {MAIN: [0.0] * p, SOLVE: [0.0] * p, INNER: [64.0] * p, OUTER: [0.0] * p},
            "nothing": {path: [0.0] * p for path in (MAIN, SOLVE, INNER, OUTER)},
        }
        kept = {name: values[name] for name in metrics or values}
        profile = make_profile(kept, kinds={name: kind for name, kind in KINDS.items() if name in kept})
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(profile, list(kept))))
    return align(["p"], runs)


def test_every_metric_that_is_not_zero_is_worth_it_and_so_is_the_time_of_visits_that_vary():
    assert metrics_beside(experiment(), "time") == (
        "visits",
        "min_time",
        "max_time",
        "bytes",
        "time_per_visit",
    )
    assert metrics_beside(experiment(), "visits")[0] == "time"


def test_visits_that_stay_the_same_per_run_are_no_factor():
    constant = experiment(visits=lambda p: 10.0 / p, metrics=["time", "visits"])
    values = dict(constant.values)
    values["visits"] = replace(values["visits"], sum=np.full_like(values["visits"].sum, 7.0))
    assert metrics_beside(replace(constant, values=values), "time") == ("visits",)


def test_visits_that_are_missing_at_some_scales_do_not_vary():
    some = experiment(visits=lambda p: 7.0 / p if p > 2 else 0.0, metrics=["time", "visits"])
    values = dict(some.values)
    values["visits"] = replace(values["visits"], sum=np.where(values["visits"].sum > 0, 7.0, 0.0))
    assert metrics_beside(replace(some, values=values), "time") == ("visits",)


def test_a_time_in_another_unit_has_no_time_per_visit():
    whole = experiment(metrics=["time", "visits"])
    cycles = tuple(replace(m, unit="cycles") if m.name == "time" else m for m in whole.metrics)
    assert metrics_beside(replace(whole, metrics=cycles), "time") == ("visits",)


def test_call_paths_without_visits_are_not_in_the_time_per_visit_of_their_region():
    times = {MAIN: 1.0, SOLVE: 8.0, INNER: 6.0, OUTER: 5.0}
    runs = []
    for p in PROCESSES:
        values = {
            "time": {path: [seconds] * p for path, seconds in times.items()},
            "visits": {path: [0.0 if path == OUTER else 3.0] * p for path in times},
        }
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(make_profile(values), list(values))))
    regions = kernels_of(align(["p"], runs), "time_per_visit", Scaling.STRONG)[1]
    assert regions.values[regions.callpaths.index(("sum",)), :, 0].tolist() == [2.0] * len(PROCESSES)


def test_launches_times_the_time_of_each_are_the_time_of_accelerators():
    """Kernels take no time of hosts."""
    kernel = ("main", "axpy")
    runs = []
    for p in PROCESSES:
        device = [*[CPU] * p, *range(p)]
        values = {
            "time": {MAIN: [9.0] * p + [0.0] * p, kernel: [0.0] * p + [8.0 / p] * p},
            "visits": {MAIN: [1.0] * p + [0.0] * p, kernel: [0.0] * p + [4.0 * p] * p},
        }
        profile = make_profile(values, paradigm={"axpy": GPU_KERNEL}, device=device)
        runs.append(MeasuredRun((float(p),), 1, reduce_profile(profile, list(values))))
    whole = align(["p"], runs)
    assert "gpu_time_per_visit" in metrics_beside(whole, "time")
    callpaths, regions = kernels_of(whole, "gpu_time_per_visit", Scaling.STRONG)
    assert (callpaths.callpaths, regions.callpaths) == ((kernel,), (("axpy",),))
    assert callpaths.unit == "s" and callpaths.metric == "gpu_time_per_visit"
    for kernels in (callpaths, regions):
        assert kernels.values[0, :, 0].tolist() == pytest.approx([2.0 / p**2 for p in PROCESSES])


def test_extremes_are_missing_without_a_visit():
    whole = experiment(each=lambda p: 0.5)
    values = dict(whole.values)
    values["max_time"] = replace(
        values["max_time"], max=values["max_time"].max * [[[0]], [[1]], [[1]], [[1]]]
    )
    callpaths, regions = kernels_of(replace(whole, values=values), "max_time", Scaling.STRONG)
    assert np.isnan(callpaths.values[0]).all() and np.isnan(regions.values[0]).all()


def test_extremes_contain_the_overhead_that_a_correction_takes_out():
    nodes = 4
    correction = OverheadCorrection(
        share=0.1,
        cost=1e-7,
        deviation=np.zeros(nodes),
        total_deviation=0.0,
        measurable=np.ones(nodes, dtype=np.bool_),
        source="",
    )
    assert "max_time" not in metrics_beside(replace(experiment(), correction=correction), "time")


@pytest.mark.parametrize("scaling", [Scaling.STRONG, Scaling.WEAK])
def test_an_extreme_of_a_region_is_the_most_extreme_of_its_call_paths(scaling):
    whole = experiment()
    callpaths, regions = kernels_of(whole, "max_time", scaling)
    assert callpaths.callpaths == (MAIN, SOLVE, INNER)  # the other takes less than a thousandth of the time
    assert regions.callpaths == (("main",), ("solve",), ("sum",))
    assert regions.values[2, :, 0].tolist() == [0.5 * p for p in PROCESSES]
    least = kernels_of(whole, "min_time", scaling)[1]
    assert least.values[2, :, 0].tolist() == pytest.approx([TINY] * len(PROCESSES))
    assert not callpaths.additive and not regions.additive
    assert (regions.unit, regions.metric) == ("s", "max_time")


@given(
    st.floats(-1, 2).map(lambda power: round(power, 3)), st.floats(-1, 2).map(lambda power: round(power, 3))
)
def test_visits_times_the_time_per_visit_are_the_effort(of_count, of_each):
    whole = experiment(lambda p: 10.0 * p**of_count, lambda p: 0.5 * p**of_each)
    for level in (0, 1):
        each = kernels_of(whole, "time_per_visit", Scaling.STRONG)[level]
        effort, visits = (kernels_of(whole, name, Scaling.STRONG)[level] for name in ("time", "visits"))
        for k, path in enumerate(each.callpaths):
            number = effort.callpaths.index(path)
            assert effort.values[number] == pytest.approx(visits.values[number] * each.values[k])


def test_a_metric_without_a_sum_has_neither_shares_nor_total_nor_dominance():
    whole = experiment()
    decision = decide_scaling(whole, Scaling.STRONG)
    found = analyse(whole, decision, "time_per_visit", ModelOptions())
    outlook = look_ahead(found, found.regions, default_target(found))
    assert np.isnan(outlook.share_measured).all() and np.isnan(outlook.share_target).all()
    assert np.isnan(outlook.total.value).all() and outlook.crossovers == ()
    assert not any("dominant" in flag for flags in outlook.flags for flag in flags)
    assert found.metric == "time_per_visit" and found.back_test is None


def test_the_ranking_of_a_metric_without_a_sum_is_by_value():
    whole = experiment()
    found = analyse(whole, decide_scaling(whole, Scaling.STRONG), "max_time", ModelOptions())
    outlook = look_ahead(found, found.regions, default_target(found))
    ranked = [found.regions.kernels.callpaths[k][0] for k in outlook.order.tolist()]
    assert ranked == ["sum", "main", "solve"]  # 0.5 p at p = 64 is 32

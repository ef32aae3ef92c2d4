"""Which values are modelled."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ingest.alignment import MeasuredRun, align
from ingest.errors import InputError, UsageError
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling
from pipeline.models.kernels import (
    callpath_id,
    callpath_kernels,
    matching,
    mean_over_repetitions,
    named,
    region_kernels,
    sum_groups,
)
from tests.profiles import make_profile

MAIN, SOLVE, SEND, SUM = ("main",), ("main", "solve"), ("main", "MPI_Send"), ("main", "solve", "MPI_Send")


def run(p, factor):
    values = {
        MAIN: [1.0 * factor] * p,
        SOLVE: [2.0 * factor] * p,
        SUM: [8.0 * factor] * p,
        SEND: [4.0 * factor] * p,
    }
    profile = make_profile({"time": values, "visits": {path: [3.0] * p for path in values}})
    return MeasuredRun((float(p),), 1, reduce_profile(profile, ["time", "visits"]))


EXPERIMENT = align(["p"], [run(1, 1.0), run(2, 3.0)])


def test_strong_scaling_models_the_effort_and_weak_scaling_the_time_of_a_location():
    strong = callpath_kernels(EXPERIMENT, "time", Scaling.STRONG)
    weak = callpath_kernels(EXPERIMENT, "time", Scaling.WEAK)
    assert (strong.metric, strong.unit) == ("effort", "core-s")
    assert (weak.metric, weak.unit) == ("time", "s")
    assert strong.callpaths == (MAIN, SOLVE, SUM, SEND) == weak.callpaths
    assert strong.values[:, :, 0].tolist() == [[1, 6], [2, 12], [8, 48], [4, 24]]
    assert weak.values[:, :, 0].tolist() == [[1, 3], [2, 6], [8, 24], [4, 12]]
    assert strong.paradigms == ("compiler", "compiler", "mpi", "mpi")
    assert strong.node.tolist() == [0, 1, 2, 3]
    assert strong.parent.tolist() == [-1, 0, 1, 0]
    assert len(strong) == 4


def test_other_metrics_keep_their_name_and_unit():
    visits = callpath_kernels(EXPERIMENT, "visits", Scaling.STRONG)
    assert (visits.metric, visits.unit) == ("visits", "occ")
    assert visits.mean[0].tolist() == [3, 6]
    with pytest.raises(InputError, match="no metric 'flops'"):
        callpath_kernels(EXPERIMENT, "flops", Scaling.STRONG)


def test_regions_and_the_total_are_sums_of_call_paths():
    kernels = callpath_kernels(EXPERIMENT, "time", Scaling.STRONG)
    regions = region_kernels(kernels)
    assert regions.callpaths == (("main",), ("solve",), ("MPI_Send",))
    assert regions.paradigms == ("compiler", "compiler", "mpi")
    assert regions.values[:, :, 0].tolist() == [[1, 6], [2, 12], [12, 72]]
    assert regions.node.tolist() == regions.parent.tolist() == [-1, -1, -1]
    assert (regions.metric, regions.unit) == ("effort", "core-s")
    total = kernels.total
    assert (total.callpaths, total.paradigms, total.unit) == ((("total",),), ("",), "core-s")
    assert total.values[:, :, 0].tolist() == [[15, 90]]
    assert total.node.tolist() == total.parent.tolist() == [-1]


def test_a_sum_is_unknown_only_if_all_its_parts_are():
    values = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, np.nan], [5.0, 6.0, np.nan]])
    found = sum_groups(values, np.array([1, 1, 0]), 2)
    np.testing.assert_array_equal(found, [[5.0, 6.0, np.nan], [4.0, np.nan, 2.0]])


def test_means_leave_out_what_was_not_measured():
    found = mean_over_repetitions(np.array([[1.0, np.nan, 3.0], [np.nan] * 3, [np.inf, 2.0, np.nan]]))
    np.testing.assert_array_equal(found, [2.0, np.nan, 2.0])


def test_patterns_select_kernels_in_their_order():
    kernels = callpath_kernels(EXPERIMENT, "time", Scaling.STRONG)
    assert matching(kernels.callpaths, "MPI_*").tolist() == [2, 3]
    assert matching(kernels.callpaths, "main/solve/*").tolist() == [2]
    assert matching(kernels.callpaths, "nothing").tolist() == []


def test_an_id_is_the_number_of_a_call_path_from_one_on():
    callpaths = callpath_kernels(EXPERIMENT, "time", Scaling.STRONG).callpaths
    for node in range(len(callpaths)):
        assert matching(callpaths, callpath_id(node + 1)).tolist() == [node]
    for unknown in ("#0", f"#{len(callpaths) + 1}"):
        with pytest.raises(UsageError, match=f"--focus: no call path {unknown}; there are {len(callpaths)}$"):
            named(callpaths, unknown, "--focus")
    assert matching([("#2",), ("#x",)], "#x").tolist() == [1]
    assert matching([("#2",), ("#x",)], "[#]2").tolist() == [0]


def test_the_median_over_repetitions_leaves_out_what_was_not_measured():
    values = np.array([[[1.0, 2.0, 30.0], [4.0, np.nan, 6.0], [np.nan, np.nan, np.nan]]])
    found = replace(callpath_kernels(EXPERIMENT, "time", Scaling.STRONG), values=values).median
    np.testing.assert_array_equal(found, [[2.0, 5.0, np.nan]])


VALUES = st.floats(0.1, 100.0)


@given(arrays(np.float64, (4, 2, 3), elements=VALUES), arrays(np.int64, (4, 2), elements=st.integers(0, 3)))
def test_sums_of_unequal_repetitions_have_the_sums_of_the_means(values, count):
    values[np.arange(3) >= count[..., None]] = np.nan
    means = mean_over_repetitions(values)
    summed = sum_groups(values, np.array([0, 0, 1, 1]), 2)
    expected = sum_groups(means, np.array([0, 0, 1, 1]), 2)
    assert mean_over_repetitions(summed) == pytest.approx(expected, nan_ok=True)
    known = np.where(count > 0, count, 9).reshape(2, 2, 2).min(axis=1)
    assert (np.isfinite(summed).sum(axis=2) == np.where(known < 9, known, 0)).all()


def test_a_kernel_of_one_repetition_beside_one_of_three():
    values = np.array([[[100.0, np.nan, np.nan]], [[1.0, 1.0, 1.0]]])
    assert np.array_equal(
        sum_groups(values, np.array([0, 0]), 1), [[[101.0, np.nan, np.nan]]], equal_nan=True
    )
    apart = np.array([[[100.0, np.nan]], [[np.nan, 2.0]]])
    assert np.array_equal(sum_groups(apart, np.array([0, 0]), 1), [[[102.0, np.nan]]], equal_nan=True)


def test_runs_that_are_missing_at_a_point_are_missing_in_the_sum():
    values = np.array([[[1.0, np.nan], [2.0, 4.0]], [[1.0, np.nan], [0.0, 1.0]]])
    found = sum_groups(values, np.array([0, 0]), 1)
    assert np.array_equal(found, [[[2.0, np.nan], [2.0, 5.0]]], equal_nan=True)

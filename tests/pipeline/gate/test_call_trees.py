import numpy as np
import pytest

from pipeline.gate.compared_studies import ComparedStudies, compare_trees
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.target_forecast import forecast
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import study

COMMON = {("main",): 5.0, "solve": [10.0, 20.0, 40.0], ("main", "solve", "spmv"): 30.0}
SCALES = (8, 16, 32)


def compared(one, two, targets=()):
    return compare_trees(ComparedStudies.of(one, two, ModelOptions(), 0.01), targets)


def test_the_tree_has_the_call_paths_of_both_callers_first():
    one = study({**COMMON, "gone": 3.0}, scales=SCALES)
    two = study({**COMMON, ("main", "added", "leaf"): 4.0, "zero": 0.0}, scales=SCALES)
    trees = compared(one, two)
    paths = trees.callpaths
    assert paths == (
        ("main",),
        ("main", "solve"),
        ("main", "solve", "spmv"),
        ("main", "gone"),
        ("main", "added", "leaf"),  # its caller took nothing, so the nearest that did is main
    )
    assert trees.parent.tolist() == [-1, 0, 1, 0, 0]
    assert (trees.metric, trees.unit) == ("effort", "core-s")


def test_measured_scales_are_the_common_ones_with_means_and_the_range_of_runs():
    one = study(COMMON, scales=(32, 16, 8), repetitions=4, seed=1)
    two = study({**COMMON, "added": 2.0}, scales=(32, 16, 64), repetitions=3, seed=2)
    first, second, target = compared(one, two).scales
    assert [first.at, second.at] == [{"p": 16.0}, {"p": 32.0}]
    assert first.runs == (4, 3)
    assert not first.predicted
    assert first.a.whole is None
    row = one.kernels.index(KernelId(Scope.CALLPATH, ("main", "solve")))
    assert first.a.value[1] == pytest.approx(one.values[row, 1].mean())
    assert (first.a.lower[1], first.a.upper[1]) == (one.values[row, 1].min(), one.values[row, 1].max())
    row = two.kernels.index(KernelId(Scope.CALLPATH, ("main", "added")))
    assert np.isnan(first.a.value[3])
    assert second.b.value[3] == pytest.approx(two.values[row, 0].mean())
    assert target.predicted


def test_predictions_are_those_of_each_study_at_the_targets_of_b():
    one, two = study({**COMMON, "gone": 3.0}, scales=SCALES), study(COMMON, scales=SCALES, seed=5)
    near, far = compared(one, two, [{"p": 64.0}, {"p": 100.0}]).scales[-2:]
    assert [near.at, far.at] == [{"p": 64.0}, {"p": 100.0}]
    assert near.runs == (0, 0)
    for kernels, side in ((one, far.a), (two, far.b)):
        rows = kernels.rows_of(Scope.CALLPATH)
        expected = forecast(kernels, np.array([[100.0]]), ModelOptions()).prediction
        np.testing.assert_allclose(side.value[: len(rows)], expected.value[rows, 0], rtol=1e-12)
        np.testing.assert_allclose(side.lower[: len(rows)], expected.lower[rows, 0], rtol=1e-12)
        np.testing.assert_allclose(side.upper[: len(rows)], expected.upper[rows, 0], rtol=1e-12)
        whole = expected.lower[0, 0], expected.upper[0, 0]
        assert side.whole == pytest.approx(whole)
    assert np.isnan(far.b.value[3])


def test_without_a_common_scale_there_are_predictions_only():
    trees = compared(study(COMMON, scales=SCALES), study(COMMON, scales=(10, 20, 40)))
    assert [scale.at for scale in trees.scales] == [{"p": 160.0}]


def test_a_point_that_a_study_lacks_repetitions_of_has_those_it_has():
    one, two = study(COMMON, scales=SCALES), study(COMMON, scales=SCALES)
    one.values[:, 1, 3:] = np.nan
    scale = compared(one, two).scales[1]
    assert scale.runs == (3, 5)
    assert np.isfinite(scale.a.lower).all()


def test_a_renamed_call_path_is_one_with_the_values_of_both():
    one = study({**COMMON, ("main", "halo"): 20.0, ("main", "halo", "send"): 9.0}, scales=SCALES)
    two = study({**COMMON, ("main", "halos"): 21.0, ("main", "halos", "send"): 9.0}, scales=SCALES, seed=3)
    trees = compared(one, two)
    paths = trees.callpaths
    assert ("main", "halos", "send") in paths and not any("halo" in path for path in paths)
    for scale in trees.scales:
        assert np.isfinite([scale.a.value, scale.b.value]).all()
    whole = forecast(one, np.array([[128.0]]), ModelOptions()).prediction
    assert trees.scales[-1].a.value.sum() == pytest.approx(whole.value[0, 0])


def test_nothing_is_predicted_of_two_scales():
    one, two = (study({("main",): 5.0}, scales=SCALES[:2], seed=seed) for seed in (1, 2))
    assert [scale.predicted for scale in compared(one, two).scales] == [False, False]

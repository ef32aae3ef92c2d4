import numpy as np

from pipeline.gate.compared_studies import ComparedStudies, compare_trees
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import study

COMMON = {("main",): 5.0, "solve": [10.0, 20.0, 40.0], ("main", "solve", "spmv"): 30.0}
SCALES = (8, 16, 32)


def compared(one, two):
    return compare_trees(ComparedStudies.of(one, two, ModelOptions(), 0.01))


def test_the_tree_has_the_call_paths_of_both_callers_first():
    one = study({**COMMON, "gone": 3.0}, scales=SCALES)
    two = study({**COMMON, ("main", "added", "leaf"): 4.0, "zero": 0.0}, scales=SCALES)
    trees = compared(one, two)
    assert trees.callpaths == (
        ("main",),
        ("main", "solve"),
        ("main", "solve", "spmv"),
        ("main", "gone"),
        ("main", "added", "leaf"),  # its caller took nothing, so the nearest that did is main
    )
    assert trees.parent.tolist() == [-1, 0, 1, 0, 0]
    for whole, rows, lacking in ((one, trees.rows[0], 4), (two, trees.rows[1], 3)):
        found = [whole.kernels[row] for row in rows.tolist() if row >= 0]
        known = [path for k, path in enumerate(trees.callpaths) if k != lacking]
        assert found == [KernelId(Scope.CALLPATH, path) for path in known]
        assert np.flatnonzero(rows < 0).tolist() == [lacking]


def test_a_renamed_call_path_is_one_that_both_have():
    one = study({**COMMON, ("main", "halo"): 20.0, ("main", "halo", "send"): 9.0}, scales=SCALES)
    two = study({**COMMON, ("main", "halos"): 21.0, ("main", "halos", "send"): 9.0}, scales=SCALES, seed=3)
    trees = compared(one, two)
    assert ("main", "halos", "send") in trees.callpaths
    assert not any("halo" in path for path in trees.callpaths)
    assert min(map(min, trees.rows)) >= 0

import dataclasses

import numpy as np
import pytest

from pipeline.gate.check_result import PointRatio, Ruling
from pipeline.gate.compared_studies import ComparedScale, ComparedTrees, ScaleValues
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.page import comparison_page as module
from pipeline.report.page.comparison_page import comparison_data
from tests.pipeline.report.check.results import kernel, result
from tests.pipeline.report.page.studies import as_carried, floats

PATHS = (("main",), ("main", "a"), ("main", "a", "x"), ("main", "b"), ("main", "b", "y"), ("main", "b", "z"))
PARENT = np.array([-1, 0, 1, 0, 3, 3])
A = np.array([1.0, 50, 30, 2, 1, np.nan])
B = np.array([1.0, 50, 0.5, 4, np.nan, 3])


def values(mean):
    return ScaleValues(mean, 0.9 * mean, 1.1 * mean)


def trees(**changed):
    scale = ComparedScale(at={"p": 8.0}, predicted=False, runs=(3, 2), a=values(A), b=values(B))
    target = ComparedScale(at={"p": 32.0}, predicted=True, runs=(0, 0), a=values(2 * A), b=values(B))
    given = {"callpaths": PATHS, "parent": PARENT, "scales": (scale, target), "metric": "effort", "unit": "s"}
    return ComparedTrees(**(given | changed))


def data_of(trees, result):
    return as_carried(comparison_data("a", "b", trees, result))


def names(data):
    return [data["regions"][region]["name"] for region in data["region"]]


def test_values_ranges_and_places_of_both_sides():
    data = data_of(trees(), result())
    assert names(data) == [path[-1] for path in PATHS]
    assert data["parent"] == PARENT.tolist()
    first, second = data["scales"]
    assert (first["name"], first["predicted"], first["runs"]) == ("p = 8", False, [3, 2])
    assert (second["name"], second["predicted"]) == ("p = 32", True)
    np.testing.assert_allclose(floats(first["a"]["value"]), A)
    np.testing.assert_allclose(floats(second["a"]["lower"]), 1.8 * A, rtol=1e-4)
    np.testing.assert_allclose(floats(first["b"]["upper"]), 1.1 * B, rtol=1e-4)


@pytest.mark.parametrize(
    ("whole", "expected"), [(None, None), ((1.0, np.inf), None), ((1.0, 123456789.0), [1.0, 123457000.0])]
)
def test_the_interval_of_the_whole_program_has_two_ends_or_none(whole, expected):
    scale = trees().scales[1]
    scale = dataclasses.replace(scale, b=dataclasses.replace(scale.b, whole=whole))
    data = data_of(trees(scales=(scale,)), result())
    assert data["scales"][0]["b"]["whole"] == expected


def test_small_call_paths_are_folded_into_one_callee_of_their_caller(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CALLPATHS", 3)
    data = data_of(trees(), result(kernel("b"), kernel("a")))
    assert names(data) == ["main", "a", "x", "others (3 folded into one)"]
    assert data["parent"] == [-1, 0, 1, 0]
    side = data["scales"][0]["a"]
    np.testing.assert_allclose(floats(side["value"]), [1, 50, 30, 3])
    assert np.isnan(floats(side["lower"])).tolist() == [False, False, False, True]
    assert floats(data["scales"][0]["b"]["value"]).sum() == pytest.approx(np.nansum(B))
    assert [row[0] for row in data["kernels"]] == [-1, 1]  # b is folded


def test_callers_are_found_behind_what_is_folded(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CALLPATHS", 3)
    scale = trees().scales[0]
    swapped = np.array([1.0, 1, 1, 2, 50, 1])
    scale = dataclasses.replace(scale, a=values(swapped), b=values(swapped))
    data = data_of(trees(scales=(scale,)), result())
    assert names(data) == ["main", "b", "y", "others (2 folded into one)", "z"]
    assert data["parent"] == [-1, 0, 1, 0, 1]


def test_a_single_folded_call_path_keeps_its_name_and_range(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CALLPATHS", 5)
    data = data_of(trees(), result())
    assert sorted(names(data)) == sorted(path[-1] for path in PATHS)
    assert not np.isnan(floats(data["scales"][0]["a"]["lower"])).all()
    assert np.isfinite(floats(data["scales"][0]["a"]["lower"])[names(data).index("y")])


def test_kernels_have_verdicts_and_tested_ratios_in_the_order_of_the_table():
    total = kernel("x")
    total = dataclasses.replace(total, kernel=KernelId(Scope.TOTAL, ("total",)))
    change = (PointRatio({"p": 8.0}, 1.5, 1.2, np.inf), PointRatio({"p": 4.0}, 9.0, 1, 1))
    one = kernel("b", Ruling.IMPROVEMENT, measured=change, target=(PointRatio({"p": 32.0}, 1.25, 1.0, 2.0),))
    data = data_of(trees(), result(total, one, kernel("a", target=())))
    assert data["kernels"] == [
        [-1, "worse", [[1.5, 1.2, 1.9], None]],
        [3, "better", [[1.5, 1.2, None], [1.25, 1.0, 2.0]]],
        [1, "worse", [[1.5, 1.2, 1.9], None]],
    ]


def test_long_names_have_a_short_one():
    paths = (("main",), *(("main", f"void f<int>({n})") for n in "abcde"))
    data = data_of(trees(callpaths=paths, parent=np.array([-1, 0, 0, 0, 0, 0])), result())
    assert data["regions"][0] == {"name": "main"}
    assert data["regions"][1]["short"] != data["regions"][1]["name"]

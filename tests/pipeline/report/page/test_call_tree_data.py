import dataclasses

import numpy as np
import pytest

from pipeline.gate.check_result import PointRatio, Ruling
from pipeline.gate.compared_studies import ComparedStudies
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.target_forecast import forecast
from pipeline.models.options import ModelOptions
from pipeline.report.page import comparison_page as module
from pipeline.report.page.comparison_page import comparison_data
from tests.pipeline.gate.studies import study
from tests.pipeline.report.check.results import compared, kernel, result
from tests.pipeline.report.page.studies import as_carried, floats

COMMON = {("main",): 5.0, "a": [50.0, 60.0, 80.0], ("main", "a", "x"): 30.0, "b": 2.0}
SCALES = (8, 16, 32)
ONE = study({**COMMON, ("main", "b", "y"): 1.0}, scales=SCALES, repetitions=4, seed=1)
TWO = study({**COMMON, ("main", "b", "z"): 3.0}, scales=SCALES, repetitions=3, seed=2)
Y, Z = ("main", "b", "y"), ("main", "b", "z")


def data_of(*kernels, one=ONE, two=TWO, **given):
    studies = ComparedStudies.of(one, two, ModelOptions(), 0.01)
    return as_carried(comparison_data(studies, compared(result(*kernels, **given))))


def names(data):
    return [data["regions"][region]["name"] for region in data["studies"][0]["callpaths"]["region"]]


def read(data, side, key, *, level="callpaths"):
    columns = len(data["scales"]) if key == "value" else len(data["points"])
    return floats(data["studies"][side][level][key], columns)


def ends(data, side, end):
    others = data["studies"][side]["callpaths"]["others"]
    return floats(others[end], len(others["positions"]))


def test_both_sides_have_their_means_and_repetitions_at_all_points():
    data = data_of(kernel("a"))
    assert names(data) == ["main", "a", "x", "b", "y", "z"]
    assert data["studies"][1]["callpaths"]["parent"] == [-1, 0, 1, 0, 3, 3]
    assert [one["name"] for one in data["studies"]] == ["a", "b"]
    assert (data["points"], data["common"]) == ([[8.0], [16.0], [32.0]], [0, 1, 2])
    for side, (whole, lacking) in enumerate(((ONE, 5), (TWO, 4))):
        rows = whole.rows_of(Scope.CALLPATH)
        mean = np.delete(read(data, side, "mean"), lacking, axis=0)
        np.testing.assert_allclose(mean, whole.values[rows].mean(axis=2), rtol=1e-3)
        assert np.isnan(read(data, side, "mean")[lacking]).all()
    repetitions = data["studies"][0]["kernels"]["repetitions"]
    single = floats(repetitions["values"]).reshape(2, 3, repetitions["count"])
    np.testing.assert_allclose(single[0], ONE.values[0], rtol=1e-3)  # the total
    row = ONE.kernels.index(KernelId(Scope.CALLPATH, ("main", "a")))
    np.testing.assert_allclose(single[1], ONE.values[row], rtol=1e-3)


def test_points_are_those_of_either_study_and_some_are_common():
    one, two = study(COMMON, scales=(32, 16, 8)), study(COMMON, scales=(32, 16, 64), seed=2)
    data = data_of(one=one, two=two)
    assert (data["points"], data["common"]) == ([[8.0], [16.0], [32.0], [64.0]], [1, 2])
    assert np.isnan(read(data, 0, "mean")[:, 3]).all() and np.isnan(read(data, 1, "mean")[:, 0]).all()
    assert read(data, 0, "mean")[1, 1] == pytest.approx(
        one.values[one.kernels.index(KernelId(Scope.CALLPATH, ("main", "a"))), 1].mean(), rel=1e-3
    )
    assert data_of(one=study(COMMON, scales=SCALES), two=study(COMMON, scales=(10, 20, 40)))["common"] == []


def test_predictions_are_those_of_each_study_at_all_positions():
    data = data_of(kernel("a"), targets=({"p": 64.0}, {"p": 100.0}))
    points = np.array(data["scales"])[:, None]
    assert {8.0, 16.0, 32.0, 64.0, 100.0} <= set(data["scales"])
    for side, (whole, lacking) in enumerate(((ONE, 5), (TWO, 4))):
        rows = whole.rows_of(Scope.CALLPATH)
        expected = forecast(whole, points, ModelOptions()).prediction
        found = read(data, side, "value")
        np.testing.assert_allclose(np.delete(found, lacking, axis=0), expected.value[rows], rtol=1e-3)
        assert np.isnan(found[lacking]).all()
        places = data["studies"][side]["callpaths"]["others"]["positions"]
        assert {100.0, 64.0} <= {data["scales"][place] for place in places}
        lower = np.delete(ends(data, side, "lower"), lacking, axis=0)
        np.testing.assert_allclose(lower, expected.lower[rows][:, places], rtol=1e-3)
        np.testing.assert_allclose(data["studies"][side]["callpaths"]["total"]["upper"], expected.upper[0])


def test_nothing_is_predicted_of_two_scales():
    one, two = (study(COMMON | {"a": 50.0}, scales=SCALES[:2], seed=seed) for seed in (1, 2))
    data = data_of(kernel("a"), one=one, two=two)
    assert data["measuredOnly"]
    assert np.isnan(read(data, 0, "value")).all()
    assert np.isfinite(read(data, 0, "mean")).all()


def test_small_call_paths_are_folded_into_one_callee_of_their_caller(monkeypatch):
    whole = read(data_of(), 1, "mean")
    monkeypatch.setattr(module, "_MOST_CALLPATHS", 3)
    data = data_of(kernel("b"), kernel("a"))
    assert names(data) == ["main", "a", "x", "others (3 folded into one)"]
    assert data["studies"][0]["callpaths"]["parent"] == [-1, 0, 1, 0]
    assert read(data, 1, "mean")[3] == pytest.approx(np.nansum(whole[3:], axis=0), rel=1e-3)
    assert np.isnan(ends(data, 0, "lower")).any(axis=1).tolist() == [False, False, False, True]
    assert [row[0] for row in data["kernels"]] == [-1, 1]  # b is folded


def test_callers_are_found_behind_what_is_folded(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CALLPATHS", 3)
    large = {("main",): 1.0, "a": 1.0, ("main", "a", "x"): 1.0, "b": 2.0, Y: 50.0, Z: 1.0}
    data = data_of(one=study(large, scales=SCALES), two=study(large, scales=SCALES, seed=2))
    assert names(data) == ["main", "b", "y", "others (2 folded into one)", "z"]
    assert data["studies"][0]["callpaths"]["parent"] == [-1, 0, 1, 0, 1]


def test_a_single_folded_call_path_keeps_its_name_and_range(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CALLPATHS", 5)
    data = data_of()
    assert sorted(names(data)) == ["a", "b", "main", "x", "y", "z"]
    assert np.isfinite(ends(data, 0, "lower"))[names(data).index("y")].all()


def test_kernels_have_verdicts_and_tested_ratios_in_the_order_of_the_table():
    total = dataclasses.replace(kernel("x"), kernel=KernelId(Scope.TOTAL, ("total",)))
    change = (PointRatio({"p": 8.0}, 1.5, 1.2, np.inf), PointRatio({"p": 4.0}, 9.0, 1, 1))
    region = dataclasses.replace(kernel("a"), kernel=KernelId(Scope.REGION, ("a",)))
    data = data_of(total, kernel("b", Ruling.IMPROVEMENT, measured=change), kernel("a", measured=()), region)
    assert [row[:2] for row in data["kernels"]] == [
        [-1, [[1.5, 1.2, 1.9], None, None]],
        [3, [[1.5, 1.2, None], None, None]],
        [1, [None, None, None]],
        [-1, [[1.5, 1.2, 1.9], None, None]],
    ]
    columns = {column["key"]: column for column in data["columns"]}
    assert columns["verdict"]["texts"] == ["worse", "better", "worse", "worse"]
    assert columns["level"]["texts"] == ["total", "callpath", "callpath", "region"]


def test_long_names_have_a_short_one():
    efforts = {("main",): 5.0} | {f"void f<int>({n})": 3.0 for n in "abcde"}
    data = data_of(one=study(efforts, scales=SCALES), two=study(efforts, scales=SCALES, seed=2))
    assert data["regions"][0] == {"name": "main"}
    assert data["regions"][1]["short"] != data["regions"][1]["name"]

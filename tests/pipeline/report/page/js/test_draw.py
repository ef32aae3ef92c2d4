"""Axes, scales and the order of tables."""

import math
from typing import Any

import pytest

from tests.pipeline.report.page.browser import Scripts

INF, NAN = math.inf, math.nan


def test_ticks(scripts: Scripts) -> None:
    linear = scripts.each(
        "draw/axes.js", "linearTicks", [(0, 10, 5), (0, 1, 4), (-3, 7, 5), (5, 5, 3), (0, 90, 2)]
    )
    assert linear[0] == [0, 2, 4, 6, 8, 10]
    assert linear[1] == pytest.approx([0, 0.5, 1])
    assert linear[2] == [-2, 0, 2, 4, 6]
    assert linear[3] == [5]
    assert linear[4] == [0, 50]
    log = scripts.each(
        "draw/axes.js", "logTicks", [(1, 1000, 4), (1, 30, 4), (1, 5, 4), (1e-6, 1e6, 4), (4, 4.5, 3)]
    )
    assert log[0] == [1, 10, 100, 1000]
    assert log[1] == [1, 3, 10, 30]
    assert log[2] == [1, 2, 5]
    assert log[3] == pytest.approx([1e-6, 1e-3, 1, 1e3, 1e6])
    assert log[4] == pytest.approx([4, 4.2, 4.4])
    binary = scripts.each("draw/axes.js", "binaryTicks", [(4, 64, 9), (3.9, 65, 9), (4, 1024, 4), (1, 1, 2)])
    assert binary == [[4, 8, 16, 32, 64], [4, 8, 16, 32, 64], [4, 32, 256], [1]]


def test_ratios_have_a_scale_with_one_in_the_middle_that_holds_all_up_to_31(scripts: Scripts) -> None:
    def places(*ratios: float, shown: list[float]) -> Any:
        return scripts.evaluate(
            "draw/axes.js", "ratioScale", "values[1].map(ratioScale(values[0], 100))", list(ratios), shown
        )

    assert places(0.1, 5.0, NAN, INF, 0, shown=[0.1, 1, 10]) == pytest.approx([0, 50, 100])
    assert places(1.0, 1e-12, shown=[1e-12, 0, 1, 10, INF]) == pytest.approx([0, 0, 50, 50 + 100 / 3, 100])
    assert places(1.0, 1.01, shown=[0.5, 10**0.05, 2]) == pytest.approx([0, 75, 100])
    assert places(shown=[1]) == [50]


def test_domains(scripts: Scripts) -> None:
    log = scripts.each("draw/axes.js", "logDomain", [[[1, 100, NAN, -5, INF]], [[1e-20, 1]], [[0, -1]]])
    pad = 100**0.05 * 1.05
    assert log[0] == [pytest.approx(1 / pad), pytest.approx(100 * pad)]
    assert log[1][0] == pytest.approx(1e-6 / (1e6**0.05 * 1.05))
    assert log[2] == [0.1, 1]
    linear = scripts.each("draw/axes.js", "linearDomain", [[[1, 100, NAN]], [[-10, 90]], [[0]], [[]]])
    assert linear == [[0, pytest.approx(106)], [-10, pytest.approx(96)], [0, 1], [0, 1]]


def test_scales_of_charts_turn_back(scripts: Scripts) -> None:
    found = scripts.evaluate(
        "draw/axes.js",
        "linearScale, logScale",
        "[linearScale, logScale].map((make) => { const scale = make([1, 100], [50, 250]); "
        "return [scale(1), scale(100), scale(10), scale.invert(150), scale.ticks(3)]; })",
    )
    assert found[0] == [50, 250, pytest.approx(50 + 200 * 9 / 99), pytest.approx(50.5), [50, 100]]
    assert found[1][:4] == pytest.approx([50, 250, 150, 10])
    assert found[1][4] == [1, 3, 10, 30, 100]


@pytest.mark.parametrize(
    ("values", "ascending", "descending"),
    [
        ([2, NAN, 10, 1], [1, 2, 10, NAN], [10, 2, 1, NAN]),
        (["B", "c", "a"], ["a", "B", "c"], ["c", "B", "a"]),
    ],
)
def test_tables_sort_numbers_by_size_and_the_unknown_last(
    scripts: Scripts, values: list[Any], ascending: list[Any], descending: list[Any]
) -> None:
    sort = "[false, true].map((way) => values[0].toSorted((a, b) => compared(a, b, way)))"
    found = scripts.evaluate("draw/table.js", "compared", sort, values)
    assert repr(found) == repr([ascending, descending])


def test_contours_lie_where_a_figure_has_a_value(scripts: Scripts) -> None:
    xs, ys = [1, 2, 4, 8], [1, 10, 100]
    grid = {"xs": xs, "ys": ys, "values": [math.log(x) + math.log(y) for y in ys for x in xs]}
    (pieces,) = scripts.each("views/surface.js", "contour", [(grid, math.log(20))])
    places = [place for piece in pieces for place in piece]
    assert len(pieces) > 4
    assert [x * y for x, y in places] == pytest.approx([20] * len(places))
    grid["values"][0] = None
    (fewer,) = scripts.each("views/surface.js", "contour", [(grid, math.log(1.5))])
    assert fewer == []


def test_a_level_is_shaded_where_it_lies_in_its_interval(scripts: Scripts) -> None:
    xs, ys = [1, 2, 4, 8], [1, 4]
    value = [math.log2(x) for _ in ys for x in xs]
    grid = {
        "xs": xs,
        "ys": ys,
        "lower": [one - 0.5 for one in value],
        "upper": [one + 0.25 for one in value],
    }
    (parts,) = scripts.each("views/surface.js", "region", [(grid, 1.5)])
    places = [place for part in parts for place in part]
    assert min(x for x, _ in places) == pytest.approx(2**1.25)
    assert max(x for x, _ in places) == pytest.approx(2**2.0)
    assert {round(y, 9) for _, y in places} >= {1, 4}

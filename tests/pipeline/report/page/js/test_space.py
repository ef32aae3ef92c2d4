"""The space of parameters: points, grid, snapping."""

import math

import numpy as np
import pytest

from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.js.data import data_of
from tests.pipeline.report.page.studies import study, two_parameter_study


def test_points_along_the_scaled_parameter(scripts: Scripts) -> None:
    data = data_of(two_parameter_study())
    data["points"] = data["points"][::-1]
    found = scripts.read(data, "values.map((at) => report.space.pointsAlong(at))", [1, 30], [64, 30.5])
    along = [i for i, point in enumerate(data["points"]) if point[1] == 30.0]
    assert found == [along[::-1], []]


def test_the_space_knows_what_was_measured(scripts: Scripts) -> None:
    expression = (
        "[report.space.measuredStart, report.space.measuredEnd, report.space.scaled, report.space.opening]"
    )
    assert scripts.read(data_of(two_parameter_study()), expression) == [4, 64, "p", [256, 50]]
    expression = "[report.space.atScale(values[0], 9), values[0]]"
    assert scripts.read(data_of(two_parameter_study()), expression, [1, 2]) == [[9, 2], [1, 2]]


def test_place_on_the_grid(scripts: Scripts) -> None:
    data = data_of(two_parameter_study())
    grid = data["levels"]["regions"]["grid"]
    at = [[grid[0], 50], [grid[3], 50], [math.sqrt(grid[3] * grid[4]), 50], [grid[-1], 50]]
    beyond = [[0.99, 50], [1e6, 50], [16, 49]]
    found = scripts.read(data, "values.map((at) => report.levels.regions.gridPlace(at))", *at, *beyond)
    places = [(place["i"], place["share"]) for place in found[:-3]]
    assert places == [
        (0, 0),
        (2, pytest.approx(1)),
        (3, pytest.approx(0.5)),
        (len(grid) - 2, pytest.approx(1)),
    ]
    assert found[-3:] == [None, None, None]


def test_how_far_a_point_lies_outside_the_measurements(scripts: Scripts) -> None:
    at = [[64, 50], [5, 10], [256, 50], [2, 50], [128, 500]]
    found = scripts.read(
        data_of(two_parameter_study()), "values.map((at) => report.space.extrapolation(at))", *at
    )
    assert found == [1, 1, 4, 2, 10]


def test_scales_near_a_measured_or_targeted_one_snap_to_it(scripts: Scripts) -> None:
    data = data_of(study(), np.array([[200.0], [333.0]]))
    reach = math.log(data["reach"][0] / data["first"][0]) * 0.006
    inside, outside = math.exp(0.99 * reach), math.exp(1.01 * reach)
    values = [64 * inside, 64 / inside, 200 * inside, 333 / inside, 64 * outside, 64 / outside, 123.456]
    found = scripts.read(data, "values.map((value) => report.space.snapped(0, value))", *values)
    assert found[:4] == [64, 64, 200, 333]
    assert found[4:] == [float(f"{value:.3g}") for value in values[4:]]


def test_values_are_spread_by_ratio(scripts: Scripts) -> None:
    found = scripts.each("data/space.js", "spread", [(1, 16, 5), (3, 7, 2), (4, 1024, 80)])
    assert found[0] == pytest.approx([1, 2, 4, 8, 16])
    assert found[1] == [3, 7]
    assert (found[2][0], found[2][-1], len(found[2])) == (4, 1024, 80)

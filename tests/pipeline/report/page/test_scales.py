"""The slider's reach and the grid of scales at which predictions are exact."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.questions.analysis import default_target
from pipeline.report.page.scales import (
    BEYOND_TARGET,
    FARTHEST,
    GRID_POINTS,
    MEASURED_KEPT,
    STEP,
    filled,
    scales_of,
)
from tests.pipeline.report.page.studies import PROCESSES, study, study_of, two_parameter_study


def test_grid_holds_measured_scales_targets_and_reach() -> None:
    targets = np.array([[100.0], [256.0]])
    scales = scales_of(study(), targets)
    grid = scales.grid[:, 0]
    assert {*PROCESSES, 100.0, 256.0, 1024.0} <= set(grid)
    assert (np.diff(grid) > 0).all()
    assert ((grid >= 4) & (grid <= 1024)).sum() == GRID_POINTS == 14
    assert (grid[0], grid[-1]) == (1.0, FARTHEST * 64) == (1.0, 65536.0)
    assert (grid[1:] / grid[:-1]).max() <= STEP * (1 + 1e-12)
    assert scales.target == 256.0
    assert (scales.first, scales.reach) == (4.0, 1024.0)


def test_reach_goes_beyond_the_largest_target_and_the_measurements() -> None:
    assert BEYOND_TARGET == 4.0
    assert scales_of(study(), np.array([[300.0], [100.0]])).reach == 1200.0
    assert scales_of(study(), np.array([[300.0], [100.0]])).target == 100.0
    assert scales_of(study(), np.array([[10.0]])).reach == 256.0


def test_other_parameters_stay_at_the_target() -> None:
    analysis = two_parameter_study()
    scales = scales_of(analysis, default_target(analysis))
    assert scales.column == 0
    assert (scales.grid[:, 1] == 50.0).all()
    assert scales.reach.tolist() == [1024.0, 50.0]
    asked = scales_of(analysis, np.array([[256.0, 90.0], [256.0, 5.0]]))
    assert (asked.first.tolist(), asked.reach.tolist()) == ([4.0, 5.0], [1024.0, 90.0])
    assert (asked.grid[:, 1] == 5.0).all()


def test_the_scaled_parameter_may_stand_anywhere() -> None:
    analysis = two_parameter_study()
    other = replace(analysis, decision=replace(analysis.decision, parameter="n"))
    scales = scales_of(other, np.array([[64.0, 100.0]]))
    assert scales.column == 1
    assert scales.reach.tolist() == [64.0, 400.0]
    assert (scales.grid[:, 0] == 64.0).all()
    assert {10.0, 20.0, 30.0, 40.0, 50.0, 100.0, 400.0} <= set(scales.grid[:, 1])
    np.testing.assert_array_equal(scales.along(np.array([1.0, 2.0])), [[64, 1], [64, 2]])


def test_along_leaves_the_target_as_it_is() -> None:
    scales = scales_of(study(), np.array([[256.0]]))
    assert scales.along(np.array([3.0])).tolist() == [[3.0]]
    assert scales.target == 256.0


def test_a_target_below_the_measurements_widens_the_slider() -> None:
    assert scales_of(study(), np.array([[2.0]])).first == 2.0


@pytest.mark.parametrize(("count", "all_there"), [(MEASURED_KEPT, True), (MEASURED_KEPT + 1, False)])
def test_of_many_measured_scales_only_the_ends_are_kept(count: int, all_there: bool) -> None:
    assert MEASURED_KEPT == 8
    measured = [3 * i + 4 for i in range(count)]
    analysis = study_of({("main",): lambda p: 100 + p}, processes=measured, repetitions=1)
    grid = set(scales_of(analysis, np.array([[256.0]])).grid[:, 0])
    assert {measured[0], measured[-1]} <= grid
    assert (set(measured) <= grid) == all_there


def test_many_targets_make_the_grid_longer() -> None:
    targets = np.linspace(65, 200, 20)[:, None]
    grid = scales_of(study(), targets).grid[:, 0]
    assert ((grid >= 4) & (grid <= 800)).sum() == len(PROCESSES) + 20 + 1
    assert set(targets[:, 0]) <= set(grid)


def test_gaps_are_halved_by_ratio() -> None:
    np.testing.assert_allclose(filled(np.array([1.0, 4.0, 64.0]), 5), [1, 2, 4, 16, 64])
    np.testing.assert_allclose(filled(np.array([64.0, 1.0]), 3), [1, 8, 64])
    assert filled(np.array([2.0, 1.0]), 2).tolist() == [1.0, 2.0]


@given(st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=6, unique=True), st.integers(2, 20))
def test_filling_keeps_the_scales_and_their_order(scales: list[float], count: int) -> None:
    found = filled(np.array(scales), count)
    assert len(found) == max(count, len(scales))
    assert set(scales) <= set(found)
    assert (np.diff(found) >= 0).all()

"""The slider's reach and the grid of scales at which intervals are exact."""

import numpy as np

from pipeline.models.analysis import default_target
from pipeline.report.html.scales import GRID_POINTS, filled, scales_of
from tests.pipeline.report.html.studies import PROCESSES, study, two_parameter_study


def test_grid_holds_measured_scales_targets_and_reach() -> None:
    targets = np.array([[100.0], [256.0]])
    scales = scales_of(study(), targets)
    grid = scales.grid[:, 0]
    assert {*PROCESSES, 100.0, 256.0, 1024.0} <= set(grid)
    assert (np.diff(grid) > 0).all()
    assert len(grid) == GRID_POINTS
    assert scales.target == 256.0
    assert (scales.first, scales.reach) == (4.0, 1024.0)


def test_other_parameters_stay_at_the_target() -> None:
    analysis = two_parameter_study()
    scales = scales_of(analysis, default_target(analysis))
    assert scales.column == 0
    assert (scales.grid[:, 1] == 50.0).all()
    assert scales.reach.tolist() == [1024.0, 50.0]


def test_a_target_below_the_measurements_widens_the_slider() -> None:
    assert scales_of(study(), np.array([[2.0]])).first == 2.0


def test_gaps_are_halved_by_ratio() -> None:
    np.testing.assert_allclose(filled(np.array([1.0, 4.0, 64.0]), 5), [1, 2, 4, 16, 64])

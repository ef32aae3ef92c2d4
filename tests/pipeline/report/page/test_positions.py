"""Where the slider stops: positions at which predictions are known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.questions.analysis import default_target
from pipeline.report.page import positions
from pipeline.report.page.positions import (
    BEYOND_TARGET,
    FARTHEST,
    FEWEST_POSITIONS,
    MOST,
    filled,
    positions_of,
)
from tests.pipeline.report.page.studies import (
    PROCESSES,
    study,
    study_of,
    three_parameter_study,
    two_parameter_study,
)


def test_positions_hold_measured_scales_targets_and_doublings() -> None:
    found = positions_of(study(), np.array([[100.0], [256.0]]))
    scales = found.scales
    assert {*PROCESSES, 100.0, 256.0, 1024.0, 2048.0, 65536.0} <= set(scales)
    assert (scales[0], scales[-1], found.reach) == (4.0, FARTHEST * 64, BEYOND_TARGET * 256)
    assert (np.diff(scales) > 0).all() and (scales == scales.round()).all()
    assert len(scales) == MOST
    assert (scales[1:] / scales[:-1]).max() <= 2
    assert found.target == found.lines[0] == 256.0
    assert found.points.ravel().tolist() == scales.tolist()
    assert set(scales[found.required]) == {*PROCESSES, 100.0, 256.0}


def test_they_reach_beyond_the_largest_target_and_the_measurements() -> None:
    assert positions_of(study(), np.array([[300.0], [100.0]])).reach == 1200.0
    assert positions_of(study(), np.array([[300.0], [100.0]])).target == 100.0
    assert positions_of(study(), np.array([[10.0]])).reach == 256.0
    assert positions_of(study(), np.array([[2.0]])).scales[0] == 2.0


def test_every_value_of_the_other_parameters_has_a_line() -> None:
    analysis = two_parameter_study()
    found = positions_of(analysis, np.array([[256.0, 90.0], [256.0, 30.0]]))
    assert found.column == 0
    assert found.lines[:, 1].tolist() == [30.0, 10.0, 20.0, 40.0, 50.0, 90.0]
    assert (found.lines[:, 0] == 256.0).all()
    assert len(found.points) == len(found.scales) * 6
    assert (found.points[found.on_line(5)] == [[scale, 90.0] for scale in found.scales]).all()
    required = found.points[found.required].tolist()
    assert sorted(required) == sorted([*analysis.experiment.points.tolist(), [256.0, 90.0], [256.0, 30.0]])
    three = positions_of(three_parameter_study(), default_target(three_parameter_study()))
    assert len(three.lines) == 12
    assert len(three.scales) >= FEWEST_POSITIONS


def test_the_scaled_parameter_may_stand_anywhere() -> None:
    analysis = two_parameter_study()
    other = replace(analysis, decision=replace(analysis.decision, parameter="n"))
    found = positions_of(other, np.array([[64.0, 100.0]]))
    assert (found.column, found.reach) == (1, 400.0)
    assert {10.0, 20.0, 30.0, 40.0, 50.0, 100.0, 400.0} <= set(found.scales)
    assert (found.points[found.on_line(0)][:, 0] == 64.0).all()


def test_large_studies_have_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "_MOST_VALUES", 5 * 20)
    assert len(positions_of(study(), np.array([[256.0]])).scales) < MOST


def test_all_measured_scales_and_targets_are_positions() -> None:
    measured = [3 * i + 4 for i in range(40)]
    analysis = study_of({("main",): lambda p: 100 + p}, processes=measured, repetitions=1)
    targets = np.linspace(165, 200, 8)[:, None]
    scales = positions_of(analysis, targets).scales
    assert {*measured, *targets[:, 0]} <= set(scales)


def test_gaps_are_halved_by_ratio_between_whole_numbers_if_all_are() -> None:
    assert filled(np.array([1.0, 4.0, 64.0]), 5).tolist() == [1, 2, 4, 16, 64]
    assert filled(np.array([64.0, 1.0]), 3).tolist() == [1, 8, 64]
    assert filled(np.array([2.0, 1.0]), 9).tolist() == [1.0, 2.0]
    np.testing.assert_allclose(filled(np.array([0.5, 2.0]), 4), [0.5, 0.7071, 1, 2])


@given(st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=6, unique=True), st.integers(2, 20))
def test_filling_keeps_the_scales_and_their_order(scales: list[float], count: int) -> None:
    found = filled(np.array(scales), count)
    assert len(scales) <= len(found) <= max(count, len(scales))
    assert set(scales) <= set(found)
    assert (np.diff(found) > 0).all()

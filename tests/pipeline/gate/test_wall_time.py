from dataclasses import replace

import numpy as np
import pytest

from pipeline.gate.wall_time import wall_times
from pipeline.questions.runtime.figures import Comparison
from tests.pipeline.gate.studies import study

POINT = np.array([64.0])


def whole(comparison, **changed):
    """Two kernels of 8 + 8 p and 100 core-seconds, on 2 p locations."""
    made = study({"a": [8 + 8 * p for p in (8, 16, 32)], "b": 100.0}, scales=(8, 16, 32), noise=0)
    return replace(made, comparison=comparison, locations=lambda points: 2 * points[:, 0], **changed)


def test_under_strong_scaling_effort_is_compared():
    made = whole(Comparison.STRONG)
    found = wall_times(made, np.array([620.0, 520, 100, 520, 100]), POINT)
    assert found.seconds == pytest.approx(np.array([620.0, 520, 100, 520, 100]) / 128)
    assert found.efficiency == pytest.approx([172 / 620, 72 / 520, 1, 72 / 520, 1])


def test_under_weak_scaling_wall_time_is_compared():
    made = whole(Comparison.WEAK, metric="time", unit="s")
    found = wall_times(made, np.array([620.0, 520, 100, 520, 100]), POINT)
    assert found.seconds.tolist() == [620, 520, 100, 520, 100]
    assert found.efficiency == pytest.approx([172 / 620, 72 / 520, 1, 72 / 520, 1])


def test_seconds_of_one_location_become_effort_under_strong_scaling():
    made = whole(Comparison.STRONG, metric="time", unit="s")
    found = wall_times(made, np.array([43.0, 18, 25, 18, 25]), POINT)  # 8 times the locations, a quarter
    assert found.efficiency == pytest.approx([172 / 43 / 8, 72 / 18 / 8, 100 / 25 / 8, 0.5, 0.5])


def test_what_is_compared_has_the_same_other_parameters():
    made = whole(Comparison.STRONG)
    points = np.array([[8.0, 1.0], [16.0, 2.0], [32.0, 2.0]])
    made = replace(made, parameters=("p", "n"), points=points)
    values = made.mean[:, 2]
    assert wall_times(made, values, np.array([64.0, 2.0])).efficiency[1] == pytest.approx(136 / 264)
    assert wall_times(made, values, np.array([64.0, 1.0])).efficiency[1] == pytest.approx(72 / 264)
    unknown = wall_times(made, values, np.array([64.0, 3.0]))
    assert np.isnan(unknown.efficiency).all() and unknown.seconds[1] == pytest.approx(264 / 128)


@pytest.mark.parametrize(
    "made",
    [
        whole(Comparison.STRONG, metric="visits", unit=""),
        replace(whole(Comparison.STRONG), locations=None),
    ],
    ids=["no time", "locations unknown"],
)
def test_nothing_is_said_of_what_is_not_known(made):
    found = wall_times(made, made.mean[:, 0], POINT)
    assert np.isnan(found.seconds).all() and np.isnan(found.efficiency).all()


def test_sizes_have_no_efficiency_and_zero_has_none():
    made = whole(Comparison.SIZE)
    assert np.isnan(wall_times(made, made.mean[:, 0], POINT).efficiency).all()
    found = wall_times(whole(Comparison.STRONG), np.array([100.0, 0, 100, 0, 100]), POINT)
    assert np.isnan(found.efficiency[1]) and found.seconds[1] == 0

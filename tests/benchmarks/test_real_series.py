"""The benchmark on real series: what is forecast from what, the rule, the figures and their table."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.real_series.forecasts import outcome, slope_rule
from benchmarks.real_series.learn import left_out
from benchmarks.real_series.picture import draw
from benchmarks.real_series.series import default_tasks, read_tasks
from benchmarks.real_series.table import table

SERIES = {
    "application": "made",
    "scaling": "strong",
    "parameter": "p",
    "points": [1, 2, 4, 8, 16],
    "kernels": {
        "solve": [[10.0, 10.2], [10.1, 10.1], [10.4, 10.2], [10.3, 10.5], [10.4, 10.6]],
        "wait": [[0.5], [1.0], [2.0], [4.0], [8.0]],
        "late": [[None], [None], [1.0], [1.0], [1.0]],
        "gone": [[1.0], [1.0], [1.0], [1.0], []],
    },
}


@pytest.fixture
def tasks(tmp_path):
    (tmp_path / "made.json").write_text(json.dumps(SERIES))
    return read_tasks(tmp_path)


def test_the_largest_scale_is_forecast_from_those_a_factor_of_2_and_4_below():
    assert list(default_tasks([1, 2, 4, 8, 16])) == [([1, 2, 4, 8], 16), ([1, 2, 4], 16)]
    assert list(default_tasks([1, 2, 3])) == []
    assert list(default_tasks([1, 2, 3, 30])) == [([1, 2, 3], 30)]


def test_a_series_is_read_with_its_gaps(tasks):
    first = tasks[0]
    assert (first.name, first.application, first.parameter, first.target) == ("made", "made", "p", 16.0)
    assert first.values.shape == (3, 4, 2)
    assert first.truth == pytest.approx([10.5, 8.0, 1.0])
    assert np.isnan(first.mean[2]).tolist() == [True, True, False, False]
    assert first.mean[0, 0] == pytest.approx(10.1)


def test_tasks_of_a_file_are_taken_instead(tmp_path):
    (tmp_path / "made.json").write_text(json.dumps(SERIES))
    (tmp_path / "listed").write_text(json.dumps([{"series": "made", "fit_points": [2, 4], "target": 8}]))
    (only,) = read_tasks(tmp_path, tmp_path / "listed")
    assert (only.points.tolist(), only.target, len(only.truth)) == ([2.0, 4.0], 8.0, 4)


def test_the_rule_goes_on_with_the_slope_of_the_last_three_points(tasks):
    solve, wait, late = slope_rule(tasks[0])
    assert wait == pytest.approx(8.0)
    assert late == pytest.approx(1.0)
    assert 10.4 < solve < 10.6
    steep = replace(tasks[0], values=tasks[0].points[None, :, None] ** 3, truth=np.array([4096.0]))
    assert slope_rule(steep)[0] == pytest.approx(512 * 2**1.5)


def test_figures_of_a_forecast(tasks):
    found = outcome(tasks[0], with_extrap=False)
    assert found.ours < 0.1 and found.rule < 0.02 and np.isnan(found.extrap)
    assert found.total_inside and found.kernels_inside == 1.0
    assert found.score == pytest.approx(np.log(found.upper / found.lower))
    above = replace(found, lower=1.5, upper=2.0)
    assert above.score == pytest.approx(np.log(2.0 / 1.5) + 20 * np.log(1.5)) and not above.total_inside
    below = replace(found, lower=0.2, upper=0.5)
    assert below.score == pytest.approx(np.log(0.5 / 0.2) + 20 * np.log(2.0))


def test_the_table_has_all_kinds_and_applications_and_cuts_large_errors(tasks, tmp_path):
    found = replace(outcome(tasks[0], with_extrap=False), ours=5.0, rule=0.5, extrap=1.0)
    other = replace(found, ours=1.0, task=replace(tasks[0], application="other", scaling="size"))
    lines = list(table([found, other]))
    names = [line.split("|")[1].strip() for line in lines[2:]]
    assert names[:5] == ["all", "size of the problem", "strong scaling", "made", "other"]
    assert lines[2].startswith("| all | 2 | 3.000 | 3.000 | 0.500 | 0.500 | 1.000 |")
    assert lines[-1].split("|")[3].strip() == "2.000"  # 5 counts as 3
    draw([found, other], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_what_is_left_out_has_no_say():
    figures = np.array([[0.0, 9.0, 9.0], [1.0, 1.0, 1.0]])
    assert left_out(figures) == pytest.approx(1.0)
    assert left_out(np.array([[0.0, 0.0, 9.0], [1.0, 1.0, 1.0]])) == pytest.approx((1 + 1 + 9) / 3)

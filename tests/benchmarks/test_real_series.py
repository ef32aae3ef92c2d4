"""The benchmark on real series: what is forecast from what, the rule, the figures and their table."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.real_series.forecasts import judge, mean_over_applications, outcome, plane, slope_rule
from benchmarks.real_series.learn import CONSTANTS, Constant, changed, chosen_by_others, learning, value_of
from benchmarks.real_series.picture import draw, draw_calibration
from benchmarks.real_series.promises import promise
from benchmarks.real_series.promises import table as promised
from benchmarks.real_series.series import GRID, default_tasks, read_tasks
from benchmarks.real_series.table import coverage, tables
from pipeline.models import trend
from pipeline.models.fit import fit
from pipeline.models.total import predict_total

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


GRIDS = {
    "sets": {
        "sizes": {
            "parameters": ["n", "p"],
            "points": [[n, p] for n in (10, 20, 40) for p in (1, 2, 4)] + [[80, 4]],
            "kernels": {
                "solve": [[0.1 * n * p] for n in (10, 20, 40) for p in (1, 2, 4)] + [[30.0]],
                "gone": [[1.0]] * 9 + [[]],
            },
        }
    },
    "tasks": [
        {
            "set": "sizes",
            "task": "n",
            "fit": [[n, p] for n in (10, 20, 40) for p in (1, 2, 4)],
            "target": [80, 4],
        }
    ],
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
    assert (first.name, first.application, first.parameters, first.target) == ("made", "made", ("p",), [16.0])
    assert first.values.shape == (3, 4, 2)
    assert first.truth == pytest.approx([10.5, 8.0, 1.0])
    assert np.isnan(first.mean[2]).tolist() == [True, True, False, False]
    assert first.mean[0, 0] == pytest.approx(10.1)


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "series").mkdir()
    (tmp_path / "series/made.json").write_text(json.dumps(SERIES))
    listed = [{"series": "made", "fit_points": [2, 4], "target": 8}]
    (tmp_path / "tasks.json").write_text(json.dumps(listed))
    (tmp_path / "two_parameters.json").write_text(json.dumps(GRIDS))
    return tmp_path


def test_tasks_of_a_file_and_those_of_grids_are_taken_instead(collection):
    first, grid = read_tasks(collection)
    assert (first.points.tolist(), first.target, len(first.truth)) == ([[2.0], [4.0]], [8.0], 4)
    assert (grid.application, grid.scaling, grid.parameters) == ("sizes", GRID, ("n", "p"))
    assert (grid.points.shape, grid.values.shape) == ((9, 2), (1, 9, 1))
    assert (grid.target.tolist(), grid.truth.tolist(), grid.factor) == ([80.0, 4.0], [30.0], 2)
    (collection / "tasks.json").unlink()
    assert [task.target.tolist() for task in read_tasks(collection)] == [[16.0], [16.0], [80.0, 4.0]]


@pytest.mark.parametrize(("target", "factor"), [(20.0, 2), (34.0, 4), (64.0, 8), (400.0, 8)])
def test_factors_are_told_apart_in_steps_of_two(tasks, target, factor):
    assert replace(tasks[0], target=np.array([target])).factor == factor


def test_the_rule_goes_on_with_the_slope_of_the_last_three_points(tasks):
    solve, wait, late = slope_rule(tasks[0])
    assert wait == pytest.approx(8.0)
    assert late == pytest.approx(1.0)
    assert 10.4 < solve < 10.6
    steep = replace(tasks[0], values=tasks[0].points[None] ** 3, truth=np.array([4096.0]))
    assert slope_rule(steep)[0] == pytest.approx(512 * 2**1.5)


def test_the_rule_of_several_parameters_is_a_plane_in_logarithms(collection):
    grid = read_tasks(collection)[1]
    assert plane(grid) == pytest.approx([32.0])
    assert plane(replace(grid, points=grid.points[:3], values=grid.values[:, :3])) == 0


def test_what_is_judged_of_a_forecast():
    found = judge(np.array([11.0, 2.0, 3.0, 1.0]), np.array([10.0, 4.0, 3.0, 0.0]))
    assert found.error == pytest.approx(4 / 17)
    assert found.total == pytest.approx(1.0) and found.sign == pytest.approx(0.0)
    assert found.close == pytest.approx(2 / 3)  # nothing is close to 0
    far = judge(np.array([-5.0]), np.array([1.0]))
    assert (far.cut_error, far.sign) == (3.0, pytest.approx(-np.log(20)))
    unknown = judge(np.array([np.nan]), np.array([1.0]))
    assert np.isnan([unknown.error, unknown.total, unknown.close]).all()


def test_figures_of_a_forecast(tasks):
    found = outcome(tasks[0], with_extrap=False)
    assert found.ours.error < 0.1 and found.rule.error < 0.02 and np.isnan(found.extrap.error)
    assert found.ours.close == found.rule.close == 1.0
    assert found.totals_inside[1:] == (1.0, 1.0, 1.0) and found.kernels_inside[2] == 1.0
    assert list(found.kernels_inside) == sorted(found.kernels_inside)
    assert found.score == pytest.approx(np.log(found.upper / found.lower))
    above = replace(found, lower=1.5, upper=2.0)
    assert above.score == pytest.approx(np.log(2.0 / 1.5) + 20 * np.log(1.5))
    below = replace(found, lower=0.2, upper=0.5)
    assert below.score == pytest.approx(np.log(0.5 / 0.2) + 20 * np.log(2.0))


@pytest.fixture
def found(collection, tasks):
    """Outcomes of a task of each of two applications, and of a grid."""
    one = outcome(tasks[0], with_extrap=False)
    large, small = (
        replace(one.ours, error=5.0, total=2.0, close=0.25),
        replace(one.ours, error=1.0, total=1.0),
    )
    other = replace(one, ours=small, task=replace(one.task, application="other", scaling="size"))
    return [replace(one, ours=large), other, outcome(read_tasks(collection)[1], with_extrap=False)]


def test_tables_have_all_kinds_factors_and_applications_and_cut_large_errors(found, tmp_path):
    lines = list(tables(found))
    names = [line.split("|")[1].strip() for line in lines if line.startswith("|")]
    assert names[2:9] == [
        *("all", "size of the problem", "strong scaling", "factor 2"),
        *("size of the problem, factor 2", "strong scaling, factor 2", "made"),
    ]
    cells = [cell.strip() for cell in lines[2].split("|")][2:]
    assert (cells[0], cells[1], cells[4]) == ("2", "3.000 / 3.000", f"{np.log(2) / 2:+.2f}")
    assert cells[7] == "62%"  # of 3 kernels each
    assert cells[3] == cells[6] == cells[9] == ""  # Extra-P was not asked
    means = next(line for line in lines if line.startswith("| mean over applications"))
    assert means.split("|")[3].strip() == "2.000"  # 5 counts as 3
    assert names[names.index("other") + 4 :][:2] == ["all", "sizes"]


def test_each_level_has_its_coverage(found, tmp_path):
    out = replace(found[0], totals_inside=(0.0, 0.0, 1.0, 1.0), kernels_inside=(0.25, 0.5, 0.5, 1.0))
    held = replace(found[1], totals_inside=(0.0, 1.0, 1.0, 1.0), kernels_inside=(0.75, 1.0, 1.0, 1.0))
    lines = list(coverage([out, held]))
    assert lines[2:4] == [
        "| totals, all | 0% | 50% | 100% | 100% |",
        "| kernels, all | 50% | 75% | 75% | 100% |",
    ]
    assert lines[6] == "| totals, strong scaling | 0% | 0% | 100% | 100% |"


def test_pictures_are_drawn(found, tmp_path):
    draw(found, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    draw_calibration(found, tmp_path / "calibration.svg")
    drawn = (tmp_path / "calibration.svg").read_text()
    assert all(f">{text}</text>" in drawn for text in ("totals", "kernels", "strong scaling", "80", "95"))


def test_applications_count_alike(found):
    assert mean_over_applications([found[0], found[0], found[1]], [1.0, 2.0, 5.0]) == pytest.approx(3.25)


def test_what_is_left_out_has_no_say():
    assert chosen_by_others(np.array([[0.0, 9.0, 9.0], [1.0, 1.0, 1.0]])) == [1, 1, 1]
    assert chosen_by_others(np.array([[0.0, 0.0, 9.0], [1.0, 1.0, 1.0]])) == [1, 1, 0]


def test_learned_constants_exist_and_are_changed_for_a_while():
    assert all(value_of(constant.name) >= 0 for constant in CONSTANTS)
    before = trend.HALF_LIFE
    with changed({"trend.HALF_LIFE": 7.0}):
        assert trend.HALF_LIFE == value_of("trend.HALF_LIFE") == 7.0
    assert before == trend.HALF_LIFE


def test_learning_shows_figures_of_each_value(tasks):
    other = replace(tasks[0], application="other", values=tasks[0].values[::-1], truth=tasks[0].truth[::-1])
    steep = Constant(name="trend.STEEPEST_RISE", others=(0.0,))  # misses the timer that grows
    line = list(learning([tasks[0], other], 1, [steep]))[2]
    cells = [cell.strip() for cell in line.split("|")][1:]
    assert cells[:3] == ["`trend.STEEPEST_RISE`", f"{trend.STEEPEST_RISE:.4g}", "error"]
    worse, own = (float(part.split(": ")[1]) for part in cells[3].split(", "))
    assert worse > own == float(cells[5])
    assert cells[7] == "2 of 2"


def test_promises_of_further_measurements_are_held_against_what_they_gave(tmp_path):
    (tmp_path / "made.json").write_text(json.dumps({**SERIES, "points": [1, 2, 4, 8, 16]}))
    (task,) = (task for task in read_tasks(tmp_path) if len(task.points) >= 4)
    found = promise(task)
    with_it = predict_total(fit(task.parameters, task.points, task.values, parts=True), task.target[None])
    assert found.reached == pytest.approx(float((with_it.upper - with_it.lower)[0, 0] / with_it.value[0, 0]))
    assert found.before > found.promised > 0 and found.inside > 0
    rows = list(promised([found, replace(found, promised=1.2 * found.reached)]))
    assert rows[2].startswith("| all | 2 |") and "| 50 % |" in rows[2]
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| all", "| strong", "| made"]

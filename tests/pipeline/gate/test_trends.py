from dataclasses import replace

import numpy as np
import pytest

from pipeline.gate.change_points import change_points_of_each
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import Measure, MeasureTrend, by_share, steps, trends
from tests.pipeline.report.page.histories import history


def test_the_measures_of_a_kernel():
    entries = history(12)
    solve = trends(entries)[1].measures
    assert solve[Measure.MEASURED].values.tolist() == entries.value[1].tolist()
    assert solve[Measure.TARGET].values == pytest.approx(entries.wall_seconds[1])
    assert solve[Measure.GROWTH].values == pytest.approx((entries.predicted[1] / entries.value[1]) ** 0.5)
    assert solve[Measure.EFFICIENCY].values.tolist() == entries.efficiency[1].tolist()


def test_wall_times_that_were_not_stored_follow_from_predictions():
    entries = history(12)
    earlier = entries.wall_seconds.copy()
    earlier[:, :6] = np.nan
    found = trends(replace(entries, wall_seconds=earlier))[1].measures[Measure.TARGET]
    assert found.values == pytest.approx(entries.wall_seconds[1])
    unknown = trends(replace(entries, wall_seconds=np.full(earlier.shape, np.nan)))[1]
    assert unknown.measures[Measure.TARGET].values == pytest.approx(entries.predicted[1])


def test_growth_is_per_doubling_of_what_differs():
    entries = replace(history(12), at={"p": 128.0, "n": 2.0}, target={"p": 1024.0, "n": 2.0})
    found = trends(entries)[0].measures[Measure.GROWTH].values
    assert found == pytest.approx((entries.predicted[0] / entries.value[0]) ** (1 / 3))
    nowhere = trends(replace(entries, target=entries.at))[0].measures[Measure.GROWTH]
    assert np.isnan(nowhere.values).all()


def test_values_that_are_not_above_zero_are_unknown():
    entries = history(12)
    entries.value[2, 3] = 0
    assert np.isnan(trends(entries)[2].measures[Measure.MEASURED].values[3])


def test_change_points_are_indices_of_all_entries():
    entries = history(60)
    entries.value[1, [3, 5, 45]] = np.nan
    found = trends(entries)[1].measures[Measure.MEASURED].changes
    known = np.isfinite(entries.value[1])
    (expected,) = change_points_of_each(entries.value[[1]][:, known])[0]
    assert [(c.first, c.at, c.last) for c in found] == [(40, 40, 40)]
    assert found[0].factor == expected.factor
    assert [len(kernel.measures[Measure.MEASURED].changes) for kernel in trends(entries)] == [1, 1, 0, 0, 0]


def test_levels_are_the_medians_between_changes():
    trend = trends(history(60))[1].measures[Measure.MEASURED]
    medians = np.median(trend.values[:40]), np.median(trend.values[40:])
    assert trend.levels() == [(0, 40, medians[0]), (40, 60, medians[1])]
    none = MeasureTrend(measure=Measure.GROWTH, values=np.full(5, np.nan), changes=())
    assert none.levels() == []


def test_changes_of_several_measures_at_one_place_are_one_step():
    found = steps(trends(history(60))[1])
    assert [(s.first, s.at, s.last) for s in found] == [(40, 40, 40)]
    assert set(found[0].changes) == {Measure.MEASURED, Measure.TARGET, Measure.EFFICIENCY}
    assert not found[0].better
    assert steps(trends(history(60, step=0.6))[1])[0].better


def test_changes_at_different_places_are_different_steps():
    entries = history(60)
    entries.efficiency[1] = np.where(np.arange(60) < 20, 0.9, 0.8) * (1 + 0.001 * np.arange(60) % 0.003)
    found = steps(trends(entries)[1])
    assert [(s.at, set(s.changes)) for s in found] == [
        (20, {Measure.EFFICIENCY}),
        (40, {Measure.MEASURED, Measure.TARGET}),
    ]
    assert not any(s.better for s in found)


def test_the_total_comes_first_then_the_largest():
    kernels = tuple(KernelId(level, (level.value,)) for level in (Scope.REGION, Scope.CALLPATH, Scope.TOTAL))
    share = np.array([[0.9] * 5 + [0.1] * 10, [0.2] * 15, [1.0] * 15])
    assert by_share(kernels, share).tolist() == [2, 1, 0]

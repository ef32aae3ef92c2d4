"""The charts of a runtime."""

import numpy as np
import pytest

from ingest.alignment import experiment_from_series
from ingest.profile import Metric
from ingest.scaling import Scaling, decide_scaling
from ingest.series import MeasuredSeries
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import Analysis, analyse
from pipeline.report.runtime_charts import FEWEST_SCALES, MOST_SCALES, RuntimeChart, runtime_charts
from tests.pipeline.report.page.studies import answered, study, study_of, two_parameter_study


def charts_of(analysis: Analysis) -> tuple[RuntimeChart, ...]:
    report = answered(analysis)
    assert report.ahead.runtime is not None
    return runtime_charts(analysis, report.ahead.runtime, report.ahead.targets[-1])


def test_strong_scaling_has_speed_up_and_efficiency() -> None:
    speedup, efficiency = charts_of(study())
    assert (speedup.name, efficiency.name) == ("speedup", "efficiency")
    assert speedup.measured_at.tolist() == [4, 8, 16, 32, 64]
    assert speedup.measured.value == pytest.approx(efficiency.measured.value * speedup.measured_at / 4)
    assert speedup.ideal == pytest.approx(speedup.scale / 4)
    assert efficiency.ideal == pytest.approx(np.ones(len(efficiency.scale)))
    assert (speedup.threshold, efficiency.threshold) == (None, 0.75)
    assert (speedup.logarithmic, efficiency.logarithmic) == (True, False)


def test_curves_go_from_the_smallest_measured_scale_to_the_target_through_all_measured_ones() -> None:
    report = answered(study())
    assert report.ahead.runtime is not None
    for chart in charts_of(study()):
        assert (chart.scale[0], chart.scale[-1]) == (4, 256)
        assert np.isin(chart.measured_at, chart.scale).all()
        assert (np.diff(chart.scale) > 0).all()
        figures = getattr(report.ahead.runtime.figures, chart.name)
        for end in ("value", "lower", "upper"):
            assert getattr(chart.model, end)[-1] == pytest.approx(getattr(figures, end)[-1])


def test_curves_of_large_call_trees_have_fewer_scales(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(charts_of(study())[0].scale) >= MOST_SCALES
    monkeypatch.setattr("pipeline.report.runtime_charts.PREDICTIONS", 60)
    assert FEWEST_SCALES <= len(charts_of(study())[0].scale) <= FEWEST_SCALES + 5


def test_weak_scaling_has_wall_time_and_weak_efficiency() -> None:
    effort = {("main",): lambda p: 10 * p, ("main", "MPI_Wait"): lambda p: 0.1 * p**1.5}
    analysis = study_of(effort, scaling=Scaling.WEAK)
    wall, efficiency = charts_of(analysis)
    assert (wall.name, efficiency.name) == ("wall", "weak_efficiency")
    assert wall.ideal == pytest.approx(np.full(len(wall.scale), wall.measured.value[0]))
    assert efficiency.threshold == 0.75


def test_what_grows_unknown_has_no_ideal() -> None:
    charts = charts_of(two_parameter_study())
    assert [chart.name for chart in charts] == ["wall", "effort"]
    assert all(chart.ideal is None and chart.threshold is None for chart in charts)


def test_points_are_those_with_the_other_parameters_of_the_target() -> None:
    analysis = two_parameter_study()
    shown = analysis.experiment.points[:, 1] == 50
    for chart in charts_of(analysis):
        assert chart.measured_at.tolist() == [4, 8, 16, 32, 64]
    wall, _ = charts_of(analysis)
    totals = analysis.callpaths.kernels.mean.sum(axis=0)[shown]
    assert wall.measured.value == pytest.approx(totals)


def test_without_locations_effort_takes_the_place_of_wall_time() -> None:
    sizes = np.array([[8.0], [16], [32], [64]])
    series = MeasuredSeries(
        source="sizes.txt",
        parameters=("atoms",),
        points=sizes,
        callpaths=(("main",),),
        metrics=(Metric("effort", "core-s"),),
        values={"effort": (0.1 * sizes.T**2)[:, :, None]},
    )
    experiment = experiment_from_series(series)
    analysis = analyse(experiment, decide_scaling(experiment), "effort", ModelOptions())
    effort, rate = charts_of(analysis)
    assert (effort.name, rate.name) == ("effort", "work_rate")
    assert (effort.label, rate.label) == ("effort [core-s]", "atoms per second, relative")
    assert effort.measured.value == pytest.approx([6.4, 25.6, 102.4, 409.6])
    assert effort.ideal is None

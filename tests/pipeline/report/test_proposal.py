"""Figure, table and sentences of a computing-time proposal."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from ingest.scaling import Scaling
from pipeline.questions.analysis import Analysis
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.proposal import draw_chart, proposal_csv, proposal_image, proposal_sentences
from pipeline.report.runtime_charts import RuntimeChart, runtime_charts
from pipeline.wording.quantities import estimate_text
from tests.pipeline.report.page.studies import answered, study, study_of, two_parameter_study


def runtime_of(analysis: Analysis) -> Runtime:
    found = answered(analysis).ahead.runtime
    assert found is not None
    return found


def charts_of(analysis: Analysis) -> tuple[RuntimeChart, ...]:
    return runtime_charts(analysis, runtime_of(analysis), answered(analysis).ahead.targets[-1])


def test_table_has_every_figure_with_its_interval() -> None:
    found = runtime_of(study())
    rows = list(csv.DictReader(io.StringIO(proposal_csv(found, ("p",)))))
    assert [row["p"] for row in rows] == ["4", "8", "16", "32", "64", "256"]
    assert [row["measured"] for row in rows] == ["True"] * 5 + ["False"]
    for name in ("wall", "speedup", "efficiency", "core_hours"):
        key = "wall_seconds" if name == "wall" else name
        estimate = getattr(found.figures, name)
        assert [float(row[key]) for row in rows] == pytest.approx(estimate.value)
        assert [float(row[f"{key}_lower"]) for row in rows] == pytest.approx(estimate.lower)
        assert [float(row[f"{key}_upper"]) for row in rows] == pytest.approx(estimate.upper)
    assert "work_rate" not in rows[0]


def test_sentences_say_how_far_what_it_costs_and_how_sure() -> None:
    found = runtime_of(study())
    figures, limit = found.figures, found.efficient_up_to
    assert limit is not None
    far, cost, sure = proposal_sentences("made", study(), found)
    assert far.startswith(
        "made was measured at p = 4, 8, 16, 32, 64 with up to 3 repetitions per point (strong scaling): "
        f"parallel efficiency is at least 75 % up to p = {limit.point[0]:.0f} "
    )
    assert f"at p = 64, the largest measured scale, it is {100 * figures.efficiency.value[4]:.0f} %" in far
    assert f"speed-up of {figures.speedup.value[4]:.1f}" in far
    hours = figures.core_hours
    said = estimate_text(*(float(end[-1]) for end in (hours.value, hours.lower, hours.upper)), "core-hours")
    assert cost.startswith("A run at p = 256 is predicted to take ")
    assert f"{said}, at an efficiency of " in cost
    assert f"trust in it is {found.trust.verdict.value}" in sure
    assert "extrapolated to 4 times the measured range" in sure
    assert "at p = 64, where" in sure


def test_sentences_do_not_claim_an_efficiency_that_is_not_reached_or_known() -> None:
    found = runtime_of(study())
    far, _, sure = proposal_sentences("made", study(), replace(found, efficient_up_to=None, back_test=None))
    assert "parallel efficiency is below 75 % at every scale considered" in far
    assert sure.endswith("there were too few scales for a back-test.")
    unknown = two_parameter_study()
    far, cost, _ = proposal_sentences("two", unknown, runtime_of(unknown))
    assert far.endswith("whether it scales is unknown, since it is not known what grows.")
    assert "efficiency" not in cost


def test_weak_scaling_has_weak_efficiency_and_no_speed_up() -> None:
    effort = {("main",): lambda p: 10 * p, ("main", "MPI_Wait"): lambda p: 0.1 * p**1.5}
    weak = study_of(effort, scaling=Scaling.WEAK)
    far, _, _ = proposal_sentences("made", weak, runtime_of(weak))
    assert "(weak scaling): weak efficiency is at least 75 % up to" in far
    assert "speed-up" not in far


def test_charts_draw_points_intervals_model_ideal_and_threshold() -> None:
    speedup, efficiency = charts_of(study())
    axes = Figure().add_subplot()
    draw_chart(axes, speedup)
    assert axes.get_legend_handles_labels()[1] == ["90 % interval", "model", "ideal", "measured"]
    (points,) = (line for line in axes.get_lines() if line.get_marker() == "o")
    assert points.get_xydata() == pytest.approx(
        np.column_stack([speedup.measured_at, speedup.measured.value])
    )
    (container,) = axes.containers
    assert isinstance(container, ErrorbarContainer)
    (bars,) = container.lines[2]
    ends = np.array([[segment[0][1], segment[1][1]] for segment in bars.get_segments()])
    assert ends == pytest.approx(np.column_stack([speedup.measured.lower, speedup.measured.upper]))
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_ylabel()) == ("log", "log", "speed-up")
    axes = Figure().add_subplot()
    draw_chart(axes, efficiency)
    (threshold,) = (line for line in axes.get_lines() if line.get_label() == "75 % asked for")
    assert np.asarray(threshold.get_ydata()).tolist() == [75, 75]
    assert (axes.get_yscale(), axes.get_ylabel()) == ("linear", "parallel efficiency [%]")
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylim()[1] > 100


@pytest.mark.slow
@pytest.mark.parametrize(("form", "start"), [("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_figures_are_written_in_three_formats(form: str, start: bytes) -> None:
    assert proposal_image(form, charts_of(study())).startswith(start)

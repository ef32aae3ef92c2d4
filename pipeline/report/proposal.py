"""What a proposal for computing time needs: a figure, a table, and three sentences on scaling and cost."""

from typing import TYPE_CHECKING

import numpy as np

from ingest.arrays import FloatArray
from ingest.number_text import figure
from pipeline.questions.analysis import Analysis, largest_point
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.losses import causes_text
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import Trust
from pipeline.questions.runtime_summary import efficient_up_to
from pipeline.report.page.sections import repetitions_text
from pipeline.report.plots import image, new_figure, without_frame
from pipeline.report.runtime_charts import RuntimeChart
from pipeline.wording.escaping import matplotlib as plain_text
from pipeline.wording.quantities import (
    counted,
    estimate_text,
    point_json,
    point_text,
    quantity,
    times,
    value_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_MODEL, _MEASURED, _IDEAL, _THRESHOLD = "#0072b2", "#d55e00", "#5c6570", "#c4452a"
_FEW_DECADES = 100  # largest over smallest value, below which a logarithmic axis has more labels
FIGURE_SIZE = (9.0, 3.6)  # inches


def proposal_csv(found: Runtime, parameters: tuple[str, ...]) -> str:
    """Return one row per measured point and per target; figures that are known at none are left out.

    Columns are those of `runtime_frame`.
    """
    from pipeline.report.frames import runtime_frame

    return runtime_frame(found, parameters, full=True).to_csv(
        index=False, float_format="%.10g", lineterminator="\n"
    )


def proposal_sentences(name: str, analysis: Analysis, found: Runtime) -> tuple[str, str, str]:
    """Say how far the program scales, what the last target costs, and how sure that is."""
    return _scaling(name, analysis, found), _cost(analysis, found), _method(analysis, found)


def _scaling(name: str, analysis: Analysis, found: Runtime) -> str:
    experiment = analysis.experiment
    column = experiment.parameters.index(found.parameter)
    scales = ", ".join(value_text(scale) for scale in np.unique(experiment.points[:, column]).tolist())
    repetitions = repetitions_text(experiment.shape[1])
    text = f"{name} was measured at {found.parameter} = {scales} with {repetitions} per point"
    largest = largest_point(experiment.points, column)
    where = _at(analysis, experiment.points[largest])
    figures = found.figures
    if found.comparison is Comparison.UNKNOWN:
        return f"{text}; whether it scales is unknown, since it is not known what grows."
    if found.comparison is Comparison.SIZE:
        times_longer = figure(1 / float(figures.time_ratio.value[largest]))
        return f"{text}: at {where} a run takes {times_longer} times as long as at the smallest size."
    kind = "parallel" if found.comparison is Comparison.STRONG else "weak"
    text = f"{text} ({found.comparison.value} scaling): {kind} efficiency "
    limit, threshold = found.efficient_up_to, _percent(found.threshold)
    if limit is None:
        text += f"is below {threshold} at every scale considered"
    else:
        limits = efficient_up_to(limit, found.threshold, experiment.parameters)
        point = point_json(experiment.parameters, limit.point)
        there = limits.text(found.parameter, point, found.observed)
        origin = found.observed if limit.measured else "predicted"
        told = f"is at least {there.replace(' efficient', '', 1)} ({_percent(limit.value)}, {origin})"
        text += told if limits.below_at is None else there
    here = _percent(float(figures.of_scaling.value[largest]))
    text += f"; at {where}, the largest measured scale, it is {here}"
    if np.isfinite(figures.speedup.value[largest]):
        text += f" with a speed-up of {figure(float(figures.speedup.value[largest]))}"
    why = [causes_text(causes) for causes in found.causes[:1] if causes]
    return f"{text}{''.join(f'; what is lost there: {one}' for one in why)}."


def _cost(analysis: Analysis, found: Runtime) -> str:
    figures = found.figures
    per = analysis.experiment.per
    what = "A run" if per is None else f"A visit of {per.region}"
    text = f"{what} at {_at(analysis, figures.points[-1])} is predicted to take"
    if np.isfinite(figures.wall.value[-1]):
        text += f" {_last(figures.wall, 's')} of wall time and"
    text += f" {_last(figures.core_hours, 'core-hours')}"
    efficiency = figures.of_scaling
    if np.isfinite(efficiency.value[-1]):
        text += f", at an efficiency of {_percent(float(efficiency.value[-1]))}"
    return f"{text}."


def _method(analysis: Analysis, found: Runtime) -> str:
    factor = float(found.figures.extrapolation[-1])
    beyond = f"extrapolated to {times(factor)} the measured range"
    reach = beyond if factor > 1 else "within the measured range"
    text = (
        f"The prediction sums performance models of {counted(len(analysis.callpaths.kernels), 'call path')}, "
        f"{reach}; trust in it is {found.trust.verdict.value}"
    )
    doubts = [r.text for r in found.trust.reasons if r.trust < Trust.HIGH and r.name != "back-test"]
    text += f" ({', '.join(doubts)})" if doubts else ""
    test = found.back_test
    if test is None:
        return f"{text}; there were too few scales for a back-test."
    unit = analysis.callpaths.kernels.unit
    inside = "inside" if test.inside else "outside"
    return (
        f"{text}; from the smaller scales alone, the models predict {quantity(test.value, unit)} at "
        f"{_at(analysis, np.array(test.point))}, where {quantity(test.measured, unit)} were "
        f"{test.judged_by}, {inside} the 90 % interval."
    )


def _at(analysis: Analysis, point: FloatArray) -> str:
    return point_text(dict(zip(analysis.experiment.parameters, point.tolist(), strict=True)))


def _percent(share: float) -> str:
    return f"{figure(100 * share, 3 if share >= 1 else 2)} %"


def _last(found: Estimate, unit: str) -> str:
    value, lower, upper = (float(end[-1]) for end in (found.value, found.lower, found.upper))
    return estimate_text(value, lower, upper, unit)


def draw_chart(axes: "Axes", chart: RuntimeChart) -> None:
    """Draw one chart into the axes of matplotlib: points, model, ideal and threshold."""
    share = 1.0 if chart.threshold is None else 100.0
    known = np.isfinite(chart.model.value)
    lower, upper = (share * end[known] for end in (chart.model.lower, chart.model.upper))
    axes.fill_between(chart.scale[known], lower, upper, color=_MODEL, alpha=0.18, lw=0, label="90 % interval")
    axes.plot(chart.scale, share * chart.model.value, color=_MODEL, label="model")
    below, above = chart.measured.value - chart.measured.lower, chart.measured.upper - chart.measured.value
    bars = share * np.nan_to_num(np.stack([below, above]))
    values = share * chart.measured.value
    axes.errorbar(
        chart.measured_at, values, bars, fmt="o", color=_MEASURED, ms=4, capsize=3, lw=1.2, label="measured"
    )
    if chart.ideal is not None:
        axes.plot(chart.scale, share * chart.ideal, "--", color=_IDEAL, lw=1, label="ideal")
    if chart.threshold is not None:
        label = f"{_percent(chart.threshold)} asked for"
        axes.axhline(share * chart.threshold, color=_THRESHOLD, lw=1, ls=":", label=label)
    binary = bool((np.log2(chart.measured_at) % 1 == 0).all())
    axes.set_xscale("log", base=2 if binary else 10)
    _plain_numbers(axes.xaxis, binary)
    if chart.logarithmic:
        axes.set_yscale("log")
        _plain_numbers(axes.yaxis)
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(plain_text(chart.parameter))
    label = plain_text(chart.label)
    axes.set_ylabel(label if chart.threshold is None else f"{label} [%]")
    without_frame(axes)
    axes.legend(frameon=False, fontsize="small")


def draw_charts(figure: "Figure", charts: tuple[RuntimeChart, ...]) -> None:
    """Draw charts side by side."""
    for axes, chart in zip(figure.subplots(1, len(charts), squeeze=False)[0], charts, strict=True):
        draw_chart(axes, chart)


def proposal_image(form: str, charts: tuple[RuntimeChart, ...]) -> bytes:
    """Return charts side by side as the content of a ``pdf``, ``png`` or ``svg`` file."""
    drawn = new_figure(*FIGURE_SIZE)
    draw_charts(drawn, charts)
    return image(drawn, form, dots=200)


def _plain_numbers(axis: "Axis", binary: bool = False) -> None:
    """Label a logarithmic axis with numbers instead of powers, 2 and 5 as well if it has few decades."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    locator = axis.get_major_locator()
    if isinstance(locator, LogLocator) and not binary and high < _FEW_DECADES * low:
        locator.set_params(subs=(1, 2, 5))
    axis.set_major_formatter(lambda value, _: value_text(float(f"{value:.4g}")))
    axis.set_minor_formatter(NullFormatter())

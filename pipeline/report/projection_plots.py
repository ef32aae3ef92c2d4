"""Figures of projections: of a sweep, time above and losses to variants below; and the roofline."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.applications.projections import ApplicationProjection, ProjectedValue, Sweep
from pipeline.projection.rooflines.rooflines import Roofline
from pipeline.report.plots import new_figure, without_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Style: TypeAlias = Mapping[str, Any]
"""How matplotlib draws something."""

_WIDTH, _TIME_HEIGHT, _LOSS_HEIGHT, _ROOFLINE_HEIGHT = 7.0, 4.2, 2.4, 4.6  # inches
_LOGARITHMIC_FROM = 8.0  # ratio of the largest to the smallest value
_TOTAL: Style = {"color": "black", "linewidth": 1.8, "marker": "o", "markersize": 4}
BAND: Style = {"alpha": 0.18, "linewidth": 0}
_THIN: Style = {"linewidth": 1.2, "marker": "o", "markersize": 3}
_UNNAMED = "profile"
_SPAN = 10.0  # factor by which the axis reaches beyond the points and the ridges
CEILING: Style = {"color": "#4c78a8", "linewidth": 1.2}
LABEL: Style = {"fontsize": 7, "textcoords": "offset points", "xytext": (5, 3)}
_POINT: Style = {"marker": "o", "markersize": 5, "linestyle": "none"}
COLOURS = ("#e45756", "#f58518", "#54a24b", "#b279a2", "#72b7b2", "#9d755d")  # of runs, in turn


def sweep_figure(sweep: Sweep) -> "Figure":
    """Draw the total with its interval and the outermost parts and, if there are variants, what they gain."""
    projections, swept = sweep.projections, sweep.swept
    first = projections[0]
    lossy = any(variant.loss for p in projections for variant in p.variants)
    heights = [_TIME_HEIGHT, _LOSS_HEIGHT] if lossy else [_TIME_HEIGHT]
    figure = new_figure(_WIDTH, sum(heights))
    panels = figure.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)[:, 0].tolist()
    at = np.array([p.at[swept] for p in projections])
    _draw_times(panels[0], at, projections)
    panels[0].set_title(f"{first.title} on {first.machine}", fontsize="medium")
    if lossy:
        _draw_losses(panels[1], at, projections)
    panels[-1].set_xlabel(swept)
    if at.min() > 0 and at.max() / at.min() >= _LOGARITHMIC_FROM:
        panels[-1].set_xscale("log", base=2)
        panels[-1].xaxis.set_major_formatter("{x:g}")
    for axes in panels:
        without_frame(axes)
        axes.legend(fontsize="x-small", frameon=False)
    return figure


def _draw_times(axes: "Axes", at: FloatArray, projections: Sequence[ApplicationProjection]) -> None:
    first = projections[0]
    _draw_line(axes, at, [p.total for p in projections], "total", _TOTAL)
    for k, line in enumerate(first.parts):
        if len(line.path) == 1 and line.dimension == first.total.dimension:
            _draw_line(axes, at, [p.parts[k] for p in projections], line.path[0], _THIN)
    measured = [p.measured for p in projections]
    if any(measured):
        axes.plot(at, [np.nan if one is None else one.value for one in measured], "k+", label="measured")
    totals = np.array([p.total.value for p in projections])
    if totals.min() > 0 and totals.max() / totals.min() >= _LOGARITHMIC_FROM:
        axes.set_yscale("log")
    axes.set_ylabel(str(first.total.dimension))


def _draw_losses(axes: "Axes", at: FloatArray, projections: Sequence[ApplicationProjection]) -> None:
    """Draw (usual total - other total) / usual total in per cent, as in the figures of paper 004."""
    usual = projections[0].variant
    for k, variant in enumerate(projections[0].variants):
        known = [(x, p.variants[k].loss) for x, p in zip(at.tolist(), projections, strict=True)]
        losses = [(x, loss) for x, loss in known if loss is not None]
        if losses:
            where = np.array([x for x, _ in losses])
            _draw_line(axes, where, [x for _, x in losses], f"{usual} against {variant.name}", _THIN, 100.0)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set_ylabel("loss [%]")


def _draw_line(
    axes: "Axes",
    at: FloatArray,
    lines: Sequence[ProjectedValue],
    label: str,
    style: Style,
    factor: float = 1.0,
) -> None:
    value, low, high = factor * np.array([(line.value, line.lower, line.upper) for line in lines]).T
    (drawn,) = axes.plot(at, value, label=label, **style)
    axes.fill_between(at, low, high, color=drawn.get_color(), **BAND)


def roofline_figure(roofline: Roofline) -> "Figure":
    """Draw ceilings as lines and measured regions as points, a colour for each run; axes are logarithmic."""
    figure = new_figure(_WIDTH, _ROOFLINE_HEIGHT)
    axes = figure.add_subplot(xscale="log", yscale="log")
    intensity = _intensities(roofline)
    left, right = intensity[[0, -1]].tolist()
    for name, flow in roofline.bandwidths.items():
        for peak in roofline.peaks:
            axes.plot(intensity, roofline.attainable(intensity, name, peak) / 1e9, **CEILING)
        axes.annotate(f"{name} {flow / 1e9:.3g} GB/s", (left, flow * left / 1e9), **LABEL)
    for name, top in roofline.peaks.items():
        axes.annotate(f"{name} {top / 1e9:.3g} Gflop/s", (right, top / 1e9), ha="right", **LABEL)
    levels = {point.level for point in roofline.points}
    runs = list(dict.fromkeys(point.run for point in roofline.points))
    for number, run in enumerate(runs):
        points = [point for point in roofline.points if point.run == run]
        intensities, rates = [p.intensity for p in points], [p.flop_rate / 1e9 for p in points]
        axes.plot(intensities, rates, color=COLOURS[number % len(COLOURS)], label=run or _UNNAMED, **_POINT)
        for point, at in zip(points, zip(intensities, rates, strict=True), strict=True):
            text = point.name if len(levels) == 1 else f"{point.name} ({point.level})"
            axes.annotate(text, at, **LABEL)
    if len(runs) > 1:
        axes.legend(fontsize="small", frameon=False, loc="lower right")
    axes.set_title(f"Roofline of {roofline.machine}", fontsize="medium")
    axes.set_xlabel("arithmetic intensity [flop/B]")
    axes.set_ylabel("Gflop/s")
    without_frame(axes)
    return figure


def _intensities(roofline: Roofline) -> FloatArray:
    """Return the intensities of the horizontal axis: around all ridges and points."""
    ridges = [top / flow for flow in roofline.bandwidths.values() for top in roofline.peaks.values()]
    marks = [*ridges, *(point.intensity for point in roofline.points if point.intensity > 0)]
    return np.geomspace(min(marks) / _SPAN, max(marks) * _SPAN, 200)

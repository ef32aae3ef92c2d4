"""The roofline of a projection by bandwidth ratios, as a PNG or SVG file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.rooflines.rooflines import Roofline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMS = ("png", "svg")
UNNAMED = "profile"
SPAN = 10.0  # factor by which the axis reaches beyond the points and the ridges
SIZE, DOTS = (7.0, 4.6), 150  # inches, and dots per inch of a PNG file
CEILING: Mapping[str, Any] = {"color": "#4c78a8", "linewidth": 1.2}
LABEL: Mapping[str, Any] = {"fontsize": 7, "textcoords": "offset points", "xytext": (5, 3)}
POINT: Mapping[str, Any] = {"marker": "o", "markersize": 5, "linestyle": "none"}
COLOURS = ("#e45756", "#f58518", "#54a24b", "#b279a2", "#72b7b2", "#9d755d")  # of runs, in turn


def write_roofline(path: Path | BinaryIO, form: str, roofline: Roofline) -> None:
    """Write a roofline to a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = figure_of(roofline)
    FigureCanvasAgg(figure)
    figure.savefig(path, format=form, dpi=DOTS)


def figure_of(roofline: Roofline) -> "Figure":
    """Draw ceilings as lines and measured regions as points, a colour for each run; axes are logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log")
    intensity = _intensities(roofline)
    left, right = intensity[[0, -1]].tolist()
    for flow in roofline.bandwidths:
        for peak in roofline.peaks:
            axes.plot(intensity, roofline.attainable(intensity, flow.name, peak.name) / 1e9, **CEILING)
        axes.annotate(f"{flow.name} {flow.value / 1e9:.3g} GB/s", (left, flow.value * left / 1e9), **LABEL)
    for peak in roofline.peaks:
        text = f"{peak.name} {peak.value / 1e9:.3g} Gflop/s"
        axes.annotate(text, (right, peak.value / 1e9), ha="right", **LABEL)
    levels = {point.level for point in roofline.points}
    runs = list(dict.fromkeys(point.run for point in roofline.points))
    for number, run in enumerate(runs):
        points = [point for point in roofline.points if point.run == run]
        intensities, rates = [p.intensity for p in points], [p.flop_rate / 1e9 for p in points]
        axes.plot(intensities, rates, color=COLOURS[number % len(COLOURS)], label=run or UNNAMED, **POINT)
        for point, at in zip(points, zip(intensities, rates, strict=True), strict=True):
            text = point.name if len(levels) == 1 else f"{point.name} ({point.level})"
            axes.annotate(text, at, **LABEL)
    if len(runs) > 1:
        axes.legend(fontsize="small", frameon=False, loc="lower right")
    axes.set_title(f"Roofline of {roofline.machine}", fontsize="medium")
    axes.set_xlabel("arithmetic intensity [flop/B]")
    axes.set_ylabel("Gflop/s")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _intensities(roofline: Roofline) -> FloatArray:
    """Return the intensities of the horizontal axis: around all ridges and points."""
    ridges = [peak.value / flow.value for flow in roofline.bandwidths for peak in roofline.peaks]
    marks = [*ridges, *(point.intensity for point in roofline.points if point.intensity > 0)]
    return np.geomspace(min(marks) / SPAN, max(marks) * SPAN, 200)

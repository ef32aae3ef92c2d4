"""The roofline of a bandwidth projection as a PNG or SVG file."""

from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.roofline import Roofline

FORMS = ("png", "svg")
SPAN = 10.0  # factor by which the axis reaches beyond the points and the ridges
LIMIT_COLOUR, POINT_COLOUR = "#4c78a8", "#e45756"


def write_roofline(path: Path, form: str, roofline: Roofline) -> None:
    """Draw ceilings as lines and measured groups as points, both axes logarithmic.

    Args:
        path: the file to write.
        form: ``png`` or ``svg``.
        roofline: what to draw.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(xscale="log", yscale="log")
    intensity = _intensities(roofline)
    for flow in roofline.bandwidths:
        for peak in roofline.peaks:
            limit = roofline.attainable(intensity, flow.name, peak.name)
            axes.plot(intensity, limit / 1e9, color=LIMIT_COLOUR, linewidth=1.2)
        text = f"{flow.name} {flow.value / 1e9:.3g} GB/s"
        start = (intensity[0], flow.value * intensity[0] / 1e9)
        axes.annotate(text, start, xytext=(14, 0), textcoords="offset points", fontsize=7, color=LIMIT_COLOUR)
    for peak in roofline.peaks:
        text = f"{peak.name} {peak.value / 1e9:.3g} Gflop/s"
        end = (intensity[-1], peak.value / 1e9)
        axes.annotate(text, end, ha="right", va="bottom", fontsize=7, color=LIMIT_COLOUR)
    for point in roofline.points:
        at = (point.intensity, point.flop_rate / 1e9)
        axes.plot(*at, "o", color=POINT_COLOUR, markersize=5)
        axes.annotate(point.name, at, xytext=(5, 3), textcoords="offset points", fontsize=7)
    axes.set_title(f"Roofline of {roofline.machine}", fontsize="medium")
    axes.set_xlabel("computational intensity [flop/B]")
    axes.set_ylabel("Gflop/s")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format=form, dpi=150)


def _intensities(roofline: Roofline) -> FloatArray:
    """Return the intensities of the horizontal axis: around all ridges and points."""
    ridges = [p.value / b.value for b in roofline.bandwidths for p in roofline.peaks]
    marks = [*ridges, *(point.intensity for point in roofline.points if point.intensity > 0)]
    return np.geomspace(min(marks) / SPAN, max(marks) * SPAN, 200)

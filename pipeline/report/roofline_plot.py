"""The roofline of a bandwidth projection as a PNG or SVG file."""

from pathlib import Path

import numpy as np

from pipeline.projection.roofline import Roofline

SPAN = 10.0  # how far the axis reaches beyond the points and the ridges


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
            axes.plot(intensity, limit / 1e9, color="#4c78a8", linewidth=1.2)
        axes.annotate(
            f"{flow.name} {flow.value / 1e9:.3g} GB/s",
            (intensity[0], flow.value * intensity[0] / 1e9),
            fontsize=7,
            color="#4c78a8",
            xytext=(14, 0),
            textcoords="offset points",
        )
    for peak in roofline.peaks:
        axes.annotate(
            f"{peak.name} {peak.value / 1e9:.3g} Gflop/s",
            (intensity[-1], peak.value / 1e9),
            fontsize=7,
            color="#4c78a8",
            ha="right",
            va="bottom",
        )
    for point in roofline.points:
        axes.plot(point.intensity, point.flop_rate / 1e9, "o", color="#e45756", markersize=5)
        axes.annotate(
            point.name,
            (point.intensity, point.flop_rate / 1e9),
            fontsize=7,
            xytext=(5, 3),
            textcoords="offset points",
        )
    axes.set_title(f"Roofline of {roofline.machine}", fontsize="medium")
    axes.set_xlabel("computational intensity [flop/B]")
    axes.set_ylabel("Gflop/s")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format=form, dpi=150)


def _intensities(roofline: Roofline) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the intensities of the horizontal axis: around all ridges and points."""
    ridges = [p.value / b.value for b in roofline.bandwidths for p in roofline.peaks]
    marks = [*ridges, *(point.intensity for point in roofline.points if point.intensity > 0)]
    return np.geomspace(min(marks) / SPAN, max(marks) * SPAN, 200)

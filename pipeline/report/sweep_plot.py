"""The projection of a program over one input, as a PNG or SVG file: time above, losses to variants below."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.applications.projections import ApplicationProjection, ProjectedValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, TIME_HEIGHT, LOSS_HEIGHT, DOTS = 7.0, 4.2, 2.4, 150  # inches, and dots per inch of a PNG file
LOGARITHMIC_FROM = 8.0  # ratio of the largest to the smallest value
TOTAL: Mapping[str, Any] = {"color": "black", "linewidth": 1.8, "marker": "o", "markersize": 4}
BAND: Mapping[str, Any] = {"alpha": 0.18, "linewidth": 0}
THIN: Mapping[str, Any] = {"linewidth": 1.2, "marker": "o", "markersize": 3}


def write_sweep(
    path: Path | BinaryIO, form: str, projections: Sequence[ApplicationProjection], swept: str
) -> None:
    """Write a sweep to a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = figure_of(projections, swept)
    FigureCanvasAgg(figure)
    figure.savefig(path, format=form, dpi=DOTS)


def figure_of(projections: Sequence[ApplicationProjection], swept: str) -> "Figure":
    """Draw the total with its interval and the outermost parts and, if there are variants, what they gain."""
    from matplotlib.figure import Figure

    first = projections[0]
    lossy = any(variant.loss for p in projections for variant in p.variants)
    heights = [TIME_HEIGHT, LOSS_HEIGHT] if lossy else [TIME_HEIGHT]
    figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    panels = figure.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)[:, 0].tolist()
    at = np.array([p.at[swept] for p in projections])
    _draw_times(panels[0], at, projections)
    panels[0].set_title(f"{first.title} on {first.machine}", fontsize="medium")
    if lossy:
        _draw_losses(panels[1], at, projections)
    panels[-1].set_xlabel(swept)
    if at.min() > 0 and at.max() / at.min() >= LOGARITHMIC_FROM:
        panels[-1].set_xscale("log", base=2)
        panels[-1].xaxis.set_major_formatter("{x:g}")
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize="x-small", frameon=False)
    return figure


def _draw_times(axes: "Axes", at: FloatArray, projections: Sequence[ApplicationProjection]) -> None:
    first = projections[0]
    _draw_line(axes, at, [p.total for p in projections], "total", TOTAL)
    for k, line in enumerate(first.parts):
        if len(line.path) == 1 and line.dimension == first.total.dimension:
            _draw_line(axes, at, [p.parts[k] for p in projections], line.path[0], THIN)
    measured = [p.measured for p in projections]
    if any(measured):
        axes.plot(at, [np.nan if value is None else value for value in measured], "k+", label="measured")
    totals = np.array([p.total.value for p in projections])
    if totals.min() > 0 and totals.max() / totals.min() >= LOGARITHMIC_FROM:
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
            lines = [_scaled(loss, 100.0) for _, loss in losses]
            _draw_line(axes, where, lines, f"{usual} against {variant.name}", THIN)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set_ylabel("loss [%]")


def _scaled(line: ProjectedValue, factor: float) -> ProjectedValue:
    return ProjectedValue(
        path=line.path,
        value=factor * line.value,
        lower=factor * line.lower,
        upper=factor * line.upper,
        dimension=line.dimension,
    )


def _draw_line(
    axes: "Axes", at: FloatArray, lines: Sequence[ProjectedValue], label: str, style: Mapping[str, Any]
) -> None:
    (drawn,) = axes.plot(at, [line.value for line in lines], label=label, **style)
    low, high = ([getattr(line, end) for line in lines] for end in ("lower", "upper"))
    axes.fill_between(at, low, high, color=drawn.get_color(), **BAND)

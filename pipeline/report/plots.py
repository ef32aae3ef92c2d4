"""One kernel's curve as text for the terminal, or as a PNG or SVG file."""

from pathlib import Path

import numpy as np

from pipeline.report.curves import Curve

POSITIVE_FRACTION = 1e-3  # of the largest value: a logarithmic axis begins there where values reach zero


def terminal_plot(curve: Curve, width: int, height: int, *, colour: bool, logarithmic: bool) -> str:
    """Draw a curve with characters.

    Args:
        curve: what to draw.
        width: in characters.
        height: in lines.
        colour: whether escape sequences may be used.
        logarithmic: both axes logarithmic instead of linear.
    """
    import plotext

    plotext.clear_figure()
    plotext.plot_size(width, height)
    plotext.title(curve.title)
    plotext.xlabel(curve.parameter)
    plotext.ylabel(curve.unit)
    if logarithmic:
        plotext.xscale("log")
        plotext.yscale("log")
    floor = _floor(curve) if logarithmic else -np.inf
    for values, name in ((curve.upper, "90 % interval"), (curve.lower, None)):
        plotext.plot(curve.scale, np.maximum(values, floor), marker="·", color="gray", label=name)
    plotext.plot(curve.scale, np.maximum(curve.value, floor), marker="braille", color="blue", label="model")
    plotext.scatter(
        curve.measured_at, np.maximum(curve.measured, floor), marker="o", color="red", label="measured"
    )
    text: str = plotext.build()
    return text if colour else str(plotext.uncolorize(text))


def write_figure(path: Path, form: str, curve: Curve, *, logarithmic: bool) -> None:
    """Draw a curve into a file, as ``png`` or ``svg``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.fill_between(
        curve.scale, curve.lower, curve.upper, color="#4c78a8", alpha=0.2, label="90 % interval"
    )
    axes.plot(curve.scale, curve.value, color="#4c78a8", label="model")
    axes.plot(curve.measured_at, curve.measured, "o", color="#e45756", markersize=4, label="measured")
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(bottom=_floor(curve))
    axes.set_title(curve.title, fontsize="medium")
    axes.set_xlabel(curve.parameter)
    axes.set_ylabel(curve.unit)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format=form, dpi=150)


def _floor(curve: Curve) -> float:
    """Smallest value of a logarithmic axis: below all that is positive, not far below what matters."""
    everything = np.concatenate([curve.measured, curve.value])
    positive = everything[everything > 0]
    if not len(positive):
        return 1e-9
    return float(max(positive.min() / 2, positive.max() * POSITIVE_FRACTION))

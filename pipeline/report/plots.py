"""One kernel's measurements, model and interval: as data, as text for the terminal, and as a figure."""

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError, extra
from pipeline.questions.analysis import Analysis, Level
from pipeline.wording.escaping import matplotlib as plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SAME_SVG: Any = {"svg.hashsalt": "pipeline", "svg.fonttype": "none"}
_CURVE_POINTS = 120
_BESIDE = 12  # characters of a terminal beside the axes, which a title does not have
POSITIVE_FRACTION = 1e-3  # of the largest value: a logarithmic axis begins there if the model reaches zero


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of matplotlib, with its size in inches."""
    try:
        with extra("plot"):
            from matplotlib.figure import Figure
    except ValueError as error:  # of matplotlib's settings
        hint = "correct or unset the variable MPLBACKEND, and see your matplotlibrc"
        raise UsageError(f"matplotlib refuses its settings: {error}", hint=hint) from error

    return Figure(figsize=(width, height), layout="constrained")


def without_frame(axes: "Axes") -> None:
    """Leave axes only where numbers stand: at the left and below."""
    axes.spines[["top", "right"]].set_visible(False)


def image(figure: "Figure", form: str, dots: int = 150) -> bytes:
    """Return a figure as the content of a ``png``, ``svg`` or ``pdf`` file, `dots` per inch of a PNG.

    The same figure gives the same bytes, but for the date in a PDF.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    written = BytesIO()
    FigureCanvasAgg(figure)
    with rc_context(_SAME_SVG):
        figure.savefig(written, format=form, dpi=dots, metadata={"Date": None} if form == "svg" else None)
    return written.getvalue()


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """A kernel along the scaled parameter, the other parameters at their largest values."""

    title: str  # the kernel and its model
    parameter: str  # what is on the horizontal axis
    unit: str  # what is on the vertical axis
    measured_at: FloatArray  # float64[n], scale of each measured value, one entry per repetition
    measured: FloatArray  # float64[n], the measured values
    scale: FloatArray  # float64[Q], where the model is evaluated
    value: FloatArray  # float64[Q]
    lower: FloatArray  # float64[Q], lower end of the 90 % interval
    upper: FloatArray  # float64[Q]


def curve_of(analysis: Analysis, level: Level, kernel: int, title: str, horizon: float) -> Curve:
    """Evaluate a kernel's model, of its level, from the smallest measured scale to the horizon."""
    experiment = analysis.experiment
    column = analysis.column
    largest = experiment.points.max(axis=0)
    others = np.delete(experiment.points, column, axis=1)
    shown = (others == np.delete(largest, column)).all(axis=1)
    values = level.kernels.values[kernel][shown]
    at = np.repeat(experiment.points[shown, column][:, None], values.shape[1], axis=1)
    known = np.isfinite(values)
    first = float(experiment.points[:, column].min())
    scale = np.geomspace(first, max(horizon, first), _CURVE_POINTS)
    points = np.repeat(largest[None, :], len(scale), axis=0)
    points[:, column] = scale
    prediction = level.models.take([kernel]).predict(points)
    return Curve(
        title=title,
        parameter=analysis.parameter,
        unit=f"{level.kernels.metric} [{level.kernels.unit}]"
        + (f" {experiment.per.text}" if experiment.per else ""),
        measured_at=at[known],
        measured=values[known],
        scale=scale,
        value=prediction.value[0],
        lower=prediction.lower[0],
        upper=prediction.upper[0],
    )


def terminal_plot(curve: Curve, width: int, height: int, *, colour: bool, logarithmic: bool) -> str:
    """Draw a curve with characters, `width` times `height` of them, on linear or logarithmic axes.

    A title that is wider stands above.
    """
    with extra("plot"):
        import plotext

    plotext.clear_figure()
    plotext.limit_size(False, False)
    plotext.plot_size(width, height)
    fits = len(curve.title) <= width - _BESIDE
    plotext.title(curve.title if fits else "")
    plotext.xlabel(curve.parameter)
    plotext.ylabel(curve.unit)
    if logarithmic:
        plotext.xscale("log")
        plotext.yscale("log")
    floor = _floor(curve) if logarithmic else -np.inf
    for values, name in ((curve.upper, "90 % interval"), (curve.lower, None)):
        plotext.plot(curve.scale, np.maximum(values, floor), marker="·", color="gray", label=name)
    plotext.plot(curve.scale, np.maximum(curve.value, floor), marker="braille", color="blue", label="model")
    drawn = curve.measured > 0 if logarithmic else np.ones(len(curve.measured), dtype=np.bool_)
    label = "measured" if drawn.all() else f"measured ({(~drawn).sum()} at zero, not on a logarithmic axis)"
    plotext.scatter(curve.measured_at[drawn], curve.measured[drawn], marker="o", color="red", label=label)
    text: str = plotext.build()
    drawing = text if colour else str(plotext.uncolorize(text))
    return drawing if fits else f"{curve.title}\n{drawing}"


def draw_curve(axes: "Axes", curve: Curve, *, logarithmic: bool) -> None:
    """Draw a curve into the axes of matplotlib: measured points, model and interval, with labels."""
    axes.fill_between(
        curve.scale, curve.lower, curve.upper, color="#4c78a8", alpha=0.2, label="90 % interval"
    )
    axes.plot(curve.scale, curve.value, color="#4c78a8", label="model")
    axes.plot(curve.measured_at, curve.measured, "o", color="#e45756", markersize=4, label="measured")
    if logarithmic:
        axes.set_xscale("log")
        floor = _floor(curve)
        if (curve.measured > 0).all():
            axes.set_yscale("log")
            axes.set_ylim(bottom=floor)
        else:  # zeros stay where they are
            axes.set_yscale("symlog", linthresh=floor)
    axes.set_title(plain_text(curve.title), fontsize="medium")
    axes.set_xlabel(plain_text(curve.parameter))
    axes.set_ylabel(plain_text(curve.unit))
    axes.legend(frameon=False)
    without_frame(axes)


def curve_image(form: str, curve: Curve, *, logarithmic: bool) -> bytes:
    """Return a curve as the content of a ``png``, ``svg`` or ``pdf`` file."""
    figure = new_figure(7.0, 4.2)
    draw_curve(figure.add_subplot(), curve, logarithmic=logarithmic)
    return image(figure, form)


def _floor(curve: Curve) -> float:
    """Smallest value of a logarithmic axis: below all that was measured, a little below models."""
    measured, model = (values[values > 0] for values in (curve.measured, curve.value))
    positive = np.concatenate([measured, model])
    if not len(positive):
        return 1e-9
    of_all = max(positive.min() / 2, positive.max() * POSITIVE_FRACTION)
    return float(min(of_all, measured.min() / 2)) if len(measured) else float(of_all)

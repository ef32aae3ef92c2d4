"""One kernel's measurements, model and interval, as text and as a figure; figures of sweeps and rooflines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError, extra
from pipeline.questions.analysis import Analysis, Level
from pipeline.wording.escaping import matplotlib as plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pipeline.projection.applications.projections import ApplicationProjection, ProjectedValue, Sweep
    from pipeline.projection.rooflines.rooflines import Roofline

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


def sweep_figure(sweep: "Sweep") -> "Figure":
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


def _draw_times(axes: "Axes", at: FloatArray, projections: "Sequence[ApplicationProjection]") -> None:
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


def _draw_losses(axes: "Axes", at: FloatArray, projections: "Sequence[ApplicationProjection]") -> None:
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
    lines: "Sequence[ProjectedValue]",
    label: str,
    style: Style,
    factor: float = 1.0,
) -> None:
    value, low, high = factor * np.array([(line.value, line.lower, line.upper) for line in lines]).T
    (drawn,) = axes.plot(at, value, label=label, **style)
    axes.fill_between(at, low, high, color=drawn.get_color(), **BAND)


def roofline_figure(roofline: "Roofline") -> "Figure":
    """Draw ceilings as lines and measured regions as points, a colour for each run; axes are logarithmic."""
    figure = new_figure(_WIDTH, _ROOFLINE_HEIGHT)
    axes = figure.add_subplot(xscale="log", yscale="log")
    ridges = [top / flow for flow in roofline.bandwidths.values() for top in roofline.peaks.values()]
    marks = [*ridges, *(point.intensity for point in roofline.points if point.intensity > 0)]
    intensity = np.geomspace(min(marks) / _SPAN, max(marks) * _SPAN, 200)
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

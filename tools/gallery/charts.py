"""Pictures of the gallery in one style: published is grey, measured values are marks, models lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pipeline.report.plots import BAND, CEILING, COLOURS, LABEL, image

SIZE = (7.0, 3.8)  # inches
PUBLISHED = ("#8c8c8c", "#c8c8c8")
PALETTE = ("#4c78a8", *COLOURS, "#54606c")
MEASURED = ", measured"
MANY = 12  # labels, from which on they are small
FLOOR = 0.3  # of the smallest mark, where a logarithmic axis begins
LONG = 8  # characters of a label, from which on labels are turned

WIDE = 28  # characters of a name, from which on a legend has two columns
MARK: Mapping[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.5}
LINE: Mapping[str, Any] = {"markersize": 3, "linewidth": 1.3}

Values: TypeAlias = Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Lines over a common axis or, if `bars`, groups of bars side by side; marks, bands and boxes with them.

    Attributes:
        x: of all lines; of bars their labels.
        lines: values by name, as many as there are `x`; NaN for one that is not known. A name that begins
            with "published" is grey.
        points: x and y of marks by name; those called as a line and ", measured" have its colour.
        bands: lower and upper values of lines by name.
        boxes: x and all values of box plots.
        ranges: lower and upper ends of bars by name.
        ceilings: lines of a roofline, each named at its lower or flat end.
    """

    title: str
    up: str
    across: str = ""
    x: Sequence[Any] = ()
    lines: Mapping[str, Values] = field(default_factory=dict)
    points: Mapping[str, tuple[Values, Values]] = field(default_factory=dict)
    bands: Mapping[str, tuple[Values, Values]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[Values, Values]] = field(default_factory=dict)
    boxes: Mapping[float, Values] = field(default_factory=dict)
    ceilings: Mapping[str, Values] = field(default_factory=dict)
    bars: bool = False
    logarithmic: bool = False
    logarithmic_across: bool = False


def drawn(picture: Chart) -> bytes:
    """Return a picture as SVG."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    _draw_chart(figure, axes, picture)
    axes.set_title(picture.title, fontsize="medium")
    axes.set_xlabel(picture.across)
    axes.set_ylabel(picture.up)
    axes.spines[["top", "right"]].set_visible(False)
    return image(figure, "svg")


def _draw_chart(figure: Figure, axes: Axes, chart: Chart) -> None:
    colours = dict(_colours(chart))
    if chart.logarithmic:
        axes.set_yscale("log")
    if chart.logarithmic_across:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
    (_draw_bars if chart.bars else _draw_lines)(axes, chart, colours)
    for name, (low, high) in chart.bands.items():
        axes.fill_between(chart.x, low, high, color=colours[name], **BAND)
    for name, (at, values) in chart.points.items():
        size = 6 if chart.ceilings else 4
        axes.plot(at, values, "o", markersize=size, color=colours[name], label=name, **MARK)
    if chart.boxes:
        places = list(chart.boxes)
        width = 0.05 * (max(places) - min(places))
        axes.boxplot(list(chart.boxes.values()), positions=places, widths=width, manage_ticks=False)
    _draw_ceilings(axes, chart)
    _limit(axes, chart)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    names = axes.get_legend_handles_labels()[1]
    if len(names) > 1:
        columns = min(len(names), 3 if max(map(len, names)) < WIDE else 2)
        figure.legend(loc="outside lower center", ncols=columns, fontsize="x-small", frameon=False)


def _draw_lines(axes: Axes, chart: Chart, colours: Mapping[str, str]) -> None:
    for name, values in chart.lines.items():
        plain = len(chart.x) > MANY or name + MEASURED in chart.points
        marker = "" if plain else "o"
        axes.plot(chart.x, values, marker=marker, label=name, color=colours[name], **LINE)


def _draw_ceilings(axes: Axes, chart: Chart) -> None:
    for name, values in chart.ceilings.items():
        axes.plot(chart.x, values, **CEILING)
        flat = values[0] == values[-1]
        axes.annotate(name, (chart.x[-1 if flat else 0], values[0]), ha="right" if flat else "left", **LABEL)
    if chart.ceilings:
        axes.set_ylim(top=2.0 * max(value for values in chart.ceilings.values() for value in values))


def _limit(axes: Axes, chart: Chart) -> None:
    """Begin a logarithmic axis near the smallest mark, since a model may come close to zero."""
    seen = [value for _, values in chart.points.values() for value in values if value > 0]
    if chart.logarithmic and seen and chart.lines:  # a model may come close to zero
        drawn_values = [value for values in chart.lines.values() for value in values if value > 0]
        axes.set_ylim(bottom=max(0.5 * min(drawn_values), FLOOR * min(seen)))


def _colours(chart: Chart) -> Iterator[tuple[str, str]]:
    free, grey = iter(PALETTE * 3), iter(PUBLISHED * 3)
    found: dict[str, str] = {}
    for name in (*chart.lines, *chart.points):
        line = name.removesuffix(MEASURED)
        found[name] = next(grey) if name.startswith("published") else found.get(line) or next(free)
        yield name, found[name]


def _draw_bars(axes: Axes, chart: Chart, colours: Mapping[str, str]) -> None:
    width = 0.8 / len(chart.lines)
    for number, (name, values) in enumerate(chart.lines.items()):
        at = [place + (number + 0.5) * width - 0.4 for place in range(len(chart.x))]
        axes.bar(at, values, width, label=name, color=colours[name])
        if name in chart.ranges:
            low, high = chart.ranges[name]
            pairs = list(zip(values, low, high, strict=True))
            ends = [[value - least for value, least, _ in pairs], [most - value for value, _, most in pairs]]
            axes.errorbar(at, values, ends, fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
    texts = [str(each) for each in chart.x]
    axes.set_xticks(range(len(texts)), texts, fontsize="x-small" if len(texts) > MANY else "small")
    if len(texts) > 1 and max(map(len, texts)) * len(texts) > LONG * MANY:
        axes.tick_params(axis="x", rotation=35 if len(texts) <= MANY else 90)
        if len(texts) <= MANY:
            for label in axes.get_xticklabels():
                label.set_horizontalalignment("right")
    axes.axhline(0.0, color="black", linewidth=0.6)

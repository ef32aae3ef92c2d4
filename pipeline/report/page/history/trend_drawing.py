"""Trends as SVG: sparklines of the matrix and charts of a kernel's page, without scripts."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.trends import Entries, Measure, MeasureTrend
from pipeline.report.page.history.history_words import Wording, short_label

FEWEST = 5  # entries of a part of several: of fewer no percentiles are drawn
LEAST_RANGE = 1.2  # factor between the ends of an axis: noise of a few per cent should look like noise


@dataclass(frozen=True, eq=False)
class Parts:
    """A series in few parts.

    Attributes:
        place: float64[n], the middle of each part, in entries.
        low, middle, high: float64[n], 10th, 50th and 90th percentile of its values; NaN if it has none.
    """

    place: FloatArray
    low: FloatArray
    middle: FloatArray
    high: FloatArray


def in_parts(values: FloatArray, most: int) -> Parts:
    """Divide a series, float64[N], into at most so many parts of the same length: one entry, or several."""
    length = 1 if len(values) <= most else max(FEWEST, -(-len(values) // most))
    padded = np.full(-(-len(values) // length) * length, np.nan)
    padded[: len(values)] = values
    rows = np.sort(padded.reshape(-1, length), axis=1)  # NaN last
    last = np.maximum(np.isfinite(rows).sum(axis=1) - 1, 0)
    place = np.minimum(np.arange(len(rows)) * length + (length - 1) / 2, len(values) - 1.0)
    return Parts(place, *(_quantile(rows, last, share) for share in (0.1, 0.5, 0.9)))


def _quantile(rows: FloatArray, last: IntArray, share: float) -> FloatArray:
    """Return a quantile of sorted rows, float64[n, m], of which those up to `last`, int64[n], are known."""
    row, place = np.arange(len(rows)), share * last
    below = np.floor(place).astype(np.int64)
    lower, upper = rows[row, below], rows[row, np.minimum(below + 1, last)]
    found: FloatArray = lower + (place - below) * (upper - lower)
    return found


@dataclass(frozen=True)
class Axis:
    """From values to pixels, downwards; logarithmic or not."""

    low: float
    high: float
    top: float
    bottom: float
    logarithmic: bool

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return pixels; what lies outside the axis is put at its ends."""
        ends = np.array([self.low, self.high])
        shown = np.clip(values, *ends)
        if self.logarithmic:
            ends, shown = np.log(ends), np.log(shown)
        pixels: FloatArray = self.bottom + (shown - ends[0]) / (ends[1] - ends[0]) * (self.top - self.bottom)
        return pixels

    def ticks(self) -> list[float]:
        """Return round values within the axis."""
        if self.logarithmic:
            decades = range(int(np.floor(np.log10(self.low))), int(np.ceil(np.log10(self.high))) + 1)
            every = [factor * 10.0**d for d in decades for factor in (1, 2, 5)]
            found = [tick for tick in every if self.low <= tick <= self.high]
            return found[:: max(1, -(-len(found) // 6))]
        raw = (self.high - self.low) / 5
        power = 10.0 ** np.floor(np.log10(raw))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
        first = int(np.ceil(self.low / step - 1e-9))
        return [n * step for n in range(first, int(np.floor(self.high / step + 1e-9)) + 1)]


def axis_of(parts: Parts, extra: Iterable[float], top: float, bottom: float, *, logarithmic: bool) -> Axis:
    """Return an axis that holds the parts of a series but the farthest, and some values besides."""
    ends = np.nanquantile(parts.low, 0.02), np.nanquantile(parts.high, 0.98)
    shown = [*map(float, ends), *extra]
    low, high = min(shown), max(shown)
    missing = LEAST_RANGE / (high / low)
    if missing > 1:
        low, high = low / missing**0.5, high * missing**0.5
    pad = (high / low) ** 0.06
    return Axis(low / pad, high * pad, top, bottom, logarithmic)


SPARK = (132.0, 30.0)
SPARK_PARTS = 66
CHART = (640.0, 230.0)
CHART_PARTS = 240
MOST_POINTS = 100  # entries up to which each is a point
LEFT, RIGHT, TOP, BOTTOM = 66.0, 12.0, 12.0, 26.0
DATES = 5  # below the axis
LOGARITHMIC = 8.0  # factor between the ends of an axis from which it is logarithmic
SECONDS_PER_DAY = 86_400


def sparkline(trend: MeasureTrend, text: str) -> Markup:
    """Draw a trend without axes; `text` says the same in words. Empty if nothing is known."""
    if not np.isfinite(trend.values).any():
        return Markup()
    width, height = SPARK
    parts = in_parts(trend.values, SPARK_PARTS)
    levels = trend.levels()
    axis = axis_of(parts, (level for _, _, level in levels), 3.0, height - 3.0, logarithmic=True)
    x = _across(parts.place, len(trend.values), 3.0, width - 3.0)
    marks = "".join(_dot(trend, start, level, axis, width) for start, _, level in levels[1:])
    return Markup(
        f'<svg class="spark" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'role="img" aria-label="{escape(text)}">{_band(x, parts, axis)}{_line(x, parts, axis)}{marks}</svg>'
    )


def _dot(trend: MeasureTrend, start: int, level: float, axis: Axis, width: float) -> str:
    change = next((c for c in trend.changes if c.at == start), None)
    if change is None:
        return ""
    x = float(_across(np.array([start]), len(trend.values), 3.0, width - 3.0)[0])
    y = float(axis(np.array([level]))[0])
    return f'<circle class="{direction(trend.measure, change.factor)}" cx="{x:.1f}" cy="{y:.1f}" r="2.8"/>'


def direction(measure: Measure, factor: float) -> str:
    """Return whether a factor is for the better or for the worse."""
    return "better" if (factor - 1) * measure.better > 0 else "worse"


@dataclass(frozen=True)
class Chart:
    """A chart and what a script needs to find entries in it.

    Attributes:
        svg: the drawing.
        axis: of the values.
    """

    svg: Markup
    axis: Axis


def chart(trend: MeasureTrend, entries: Entries, text: str) -> Chart | None:
    """Draw a trend with axes, levels and change points; None if nothing is known."""
    if not np.isfinite(trend.values).any():
        return None
    width, height = CHART
    parts = in_parts(trend.values, CHART_PARTS)
    levels = trend.levels()
    shown = [level for _, _, level in levels]
    known = trend.values[np.isfinite(trend.values)]
    wide = bool(np.quantile(known, 0.98) > LOGARITHMIC * np.quantile(known, 0.02))
    axis = axis_of(parts, shown, TOP, height - BOTTOM, logarithmic=wide)
    x = _across(parts.place, len(entries), LEFT, width - RIGHT)
    drawn = [
        _value_axis(axis, trend.measure, Wording(entries)),
        _entry_axis(entries),
        *(_uncertain_place(c.first, c.last, len(entries)) for c in trend.changes),
        _band(x, parts, axis),
        _line(x, parts, axis),
        _points(x, parts, axis) if len(entries) <= MOST_POINTS else "",
        _levels(levels, axis, len(entries)),
        *(_mark(trend, start, axis, level) for start, _, level in levels[1:]),
        '<g class="selected"></g>',
    ]
    svg = Markup(
        f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(text)}">'
        f"{''.join(drawn)}</svg>"
    )
    return Chart(svg, axis)


def _across(places: FloatArray | IntArray, count: int, left: float, right: float) -> FloatArray:
    """Return the pixels of entries."""
    if count < 2:
        return np.full(len(places), (left + right) / 2)
    pixels: FloatArray = left + places.astype(np.float64) * ((right - left) / (count - 1))
    return pixels


def _line(x: FloatArray, parts: Parts, axis: Axis) -> str:
    return f'<path class="line" d="{_path(x, axis(parts.middle))}"/>'


def _points(x: FloatArray, parts: Parts, axis: Axis) -> str:
    known = np.isfinite(parts.middle)
    pairs = zip(x[known].tolist(), axis(parts.middle[known]).tolist(), strict=True)
    return "".join(
        f'<circle class="entry" cx="{across:.1f}" cy="{down:.1f}" r="2.5"/>' for across, down in pairs
    )


def _band(x: FloatArray, parts: Parts, axis: Axis) -> str:
    known = np.isfinite(parts.low)
    if not (parts.high > parts.low).any():
        return ""
    edges = np.concatenate([axis(parts.high[known]), axis(parts.low[known])[::-1]])
    around = np.concatenate([x[known], x[known][::-1]])
    return f'<path class="band" d="{_path(around, edges)}Z"/>'


def _path(x: FloatArray, y: FloatArray) -> str:
    """Return a path through points; where one is missing it is interrupted."""
    found, drawn = [], False
    for across, down in zip(x.tolist(), y.tolist(), strict=True):
        if np.isnan(down):
            drawn = False
            continue
        found.append(f"{'L' if drawn else 'M'}{across:.1f} {down:.1f}")
        drawn = True
    return "".join(found)


def _levels(levels: Sequence[tuple[int, int, float]], axis: Axis, count: int) -> str:
    if len(levels) < 2:
        return ""
    parts = []
    for start, end, level in levels:
        left, right = _across(np.array([start, end - 1.0]), count, LEFT, CHART[0] - RIGHT).tolist()
        parts.append(f"M{left:.1f} {float(axis(np.array([level]))[0]):.1f}H{right:.1f}")
    return f'<path class="level" d="{"".join(parts)}"/>'


def _uncertain_place(first: int, last: int, count: int) -> str:
    """Shade the entries between which a change may be."""
    left, right = _across(np.array([first - 0.5, last + 0.5]), count, LEFT, CHART[0] - RIGHT).tolist()
    height = CHART[1] - TOP - BOTTOM
    return f'<rect class="place" x="{left:.1f}" y="{TOP:g}" width="{right - left:.1f}" height="{height:g}"/>'


def _mark(trend: MeasureTrend, start: int, axis: Axis, level: float) -> str:
    """Draw a triangle above or below a new level: upwards if values rose."""
    change = next((c for c in trend.changes if c.at == start), None)
    if change is None:
        return ""
    x = float(_across(np.array([start]), len(trend.values), LEFT, CHART[0] - RIGHT)[0])
    y = float(axis(np.array([level]))[0])
    up = -1 if change.factor > 1 else 1
    shape = f"M{x:.1f} {y + 9 * up:.1f}l-5 {-8 * up}h10Z"
    return f'<path class="{direction(trend.measure, change.factor)}" d="{shape}"/>'


def _value_axis(axis: Axis, measure: Measure, wording: Wording) -> str:
    ticks = axis.ticks()
    heights = axis(np.array(ticks)).tolist()
    right = CHART[0] - RIGHT
    lines = "".join(f"M{LEFT:g} {y:.1f}H{right:g}" for y in heights)
    labels = [escape(wording.value(measure, tick)) for tick in ticks]
    texts = "".join(
        f'<text x="{LEFT - 8:g}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
        for y, label in zip(heights, labels, strict=True)
    )
    return f'<g class="axis"><path class="grid" d="{lines}"/>{texts}</g>'


def _entry_axis(entries: Entries) -> str:
    """Write dates below some entries, or labels if all were added within two days."""
    count = len(entries)
    places = np.unique(np.linspace(0, count - 1, min(DATES, count)).round().astype(np.int64))
    spread = np.ptp(entries.added) >= 2 * SECONDS_PER_DAY
    texts = []
    for n, x in zip(places.tolist(), _across(places, count, LEFT, CHART[0] - RIGHT).tolist(), strict=True):
        text = date_text(int(entries.added[n])) if spread else short_label(entries.labels[n])
        anchor = "start" if n == 0 and count > 1 else "end" if n == count - 1 and count > 1 else "middle"
        texts.append(f'<text x="{x:.1f}" y="{CHART[1] - 8:g}" text-anchor="{anchor}">{escape(text)}</text>')
    return f'<g class="axis">{"".join(texts)}</g>'


def date_text(seconds: int) -> str:
    """Write the day of a time in seconds since 1970."""
    return f"{datetime.datetime.fromtimestamp(seconds, tz=datetime.UTC):%Y-%m-%d}"

"""Series in few parts, and axes from values to pixels."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray

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

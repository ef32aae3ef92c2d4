"""Trends in the form that charts read: series in few parts with their axis, levels and change points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.trends import MeasureTrend
from pipeline.report.page.embedding import packed, short
from pipeline.report.page.history.history_words import direction

FEWEST = 5  # entries of a part of several: of fewer no percentiles are drawn
LEAST_RANGE = 1.2  # factor between the ends of an axis: noise of a few per cent should look like noise
LOGARITHMIC = 8.0  # factor between the ends of an axis from which it is logarithmic


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


def domain_of(parts: Parts, extra: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis that holds a series but its farthest parts, and some values besides."""
    ends = np.nanquantile(parts.low, 0.02), np.nanquantile(parts.high, 0.98)
    shown = [*map(float, ends), *extra]
    low, high = min(shown), max(shown)
    missing = LEAST_RANGE / (high / low)
    if missing > 1:
        low, high = low / missing**0.5, high * missing**0.5
    pad = (high / low) ** 0.06
    return low / pad, high * pad


def trends_data(found: Sequence[MeasureTrend], most: int) -> dict[str, Any]:
    """Return trends over the same entries in at most so many parts as ``js/history/trends.js`` reads them."""
    parts = [in_parts(trend.values, most) for trend in found]
    return {
        "count": len(found[0].values),
        "places": parts[0].place.tolist(),
        **{end: packed(np.stack([getattr(one, end) for one in parts])) for end in ("low", "middle", "high")},
        "trends": [_trend(*both) for both in zip(found, parts, strict=True)],
    }


def _trend(trend: MeasureTrend, parts: Parts) -> dict[str, Any] | None:
    """Return what belongs to a trend beside its values; None if nothing is known."""
    levels = trend.levels()
    if not levels:
        return None
    known = trend.values[np.isfinite(trend.values)]
    after = {start: level for start, _, level in levels}
    return {
        "domain": list(map(short, domain_of(parts, after.values()))),
        "log": bool(np.quantile(known, 0.98) > LOGARITHMIC * np.quantile(known, 0.02)),
        "levels": [[start, end, short(level)] for start, end, level in levels],
        "changes": [
            {
                "at": change.at,
                "first": change.first,
                "last": change.last,
                "level": short(after[change.at]),
                "direction": direction(trend.measure, change.factor),
                "rises": change.factor > 1,
            }
            for change in trend.changes
        ],
    }

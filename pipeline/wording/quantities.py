"""How numbers, quantities, intervals, growth, points and names are written, for people and for JSON."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from ingest.number_text import (
    JSON_DIGITS,
    NUMBER_WORDS,
    count,
    figure,
    given_percent,
    number,
    percent,
    value_text,
)
from ingest.units import SECONDS
from pipeline.wording.escaping import shown_name, visible

__all__ = ["count", "figure", "given_percent", "number", "percent", "value_text"]

ELLIPSIS = "…"
ARROW = " › "
BETWEEN = " .. "
_TO = " to "
_UNPREDICTABLE = "not predictable"
_CONSTANT = "constant"
_PERCENT = " %"
_VALUES_LISTED = 8
_MANY = 50  # numbers, from which they are rounded at once

WIDEST = 100.0  # factor between the ends of an interval, up to which it says something
_FINE = 0.2  # between the ends of an interval, relative: wider ones have two digits
_LAST_OF_TWO = 0.05  # relative: what rounding to two digits changes at most
_WHOLE_PERCENT_FROM = 0.1
_ALIKE = 1e-6  # relative; sums within it are equal
_TENTH_PERCENT = 0.001
_EXACT_BELOW = 1000.0  # signed shares
_SEPARATED_FROM, _WORDS_FROM, _EXPONENT_BELOW = 1e4, 1e6, 1e-4
_MIB = 2.0**20
_SHOWN_FROM = 0.1
_SECONDS = tuple((SECONDS[unit], unit) for unit in ("d", "h", "min", "s", "ms", "µs", "ns"))
_SECOND_UNITS = ("s", "sec")
_LARGER = {
    **{f"{of}-s": ((10 * SECONDS["h"], SECONDS["h"], f"{of}-hours"),) for of in ("core", "node", "GPU")},
    "J": ((3.6e6, 3.6e6, "kWh"),),
    "B": ((2.0**30, 2.0**30, "GiB"), (_SHOWN_FROM * _MIB, _MIB, "MiB")),
}
"""Of each unit: from which values on a larger one is easier to read, how much of it that is, and its name."""


def counted(number: int, noun: str) -> str:
    """Write how many of something: ``1 run``, ``2 runs``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def size(number: float) -> str:
    """Write how many bytes in MiB, the unit of SCOREP_TOTAL_MEMORY: ``202 MiB``."""
    if 0 < number < _SHOWN_FROM * _MIB:
        return f"<{_SHOWN_FROM} MiB"
    return f"{figure(number / _MIB)} MiB"


def readable_unit(value: float, unit: str) -> tuple[float, str]:
    """Return the unit that a value is easiest to read in, after the factor that converts into it."""
    larger = ((1 / size, name) for least, size, name in _LARGER.get(unit, ()) if value >= least)
    return next(larger, (1.0, unit))


def display_unit(unit: str, largest: float) -> tuple[float, str]:
    """Return the unit in which values up to the largest are shown, and what they are multiplied by for it.

    From ten core-hours on, core-seconds become core-hours, bytes become MiB and GiB, joules kWh; from a
    million on, values are counted in millions, billions or trillions.
    """
    factor, shown = readable_unit(largest, unit)
    for size, word in NUMBER_WORDS:
        if largest * factor >= size:
            return factor / size, f"{word} {shown}".rstrip()
    return factor, shown


def quantity(value: float, unit: str) -> str:
    """Write a number with its unit: ``90 ms``, ``7.00 core-s``, ``293,000 core-hours``."""
    factor, shown = _unit_of(value, unit)
    return f"{figure(value * factor)} {shown}".rstrip()


def _unit_of(value: float, unit: str) -> tuple[float, str]:
    """Return the unit in which one value is shown, after the factor that converts into it."""
    if unit not in _SECOND_UNITS:
        return display_unit(unit, abs(value))
    return next(((1 / size, name) for size, name in _SECONDS if abs(value) >= size), (1.0, "s"))


def interval_text(
    lower: float,
    upper: float,
    write: Callable[[float], str] = figure,
    *,
    of: float = math.nan,
    between: str = BETWEEN,
) -> str:
    """Write an interval for a table: ``16 .. 28``, ``1.6 .. 2.4 %``; empty if it is unknown, NaN.

    Both ends have two digits if they lie far apart; rounding leaves the value `of` inside.
    """
    if math.isnan(lower) or math.isnan(upper):
        return ""
    rounding = min((of - lower) / (abs(lower) or 1.0), (upper - of) / (abs(upper) or 1.0))
    if abs(upper - lower) > _FINE * min(abs(lower), abs(upper)) and not rounding < _LAST_OF_TWO:
        write = _ROUGH.get(write, write)
    low, high = write(lower), write(upper)
    return f"{low.removesuffix(_PERCENT) if high.endswith(_PERCENT) else low}{between}{high}"


def _rough_figure(value: float) -> str:
    return figure(value, 2)


def _rough_percent(share: float) -> str:
    return f"{figure(100 * share, 2)}{_PERCENT}" if abs(share) >= _WHOLE_PERCENT_FROM else percent(share)


_ROUGH = {figure: _rough_figure, percent: _rough_percent}


def spoken_interval(lower: float, upper: float, write: Callable[[float], str] = figure) -> str:
    """Write an interval for a sentence: ``16 to 28``, ``1.6 to 2.4 %``; empty if it is unknown, NaN."""
    return interval_text(lower, upper, write, between=_TO)


def predicted_interval(
    value: float, lower: float, upper: float, write: Callable[[float], str] = figure, between: str = BETWEEN
) -> str:
    """Write an interval as `interval_text` does, unless its ends lie so far apart that it says nothing."""
    if upper > WIDEST * lower > 0:
        return _UNPREDICTABLE
    return interval_text(lower, upper, write, of=value, between=between)


def estimate_text(
    value: float, lower: float, upper: float, unit: str = "", write: Callable[[float], str] = figure
) -> str:
    """Write a value with its interval, in the unit that suits the value: ``9.58 s (5.8 to 26 s)``."""
    factor, shown = _unit_of(value, unit)
    certain = lower == upper
    ends = "" if certain else predicted_interval(value * factor, lower * factor, upper * factor, write, _TO)
    in_unit = f" {shown}" if shown and ends != _UNPREDICTABLE else ""
    return f"{write(value * factor)} {shown}".rstrip() + (f" ({ends}{in_unit})" if ends else "")


def estimate_of(entry: Mapping[str, float], unit: str = "") -> str:
    """Write the ``value``, ``lower`` and ``upper`` of plain data as `estimate_text` does."""
    return estimate_text(entry["value"], entry["lower"], entry["upper"], unit)


def half_width(relative_width: float) -> str:
    """Write the width of an interval relative to its value as what it goes to either side: ``±35 %``."""
    return f"±{figure(50 * relative_width, 2)} %"


def growth_text(growth: str) -> str:
    """Write the growth of a model: ``constant``, ``p^(1/2)``."""
    return _CONSTANT if growth == "1" else growth


def probability_text(probability: float) -> str:
    """Write a probability in whole per cent: ``97 %``."""
    return f"{100 * probability:.0f} %"


def signed_percent(share: float, decimals: int = 1) -> str:
    """Write by how much something is off or changes: ``+4.5 %``, ``-12.0 %``."""
    if abs(share) >= _EXACT_BELOW:
        return f"{'+' if share > 0 else ''}{figure(100 * share)} %"
    return f"{100 * share:+.{decimals}f} %"


def times(factor: float, digits: int = 3) -> str:
    """Write a factor: ``4 times``, ``3.36 times``, ``5.6 million times``."""
    amount, *word = figure(factor, digits).split(" ")
    amount = amount.rstrip("0").rstrip(".") if "." in amount and "e" not in amount else amount
    return " ".join([amount, *word, "times"])


def point_text(point: Mapping[str, float]) -> str:
    """Write a measurement point: ``p = 4096, n = 32``."""
    return ", ".join(f"{visible(name)} = {value_text(value)}" for name, value in point.items())


def without_values(text: str, shared: Mapping[str, float]) -> str:
    """Take values that are said once for all out of points in a text: ``p = 8, n = 32`` is ``p = 8``."""
    for name, value in shared.items():
        said = re.escape(point_text({name: value}))
        text = re.sub(rf", {said}(?![.,]?\d|e)|\b{said}, (?=\S+ = )", "", text)
    return text


def range_text(name: str, values: Sequence[float]) -> str:
    """Write the values of a parameter, or the first and the last of many: ``p = 2, 4, 8``."""
    found = sorted(set(values))
    if len(found) > _VALUES_LISTED:
        return f"{visible(name)} = {interval_text(found[0], found[-1], value_text)}"
    return f"{visible(name)} = {', '.join(map(value_text, found))}"


def shorten_middle(text: str, width: int) -> str:
    """Cut the middle out of a text that is longer than `width`."""
    if len(text) <= width:
        return text
    if width <= 1:
        return ELLIPSIS[:width]
    head = width // 2
    tail = width - head - 1
    return text[:head] + ELLIPSIS + (text[-tail:] if tail else "")


def callpath_text(callpath: Sequence[str], width: int) -> str:
    """Write a call path within `width`: its last two names matter most, then the root, then the others."""
    names = [shown_name(name) for name in callpath]
    full = ARROW.join(names)
    if len(full) <= width or len(names) == 1:
        return shorten_middle(full, width)
    root, *inner = names
    shortened = [[root, ELLIPSIS, *inner[-kept:]] for kept in range(len(inner) - 1, 1, -1)]
    if len(inner) > 1:
        shortened += [[ELLIPSIS, *inner[-2:]], [root, ELLIPSIS, inner[-1]]]
    shortened.append([ELLIPSIS, inner[-1]])
    texts = (ARROW.join(part) for part in shortened)
    return next((text for text in texts if len(text) <= width), shorten_middle(inner[-1], width))


def numbers(values: npt.ArrayLike) -> list[float | int]:
    """Round values for JSON as `number` does, many at once in a third of the time."""
    flat = np.asarray(values, dtype=np.float64)
    if len(flat) < _MANY or np.isnan(flat).any():
        return list(map(number, flat.tolist()))
    written = (f"%.{JSON_DIGITS}g " * len(flat) % tuple(flat.tolist())).split()
    most = np.finfo(np.float64).max
    rounded = np.clip(np.array(written, dtype=np.float64), -most, most)
    found: list[float | int] = rounded.tolist()
    for k in np.flatnonzero((rounded % 1 == 0) & (np.abs(rounded) < 2**53)).tolist():
        found[k] = int(found[k])
    return found


def known(value: float) -> float | int | None:
    """Return a number for JSON, None for NaN."""
    return None if math.isnan(value) else number(value)


def point_json(names: Sequence[str], row: npt.ArrayLike) -> dict[str, float]:
    """Return a point, float64[D], by the names of its parameters."""
    return dict(zip(names, numbers(row), strict=True))


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A value and the ends of its 90 % interval; null for what is unknown."""

    value: float | None
    lower: float | None
    upper: float | None

    @classmethod
    def of(cls, value: float, lower: float, upper: float) -> "Figure":
        """Return a value and the ends of its interval, rounded as documents are, None for what is NaN."""
        return cls(value=known(value), lower=known(lower), upper=known(upper))


@dataclass(frozen=True)
class Part:
    """A value by its path, and how wide its interval is; a shorter path is the group of longer ones."""

    path: tuple[str, ...]
    value: float
    spread: float


def rounded_to_sum(parts: Sequence[Part], total: float, unit: float) -> list[float]:
    """Return values rounded to multiples of `unit` that add up to their groups and to the total if they do.

    What rounding leaves over is given to the parts with the widest intervals, one unit each; equal parts stay
    equal, and are passed over where there is not a unit for each.
    """
    exact: dict[tuple[str, ...], float] = {(): total, **{part.path: part.value for part in parts}}
    shown: dict[tuple[str, ...], int] = {(): round(total / unit)}
    for group in sorted(exact, key=len):
        inside = [p for p in parts if len(p.path) == len(group) + 1 and p.path[: len(group)] == group]
        shown |= {part.path: round(part.value / unit) for part in inside}
        if not math.isclose(sum(part.value for part in inside), exact[group], rel_tol=_ALIKE):
            continue
        left = shown[group] - sum(shown[part.path] for part in inside)
        ordered = sorted(inside, key=lambda part: (-part.spread, part.value))
        for _, alike in groupby(ordered, key=lambda part: (part.spread, part.value)):
            paths = [part.path for part in alike]
            if len(paths) <= abs(left):
                step = 1 if left > 0 else -1
                shown |= {path: shown[path] + step for path in paths}
                left -= step * len(paths)
    return [shown[part.path] * unit for part in parts]


def last_digit(total: float, digits: int) -> float:
    """Return the unit of the last of the significant digits of a total, 1.0 if it is zero."""
    if not (math.isfinite(total) and total):
        return 1.0
    return 10.0 ** (math.floor(math.log10(abs(total))) - digits + 1)


def amount_text(value: float, exact: float, unit: float, digits: int) -> str:
    """Write a multiple of `unit` with all its digits: ``0.0732``, ``12,300``, ``<0.0001``.

    `exact` is the value before it was rounded; the digits are those of the total, for values that need an
    exponent or a word.
    """
    size = unit * 10.0 ** (digits - 1)
    if not _EXPONENT_BELOW <= size < _WORDS_FROM:
        return figure(value, digits)
    decimals = max(0, -round(math.log10(unit)))
    if not value and exact:
        return f"<{unit:.{decimals}f}" if exact > 0 else f">-{unit:.{decimals}f}"
    separator = "," if abs(value) >= _SEPARATED_FROM else ""
    return f"{value:{separator}.{decimals}f}"


def share_texts(shares: Sequence[Part]) -> list[str]:
    """Write shares of a total as percentages that add up to their groups, and to 100 % if they do exactly."""
    rounded = rounded_to_sum(shares, 1.0, _TENTH_PERCENT)
    return [
        percent(share.value if 0 < share.value < _TENTH_PERCENT / 2 else value)
        for value, share in zip(rounded, shares, strict=True)
    ]

"""Parts rounded so that the numbers shown add up to the total shown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pipeline.wording.quantities import figure, percent

Path: TypeAlias = tuple[str, ...]

_ALIKE = 1e-6  # relative; sums within it are equal
_TENTH_PERCENT = 0.001
_SEPARATED_FROM, _WORDS_FROM, _EXPONENT_BELOW = 1e4, 1e6, 1e-4


@dataclass(frozen=True)
class Part:
    """A value by its path, and how wide its interval is; a shorter path is the group of longer ones."""

    path: Path
    value: float
    spread: float


def rounded_to_sum(parts: Sequence[Part], total: float, unit: float) -> list[float]:
    """Return values rounded to multiples of `unit` that add up to their groups and to the total if they do.

    What rounding leaves over is given to the parts with the widest intervals, one unit each.
    """
    exact: dict[Path, float] = {(): total, **{part.path: part.value for part in parts}}
    shown: dict[Path, int] = {(): round(total / unit)}
    for group in sorted(exact, key=len):
        inside = [p for p in parts if len(p.path) == len(group) + 1 and p.path[: len(group)] == group]
        shown |= {part.path: round(part.value / unit) for part in inside}
        if not math.isclose(sum(part.value for part in inside), exact[group], rel_tol=_ALIKE):
            continue
        left = shown[group] - sum(shown[part.path] for part in inside)
        for part in sorted(inside, key=lambda part: -part.spread)[: abs(left)]:
            shown[part.path] += 1 if left > 0 else -1
    return [shown[part.path] * unit for part in parts]


def last_digit(total: float, digits: int) -> float:
    """Return the unit of the last of the significant digits of a total, 1.0 if it is zero."""
    if not (math.isfinite(total) and total):
        return 1.0
    return 10.0 ** (math.floor(math.log10(abs(total))) - digits + 1)


def amount_text(value: float, exact: float, unit: float, digits: int) -> str:
    """Write a rounded value with all its digits down to `unit`: ``0.0732``, ``12,300``, ``<0.0001``.

    Args:
        value: a multiple of `unit`.
        exact: the value before it was rounded.
        unit: of the last digit.
        digits: of the total, for values that need an exponent or a word.
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

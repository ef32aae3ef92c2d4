"""How numbers are written: for people without exponents and with few digits, and for JSON."""

import math
import sys

NUMBER_WORDS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))

_LARGEST_IN_WORDS = 1e15  # from here on, numbers are written with an exponent
_INFINITE_FROM = 1e300  # JSON has no larger number, so what is stored as large was infinite
_SMALLEST_DECIMAL = 1e-4
_WHOLE_BELOW = 10_000  # numbers with a thousands separator are rounded, smaller ones are not
_WHOLE_PERCENT_FROM = 10.0  # 1000 %
JSON_DIGITS = 10  # significant digits: more than any measurement has, few enough to be read


def figure(value: float, digits: int = 3) -> str:
    """Write a number with some significant digits: ``0.0456``, ``1731``, ``12,300``, ``5.65 million``."""
    if not abs(value) < _INFINITE_FROM:
        return "-" if math.isnan(value) else "∞" if value > 0 else "-∞"
    rounded = float(f"{value:.{digits - 1}e}")
    size = abs(rounded)
    if size == 0:
        return "0"
    if not _SMALLEST_DECIMAL <= size < _LARGEST_IN_WORDS:
        return f"{value:.{digits - 1}e}"
    for factor, word in NUMBER_WORDS:
        if size >= factor:
            return f"{_decimal(rounded / factor, digits)} {word}"
    if min(round(abs(value)), size) >= _WHOLE_BELOW:
        return f"{rounded:,.0f}"
    return _decimal(value, digits)


def _decimal(value: float, digits: int) -> str:
    """Write a number without a separator, whole if it has as many digits."""
    magnitude = math.floor(math.log10(float(f"{abs(value):.{digits - 1}e}")))
    return f"{value:.{max(digits - 1 - magnitude, 0)}f}"


def value_text(value: float) -> str:
    """Write a value as exactly as users write it: ``1048576``, ``0.05``; for parameters and thresholds."""
    return f"{value:.12g}"


def count(number: float) -> str:
    """Write how many: whole below ten thousand, rounded to three digits from there on."""
    whole = round(number)
    return str(whole) if abs(whole) < _WHOLE_BELOW else figure(number)


def percent(share: float) -> str:
    """Write a share as a percentage: ``4.5 %``, ``7005 %``; what is above zero never shows as zero."""
    if 0 < share < 0.001:
        return "<0.1 %"
    if share >= _WHOLE_PERCENT_FROM:
        return f"{figure(100 * share)} %"
    return f"{100 * share:.1f} %"


def given_percent(share: float) -> str:
    """Write a share that somebody chose, as exactly as it was given: ``80 %``, ``0.5 %``."""
    return f"{value_text(round(100 * share, 10))} %"


def number(value: float) -> float | int:
    """Round a value for JSON: ten significant digits, whole numbers as integers.

    An infinite value becomes the largest number there is, since JSON has no other.
    """
    if math.isnan(value):
        raise ValueError("no number of a report may be NaN")
    most = sys.float_info.max
    rounded = min(max(float(f"{value:.{JSON_DIGITS}g}"), -most), most)
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded

"""Numbers with units as people read them."""

import math

_SECONDS = (
    (86400.0, "d"),
    (3600.0, "h"),
    (60.0, "min"),
    (1.0, "s"),
    (1e-3, "ms"),
    (1e-6, "µs"),
    (1e-9, "ns"),
)
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def figure(value: float, digits: int = 3) -> str:
    """Write a number with some significant digits and a metric prefix: ``1.23 M``, ``0.0456``."""
    size = abs(value)
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    for factor, prefix in _PREFIXES:
        if size >= factor * 10 and size < 1e16:
            return f"{_rounded(value / factor, digits)} {prefix}"
    return _rounded(value, digits)


def _rounded(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -4 or magnitude > 15:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(digits - 1 - magnitude, 0)}f}"


def count(number: float) -> str:
    """Write how many: whole below ten thousand, with a metric prefix from there on."""
    return str(round(number)) if abs(number) < 10_000 else figure(number)


def size(number: float) -> str:
    """Write how many bytes, with a metric prefix: ``212 MB``."""
    text = figure(number)
    return f"{text}B" if text[-1].isalpha() else f"{text} B"


def quantity(value: float, unit: str) -> str:
    """Write a number with its unit: seconds in a fitting unit, all else with a prefix."""
    if unit not in ("s", "sec"):
        return f"{figure(value)} {unit}".rstrip()
    for factor, name in _SECONDS:
        if abs(value) >= factor:
            return f"{_rounded(value / factor, 3)} {name}"
    return "0 s" if value == 0 else f"{value:.2e} s"


def percent(share: float) -> str:
    """Write a share as per cent; what is not nothing never shows as zero."""
    if 0 < share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.1f} %"

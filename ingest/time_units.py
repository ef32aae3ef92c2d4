"""Units of time as profilers, tables and users write them."""

from collections.abc import Mapping

SECONDS: Mapping[str, float] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "core-s"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "msecond", "millisecs", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "usecs", "usecond", "microsecs", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nsecs", "nsecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "minutes"), 60.0),
    **dict.fromkeys(("h", "hours"), 3600.0),
}
"""Seconds per unit, in lower case."""

IN_A_SECOND: Mapping[str, float] = {
    unit: float(round(1 / seconds)) for unit, seconds in SECONDS.items() if seconds <= 1
}
"""How many of a unit are in a second: quotients by these whole numbers are rounded only once."""

"""The value types of Cube metrics and the one number that is read of each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.profile import MetricKind

ByteOrder: TypeAlias = Literal["<", ">"]
Stored: TypeAlias = npt.NDArray[Any]  # of any numeric or structured type

_INTEGERS = {
    "i1": ("INT8",),
    "u1": ("UINT8", "CHAR"),
    "i2": ("INT16", "SHORT INT", "SIGNED SHORT INT"),
    "u2": ("UINT16", "UNSIGNED SHORT INT"),
    "i4": ("INT32", "INT", "SIGNED INT"),
    "u4": ("UINT32", "UNSIGNED INT"),
    "i8": ("INT64", "INTEGER", "SIGNED INTEGER"),
    "u8": ("UINT64", "UNSIGNED INTEGER"),
}
_PLAIN = {name: code for code, names in _INTEGERS.items() for name in names}
_PLAIN |= dict.fromkeys(("DOUBLE", "FLOAT", "MINDOUBLE", "MAXDOUBLE"), "f8")
_RATE = [("value", "f8"), ("time", "f8")]
_TAU_ATOMIC = [("n", "u4"), ("min", "f8"), ("max", "f8"), ("sum", "f8"), ("sum2", "f8")]


@dataclass(frozen=True)
class ValueType:
    """How one stored value becomes one number.

    Attributes:
        layout: numpy type of a stored value, little-endian; ``newbyteorder`` gives the other.
        scalar: from an array of `layout` to an array of numbers of the same shape.
        kind: the kind that the type gives its metric; None if the metric keeps its own.
    """

    layout: npt.DTypeLike
    scalar: Callable[[Stored], Stored]
    kind: MetricKind | None = None


def value_type(name: str, metric: str) -> ValueType | None:
    """Return the type of that name in an anchor, or None if it has no single number.

    TAU_ATOMIC statistics give their count for ``visits`` and their sum for every other metric. Rates and
    moduli of complex numbers must not be summed over call paths, so they are simple metrics.

    Args:
        name: content of the ``dtype`` element, such as ``UINT64`` or ``NDOUBLES(10)``.
        metric: name of the metric.
    """
    name = name.strip().upper()
    if name in _PLAIN:
        return ValueType(f"<{_PLAIN[name]}", _as_stored, _EXTREMES.get(name))
    if name == "TAU_ATOMIC":
        return ValueType(np.dtype(_TAU_ATOMIC), _count if metric == "visits" else _sum)
    if name == "RATE":
        return ValueType(np.dtype(_RATE), _rate, MetricKind.SIMPLE)
    if name == "COMPLEX":
        return ValueType("<c16", _modulus, MetricKind.SIMPLE)
    return None


_EXTREMES = {"MINDOUBLE": MetricKind.MINIMUM, "MAXDOUBLE": MetricKind.MAXIMUM}


def _as_stored(values: Stored) -> Stored:
    return values


def _count(values: Stored) -> Stored:
    return values["n"]


def _sum(values: Stored) -> Stored:
    return values["sum"]


def _modulus(values: Stored) -> Stored:
    with np.errstate(all="ignore"):  # as for rates
        return np.abs(values)


def _rate(values: Stored) -> Stored:
    value, time = values["value"], values["time"]
    with np.errstate(all="ignore"):  # rates are summed nowhere, whatever damaged numbers give
        rate: Stored = np.divide(value, time, out=np.zeros(values.shape), where=time != 0)
    return rate

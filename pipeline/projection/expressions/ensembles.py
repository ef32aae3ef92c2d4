"""Joint draws of uncertain values, the one form that every uncertainty takes.

One ensemble holds all parameters of a fit, one a value of a machine, each drawn from its own stream.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.units import Quantity

QUANTITY_DRAWS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class Ensemble:
    """Joint draws of named values."""

    names: tuple[str, ...]
    estimate: FloatArray  # float64[k], the best values, SI units
    draws: FloatArray  # float64[draw, k], joint draws around them
    notices: tuple[str, ...] = ()
    # True if the draws come from rival formulas: no single row is best then, and predictions take the median
    # over the draws as their value
    rivals: bool = False


def stream(*keys: str | bytes) -> np.random.Generator:
    """Return the random stream that belongs to these keys: repeatable, and independent of other keys'."""
    codes = [zlib.crc32(key.encode() if isinstance(key, str) else key) for key in keys]
    return np.random.default_rng(codes)


def from_quantities(values: Mapping[str, Quantity]) -> Ensemble:
    """Return an ensemble of independent values, log-normal if a relative deviation is stated.

    Log-normal keeps times and bandwidths positive; the median is the value itself.
    """
    return Ensemble(
        names=tuple(values),
        estimate=np.array([quantity.value for quantity in values.values()]),
        draws=np.column_stack([_column(name, quantity) for name, quantity in values.items()]),
        notices=tuple(dict.fromkeys(quantity.note for quantity in values.values() if quantity.note)),
    )


def _column(name: str, quantity: Quantity) -> FloatArray:
    if quantity.relative_sd == 0.0:
        return np.full(QUANTITY_DRAWS, quantity.value)
    sigma = np.sqrt(np.log1p(quantity.relative_sd**2))
    factors: FloatArray = np.exp(sigma * stream(name).standard_normal(QUANTITY_DRAWS))
    return quantity.value * factors


def columns(ensembles: Sequence[Ensemble]) -> dict[str, tuple[float, FloatArray]]:
    """Return estimate and draws (float64[draw]) of every name, all with the same number of draws.

    One name that two ensembles bind to different values is a UsageError.
    """
    length = max((len(e.draws) for e in ensembles), default=1)
    found: dict[str, tuple[float, FloatArray]] = {}
    for ensemble in dict.fromkeys(ensembles):
        rows = np.arange(length) % len(ensemble.draws)
        for k, name in enumerate(ensemble.names):
            column = ensemble.draws[rows, k]
            if name in found and not np.array_equal(found[name][1], column):
                hint = "rename one before composing"
                raise UsageError(f"'{name}' is bound to two different values", hint=hint)
            found[name] = (float(ensemble.estimate[k]), column)
    return found

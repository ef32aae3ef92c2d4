"""Ensembles: joint draws of uncertain values, the one form that every uncertainty takes here.

A fit gives one ensemble for all its parameters, so their correlation is kept; a machine value known to a few
percent gives an ensemble of its own. Rows of different ensembles are paired as they stand: they are
independent because every ensemble is drawn from a stream of its own.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.expressions.units import Quantity

DRAWS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class Ensemble:
    """Joint draws of named values.

    Attributes:
        names: the symbols bound, k of them.
        estimate: float64[k], the best values, SI units.
        draws: float64[draw, k], joint draws around them.
        notices: what to say beside any prediction made with these values.
        rivals: True if the draws come from rival formulas: no single row is best then, and predictions take
            the median over the draws as their value.
    """

    names: tuple[str, ...]
    estimate: FloatArray
    draws: FloatArray
    notices: tuple[str, ...] = ()
    rivals: bool = False


def stream(*keys: str | bytes) -> np.random.Generator:
    """Return the random stream that belongs to these keys: repeatable, and independent of other keys'."""
    codes = [zlib.crc32(key.encode() if isinstance(key, str) else key) for key in keys]
    return np.random.default_rng(codes)


def from_quantities(values: Mapping[str, Quantity], *, draws: int = DRAWS) -> Ensemble:
    """Return an ensemble of independent values, log-normal if a relative deviation is stated.

    Log-normal keeps times and bandwidths positive; the median is the value itself.
    """
    columns = [_column(name, quantity, draws) for name, quantity in values.items()]
    return Ensemble(
        names=tuple(values),
        estimate=np.array([quantity.value for quantity in values.values()]),
        draws=np.stack(columns, axis=1) if columns else np.empty((draws, 0)),
        notices=tuple(dict.fromkeys(quantity.note for quantity in values.values() if quantity.note)),
    )


def _column(name: str, quantity: Quantity, draws: int) -> FloatArray:
    if quantity.relative_sd == 0.0:
        return np.full(draws, quantity.value)
    sigma = np.sqrt(np.log1p(quantity.relative_sd**2))
    factors: FloatArray = np.exp(sigma * stream(name).standard_normal(draws))
    return quantity.value * factors


def columns(ensembles: Sequence[Ensemble]) -> dict[str, tuple[float, FloatArray]]:
    """Return estimate and draws (float64[draw]) of every name, all with the same number of draws.

    Raises:
        UsageError: two ensembles bind one name to different values.
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

"""Ensembles: joint draws of uncertain values, the one form that every uncertainty takes here.

A fit gives one ensemble for all its parameters, so their correlation is kept; a machine value known to a few
percent gives an ensemble of its own. Rows of different ensembles are paired as they stand: they are
independent because every ensemble is drawn from a stream of its own.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.quantity import Quantity

DRAWS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class Ensemble:
    """Joint draws of named values.

    Attributes:
        names: the symbols bound, k of them.
        estimate: float64[k], the best values, SI units.
        draws: float64[draw, k], joint draws around them.
        notices: what a reader of any prediction made with these values has to be told.
        rivals: True where the draws come from rival formulas: no single row is best then, and predictions
            take the median over the draws as their value.
    """

    names: tuple[str, ...]
    estimate: FloatArray
    draws: FloatArray
    notices: tuple[str, ...] = ()
    rivals: bool = False

    def renamed(self, names: Mapping[str, str]) -> "Ensemble":
        """Return the same draws under other names; names not mentioned stay."""
        return replace(self, names=tuple(names.get(name, name) for name in self.names))


def stream(*keys: str | bytes) -> np.random.Generator:
    """Return the random stream that belongs to these keys: repeatable, and independent of other keys'."""
    codes = [zlib.crc32(key.encode() if isinstance(key, str) else key) for key in keys]
    return np.random.default_rng(codes)


def from_quantities(values: Mapping[str, Quantity], *, draws: int = DRAWS) -> Ensemble:
    """Return an ensemble of independent values, log-normal where a relative deviation is stated.

    Log-normal keeps times and bandwidths positive; the median is the value itself.
    """
    names = tuple(values)
    estimate = np.array([values[name].value for name in names], dtype=np.float64)
    columns = [_column(name, values[name], draws) for name in names]
    table = np.stack(columns, axis=1) if columns else np.empty((draws, 0))
    return Ensemble(
        names=names,
        estimate=estimate,
        draws=table,
        notices=tuple(dict.fromkeys(v.note for v in values.values() if v.note)),
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
        UsageError: where two ensembles bind one name differently.
    """
    length = max((len(e.draws) for e in ensembles), default=1)
    found: dict[str, tuple[float, FloatArray]] = {}
    for ensemble in dict.fromkeys(ensembles):
        rows = np.arange(length) % len(ensemble.draws)
        for k, name in enumerate(ensemble.names):
            column = ensemble.draws[rows, k]
            if name in found and not np.array_equal(found[name][1], column):
                raise UsageError(
                    f"'{name}' is bound to two different values", hint="rename one before composing"
                )
            found[name] = (float(ensemble.estimate[k]), column)
    return found

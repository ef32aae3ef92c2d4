"""The error of a method, ``method_error`` in files: what a model is off by although its values are exact."""

import math
from collections.abc import Mapping
from functools import reduce
from operator import mul

from ingest.toml_table import TomlTable
from ingest.units import NONE, Quantity, stated
from pipeline.projection.expressions.symbolic_model import Model, bind, symbol

METHOD_ERROR = "method_error"
"""The key: a standard deviation of the logarithm, a number or a percentage."""
_UNIT = Quantity(value=1.0, dimension=NONE, relative_sd=math.sqrt(math.e - 1))  # of 1 in the logarithm
_ALL_ALIKE: Mapping[str, float] = {"": 1.0}


def fraction(table: TomlTable, key: str) -> float:
    """Return a number above 0, at most 1; UsageError if it is none."""
    wrong = f"'{key}' has to lie between 0 and 1", "correct it"
    return stated(table.content[key], NONE, table.place(key), wrong, lambda value: 0 < value <= 1)


def method_error(table: TomlTable, usual: float = 0.0) -> float:
    """Return what a table states as the error of its method, else the usual one."""
    return fraction(table, METHOD_ERROR) if METHOD_ERROR in table else usual


def scatter(error: float, variances: Mapping[str, float] = _ALL_ALIKE) -> Model:
    """Return the factor that the error of a method is, 1 with its draws around that.

    `variances` are shares of its variance by what has that part in common; an empty name is all.
    """
    sigma = math.sqrt(math.log1p(error**2))
    names = {f"method {of}".rstrip(): share for of, share in variances.items()}
    parts = (bind(symbol(n), {n: _UNIT}) ** (math.sqrt(share) * sigma) for n, share in names.items())
    return reduce(mul, parts)

"""Families of terms that files know by name: docs/explanations/projection.md.

A new family is a module here that ends with `FAMILIES`, and its name in `terms`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.toml_table import TomlTable
from ingest.units import Dimension, parse_quantity
from pipeline.projection.expressions.symbolic_model import Model

if TYPE_CHECKING:
    from pipeline.projection.fitting.formula_fit import Fit


@dataclass(frozen=True, kw_only=True)
class TermFamily:
    """A kind of model that files know by name."""

    build: Callable[[str], Model]  # makes the model whose parameters are the symbols ``<name>.<parameter>``
    inputs: tuple[str, ...]  # the symbols that are its arguments, in that order
    fit: "Callable[..., Fit]"  # fits a name to measurements; takes what is stated beside them by its name
    defaults: Mapping[str, float | str] = field(default_factory=dict)  # parameters that need not be given
    stated: tuple[str, ...] = ()  # parameters that may be stated beside measurements
    benchmarks: tuple[str, ...] = ()  # whose output it is fitted to, if that has several


def input_dimensions(table: TomlTable) -> dict[str, Dimension]:
    """Return the dimensions of the inputs whose units a term states, in its order."""
    units = table.table("inputs")
    return {
        key: parse_quantity(f"1 {unit}", where=units.place(key)).dimension
        for key, unit in units.content.items()
    }

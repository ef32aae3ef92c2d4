"""A loop from its counts, after paper 002: ``model = "loop"`` (docs/explanations/vector-loops.md).

A core does what takes longest: arithmetic, loads and stores at the first cache, a chain of dependent
operations, or bringing in what its caches do not hold, every byte from the farthest level it comes from.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from ingest.errors import UsageError
from ingest.toml_table import TomlTable
from ingest.units import BYTES, FLOP, NONE, TIME_DIMENSION, Dimension
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.expression_text import Names, parse
from pipeline.projection.expressions.symbolic_model import (
    Model,
    ValidRange,
    choose,
    constant,
    fits,
    maximum,
    minimum,
    symbol,
)
from pipeline.projection.terms.families import input_dimensions

_REQUIRED = ("trips", "flop", "loads", "stores", "moved", "holds")
_USUAL: Mapping[str, object] = {
    "divisions": 0,
    "chain": 0,
    "vectorised": 1,
    "cores": 1,
    "element": "8 * unit.B",
    "peak": "mach.peak_dp",
}
_MEASURED = re.compile(
    r"cores|peak_(dp|scalar|divide)|latency_(add|fma)|bw_(node|core)|(bw|cache|cores)_l[123]"
)
"""Values of a machine that `pipeline machine measure` writes, so that no other name was meant."""
_BEYOND = {"L2": "l1", "L3": "l2", "DRAM": "l3"}
"""By level, as counters name them: the cache that did not hold what comes from there."""
_COUNTED = {"trips": NONE, "flop": FLOP, **dict.fromkeys(_BEYOND, BYTES), "stored": BYTES}
"""What is counted of a loop, and its dimension."""


def counting() -> Mapping[str, Model]:
    """Return names with which a loop is the sum of its counts instead of its time.

    Each count is multiplied by the symbol of its name, so that the derivative of an expression by that
    symbol is the count.
    """
    return {
        name: symbol(name, TIME_DIMENSION / dimension)
        for name, dimension in ((f"counted.{key}", dimension) for key, dimension in _COUNTED.items())
    }


def loop_term(table: TomlTable, names: Names) -> tuple[tuple[str, ...], Model]:
    """Return inputs and seconds of a loop; its counts if `names` holds those of `counting`."""
    table.check_keys(("model", "inputs", *_REQUIRED, *_USUAL))
    inputs = {key: symbol(key, dimension) for key, dimension in input_dimensions(table).items()}
    loop = _Loop(table, {**names, **inputs})
    return tuple(inputs), loop.counts() if "counted.trips" in names else loop.seconds()


@dataclass(frozen=True)
class _Loop:
    """The table of a loop, and what its expressions may name."""

    table: TomlTable
    names: Names

    def __call__(self, key: str, dimension: Dimension = NONE, **more: Model) -> Model:
        """Return what the file states under a key, else what is usual."""
        if key not in self.table and key not in _USUAL:
            raise self.table.error(key, "is missing", f'write {key} = 2, or {key} = "2 * m"')
        text = str(self.table.content.get(key, _USUAL.get(key)))
        found = self._parsed(text, self.table.place(key), more)
        if not fits(found, dimension):
            what = f"unit mismatch: '{key}' has to be in {dimension}, it is in {found.dimension}"
            raise UsageError(what, where=self.table.place(key), hint="correct its unit")
        return replace(found, limits=(*found.limits, self._range(key, found)))

    def _range(self, key: str, stated: Model) -> ValidRange:
        """Return what a number of a loop has to lie between; others are refused at their key."""
        lower, upper, of = float(key == "cores"), 1.0 if key == "vectorised" else math.inf, ""
        if key == "cores" and "mach.cores" in self.names:
            upper, of = (
                float(predict({key: self._of_machine(key)}, {})[key].value[0]),
                ", those of the machine",
            )
        asked = f"lies between {lower:g} and {upper:g}{of}" if upper < math.inf else f"is at least {lower:g}"
        basis, where = f"'{key}' of a loop {asked}", self.table.place(key)
        return ValidRange(expression=stated.expression, lower=lower, upper=upper, basis=basis, where=where)

    def _parsed(self, text: str, where: str, more: Mapping[str, Model]) -> Model:
        for name in re.findall(r"\bmach\.(\w+)", text):
            if f"mach.{name}" not in self.names and _MEASURED.fullmatch(name):
                hint = "measure it with `pipeline machine measure`, or add it to its [values]"
                raise UsageError(
                    f"the machine states no '{name}', which this loop needs", where=where, hint=hint
                )
        missing = {"mach.": "add it to the [values] of the machine"}
        return parse(text, {**self.names, **more}, where=where, missing=missing)

    def _of_machine(self, name: str) -> Model:
        return self._parsed(f"mach.{name}", self.table.where, {})

    def seconds(self) -> Model:
        """Return the time of all trips on the cores that share them."""
        vector, lanes = self("vectorised"), self._of_machine("peak_dp") / self._of_machine("peak_scalar")
        slowed = vector + (1 - vector) * lanes  # as many more instructions as are scalar
        peak, of_core = self("peak", FLOP / TIME_DIMENSION), self._of_machine("cores")
        at_core = maximum(self("loads"), 2 * self("stores"))  # a core loads twice what it stores in a cycle
        beyond = self._beyond()
        shared = minimum(self._of_machine("bw_core"), self._of_machine("bw_node") / self("cores"))
        rates = [*(self._of_machine(f"bw_{level.lower()}") / of_core for level in [*beyond][:-1]), shared]
        farther = [*[*beyond.values()][1:], constant(0, BYTES)]
        parts = zip(beyond.values(), farther, rates, strict=True)
        limits = [
            self("flop") * constant(1, FLOP) * slowed / peak * of_core,
            at_core * self("element", BYTES) * slowed / self._of_machine("bw_l1") * of_core,
            self("chain", TIME_DIMENSION),
            reduce(add, ((own - rest) / rate for own, rest, rate in parts)),
        ]
        if not (divisions := self("divisions")).expression.is_zero:
            divided = divisions * constant(1, FLOP) * slowed
            limits.append(divided / self._of_machine("peak_divide") * of_core)
        return self("trips") / self("cores") * maximum(*limits)

    def _beyond(self) -> dict[str, Model]:
        """Return the bytes of a trip that come from beyond each cache of the machine, or through there."""
        element, cores = self("element", BYTES), self("cores")
        caches = [cache for cache in _BEYOND.values() if f"mach.bw_{cache}" in self.names]
        levels = [*[*_BEYOND][: len(caches) - 1], "DRAM"]
        found: dict[str, Model] = {}
        for level, cache in zip(levels, caches, strict=True):
            sharers = self.names.get(f"mach.cores_{cache}")
            part = minimum(cores, sharers) if isinstance(sharers, Model) else constant(1)
            size = self._of_machine(f"cache_{cache}") / element / part
            own = element * choose(self("holds") / cores, size, 0, self("moved", cache=size))
            nearer = [*found.values()]  # a core's part of a shared cache may be smaller than its own one
            found[level] = minimum(nearer[-1], own) if nearer else own
        return found

    def counts(self) -> Model:
        """Return the sum of what is counted, each count times the symbol of its name."""
        of_trip = {
            "trips": constant(1),
            "flop": (self("flop") + self("divisions")) * constant(1, FLOP),
            **self._beyond(),
            "stored": self("stores") * self("element", BYTES),
        }
        symbols = counting()
        return self("trips") * reduce(add, (of_trip[key] * symbols[f"counted.{key}"] for key in of_trip))

"""Machine files: values and terms of one machine, and variants such as an ideal network.

Their keys are explained in docs/explanations/projection.md; expressions use ``mach.bw_node``, ``mach.FF(V)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import UsageError
from ingest.toml_table import TomlTable, read_toml
from ingest.units import BANDWIDTH, FLOP_RATE, RATE, Quantity, parse_quantity
from pipeline.projection.expressions.shipped_files import find
from pipeline.projection.expressions.symbolic_model import Model, bind, symbol
from pipeline.projection.terms.measured_term import ModelReader
from pipeline.projection.terms.terms import Term, read_term

_NODE_VALUES = ("cores", "hz", "peak_dp", "peak_scalar", "bw_node", "bw_core", "latency_memory")
"""What a machine file states if it describes a node; docs/how-to/machines.md says what each means."""
NETWORK_TERMS = ("message", "message_node", "allreduce")
"""What it states if it describes a network."""

_KEYS = ("name", "source", "cpu", "variant", "values", "terms", "variants")


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine as its file states it.

    Attributes:
        cpu: its cores, as `pipeline ports` names processors; empty if not stated.
        variant: name of `terms`, if there are variants.
        variants: terms that replace others, by variant and name.
    """

    name: str
    path: Path
    source: str
    cpu: str = ""
    values: Mapping[str, Quantity]
    terms: Mapping[str, TomlTable]
    variant: str
    variants: Mapping[str, Mapping[str, TomlTable]]

    @property
    def covers(self) -> tuple[str, ...]:
        """What the file describes completely, of ``node`` and ``network``."""
        node = all(name in self.values for name in _NODE_VALUES)
        network = all(name in self.terms for name in NETWORK_TERMS)
        return (*(("node",) if node else ()), *(("network",) if network else ()))

    def choose(self, variant: str | None) -> str:
        """Return the variant given, or the usual one.

        Raises:
            UsageError: the machine has no such variant.
        """
        known = (self.variant, *self.variants)
        if variant is None or variant in known:
            return variant or self.variant
        hint = f"variants: {', '.join(known)}"
        raise UsageError(f"no variant '{variant}'", where=str(self.path), hint=hint)


def load_machine(name: str | Path) -> Machine:
    """Return the machine of that file or, if there is none, the shipped one of that name."""
    table = read_toml(find("machine", name))
    table.check_keys(_KEYS)
    values = table.table("values")
    return Machine(
        name=table.text("name", table.path.stem),
        path=table.path,
        source=table.text("source", ""),
        cpu=table.text("cpu", ""),
        values={
            key: _positive_rate(parse_quantity(value, where=values.place(key)), key, str(table.path))
            for key, value in values.flattened().content.items()
        },
        terms=table.table("terms").named_tables(),
        variant=table.text("variant", "expected"),
        variants={
            name: terms.named_tables() for name, terms in table.table("variants").named_tables().items()
        },
    )


def _positive_rate(quantity: Quantity, key: str, where: str) -> Quantity:
    if quantity.dimension in (BANDWIDTH, FLOP_RATE, RATE) and not quantity.value > 0:
        raise UsageError(f"'{key}' has to be positive", where=where, hint="correct it")
    return quantity


def machine_names(
    machine: Machine,
    prefix: str,
    stored: ModelReader,
    *,
    variant: str | None = None,
    read: Mapping[str, Model | Term] | None = None,
) -> dict[str, Model | Term]:
    """Return what expressions may use of a machine, ``<prefix>.<name>``, with its values bound.

    Args:
        prefix: ``mach`` for the target machine, ``ref`` for the one measured on.
        read: what this returned for another variant, so that common terms are not read (and fitted) again.
    """
    local: dict[str, Model | Term] = {}
    for name, quantity in machine.values.items():
        full = f"{prefix}.{name}"
        local[name] = bind(symbol(full, quantity.dimension), {full: quantity})
    chosen = machine.choose(variant)
    replaced = machine.variants.get(chosen, {})
    terms = {**machine.terms, **replaced}
    for name, table in sorted(terms.items(), key=lambda term: "expression" in term[1]):  # they may use others
        qualified = f"{prefix}.{chosen}.{name}" if name in replaced else f"{prefix}.{name}"
        known = (read or {}).get(f"{prefix}.{name}")
        if isinstance(known, Term) and known.name == qualified and "expression" not in table:
            local[name] = known
            continue
        local[name] = read_term(table, qualified, local, stored)
    return {f"{prefix}.{name}": found for name, found in local.items()}

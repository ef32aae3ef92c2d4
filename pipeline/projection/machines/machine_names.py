"""What expressions may use of a machine: ``mach.bw_node``, ``mach.FF(V)``, with its values bound."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.projection.expressions.symbolic_model import Model, bind, symbol
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.terms.terms import Term, read_term

if TYPE_CHECKING:
    from pipeline.projection.terms.measured_term import ModelReader


def machine_names(
    machine: Machine,
    prefix: str,
    stored: "ModelReader",
    *,
    variant: str | None = None,
    read: Mapping[str, Model | Term] | None = None,
) -> dict[str, Model | Term]:
    """Return what expressions may use of a machine, ``<prefix>.<name>``, with its values bound.

    The prefix is ``mach`` of the target, ``ref`` of the machine measured on. Common terms of another variant
    that are `read` already are not read (and fitted) again.
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

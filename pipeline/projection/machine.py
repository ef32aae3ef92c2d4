"""Machine files: values and terms of one machine, and variants such as an ideal network.

name = "Cray XT5"            what to call it
source = "..."               where the figures come from
variant = "expected"         what the terms below are called beside the variants
[values]                     bw_node = "59.6 GB/s", used as mach.bw_node
[terms.FF]                   used as mach.FF(V)
[variants.ideal.message]     takes the place of the term `message`
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import UsageError
from pipeline.projection.binding import bind
from pipeline.projection.model import Model, symbol
from pipeline.projection.quantity import Quantity, parse_quantity
from pipeline.projection.shipped import find
from pipeline.projection.terms import Place, Term, read_term
from pipeline.projection.toml_tables import Table, check_keys, flattened, read_toml, table_at, text_at

_KEYS = ("name", "source", "variant", "values", "terms", "variants")


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine as its file states it.

    Attributes:
        name: what to call it.
        path: its file.
        source: where the figures come from.
        values: by dotted name.
        terms: the tables of its terms by name.
        variant: what `terms` are called where there are variants.
        variants: terms that take the place of others, by variant and name.
    """

    name: str
    path: Path
    source: str
    values: Mapping[str, Quantity]
    terms: Mapping[str, Table]
    variant: str
    variants: Mapping[str, Mapping[str, Table]]

    def choose(self, variant: str | None) -> str:
        """Return the variant asked for, or the usual one.

        Raises:
            UsageError: where the machine has no such variant.
        """
        known = (self.variant, *self.variants)
        if variant is None or variant in known:
            return variant or self.variant
        raise UsageError(
            f"no variant '{variant}'", where=str(self.path), hint=f"variants: {', '.join(known)}"
        )


def load_machine(name: str | Path) -> Machine:
    """Return the machine of that file or, where there is none, the shipped one of that name.

    Raises:
        UsageError: where there is neither, or a value cannot be meant.
        InputError: where the file is damaged.
    """
    path = find("machines", name)
    table = read_toml(path)
    where = str(path)
    check_keys(table, _KEYS, where)
    given = flattened(table_at(table, "values", where))
    variants = table_at(table, "variants", where)
    return Machine(
        name=text_at(table, "name", where, path.stem),
        path=path,
        source=text_at(table, "source", where, ""),
        values={key: parse_quantity(value, where=f"{where}: {key}") for key, value in given.items()},
        terms=_tables(table, "terms", where),
        variant=text_at(table, "variant", where, "expected"),
        variants={variant: _tables(variants, variant, where) for variant in variants},
    )


def _tables(table: Table, key: str, where: str) -> dict[str, Table]:
    inside = table_at(table, key, where)
    return {name: table_at(inside, name, f"{where}: [{key}]") for name in inside}


def machine_names(
    machine: Machine,
    prefix: str,
    variant: str | None = None,
    read: Mapping[str, Model | Term] | None = None,
) -> dict[str, Model | Term]:
    """Return what expressions may use of a machine, ``<prefix>.<name>``, with its values bound.

    Args:
        machine: the machine.
        prefix: ``mach`` for the one projected to, ``ref`` for the one measured on.
        variant: which of its variants; the usual one where None.
        read: what this returned for another variant, so that common terms are not read (and fitted) again.

    Raises:
        UsageError, InputError: where a term cannot be meant.
    """
    local: dict[str, Model | Term] = {}
    for name, quantity in machine.values.items():
        full = f"{prefix}.{name}"
        local[name] = bind(symbol(full, quantity.dimension), {full: quantity})
    chosen = machine.choose(variant)
    replaced = machine.variants.get(chosen, {})
    for name, table in _expressions_last({**machine.terms, **replaced}):
        qualified = f"{prefix}.{chosen}.{name}" if name in replaced else f"{prefix}.{name}"
        known = (read or {}).get(f"{prefix}.{name}")
        if isinstance(known, Term) and known.name == qualified and "expression" not in table:
            local[name] = known
            continue
        place = Place(qualified, f"{machine.path}: [terms.{name}]", machine.path.parent)
        local[name] = read_term(table, place, local)
    return {f"{prefix}.{name}": found for name, found in local.items()}


def _expressions_last(terms: Mapping[str, Table]) -> list[tuple[str, Table]]:
    """Return terms in the order of the file, those that may use others after them."""
    return sorted(terms.items(), key=lambda item: "expression" in item[1])

"""Machine files: values and terms of one machine, and variants such as an ideal network.

Their keys are explained in docs/explanations/projection.md; expressions use ``mach.bw_node``, ``mach.FF(V)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from ingest.errors import UsageError
from ingest.record_codec import NO_ENTRY, entry
from ingest.toml_table import TomlTable, read_toml
from ingest.units import (
    BANDWIDTH,
    FLOP_RATE,
    NONE,
    RATE,
    Quantity,
    parse_quantity,
    require_dimension,
    unit_text,
)
from pipeline.projection.expressions.shipped_files import find, name_of

_NODE_VALUES = ("cores", "hz", "peak_dp", "peak_scalar", "bw_node", "bw_core", "latency_memory")
"""What a machine file states if it describes a node; docs/how-to/machines.md says what each means."""
NETWORK_TERMS = ("message", "message_node", "allreduce")
"""What it states if it describes a network."""

_WHOLE = ("cores", "threads_per_core")
_KEYS = ("name", "source", "cpu", "variant", "values", "terms", "variants")


@dataclass(frozen=True, kw_only=True)
class MachineValue:
    """A value of a machine."""

    value: float
    unit: str


def _values(values: Mapping[str, Quantity]) -> Mapping[str, MachineValue]:
    pairs = values.items()
    return {name: MachineValue(value=one.value, unit=unit_text(one.dimension)) for name, one in pairs}


def _variants(variants: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(variants)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine as its file states it."""

    document_name: ClassVar[str] = "shipped_machine"
    path: Path = field(metadata=entry("name", made=name_of))
    name: str = field(metadata=entry("title"))
    source: str
    covers: tuple[str, ...] = ()  # what the file describes completely, of ``node`` and ``network``
    # terms that replace others, by variant and name, the usual one first; empty without others
    variants: Mapping[str, Mapping[str, TomlTable]] = field(metadata=entry(made=_variants))
    values: Mapping[str, Quantity] = field(metadata=entry(made=_values))
    # its cores, as `pipeline ports` names processors; empty if not stated
    cpu: str = field(default="", metadata=NO_ENTRY)
    terms: Mapping[str, TomlTable] = field(metadata=NO_ENTRY)
    variant: str = field(metadata=NO_ENTRY)  # name of `terms`

    def choose(self, variant: str | None) -> str:
        """Return the variant given, or the usual one; UsageError if the machine has no such variant."""
        known = tuple(self.variants) or (self.variant,)
        if variant is None or variant in known:
            return variant or self.variant
        hint = f"variants: {', '.join(known)}"
        raise UsageError(f"no variant '{variant}'", where=str(self.path), hint=hint)


def load_machine(name: str | Path) -> Machine:
    """Return the machine of that file or, if there is none, the shipped one of that name."""
    table = read_toml(find("machine", name))
    table.check_keys(_KEYS)
    stated = table.table("values")
    values = {
        key: _checked(parse_quantity(value, where=stated.place(key)), key, table.path, stated.place(key))
        for key, value in stated.flattened().content.items()
    }
    terms, variant = table.table("terms").named_tables(), table.text("variant", "expected")
    others = {name: one.named_tables() for name, one in table.table("variants").named_tables().items()}
    described = {"node": values.keys() >= {*_NODE_VALUES}, "network": terms.keys() >= {*NETWORK_TERMS}}
    return Machine(
        path=table.path,
        name=table.text("name", table.path.stem),
        source=table.text("source", ""),
        covers=tuple(name for name, whole in described.items() if whole),
        variants={variant: {}, **others} if others else {},
        values=values,
        cpu=table.text("cpu", ""),
        terms=terms,
        variant=variant,
    )


def _checked(quantity: Quantity, key: str, path: Path, place: str) -> Quantity:
    """Return a value; UsageError if it is a rate that is not positive, or what no core has."""
    if quantity.dimension in (BANDWIDTH, FLOP_RATE, RATE) and not quantity.value > 0:
        raise UsageError(f"'{key}' has to be positive", where=str(path), hint="correct it")
    if key == "hz" and quantity.dimension != RATE:
        what = f"unit mismatch: 'hz' has to be in {RATE}, it is in {quantity.dimension}"
        raise UsageError(what, where=place, hint='write it like "2.1 GHz"')
    if key in _WHOLE:
        require_dimension(quantity, NONE, key, place)
        if quantity.value < 1 or quantity.value % 1:
            what = f"'{key}' has to be a whole number of at least 1"
            raise UsageError(what, where=place, hint="correct it")
    return quantity

"""Processors by name: what LLVM calls them, what its scheduling models state, and what these leave out.

The tables in ``instructions/`` were written once by ``tools/port_tables.py``, which asks llvm-mca; each names
the version. A line holds micro-operations, latency, the cycles for which units or groups of units are
occupied, and the forms that cost this: ``1  4  P0+P1=1  vaddpd x,x,x; vaddpd y,y,y``. A form with a memory
operand is listed with what the load adds.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ingest.errors import InputError, UsageError
from pipeline.projection.expressions.toml_tables import (
    PROCESSORS,
    TomlTable,
    instruction_table_text,
    read_toml,
)
from pipeline.projection.ports.assembly import Instruction
from pipeline.projection.ports.instruction_form import form_of

_SUFFIXES = {"b": "b", "w": "w", "l": "l", "q": "q"}


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one instruction costs.

    Attributes:
        micro_operations: how many the front end issues.
        latency: cycles from its operands, or from the address of its load, to the result.
        late_latency: cycles to the result from what is needed late: the addend of a multiply-add, or
            registers beside a load.
        units: cycles for which groups of units are occupied; an instruction takes any unit of a group.
    """

    micro_operations: float
    latency: float
    late_latency: float
    units: tuple[tuple[tuple[str, ...], float], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class InstructionTable:
    """The costs of instruction forms on a processor.

    Attributes:
        model: the processor as LLVM calls it.
        isa: ``x86-64`` or ``aarch64``.
        llvm: version of llvm-mca that stated the costs.
        dispatch: micro-operations that the front end issues in a cycle.
        window: micro-operations in flight at most.
        buffers: units and how many instructions can wait for them.
        units: how many there are of each unit.
        costs: by form.
    """

    model: str
    isa: str
    llvm: str
    dispatch: int
    window: int
    buffers: tuple[tuple[tuple[str, ...], int], ...]
    units: Mapping[str, int]
    costs: Mapping[str, Cost]

    def cost(self, instruction: Instruction) -> Cost | None:
        """Return what an instruction costs, None if its form is not in the table.

        The text of objdump has no width in the mnemonic if a register shows it; it is added.
        """
        form = form_of(self.isa, instruction)
        return next((self.costs[f] for f in _spellings(self.isa, form) if f in self.costs), None)


def _spellings(isa: str, form: str) -> tuple[str, ...]:
    name, _, kinds = form.partition(" ")
    if isa == "aarch64":
        return (form,)
    widths = [kind for kind in kinds.removeprefix("0 ").split(",") if kind in _SUFFIXES]
    spelled = [form]
    if widths:
        spelled.append(f"{name}{widths[-1]} {kinds}")
    if name[-1:] in _SUFFIXES:
        spelled.append(f"{name[:-1]} {kinds}")
    if kinds.startswith("0 "):
        spelled.append(f"{name} {kinds.removeprefix('0 ')}")
    return tuple(spelled)


@lru_cache
def instruction_table(model: str) -> InstructionTable | None:
    """Return the shipped table of a processor by LLVM's name for it, None if there is none."""
    text = instruction_table_text(model)
    if text is None:
        return None
    head: dict[str, str] = {}
    costs: dict[str, Cost] = {}
    for line in text.splitlines():
        cells = line.split("\t")
        if len(cells) == 2:
            head[cells[0]] = cells[1]
        elif len(cells) == 4:
            costs |= dict.fromkeys(cells[3].split("; "), _cost(*cells[:3]))
    units = (name.partition("*") for name in head["units"].split())
    return InstructionTable(
        model=model,
        isa=head["isa"],
        llvm=head["llvm"],
        dispatch=int(head["dispatch"]),
        window=int(head["window"]),
        buffers=tuple((units, int(size)) for units, size in _uses(head["buffers"])),
        units={name: int(many or 1) for name, _, many in units},
        costs=costs,
    )


def _cost(micro_operations: str, latency: str, units: str) -> Cost:
    usual, _, late = latency.partition("/")
    return Cost(
        micro_operations=float(micro_operations),
        latency=float(usual),
        late_latency=float(late or usual),
        units=tuple(_uses(units)),
    )


def _uses(text: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield groups of units and a number each: ``P0+P1=1 P4=2``."""
    for part in text.split():
        if part != "-":
            group, _, number = part.partition("=")
            yield tuple(group.split("+")), float(number)


@dataclass(frozen=True)
class Slow:
    """A unit that LLVM's model leaves out.

    Attributes:
        form: which instruction forms need it.
        unit: what it is called.
        cycles: for how long each instruction occupies it.
    """

    form: re.Pattern[str]
    unit: str
    cycles: float


@dataclass(frozen=True, kw_only=True)
class Processor:
    """A processor core that loops can be estimated for.

    Attributes:
        key: its short name.
        name: what people call it.
        isa: ``x86-64`` or ``aarch64``.
        llvm: LLVM's name for it.
        since: the first version of LLVM that knows it.
        model: name of its instruction table.
        borrowed: whose scheduling model LLVM uses for it; empty if it has its own.
        slow: units that the model leaves out.
        slow_reason: why.
        aliases: other short names.
    """

    key: str
    name: str
    isa: str
    llvm: str
    since: int
    model: str
    borrowed: str
    slow: tuple[Slow, ...]
    slow_reason: str
    aliases: tuple[str, ...]

    @property
    def table(self) -> InstructionTable:
        """The shipped costs of its instructions."""
        found = instruction_table(self.model)
        if found is None:
            raise InputError("no instruction table", where=self.model, hint="reinstall the package")
        return found


@lru_cache
def processors() -> tuple[Processor, ...]:
    """Return all known processors."""
    return tuple(_processor(key, entry) for key, entry in read_toml(PROCESSORS).tables().items())


def _processor(key: str, entry: TomlTable) -> Processor:
    llvm = entry.text("llvm")
    return Processor(
        key=key,
        name=entry.text("name"),
        isa=entry.text("isa"),
        llvm=llvm,
        since=int(entry.content.get("since", 0)),
        model=entry.text("table", llvm),
        borrowed=entry.text("borrowed", ""),
        slow=tuple(
            Slow(re.compile(row.text("form")), row.text("unit"), float(row.content["cycles"]))
            for row in entry.rows("slow")
        ),
        slow_reason=entry.text("slow_reason", ""),
        aliases=tuple(entry.content.get("aliases", ())),
    )


def processor_named(name: str) -> Processor:
    """Return the processor of that name or alias, in whatever case.

    Raises:
        UsageError: it is not known.
    """
    wanted = re.sub(r"[\s_]+", "-", name.strip().lower())
    known = {alias: one for one in processors() for alias in (one.key, *one.aliases)}
    if wanted in known:
        return known[wanted]
    close = difflib.get_close_matches(wanted, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(one.key for one in processors())}"
    raise UsageError(f"unknown processor '{name}'", hint=hint)

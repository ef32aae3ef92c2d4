"""Instruction tables: what LLVM's scheduling models state for every instruction form of a processor.

The files in ``instructions/`` were written once by ``tools/port_tables.py``, which asks llvm-mca; each names
the version. A line holds micro-operations, latency, the cycles for which units or groups of units are
occupied, and the forms that cost this: ``1  4  P0+P1=1  vaddpd x,x,x; vaddpd y,y,y``. A form with a memory
operand is listed with what the load adds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pipeline.projection.files import instruction_table_text
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

"""Instructions of a loop by class, which a fitted port model needs of every variant.

The classes are those of a port map, or eight by default. An instruction that is in none is an error: a class
that is guessed would change the cycles silently.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ingest.errors import InputError
from ingest.toml_table import read_toml
from pipeline.projection.expressions.shipped_files import INSTRUCTION_CLASSES
from pipeline.projection.ports.assembly import VECTOR_BITS, Instruction, operand_kinds

USUAL_CLASSES = ("div", "mul", "add", "shuffle", "vector", "alu", "load", "store")


@dataclass(frozen=True)
class _Rule:
    form: re.Pattern[str]
    operations: tuple[str, ...]  # the names that each may count under, separated by ``/``
    memory: str


@lru_cache
def _rules(isa: str) -> tuple[_Rule, ...]:
    table = read_toml(INSTRUCTION_CLASSES).table(isa)
    usual = table.text("memory")
    return tuple(
        _Rule(re.compile(form), tuple(operations.split()), memory[0] if memory else usual)
        for form, operations, *memory in table.content["rules"]
    )


def count_classes(isa: str, body: Sequence[Instruction], classes: Sequence[str]) -> Mapping[str, float]:
    """Return how often each class occurs in a pass; InputError if an instruction is in none of them."""
    known = {name.rstrip("*") for rule in _rules(isa) for each in rule.operations for name in each.split("/")}
    for unknown in sorted({*classes} - known):
        hint = f"classes are {', '.join(sorted(known))}"
        raise InputError(f"no instruction counts as '{unknown}'", hint=hint)
    counts = dict.fromkeys(classes, 0.0)
    for instruction in body:
        for operation in _operations(isa, instruction):
            names = operation.split("/")
            found = next((name for name in names if name in counts), None)
            if found is None:
                what = f"'{instruction}' counts as {' or '.join(names)}, which the map does not have"
                raise InputError(what, hint=f"add {names[-1]} to its classes")
            counts[found] += 1
    return counts


def _operations(isa: str, instruction: Instruction) -> list[str]:
    """Return what an instruction counts as, one entry for each micro-operation; none if it needs no port."""
    kinds = operand_kinds(isa, instruction)
    form = f"{instruction.mnemonic} {','.join(kinds)}".strip()
    rule = next((rule for rule in _rules(isa) if rule.form.fullmatch(form)), None)
    if rule is None:
        if instruction.mnemonic.startswith(("call", "bl")):
            what = f"'{instruction}' calls a function, which cannot be counted"
            raise InputError(what, hint="inline it (for sqrt: -fno-math-errno), or count another loop")
        raise InputError(f"'{instruction}' is in no class of {isa} ({form})", hint="count the loop by hand")
    found = [
        name
        for each in rule.operations
        for name in [each.rstrip("*")] * (_elements(instruction, kinds) if each.endswith("*") else 1)
    ]
    if rule.memory == "none" or "m" not in kinds:
        return found
    written = kinds[-1] == "m" and rule.memory != "read"
    if rule.memory == "move":
        return ["store" if written else "load"]
    return [*found, "load", *(["store"] if written else [])]


def _elements(instruction: Instruction, kinds: Sequence[str]) -> int:
    """Return how many elements are gathered: those of its data, the last register."""
    register = [kind for kind in kinds if kind in VECTOR_BITS][-1]
    return VECTOR_BITS[register] // (64 if instruction.mnemonic.endswith(("pd", "q")) else 32)

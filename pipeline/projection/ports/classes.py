"""Class tables: which classes of a port map an instruction counts for.

A table is an ordered list of rules in a TOML file, each a regular expression that has to match the whole
mnemonic, and where needed one that has to match the kinds of its operands. The first rule that matches
decides; an instruction that none matches is an error: a guessed class would silently shift the cycles.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from pipeline.projection.ports.assembly import Instruction
from pipeline.projection.ports.portmap import PortMap, class_vector
from pipeline.projection.toml_tables import Table, check_keys, read_toml, rows_at, text_at

_SHIPPED = Path(__file__).parent / "tables"
_MEMORY = ("operand", "read", "move", "none")
_ARM_KINDS = {**dict.fromkeys("xw", "r"), **dict.fromkeys("vzdshb{", "v"), "q": "q", "p": "p"}
_X86_KINDS = {"xmm": "x", "ymm": "y", "zmm": "z", "k": "k"}


@dataclass(frozen=True)
class Rule:
    """One line of a class table.

    Attributes:
        mnemonic: what the whole mnemonic has to match.
        operands: what the comma-separated kinds of the operands have to match.
        memory: what a memory operand adds: ``operand``, ``read``, ``move`` or ``none``.
        classes: the classes the instruction counts for, one entry a micro-operation.
    """

    mnemonic: re.Pattern[str]
    operands: re.Pattern[str]
    memory: str
    classes: tuple[str, ...]


@dataclass(frozen=True)
class ClassTable:
    """The rules of one instruction set."""

    isa: str
    rules: tuple[Rule, ...]


@lru_cache
def shipped_class_table(isa: str) -> ClassTable:
    """Return the table that comes with this package for ``x86-64`` or ``aarch64``.

    Raises:
        InputError: where there is none.
    """
    path = _SHIPPED / f"{isa}.toml"
    if not path.is_file():
        raise InputError(f"no class table for the instruction set '{isa}'", hint="give one of your own")
    return read_class_table(path)


def read_class_table(path: Path) -> ClassTable:
    """Return the table in a TOML file.

    Raises:
        InputError: where it cannot be read as one.
    """
    return class_table(read_toml(path), where=str(path))


def class_table(table: Table, *, where: str = "class table") -> ClassTable:
    """Return the table that parsed TOML describes.

    Raises:
        InputError: where a key, a regular expression or the kind of memory access is wrong.
    """
    check_keys(table, ("isa", "memory", "rule"), where)
    usual = text_at(table, "memory", where, "none")
    return ClassTable(
        text_at(table, "isa", where), tuple(_rule(row, usual, where) for row in rows_at(table, "rule", where))
    )


def _rule(row: Table, usual: str, where: str) -> Rule:
    here = f"{where}: rule '{row.get('mnemonic', '')}'"
    check_keys(row, ("mnemonic", "operands", "memory", "classes"), here)
    memory, classes = text_at(row, "memory", here, usual), row.get("classes")
    if memory not in _MEMORY:
        raise InputError(f"memory = '{memory}'", where=here, hint=f"choose one of {', '.join(_MEMORY)}")
    if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
        raise InputError("'classes' has to be a list of names", where=here, hint='write classes = ["add"]')
    try:
        patterns = (
            re.compile(text_at(row, "mnemonic", here)),
            re.compile(text_at(row, "operands", here, ".*")),
        )
    except re.error as error:
        raise InputError(f"not a regular expression: {error}", where=here, hint="correct the rule") from error
    return Rule(*patterns, memory, tuple(classes))


def classify(table: ClassTable, instruction: Instruction) -> tuple[str, ...]:
    """Return the classes an instruction counts for, one entry a micro-operation, none where it needs no port.

    Raises:
        InputError: where no rule matches it.
    """
    kinds = operand_kinds(table.isa, instruction)
    for rule in table.rules:
        if rule.mnemonic.fullmatch(instruction.mnemonic) and rule.operands.fullmatch(",".join(kinds)):
            return _with_memory(rule, kinds)
    text = f"{instruction.mnemonic} {', '.join(instruction.operands)}".strip()
    if instruction.mnemonic.startswith(("call", "bl")):
        hint = "inline it (for sqrt: -fno-math-errno) or choose another loop"
        raise InputError(f"'{text}' calls a function, whose instructions cannot be counted", hint=hint)
    raise InputError(
        f"'{text}' (operands {','.join(kinds) or 'none'}) is in no class",
        hint=f"add a rule for it to a class table of {table.isa}",
    )


def _with_memory(rule: Rule, kinds: tuple[str, ...]) -> tuple[str, ...]:
    touched = [place for place, kind in enumerate(kinds) if kind == "m"]
    if rule.memory == "none" or not touched:
        return rule.classes
    last = touched[-1] == len(kinds) - 1 and rule.memory != "read"
    if rule.memory == "move":
        return ("store",) if last else ("load",)
    return (*rule.classes, "load", "store") if last else (*rule.classes, "load")


def operand_kinds(isa: str, instruction: Instruction) -> tuple[str, ...]:
    """Return one letter an operand: what register file it is in, memory, a number, or a label."""
    kind = _arm_kind if isa == "aarch64" else _x86_kind
    kinds = [kind(operand) for operand in instruction.operands]
    if kinds and (instruction.target is not None or instruction.mnemonic.startswith("j")):
        kinds[-1] = "l" if kinds[-1] == "m" and "(" not in instruction.operands[-1] else kinds[-1]
    return tuple(kinds)


def _x86_kind(operand: str) -> str:
    text = operand.lstrip("*")
    if text.startswith("$"):
        return "i"
    if not text.startswith("%") or ":" in text:
        return "m"
    return next((letter for name, letter in _X86_KINDS.items() if text.startswith(f"%{name}")), "r")


def _arm_kind(operand: str) -> str:
    if operand.startswith("["):
        indexed = re.search(r"\bz\d+", operand) is not None
        return "g" if indexed else "w" if operand.endswith("!") else "m"
    if operand in ("sp", "wsp", "xzr", "wzr"):
        return "r"
    if re.fullmatch(r"#?-?(\d+|0x[0-9a-f]+)(\.\d+(e[+-]?\d+)?)?", operand):
        return "i"
    match = re.match(r"([xwvzdsqhbp])\d+(?![\w])|\{", operand)
    return _ARM_KINDS[(match[1] or "{")] if match else "l"


def count_classes(portmap: PortMap, table: ClassTable, instructions: Iterable[Instruction]) -> FloatArray:
    """Return float64[class], how many micro-operations of each class of the map the instructions make.

    Raises:
        InputError: where an instruction is in no class.
        UsageError: where it is in a class that the map does not have.
    """
    counts: dict[str, float] = {}
    for name in (name for instruction in instructions for name in classify(table, instruction)):
        counts[name] = counts.get(name, 0.0) + 1.0
    vector: FloatArray = np.asarray(class_vector(portmap, counts))
    return vector

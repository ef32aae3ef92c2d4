"""Counting the instructions of a loop by class of a port map: docs/explanations/ports.md.

The first rule of a class table that matches mnemonic and kinds of operands decides; an instruction that none
matches is an error: a guessed class would silently change the cycles.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ingest.arrays import FloatArray
from ingest.errors import InputError, UsageError, located
from ingest.toml_table import TomlTable, read_toml
from pipeline.projection.expressions.shipped_files import find, read_bytes, shipped
from pipeline.projection.ports.assembly import (
    Instruction,
    function_in_object,
    function_named,
    functions_in,
    target_loop,
)
from pipeline.projection.ports.port_map import WIDENED, PortMap, class_vector

_ELF = b"\x7fELF"
_MEMORY = ("operand", "read", "move", "none")
_ARM_KINDS = (
    (r"\[.*\bz\d.*", "g"),
    (r"\[.*!", "w"),
    (r"\[.*", "m"),
    (r"[xw]\d+|w?sp|[xw]zr", "r"),
    (r"q\d+", "q"),
    (r"\{.*|[dshb]\d+|[vz]\d+(\.\d*[bhsdq])?(\[\d+\])?", "v"),
    (r"pn?\d+(\.[bhsd])?(/[mz])?", "p"),
    (r"#?-?(0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?)|#?:.*", "i"),
)


@dataclass(frozen=True)
class ClassRule:
    """One line of a class table.

    Attributes:
        mnemonic: what the whole mnemonic has to match.
        operands: what the comma-separated kinds of the operands have to match.
        memory: what a memory operand adds: ``operand``, ``read``, ``move`` or ``none``.
    """

    mnemonic: re.Pattern[str]
    operands: re.Pattern[str]
    memory: str
    classes: tuple[str, ...]


@dataclass(frozen=True)
class ClassTable:
    """The rules of one instruction set."""

    isa: str
    rules: tuple[ClassRule, ...]


@lru_cache
def shipped_class_table(isa: str) -> ClassTable:
    """Return the shipped table for ``x86-64`` or ``aarch64``.

    Raises:
        InputError: there is none for that instruction set.
    """
    if isa not in shipped("class table"):
        raise InputError(f"no class table for the instruction set '{isa}'", hint="give one of your own")
    return class_table(read_toml(find("class table", isa)))


def class_table(table: TomlTable) -> ClassTable:
    """Return the class table that a TOML file describes.

    Raises:
        InputError: a key, a regular expression or the kind of memory access is wrong.
    """
    table.check_keys(("isa", "memory", "rule"))
    memory = table.text("memory", "none")
    return ClassTable(table.text("isa"), tuple(_rule(row, memory) for row in table.tables("rule")))


def _rule(row: TomlTable, usual: str) -> ClassRule:
    where = f"{row.where}: rule '{row.content.get('mnemonic', '')}'"
    row.check_keys(("mnemonic", "operands", "memory", "classes"))
    memory, classes = row.text("memory", usual), row.content.get("classes")
    if memory not in _MEMORY:
        raise InputError(f"memory = '{memory}'", where=where, hint=f"choose one of {', '.join(_MEMORY)}")
    if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
        raise InputError("'classes' has to be a list of names", where=where, hint='write classes = ["add"]')
    try:
        mnemonic, operands = re.compile(row.text("mnemonic")), re.compile(row.text("operands", ".*"))
    except re.error as error:
        raise InputError(f"not a regular expression: {error}", where=where, hint="correct it") from error
    return ClassRule(mnemonic, operands, memory, tuple(classes))


def classify(table: ClassTable, instruction: Instruction) -> tuple[str, ...]:
    """Return the classes an instruction counts for, one entry per micro-operation; none if it needs no port.

    Raises:
        InputError: no rule matches it.
    """
    kinds = operand_kinds(table.isa, instruction)
    for rule in table.rules:
        if rule.mnemonic.fullmatch(instruction.mnemonic) and rule.operands.fullmatch(",".join(kinds)):
            return _with_memory(rule, kinds)
    if instruction.mnemonic.startswith(("call", "bl")):
        hint = "inline it (for sqrt: -fno-math-errno) or choose another loop"
        raise InputError(f"'{instruction}' calls a function, whose instructions cannot be counted", hint=hint)
    raise InputError(
        f"'{instruction}' (operands {','.join(kinds) or 'none'}) matches no rule",
        hint=f"add a rule for it to a class table of {table.isa}",
    )


def _with_memory(rule: ClassRule, kinds: tuple[str, ...]) -> tuple[str, ...]:
    touched = [place for place, kind in enumerate(kinds) if kind == "m"]
    if rule.memory == "none" or not touched:
        return rule.classes
    last = touched[-1] == len(kinds) - 1 and rule.memory != "read"
    if rule.memory == "move":
        return ("store",) if last else ("load",)
    return (*rule.classes, "load", "store") if last else (*rule.classes, "load")


def operand_kinds(isa: str, instruction: Instruction) -> tuple[str, ...]:
    """Return one letter per operand: its register file, memory, a number, or a label."""
    mnemonic, operands = instruction.mnemonic, instruction.operands
    if isa == "aarch64":
        kinds = [next((kind for form, kind in _ARM_KINDS if re.fullmatch(form, o)), "l") for o in operands]
    else:
        kinds = [_x86_kind(operand) for operand in operands]
    if kinds and (instruction.target is not None or mnemonic.startswith("j")):
        kinds[-1] = "l" if kinds[-1] == "m" and "(" not in operands[-1] else kinds[-1]
    return tuple(kinds)


def _x86_kind(operand: str) -> str:
    if operand.startswith(("$", "*%")):
        return "i" if operand[0] == "$" else "r"
    if not operand.startswith("%") or ":" in operand:
        return "m"
    return operand[1] if operand[1:2] in set("xyzk") else "r"


def count_classes(portmap: PortMap, table: ClassTable, instructions: Iterable[Instruction]) -> FloatArray:
    """Return float64[class], the micro-operations of each class of the map that the instructions make.

    A wider division counts as several if the map says so.

    Raises:
        InputError: an instruction is in no class.
        UsageError: it is in a class that the map does not have.
    """
    counts: dict[str, float] = {}
    for instruction in instructions:
        wide = portmap.wide if "z" in operand_kinds(table.isa, instruction) and table.isa == "x86-64" else 1.0
        for name in classify(table, instruction):
            kind, weight = portmap.weighted(name)
            weight *= wide if name in WIDENED else 1.0
            counts[kind] = counts.get(kind, 0.0) + weight
    return class_vector(portmap, counts)


def read_function(path: Path, name: str) -> tuple[Instruction, ...]:
    """Return the instructions of a function in a ``.s`` file, objdump's text or an object file.

    Raises:
        InputError: the file cannot be read as one of these, or there is no objdump for an object file.
        UsageError: there is no such function.
    """
    content = read_bytes(path)
    if content.startswith(_ELF):
        return function_in_object(path, name)
    functions = functions_in(content.decode("utf-8", errors="replace"), where=str(path))
    return function_named(functions, name, where=str(path))


def count_loop(path: Path, function: str, portmap: PortMap, *, iterations: float = 1.0) -> FloatArray:
    """Return float64[class], instructions per iteration of the source loop, in the map's order of classes.

    Args:
        path: a ``.s`` file, the text of ``objdump -d``, or an ELF object file; its longest innermost loop.
        iterations: source iterations per pass through the loop: unrolling times SIMD lanes.

    Raises:
        InputError: the file cannot be read, or an instruction is in no class.
        UsageError: the function or the loop is not there, or `iterations` is not positive.
    """
    if not iterations > 0:
        raise UsageError(f"iterations = {iterations:g}", hint="give unrolling times SIMD lanes, at least 1")
    instructions = read_function(path, function)
    with located(f"{path}: {function}"):
        body = target_loop(instructions)
        table = shipped_class_table(portmap.isa)
        return count_classes(portmap, table, instructions[body.start : body.stop]) / iterations

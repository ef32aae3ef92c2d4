"""ELF object files, disassembled with pyelftools and capstone, the optional extra ``disassembly``."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from ingest.errors import InputError
from pipeline.projection.ports.assembly import Instruction, function_named, parse_instruction

_HINT = "install it with: pip install 'callpath-pipeline[disassembly]', or give the text of objdump -d"

Untyped: TypeAlias = Any
"""An object of one of the two packages, which carry no types."""


@dataclass(frozen=True)
class _Code:
    """Where the machine code of a function lies in the file, and its address."""

    start: int
    size: int
    address: int


def function_in_object(content: bytes, name: str, *, where: str = "object file") -> tuple[Instruction, ...]:
    """Return the instructions of a function in an ELF file for x86-64 or AArch64.

    Raises:
        InputError: the packages are missing, or the file is damaged, stripped or for another machine.
        UsageError: it has no such function.
    """
    try:
        import capstone
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile
    except ImportError as missing:
        what = f"reading an object file needs the package {missing.name}"
        raise InputError(what, where=where, hint=_HINT) from missing
    machines = {
        "x64": (capstone.CS_ARCH_X86, capstone.CS_MODE_64),
        "AArch64": (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM),
    }
    try:
        elf = ELFFile(io.BytesIO(content))
        machine = elf.get_machine_arch()
        if machine not in machines:
            hint = "give one for x86-64 or AArch64"
            raise InputError(f"unsupported object file for {machine}", where=where, hint=hint)
        functions = dict(_functions(elf))
    except (ELFError, ValueError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(f"damaged object file: {error}", where=where, hint="rebuild it") from error
    if not functions:
        hint = "give one that is not stripped"
        raise InputError("no function symbols in the object file", where=where, hint=hint)
    code = function_named(functions, name, where=where)
    decoder = capstone.Cs(*machines[machine])
    decoder.skipdata = True
    if machine == "x64":
        decoder.syntax = capstone.CS_OPT_SYNTAX_ATT
    return _decoded(decoder, content[code.start : code.start + code.size], code.address)


def _functions(elf: Untyped) -> Iterator[tuple[str, _Code]]:
    """Yield the functions of the symbol table.

    Their code is sliced from the file: sizes that a damaged header declares are never allocated.
    """
    table = elf.get_section_by_name(".symtab")
    for entry in table.iter_symbols() if table else ():
        place = entry["st_shndx"]
        if entry["st_info"]["type"] != "STT_FUNC" or not isinstance(place, int) or not entry["st_size"]:
            continue
        section = elf.get_section(place)
        start = section["sh_offset"] + entry["st_value"] - section["sh_addr"]
        yield entry.name, _Code(max(start, 0), entry["st_size"], entry["st_value"])


def _decoded(decoder: Untyped, code: bytes, start: int) -> tuple[Instruction, ...]:
    lines = list(decoder.disasm_lite(code, start))
    places = {f"{address:x}": k for k, (address, *_) in enumerate(lines)}
    return tuple(parse_instruction(f"{mnemonic} {operands}", places) for *_, mnemonic, operands in lines)

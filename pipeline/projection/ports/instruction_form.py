"""Instruction forms: what two instructions have to share to cost the same on every processor.

A form is the mnemonic and the kind of every operand, ``vaddpd m,y,y`` or ``fadd 2d,2d,2d``: registers by
width (and arrangement on AArch64), memory, numbers.
"""

import re

from pipeline.projection.ports.assembly import Instruction

_MASK = re.compile(r"\s*\{(?:%k\d|z|sae|r[nduz]-sae|1to\d+)\}")
_LEGACY = {
    **dict.fromkeys(("al", "bl", "cl", "dl", "ah", "bh", "ch", "dh", "sil", "dil", "bpl", "spl"), "b"),
    **dict.fromkeys(("ax", "bx", "cx", "dx", "si", "di", "bp", "sp"), "w"),
    **dict.fromkeys(("eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp"), "l"),
    **dict.fromkeys(("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp"), "q"),
}
_NUMBERED = {"b": "b", "w": "w", "d": "l", "": "q"}
_VECTOR = {"x": "x", "y": "y", "z": "z", "k": "k"}
_ZEROING = re.compile(r"v?p?(xor|sub|andn|cmpgt)(p[sd]|[bwdq])?|v?pxor[dq]?|xor[lq]?|sub[lq]?|v?pcmpeq[bwdq]")
_ARM_SCALAR = re.compile(r"([xwbhsdq])\d+")
_ARM_VECTOR = re.compile(r"([vz])\d+(?:\.(\d*[bhsdq]))?(\[\d+\])?")
_ARM_PREDICATE = re.compile(r"pn?\d+(?:\.([bhsd]))?(/[mz])?")
_ARM_NUMBER = re.compile(r"#?-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_ARM_ADDRESS = re.compile(r"\[\w+(?:, *(z\d+\.\w)?([wx]\d+)?([^\]]*))?\](!)?")
_ARM_SHIFT = re.compile(r"(lsl|lsr|asr|ror|[su]xt[bhwx]|msl|mul)(?: #?(\d+))?")
_ARM_CONDITION = re.compile(r"eq|ne|[hc]s|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al")
_ARM_WORD = re.compile(
    r"all|pow2|vl\d+|mul[34]|p(?:ld|st|li)\w+|sy|ish\w*|fpcr|fpsr|nzcv|tpidr_el0|cntvct_el0"
)


def form_of(isa: str, instruction: Instruction) -> str:
    """Return the form of an instruction, such as ``vaddpd m,y,y``.

    Masks, broadcasts and rounding are left out: they share the cost of the plain instruction. An instruction
    that only clears a register, ``vxorpd %xmm0,%xmm0,%xmm0``, has ``0`` behind its mnemonic.
    """
    mnemonic, operands = instruction.mnemonic, instruction.operands
    if isa == "aarch64":
        kinds = [arm_kind(operand) for operand in operands]
        if mnemonic == "movprfx":
            kinds = ["z", "z"]
        jumps = (
            instruction.target is not None
            or mnemonic.startswith(("b.", "cb", "tb"))
            or mnemonic in ("b", "bl")
        )
    else:
        kinds = [x86_kind(operand, mnemonic) for operand in operands]
        jumps = mnemonic.startswith(("j", "call", "loop", "xbegin")) and "*" not in "".join(operands[:1])
    if mnemonic == "adrp":
        kinds[-1:] = ["t"]
    if kinds and jumps:
        kinds[-1] = "t"
    cleared = isa != "aarch64" and _clears(mnemonic, operands)
    name = mnemonic.replace(" ", "_")
    return f"{name}{' 0' if cleared else ''} {','.join(kinds)}".strip()


def _clears(mnemonic: str, operands: tuple[str, ...]) -> bool:
    return len(operands) > 1 and len(set(operands)) == 1 and _ZEROING.fullmatch(mnemonic) is not None


def x86_kind(operand: str, mnemonic: str) -> str:
    """Return the kind of an operand of x86-64 as forms have it."""
    text = _MASK.sub("", operand).strip()
    if text.startswith("$"):
        return "i"
    if text.startswith("*"):
        return "*q" if text.startswith("*%") else "*m"
    if not text.startswith("%") or ":" in text:
        index = re.search(r",\s*%([xyz])mm", text)
        return f"g{index[1]}" if index else "m"
    name = text[1:]
    if name == "cl" and re.match(r"s[ha][lr]|ro[lr]|rc[lr]|sh[lr]d", mnemonic):
        return "c"
    if name in _LEGACY:
        return _LEGACY[name]
    numbered = re.fullmatch(r"r\d+([bwd]?)", name)
    return _NUMBERED[numbered[1]] if numbered else _VECTOR.get(name[:1], name)


def arm_kind(operand: str) -> str:
    """Return the kind of an operand of AArch64 as forms have it."""
    if operand.startswith(("{", "[")):
        return _arm_list(operand) if operand[0] == "{" else _arm_address(operand)
    if (register := _arm_register(operand)) is not None:
        return register
    if _ARM_NUMBER.fullmatch(operand) or operand.startswith((":", "#:")):
        return "f" if "." in operand and ":" not in operand else "i"
    if shift := _ARM_SHIFT.fullmatch(operand):
        return f"{shift[1]}{shift[2] or ''}"
    if _ARM_CONDITION.fullmatch(operand):
        return "c"
    return operand if _ARM_WORD.fullmatch(operand) else "t"


def _arm_list(operand: str) -> str:
    inside = re.findall(r"[^{},\s]+", operand.split("}", maxsplit=1)[0])
    lane = "[]" if operand.rstrip().endswith("]") else ""
    return "{" + f"{arm_kind(inside[0]) if inside else 'v'}*{_listed(inside)}" + "}" + lane


def _arm_address(operand: str) -> str:
    if operand.startswith("[z"):
        return "[z,z]" if operand.count("z") > 1 else "[z]"
    address = _ARM_ADDRESS.fullmatch(operand)
    if address is None:
        return "[x]"
    vector, register, extended, writes = address.groups()
    shift = "".join(re.findall(r"[su]xt[wx]|\d+", extended or ""))
    if vector:
        return f"[x,{arm_kind(vector)}{':' + shift if shift else ''}]"
    if register:
        return f"[x,{register[0]}{shift}]"
    return "[x]!" if writes else "[x]"


def _arm_register(operand: str) -> str | None:
    if operand in ("sp", "xzr", "wsp", "wzr"):
        return "w" if operand.startswith("w") else "x"
    if scalar := _ARM_SCALAR.fullmatch(operand):
        return scalar[1]
    if vector := _ARM_VECTOR.fullmatch(operand):
        return ("z" if vector[1] == "z" else "v") + (vector[2] or "") + ("[]" if vector[3] else "")
    if predicate := _ARM_PREDICATE.fullmatch(operand):
        return f"p{predicate[1] or ''}{predicate[2] or ''}"
    return None


def _listed(inside: list[str]) -> int:
    """Return how many registers a list names: ``v0.2d, v1.2d`` or ``v0.2d - v3.2d``."""
    if "-" in inside:
        first, last = (int(re.findall(r"\d+", name)[0]) for name in (inside[0], inside[-1]))
        return (last - first) % 32 + 1
    return len(inside)

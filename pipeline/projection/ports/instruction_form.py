"""Instruction forms: what two instructions have to share to cost the same on every processor.

A form is the mnemonic and the kind of every operand, ``vaddpd m,y,y`` or ``fadd 2d,2d,2d``: registers by
width (and arrangement on AArch64), memory, numbers. `example` writes an instruction of a form, so that
whatever knows the cost of instructions can be asked for that of a form.
"""

import re
from itertools import count

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
_X86_NAMES = {
    "b": ("sil", "dil", "r8b", "r9b"),
    "w": ("si", "di", "r8w", "r9w"),
    "l": ("esi", "edi", "r8d", "r9d"),
    "q": ("rsi", "rdi", "r8", "r9"),
    "x": ("xmm1", "xmm2", "xmm3", "xmm4", "xmm5"),
    "y": ("ymm1", "ymm2", "ymm3", "ymm4", "ymm5"),
    "z": ("zmm1", "zmm2", "zmm3", "zmm4", "zmm5"),
    "k": ("k1", "k2", "k3", "k4"),
}
_X86_OTHERS = {"m": "(%rax)", "gx": "(%rax,%xmm6,8)", "gy": "(%rax,%ymm6,8)", "gz": "(%rax,%zmm6,8)"}
_X86_OTHERS |= {"i": "$3", "t": ".L0", "c": "%cl", "*q": "*%rsi", "*m": "*(%rax)"}

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
        kinds = [_arm_kind(operand) for operand in operands]
        if mnemonic == "movprfx":
            kinds = ["z", "z"]
        jumps = (
            instruction.target is not None
            or mnemonic.startswith(("b.", "cb", "tb"))
            or mnemonic in ("b", "bl")
        )
    else:
        kinds = [_x86_kind(operand, mnemonic) for operand in operands]
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


def _x86_kind(operand: str, mnemonic: str) -> str:
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


def _arm_kind(operand: str) -> str:
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
    return "{" + f"{_arm_kind(inside[0]) if inside else 'v'}*{_listed(inside)}" + "}" + lane


def _arm_address(operand: str) -> str:
    if operand.startswith("[z"):
        return "[z,z]" if operand.count("z") > 1 else "[z]"
    address = _ARM_ADDRESS.fullmatch(operand)
    if address is None:
        return "[x]"
    vector, register, extended, writes = address.groups()
    shift = "".join(re.findall(r"[su]xt[wx]|\d+", extended or ""))
    if vector:
        return f"[x,{_arm_kind(vector)}{':' + shift if shift else ''}]"
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


def example(isa: str, form: str, *, accumulating: bool = False) -> str:
    """Return the text of an instruction of a form, every register used once.

    Args:
        isa: the instruction set.
        form: what `form_of` returned.
        accumulating: whether the destination is an addend of AArch64 that differs from the first operand.
    """
    name, _, kinds = form.partition(" ")
    mnemonic = name.replace("_", " ")
    cleared = kinds.startswith("0 ")
    if isa == "aarch64" and re.match(r"(ld|st)[1-4]r? .*\[x\],i$", form):
        return example(isa, form[:-2], accumulating=accumulating) + ", x10"
    names = (
        [kind for kind in kinds.removeprefix("0 ").split(",") if kind] if isa != "aarch64" else _split(kinds)
    )
    places = count(0) if not cleared else (0 for _ in count())
    write = _arm_operand if isa == "aarch64" else _x86_operand
    operands = [write(kind, next(places)) for kind in names]
    if accumulating:
        operands[-1] = operands[0]
    if isa == "aarch64":
        _tie_arm_operands(mnemonic, names, operands)
    if len(names) == 2 and re.match(r"vp?(gather|scatter)", mnemonic):
        operands[1] += " {%k1}"
    return f"{mnemonic} {', '.join(operands)}".strip()


def _tie_arm_operands(mnemonic: str, names: list[str], operands: list[str]) -> None:
    """Make operands the same that have to be, and numbers those that the instruction takes."""
    merging = len(names) == 4 and names[1] == "p/m" and names[2] == names[0]
    if merging and re.fullmatch(r"f?n?m(l[as]|ad|sb)|fcmla", mnemonic) is None:
        operands[2] = operands[0]  # mul z1.d, p2/m, z1.d, z4.d
    if mnemonic in ("clasta", "clastb") and names[0] == names[2]:
        operands[2] = operands[0]
    if len(names) == 3 and names[0] == names[1] and names[2] == "i" and names[0][:1] == "z":
        operands[1] = operands[0]  # add z1.s, z1.s, #1
    if names[-1:] == ["f"] and mnemonic != "fmov":
        operands[-1] = "#0.0" if mnemonic.startswith(("fcm", "fm")) and mnemonic != "fmul" else "#0.5"
    if (
        names[-1:] == ["i"]
        and (mnemonic.startswith("cm") or names[0] in ("d", "v2d"))
        and names[0] not in ("x", "w")
    ):
        operands[-1] = "#0"
    if names[-2:] == ["[x]", "i"]:
        operands[-1] = "#16"


def _split(kinds: str) -> list[str]:
    return [kind for kind in re.split(r",(?![^\[{]*[\]}])", kinds) if kind]


def _x86_operand(kind: str, place: int) -> str:
    if kind in _X86_OTHERS:
        return _X86_OTHERS[kind]
    names = _X86_NAMES.get(kind)
    return f"%{names[place % len(names)]}" if names else f"%{kind}"


def _arm_operand(kind: str, place: int) -> str:
    if kind.startswith("{"):
        inner, times = kind[1:].split("}", maxsplit=1)[0].split("*")
        lane = "[1]" if kind.endswith("[]") else ""
        listed = ", ".join(_arm_operand(inner, k) for k in range(int(times)))
        return "{ " + listed + " }" + lane
    if kind.startswith("["):
        return _ARM_ADDRESSES[kind] if kind in _ARM_ADDRESSES else _arm_indexed(kind)
    if shift := re.fullmatch(r"(lsl|lsr|asr|ror|[su]xt[bhwx]|msl|mul)(\d*)", kind):
        return f"{shift[1]} #{shift[2]}" if shift[2] else shift[1]
    return _ARM_OTHERS.get(kind) or _arm_register_text(kind, place + 1) or kind


def _arm_register_text(kind: str, number: int) -> str | None:
    if re.fullmatch(r"[xwbhsdq]", kind):
        return f"{kind}{number}"
    if vector := re.fullmatch(r"([vz])(\d*[bhsdq])?(\[\])?", kind):
        arrangement = f".{vector[2]}" if vector[2] else ""
        return f"{vector[1]}{number}{arrangement}{'[1]' if vector[3] else ''}"
    if predicate := re.fullmatch(r"p([bhsd])?(/[mz])?", kind):
        return f"p{number}{'.' + predicate[1] if predicate[1] else ''}{predicate[2] or ''}"
    return None


def _arm_indexed(kind: str) -> str:
    register, _, vector_shift = kind[3:-1].partition(":")
    if register[0] == "z":
        index, shift = f"z10.{register[1:]}", vector_shift
    else:
        index, shift = f"{register[0]}10", register[1:]
    parts = re.fullmatch(r"([su]xt[wx])?(\d*)", shift)
    extend = (parts[1] if parts else None) or ("lsl" if shift else "")
    amount = f" #{parts[2]}" if parts and parts[2] else ""
    return f"[x9, {index}{', ' + extend + amount if extend else ''}]"


_ARM_OTHERS = {"i": "#1", "f": "#1.0", "t": ".L0", "c": "ne"}
_ARM_ADDRESSES = {"[x]": "[x9]", "[x]!": "[x9, #16]!", "[z]": "[z9.d]", "[z,z]": "[z9.d, z10.d, lsl #3]"}

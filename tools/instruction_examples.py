"""Instructions of a form, so that llvm-mca, which knows what instructions cost, can be asked for a form."""

import re
from itertools import count

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

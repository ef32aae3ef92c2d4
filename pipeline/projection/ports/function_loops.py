"""Loops of a function: how deep they lie, how wide their vectors are, how many elements a pass handles.

A pass steps registers on by constants, and memory operands with them. Where every array that it steps through
advances by the same number of elements, that is how many it handles; a complex value counts as two.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.errors import UsageError
from pipeline.projection.ports import assembly

_WIDEST = 2048  # bits of a vector of SVE
_BYTES = {"b": 1, "h": 2, "w": 4, "s": 4, "d": 8, "x": 8}  # of Arm's letters
_X86_BYTES = {"b": 1, "w": 2, "d": 4, "l": 4, "q": 8}
_X86_REGISTER = re.compile(r"%(?:[re]?(?P<low>[abcd])[xl]|[re]?(?P<name>[sd]i|[sb]p)l?|(?P<new>r\d+)[dwb]?)")
_X86_ADDRESS = re.compile(r"\((%\w+)?(?:,(%\w+)(?:,(\d))?)?\)")
_ARM_ADDRESS = re.compile(r"\[(\w+)(?:,\s*([xw]\d+)(?:,\s*\w+(?:\s+#(\d))?)?)?\W.*")
_NO_ACCESS = re.compile(r"lea[lq]?|nop\w*|prefetch\w*|prfm|prf[bhwd]|j\w+|call\w*")
_ONLY_READS = re.compile(
    r"cmp\w*|test\w*|bt[lq]?|push\w*|st\w+|cm[np]|tst|cbn?z|tbn?z|b|b\..*|j\w+|prfm|prf[bhwd]"
)
# what moves, combines or rearranges bits says nothing of the elements in them
_X86_SILENT = re.compile(
    r"v?(mov((u|a|nt)p[sd]|dq[ua]\d*|ntdqa?|q|[hl]p[sd]|hlps|lhps|msk\w+)|lddqu|p?(and|andn|or|xor)(p[sd]|[dq])?"
    r"|p?(perm|shuf|unpck|blend|insr?|extr|align|broadcast[fi]|compress|expand|test|ternlog|maskmov)\w*|zero\w+)"
)
_ARM_SILENT = re.compile(
    r"and|orr|eor|bic|orn|mvn|mov\w*|ext|dup|zip\d|uzp\d|trn\d|rev\d*|sel|fmov|ins|ptrue|while\w+|cnt\w|inc\w|addvl"
    r"|\w*cvt\w*|[us]?sh[lr]{1,2}2?|[us]xtl2?|[us]?q?xtu?n2?|[us]unpk\w+|ld.*|st.*|b\..*|p\w+"
)
_CONVERTED = re.compile(r"v?cvtt?(u?dq|u?qq|p[sdh]|s[sd]|u?si)2(u?dq|u?qq|p[sdh]|s[sd]|u?si)[xyzlq]?")
_SIZES = {"dq": 4, "ps": 4, "ss": 4, "ph": 2, "si": 4, "qq": 8, "pd": 8, "sd": 8}
_SCALAR_MOVES = {"movss": 4, "movsd": 8}
_WIDENED = re.compile(r"v?pmov[sz]x([bwd])[wdq]|mov[sz]([bwl])[wlq]")
_NARROWED = re.compile(r"vpmovu?s?[wdq]([bwd])")
_FLOATING = re.compile(r"v?\w+?([ps])([sd])")
_INTEGER = re.compile(r"v?p\w+?([bwdq])")
_ARM_MEMORY = re.compile(r"(?:ld|st)(?:nt|ff|nf)?[1-4](?:r[qo]?)?s?([bhwd])?|(?:ld|st)u?rs?([bhw])|ldps(w)")


@dataclass(frozen=True)
class Loop:
    """An innermost loop of a function."""

    instructions: tuple[assembly.Instruction, ...]
    depth: int  # in how many loops it lies, itself included
    remainder_of: int = 0  # number of the loop with wider vectors that does the same; 0 if there is none


def read_loops(path: Path, function: str) -> tuple[Loop, ...]:
    """Return the innermost loops of a function, deepest first, then longest; UsageError without any.

    Remainders of vector loops come after all others. If the function has none, they are those of the one part
    with loops that was split from it: an OpenMP region, a lambda.
    """
    functions = assembly.read_functions(path, function)
    first, body = next(functions)
    looping = {first: loops} if (loops := _loops(body)) else {}
    looping = looping or {part: loops for part, body in functions if (loops := _loops(body))}
    if len(looping) > 1:
        raise assembly.several_called(looping, function, where=str(path))
    if not looping:
        what = f"'{function}' has no loop: no jump goes backwards"
        raise UsageError(what, where=str(path), hint="name the function that the compiler left it in")
    return next(iter(looping.values()))


def _loops(instructions: tuple[assembly.Instruction, ...]) -> tuple[Loop, ...]:
    bodies, isa = assembly.loop_bodies(instructions), assembly.isa_of(instructions) or "x86-64"
    loops = [Loop(instructions[b.start : b.stop], assembly.nesting_depth(instructions, b)) for b in bodies]
    widths = {loop: packed_bits(isa, loop.instructions, _WIDEST) for loop in loops}
    work = {loop: (loop.depth, _operations_in(isa, loop.instructions)) for loop in loops}
    main: dict[Loop, Loop] = {}
    for loop in loops:
        wider = [one for one in loops if widths[one] > widths[loop] and work[one] == work[loop]]
        widest = [one for one in wider if widths[one] == max(map(widths.__getitem__, wider))]
        if len(widest) == 1:
            main[loop] = widest[0]
    ordered = sorted(loops, key=lambda loop: (loop in main, -loop.depth))
    number = {loop: k for k, loop in enumerate(ordered, 1)}
    return tuple(replace(loop, remainder_of=number[main[loop]] if loop in main else 0) for loop in ordered)


def elements_per_pass(isa: str, body: Sequence[assembly.Instruction], vector_bits: int = 0) -> int | None:
    """Return how many elements a pass of a loop handles; None if its code does not tell.

    The jump back is the last instruction; vectors of SVE have `vector_bits`, 0 without SVE.
    """
    steps = _steps(isa, body, vector_bits)
    sizes = {one.size for one in _operations(isa, body) if one.size and not one.is_move}
    usual = sizes.pop() if len(sizes) == 1 else 0
    # half a vector may be moved as one number
    moves = {} if packed_bits(isa, body, vector_bits) else _SCALAR_MOVES
    indirect = any(re.match(r"vp?(gather|scatter)", one.mnemonic) for one in body)
    streams = [
        (
            _advance(isa, one, steps),
            _accessed(isa, one)
            # an index may be loaded
            or (0 if indirect and assembly.operand_kinds(isa, one)[-1:] != ("m",) else usual)
            or moves.get(one.mnemonic.removeprefix("v"), 0),
        )
        for one in body
    ]
    found = {abs(advance) / size for advance, size in streams if advance and size}
    only = found.pop() if len(found) == 1 else 0.0
    return int(only) if only >= 1 and only == int(only) else None


def contradiction(told: float | None, given: float | None) -> tuple[str, ...]:
    """Return a notice if the elements of a pass that were given are not those that the code tells."""
    if told and given and told != given:
        return (f"the code says {told:g} elements a pass, {given:g} was given",)
    return ()


def packed_bits(isa: str, body: Sequence[assembly.Instruction], vector_bits: int = 0) -> int:
    """Return how wide the vector instructions of a loop are; 0 if its instructions are scalar."""
    operations = [one if one.bits >= 0 else replace(one, bits=vector_bits) for one in _operations(isa, body)]
    arithmetic = [one for one in operations if not one.is_move]
    return max((one.bits for one in arithmetic or operations), default=0)


def _operations_in(isa: str, body: Sequence[assembly.Instruction]) -> frozenset[str]:
    """Return what arithmetic a loop does, however wide: a loop and its remainder do the same."""
    return frozenset(one.name for one in _operations(isa, body) if not one.is_move)


@dataclass(frozen=True)
class _Operation:
    """Arithmetic on elements, or the move of vectors."""

    name: str  # without the width, the type and the order of operands
    size: int  # bytes of an element; 0 if it does not say
    bits: int  # of a packed instruction, 0 of a scalar one, -1 of a vector of SVE
    is_move: bool


def _operations(isa: str, body: Sequence[assembly.Instruction]) -> Iterator[_Operation]:
    for one in body:
        name, kinds = one.mnemonic.split()[-1], assembly.operand_kinds(isa, one)
        found = _arm_operation(name, one) if isa == "aarch64" else _x86_operation(name, kinds)
        if found is not None:
            yield found


def _x86_operation(name: str, kinds: Sequence[str]) -> _Operation | None:
    bits = max((assembly.VECTOR_BITS.get(kind, 0) for kind in kinds), default=0)
    if not bits or name.startswith("k"):
        return None
    root = re.sub(r"(132|213|231)?[ps]?[sdbwq]$", "", name.removeprefix("v"))
    if (
        _CONVERTED.fullmatch(name)
        or _X86_SILENT.fullmatch(name)
        or name.removeprefix("v") in ("movss", "movsd")
    ):
        packed = "m" in kinds and not re.search(r"s[sdi](2|[lq]?$)|movq|p[sd]2.*x$", name)
        return _Operation(root, 0, bits, is_move=True) if packed else None
    if integer := _INTEGER.fullmatch(name):
        return _Operation(root, _X86_BYTES[integer[1]], bits, is_move=False)
    floating = _FLOATING.fullmatch(name)
    if floating is None:
        return None
    return _Operation(root, 8 if floating[2] == "d" else 4, bits * (floating[1] == "p"), is_move=False)


def _arm_operation(name: str, one: assembly.Instruction) -> _Operation | None:
    first = one.operands[0] if one.operands else ""
    vector = re.match(r"\{?\s*(?:v\d+\.(\d+)|z\d+\.)([bhsd])", first)
    scalar = re.fullmatch(r"([hsd])\d+", first)
    if name.startswith(("ld", "st")) and (vector or re.match(r"[qz]\d", first)):
        bits = 128 if first[0] == "q" or (vector and vector[1]) else -1
        return _Operation(name, 0, bits, is_move=True)
    if _ARM_SILENT.fullmatch(name) or not (vector or scalar):
        return None
    size = _BYTES[vector[2] if vector else scalar[1] if scalar else "d"]
    bits = 0 if not vector else 8 * size * int(vector[1]) if vector[1] else -1
    return _Operation(re.sub(r"^fn?m(la|ls|add|sub|ad|sb)$", "fma", name), size, bits, is_move=False)


def _accessed(isa: str, one: assembly.Instruction) -> int:
    """Return the bytes of an element in the memory operand of an instruction; 0 if it does not say."""
    name, kinds = one.mnemonic.split()[-1], assembly.operand_kinds(isa, one)
    if isa == "aarch64":
        return _accessed_by_arm(name, one)
    if converted := _CONVERTED.fullmatch(name):
        wide = name[-1] == "q" and "si" in name
        return 8 if wide else _SIZES[converted[2 if kinds[-1] == "m" else 1].lstrip("u")]
    if letter := _WIDENED.fullmatch(name) or _NARROWED.fullmatch(name):
        return _X86_BYTES[next(part for part in letter.groups() if part)]
    if set(kinds) & set("xyz"):
        found = _x86_operation(name, kinds)
        return found.size if found else 0
    register = next((o for o, kind in zip(one.operands, kinds, strict=True) if kind == "r"), name)
    if re.match(r"%(?!r\d)[a-s]", register):
        return {"r": 8, "e": 4}.get(register[1], 1 if register[-1] == "l" else 2)
    return _X86_BYTES.get(register[-1], 8 if register.startswith("%") else 0)


def _accessed_by_arm(name: str, one: assembly.Instruction) -> int:
    first = re.match(r"\{?\s*(?:[vz]\d+\.\d*([bhsd])|([xwdshb])\d)", one.operands[0] if one.operands else "")
    said = _ARM_MEMORY.fullmatch(name)
    letter = next((part for match in (said, first) if match for part in match.groups() if part), "")
    # Clang moves vectors of whatever as bytes
    return 0 if letter == "b" and first and first[1] == "b" else _BYTES.get(letter, 0)


def _steps(isa: str, body: Sequence[assembly.Instruction], vector_bits: int) -> Mapping[str, float | None]:
    """Return by how much a pass steps each general register on that it writes; None if by no constant."""
    start = body[-1].target or 0
    jumps = [(k, one.target - start) for k, one in enumerate(body[:-1]) if one.target is not None]
    steps: dict[str, float | None] = {}
    for k, one in enumerate(body):
        may_be_skipped = any(j < k < target <= len(body) for j, target in jumps)
        for register, step in _written(isa, one, vector_bits):
            known = steps.get(register, 0.0)
            steps[register] = None if may_be_skipped or step is None or known is None else known + step
    return steps


def _written(isa: str, one: assembly.Instruction, vector_bits: int) -> Iterator[tuple[str, float | None]]:
    name, operands, kinds = one.mnemonic.split()[-1], one.operands, assembly.operand_kinds(isa, one)
    if isa == "aarch64":
        yield from _written_by_arm(name, operands, kinds, vector_bits)
        return
    if not operands or kinds[-1] != "r" or _ONLY_READS.fullmatch(name):
        return
    register = _register(isa, operands[-1])
    lea = re.fullmatch(r"(-?\w+)\((%\w+)\)", operands[0])
    if re.fullmatch(r"(add|sub)[lq]?", name) and kinds[0] == "i":
        yield register, _number(operands[0]) * (-1 if name.startswith("s") else 1)
    elif re.fullmatch(r"(inc|dec)[lq]?", name):
        yield register, 1.0 if name.startswith("i") else -1.0
    elif name.startswith("lea") and lea and _register(isa, lea[2]) == register:
        yield register, _number(lea[1])
    else:
        yield register, None


def _written_by_arm(
    name: str, operands: Sequence[str], kinds: Sequence[str], vector_bits: int
) -> Iterator[tuple[str, float | None]]:
    of_vector = {"b": 8, "h": 16, "w": 32, "d": 64}
    for k, (operand, kind) in enumerate(zip(operands, kinds, strict=True)):
        if kind == "w" or (kind == "m" and k + 1 < len(operands)):
            amount = operand.partition(",")[2].strip("] !") if kind == "w" else operands[k + 1]
            number = _number(amount) if re.fullmatch(r"#?-?\w+", amount) and amount[0] not in "xw" else None
            yield _register("aarch64", operand.strip("[]! ").partition(",")[0]), number
    if not kinds or kinds[0] != "r" or _ONLY_READS.fullmatch(name):
        return
    register = _register("aarch64", operands[0])
    same = len(operands) > 1 and _register("aarch64", operands[1]) == register
    if re.fullmatch(r"(add|sub)s?", name) and same and kinds[2] == "i":
        shifted = _number(operands[2]) * (4096 if len(operands) == 4 else 1)
        yield register, -shifted if name.startswith("s") else shifted
    elif name in ("incb", "inch", "incw", "incd") and len(operands) == 1 and vector_bits:
        yield register, vector_bits / of_vector[name[-1]]
    elif name == "addvl" and same and vector_bits:
        yield register, _number(operands[2]) * vector_bits / 8
    else:
        yield register, None
        if name.startswith("ldp") and kinds[1] == "r":
            yield _register("aarch64", operands[1]), None


def _advance(isa: str, one: assembly.Instruction, steps: Mapping[str, float | None]) -> float:
    """Return by how many bytes a pass moves the memory operand of an instruction on; 0 if it is not known."""
    if _NO_ACCESS.fullmatch(one.mnemonic):
        return 0.0
    found = _ARM_ADDRESS if isa == "aarch64" else _X86_ADDRESS
    match = next((m for operand in one.operands if (m := found.search(operand))), None)
    if match is None:
        return 0.0
    base, index, factor = match.groups()
    scale = (1 << int(factor or 0)) if isa == "aarch64" else int(factor or 1)
    parts = [(base, 1), (index, scale)]
    moved = [steps.get(_register(isa, name), 0.0) for name, _ in parts if name]
    if any(step is None for step in moved) or any(
        re.match(r"%?[xyz]mm|z\d", name or "") for name, _ in parts
    ):
        return 0.0
    scales = [each for name, each in parts if name]
    return sum((step or 0.0) * each for step, each in zip(moved, scales, strict=True))


def _register(isa: str, name: str) -> str:
    if isa == "aarch64":
        return name.lstrip("xw")
    match = _X86_REGISTER.fullmatch(name)
    return next((part for part in match.groups() if part), name) if match else name


def _number(text: str) -> float:
    value = int(text.lstrip("$#"), 0)
    return float(value - (1 << 64) if value >= 1 << 63 else value)

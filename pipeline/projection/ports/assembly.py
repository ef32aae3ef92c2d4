"""Functions and loops in assembly: compiler output (``.s``), text of ``objdump -d``, and ELF object files.

They are read in AT&T syntax on x86-64 and in Arm syntax on AArch64. Only what counting needs is kept: the
mnemonic, the operands, and the target of a jump inside the function. Object files are disassembled by the
objdump of LLVM or of binutils. Functions are named as in their source: C++ names are demangled, Fortran's are
taken out of the symbol.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ingest.arrays import IntArray
from ingest.cpp_names import parse_signature
from ingest.errors import InputError, UsageError, one_line
from pipeline.projection.expressions.shipped_files import read_bytes

_MOST_NAMED = 8
_DEMANGLERS = ("c++filt", "llvm-cxxfilt", *(f"llvm-cxxfilt-{version}" for version in range(29, 13, -1)))
_FORTRAN = (
    r"__(?P<module>\w+)_MOD_(?P<name>\w+)",  # GNU
    r"_Q(?:M(?P<module>[a-z0-9_]+))?(?:F[a-z0-9_]+)?P(?P<name>[a-z0-9_]+)",  # Flang
    r"(?P<module>\w+)_mp_(?P<name>\w+)_",  # Intel
    r"(?P<name>[a-z]\w*?)__?(?P<module>)",
)
_CLONE = re.compile(r"(?<=\w)\.[\w.]+$")
_NESTED = re.compile(r"_Z+(?:N[rVKRO]*)?(?=\d)")
_TEMPLATE = re.compile(r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
_ANONYMOUS = "(anonymous namespace)"
_INSIDE = re.compile(r"::(?:\{lambda|'lambda|\$_\d|\{unnamed).*")


@dataclass(frozen=True, kw_only=True)
class _Names:
    """What a function may be called."""

    full: str  # with parameters, as a demangler prints it
    qualified: str
    enclosing: str = ""  # of a lambda: the function around it
    is_clone: bool = False
    is_fortran: bool = False


def symbols_called(symbols: Collection[str], name: str, *, where: str) -> tuple[str, ...]:
    """Return the symbol of the function of that name, then what compilers split from it: clones, lambdas.

    The name is a symbol, or a C++ or Fortran name with as much around it as makes it unique: ``flux``,
    ``fv::flux``, ``fv::flux(double*)``, ``axpy``, ``kernels::axpy``. UsageError if there is none, or there
    are several.
    """
    if name in symbols:
        return (name,)
    names = {symbol: _names(symbol, plain) for symbol, plain in _demangled(symbols).items()}
    ways: tuple[Callable[[_Names], bool], ...] = (
        lambda one: _is_called(one.full, name, one.is_fortran),
        lambda one: _is_called(one.qualified, name, one.is_fortran) and not one.is_clone,
        lambda one: _is_called(one.qualified, name, one.is_fortran),
        lambda one: _is_called(one.enclosing, name, one.is_fortran),
    )
    tiers = [[symbol for symbol, one in names.items() if way(one)] for way in ways]
    first = next((tier for tier in tiers if tier), [])
    if len(first) == 1:
        return tuple(dict.fromkeys(symbol for tier in tiers for symbol in tier))
    if first:
        raise several_called(first, name, where=where)
    shown = _listed([one.full for one in names.values()])
    raise UsageError(f"no function '{name}'", where=where, hint=f"functions: {shown}")


def several_called(symbols: Collection[str], name: str, *, where: str) -> UsageError:
    """Return the error of a name that several functions have."""
    full = [_names(symbol, plain).full for symbol, plain in _demangled(symbols).items()]
    shown = _listed(full if len(set(full)) == len(full) else symbols)
    return UsageError(f"several functions are called '{name}'", where=where, hint=f"choose one: {shown}")


def _listed(names: Collection[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(sorted(names)[:_MOST_NAMED]) + more


def _demangled(symbols: Collection[str]) -> Mapping[str, str]:
    """Return the readable name of each symbol; without a demangler, C++ names lack their parameters."""
    mangled = [symbol for symbol in symbols if symbol.startswith("_Z")]
    plain = {symbol: symbol for symbol in symbols} | {symbol: _leading_names(symbol) for symbol in mangled}
    program = (
        next((found for each in _DEMANGLERS if (found := shutil.which(each))), None) if mangled else None
    )
    if program is None:
        return plain
    command, text = [program], "".join(f"{symbol}\n" for symbol in mangled)
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, encoding="utf-8", timeout=120, check=True
        )
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return plain
    return plain | dict(zip(mangled, done.stdout.splitlines(), strict=False))


def _leading_names(symbol: str) -> str:
    """Return the qualified name that a mangled one begins with, up to what is not a plain identifier."""
    rest, names = _NESTED.sub("", symbol, count=1), []
    while length := re.match(r"[1-9]\d*", rest):
        end = length.end() + int(length[0])
        names.append(rest[length.end() : end])
        rest = rest[end:]
    return "::".join(_ANONYMOUS if n.startswith("_GLOBAL__N_") else n for n in names) or symbol


def _names(symbol: str, plain: str) -> _Names:
    clone = bool(_CLONE.search(symbol))
    if plain == symbol:
        base = _CLONE.sub("", symbol)
        fortran = next((found for form in _FORTRAN if (found := re.fullmatch(form, base))), None)
        if fortran is None:
            return _Names(full=plain, qualified=base, is_clone=clone)
        qualified = "::".join(part for part in (fortran["module"], fortran["name"]) if part)
        full = f"{qualified}{symbol[len(base) :]}"
        return _Names(full=full, qualified=qualified, is_clone=clone, is_fortran=True)
    if "(" not in plain.replace(_ANONYMOUS, ""):  # not demangled
        if symbol.startswith("_ZZ"):
            return _Names(full=symbol, qualified=symbol, enclosing=plain, is_clone=clone)
        suffix = _CLONE.search(symbol)
        return _Names(full=f"{plain}{suffix[0] if suffix else ''}", qualified=plain, is_clone=clone)
    signature = parse_signature(plain)
    name, full = signature.name, f"{signature.name}{signature.parameters}{signature.rest}"
    around = _INSIDE.sub("", name)
    return _Names(full=full, qualified=name, enclosing=around if around != name else "", is_clone=clone)


def _is_called(qualified: str, name: str, is_fortran: bool) -> bool:
    """Return whether a qualified name is that name, or ends in it; template arguments need not be given."""
    own, wanted = re.sub(r"\s+", "", qualified), re.sub(r"\s+", "", name)
    if is_fortran:
        own, wanted = own.lower(), wanted.lower()
    forms = {own, own.replace("(anonymousnamespace)::", "")}
    forms |= {_TEMPLATE.sub("", form) for form in forms}
    return any(form == wanted or form.endswith(f"::{wanted}") for form in forms)


_LABEL = re.compile(r"\s*([\w.$@]+):\s*(.*)")
_HEADER = re.compile(r"[0-9a-f]+ <(.+)>:\s*")
_DUMPED = re.compile(r"\s*([0-9a-f]+):\s+(?:(?:[0-9a-f]{2} ?)+\s*(?:\t|$))?\s*([a-z<(].*)?")
_TARGET = re.compile(r"#?(?:0x)?([0-9a-f]+)(?: <.*>)?")
_COMMENT = re.compile(r"\s*(?:#(?!-?\d|0x|:)|//|;).*")
_PREFIX = re.compile(r"^(?:(?:bnd|notrack|data16|cs|ds|es|addr32)\s+)+")
_SEPARATOR = re.compile(r",(?![^(\[{]*[)\]}])")  # commas inside brackets separate nothing
_LEAVES = re.compile(r"jmpq?|b|ret\w*|ud2|hlt|udf")
_KEPT_PREFIXES = ("lock", "rep", "repe", "repne", "repz", "repnz")
DISASSEMBLERS = ("llvm-objdump", "objdump")
_SYMBOL = re.compile(r"^[0-9a-f]+ .{6}F (?!\*UND\*)\S+\t([0-9a-f]+)\s+(?:\.hidden )?(.+)$", re.M)
_ELF = b"\x7fELF"
_WHAT_TO_GIVE = "give compiler output (.s), an object file or the output of objdump -d"
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
class Instruction:
    """One machine instruction."""

    mnemonic: str
    operands: tuple[str, ...] = ()
    # index of the instruction in the same function that it jumps to; None if it does not jump
    target: int | None = None

    def __str__(self) -> str:
        return f"{self.mnemonic} {', '.join(self.operands)}".strip()


def functions_in(text: str, *, where: str = "assembly") -> dict[str, tuple[Instruction, ...]]:
    """Return the instructions of every function in a ``.s`` file or in the output of ``objdump -d``.

    InputError if no instruction is found, or the syntax is Intel's.
    """
    lines = text.splitlines()
    dumped = any(_HEADER.fullmatch(line) for line in lines)
    drafts = list(_from_dump(lines) if dumped else _from_compiler(lines))
    found = {d.name: tuple(parse_instruction(line, d.places) for line in d.texts) for d in drafts if d.texts}
    if not found:
        raise InputError("no instructions found", where=where, hint=_WHAT_TO_GIVE)
    if not any(found) or any(line.rstrip().endswith("{") for d in drafts for line in d.texts):
        raise InputError("it holds no machine code", where=where, hint=_WHAT_TO_GIVE)
    if any(re.search(r"\b(?:QWORD|XMMWORD|YMMWORD|ZMMWORD) PTR\b|\.intel_syntax", line) for line in lines):
        hint = "write it in AT&T syntax, the default of compilers and objdump"
        raise InputError("Intel syntax is not supported", where=where, hint=hint)
    return found


@dataclass
class _Draft:
    """A function as it is read: its instructions, and the index of the one behind each label or address."""

    name: str = ""
    texts: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)


def _from_compiler(lines: Iterable[str]) -> Iterator[_Draft]:
    draft = _Draft()
    for line in lines:
        rest = _COMMENT.sub("", line, count=1)
        while match := _LABEL.fullmatch(rest):
            label, rest = match.groups()
            if not label.startswith("."):
                yield draft
                draft = _Draft(label)
            draft.places[label] = len(draft.texts)
        if rest.strip() and not rest.lstrip().startswith("."):
            draft.texts.append(rest)
    yield draft


def _from_dump(lines: Iterable[str]) -> Iterator[_Draft]:
    draft = _Draft()
    for line in lines:
        if header := _HEADER.fullmatch(line):
            yield draft
            draft = _Draft(header[1])
        elif (match := _DUMPED.fullmatch(line)) and match[2]:
            draft.places[match[1]] = len(draft.texts)
            draft.texts.append(_COMMENT.sub("", match[2], count=1))
    yield draft


def parse_instruction(text: str, places: dict[str, int]) -> Instruction:
    """Return the instruction in one line of assembly.

    The line is without label, address or comment; places are of the instruction behind each label (or
    hexadecimal address) of the function.
    """
    words = _PREFIX.sub("", text.strip()).split(maxsplit=1)
    if words[0] in _KEPT_PREFIXES and len(words) == 2:
        prefix, (name, *rest) = words[0], words[1].split(maxsplit=1)
        words = [f"{prefix} {name}", *rest]
    operands = tuple(map(str.strip, _SEPARATOR.split(words[1].rstrip(", ")))) if len(words) == 2 else ()
    target = None
    if operands and not words[0].startswith(("call", "bl")):
        address = _TARGET.fullmatch(operands[-1])
        target = places.get(operands[-1], places.get(address[1]) if address else None)
    return Instruction(words[0].lower(), operands, target)


def loop_bodies(instructions: Sequence[Instruction]) -> tuple[range, ...]:
    """Return the innermost loops, longest first, each as the instructions from a jump's target to the jump.

    A loop that contains another cannot be counted from its text, because the inner trip count is unknown. A
    rarely taken path behind the function that jumps back is not a loop.
    """
    depths = _loop_depths(instructions)
    jumps = {(i.target, k + 1) for k, i in enumerate(instructions) if i.target is not None and i.target <= k}
    bodies = {b for b in jumps if depths[b[0]] == depths[b[1] - 1] == depths[slice(*b)].max() > 0}
    bodies = {b for b in bodies if not any(i.mnemonic.startswith("ret") for i in instructions[slice(*b)])}
    whole = {b for b in bodies if depths[slice(*b)].min() == depths[b[0]]}
    bodies = whole | {b for b in bodies if not any(b[0] < c[1] and c[0] < b[1] for c in whole)}
    innermost = [b for b in bodies if not any(b != c and b[0] <= c[0] and c[1] <= b[1] for c in bodies)]
    return tuple(range(*body) for body in sorted(innermost, key=lambda b: (b[0] - b[1], b[0])))


def nesting_depth(instructions: Sequence[Instruction], body: range) -> int:
    """Return in how many loops a loop lies, itself included."""
    return int(_loop_depths(instructions)[body.stop - 1])


def _loop_depths(instructions: Sequence[Instruction]) -> IntArray:
    """Return int[instruction], in how many loops each lies.

    Loops are the strongly connected components of the flow of control, and those that remain in each without
    the instruction by which it is entered.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    many = len(instructions)
    flow = edges = np.array(list(_flow(instructions)), dtype=np.int64).reshape(-1, 2)
    depths = np.zeros(many, dtype=np.int64)
    while len(edges):
        graph = coo_array((np.ones(len(edges)), tuple(edges.T)), shape=(many, many))
        component = connected_components(graph, connection="strong")[1]
        edges = edges[component[edges[:, 0]] == component[edges[:, 1]]]
        inside = np.unique(edges)
        depths[inside] += 1
        entered = flow[component[flow[:, 0]] != component[flow[:, 1]], 1]
        # the first that is entered, or the first of all
        ordered = np.concatenate([np.intersect1d(entered, inside), inside])
        heads = ordered[np.unique(component[ordered], return_index=True)[1]]
        edges = edges[~np.isin(edges, heads).any(axis=1)]
    return depths


def _flow(instructions: Sequence[Instruction]) -> Iterator[tuple[int, int]]:
    """Yield which instruction may follow which; the targets of computed jumps are not known."""
    for k, one in enumerate(instructions):
        if one.target is not None:
            yield k, one.target
        leaves = _LEAVES.fullmatch(one.mnemonic) and (one.target is not None or not _is_computed(one))
        if not leaves and k + 1 < len(instructions):
            yield k, k + 1


def _is_computed(jump: Instruction) -> bool:
    return any(operand.startswith("*") for operand in jump.operands)


@dataclass(frozen=True)
class _Code:
    """The functions of a file by symbol."""

    symbols: Collection[str]
    read: Callable[[str], tuple[Instruction, ...]]


def _code_in_object(path: Path) -> _Code:
    """Return the functions of an object file, read by objdump; InputError if that fails."""
    program = next((found for each in DISASSEMBLERS if (found := shutil.which(each))), None)
    if program is None:
        what = "reading an object file needs objdump"
        hint = "install it (apt install llvm, or binutils), or give compiler output (-S)"
        raise InputError(what, where=str(path), hint=hint)
    symbols = {match[2] for match in _SYMBOL.finditer(_dumped(program, "--syms", path)) if int(match[1], 16)}
    if not symbols:
        hint = "give one that is not stripped"
        raise InputError("no function symbols in the object file", where=str(path), hint=hint)
    llvm = Path(program).name.startswith("llvm")

    def read(symbol: str) -> tuple[Instruction, ...]:
        text = _dumped(program, f"--disassemble{'-symbols' if llvm else ''}={symbol}", path)
        functions = functions_in(text, where=str(path))
        return functions[symbols_called(functions, symbol, where=str(path))[0]]

    return _Code(symbols, read)


def run_tool(command: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program of a compiler's tools on a text, for two minutes at most."""
    return subprocess.run(
        command, input=text, capture_output=True, encoding="utf-8", errors="replace", timeout=120, check=False
    )


def _dumped(program: str, option: str, path: Path) -> str:
    try:
        done = run_tool([program, option, "--no-show-raw-insn", str(path.resolve())])
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError(f"objdump cannot be run: {error}", where=str(path), hint="repair it") from error
    if done.returncode:
        said = one_line(done.stderr.strip().rpartition(":")[2] or f"exit code {done.returncode}")
        hint = "rebuild it, or install an objdump for its processor (apt install llvm)"
        raise InputError(f"objdump cannot read it: {said}", where=str(path), hint=hint)
    return done.stdout


def read_functions(path: Path, name: str) -> Iterator[tuple[str, tuple[Instruction, ...]]]:
    """Yield symbol and instructions of a function, then of what compilers split from it: clones, lambdas.

    They are in a ``.s`` file, objdump's text or an object file.
    """
    code = _code_in(path)
    for symbol in symbols_called(code.symbols, name, where=str(path)):
        yield symbol, code.read(symbol)


def _code_in(path: Path) -> _Code:
    try:
        content = read_bytes(path)
    except InputError as error:
        raise InputError(error.what, where=error.where, hint=error.hint or _WHAT_TO_GIVE) from error
    if content.startswith(_ELF):
        return _code_in_object(path)
    if b"\0" in content:
        raise InputError("it is binary, but no ELF object file", where=str(path), hint=_WHAT_TO_GIVE)
    functions = functions_in(content.decode("utf-8", errors="replace"), where=str(path))
    return _Code(functions, functions.__getitem__)


def isa_of(instructions: Sequence[Instruction]) -> str | None:
    """Return the instruction set of a loop; None if its operands do not show it."""
    operands = [operand for instruction in instructions for operand in instruction.operands]
    if any("%" in operand for operand in operands):
        return "x86-64"
    named = any(re.match(r"[xwvzdsqp]\d|\[", operand) for operand in operands)
    return "aarch64" if named else None


VECTOR_BITS = {"x": 128, "y": 256, "z": 512}
"""How wide the vectors of an operand's kind are on x86-64."""


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

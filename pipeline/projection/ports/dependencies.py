"""How long a loop waits for its own results: the longest chain of dependent instructions per iteration.

Registers only: as llvm-mca does by default, loads are assumed not to read what the loop has just stored.
What an instruction reads and writes follows from its mnemonic and the order of its operands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.projection.ports.assembly import Instruction
from pipeline.projection.ports.instruction_form import form_of

_FLAGS = "flags"
_WARM_UP, _MEASURED = 12, 12  # iterations


@dataclass(frozen=True, kw_only=True)
class Access:
    """Registers of one instruction.

    Attributes:
        reads: registers whose values it computes with.
        addresses: registers that it forms addresses from.
        addends: registers that a multiply-add adds to.
        writes: registers that it computes.
        bases: address registers that it advances.
    """

    reads: frozenset[str]
    addresses: frozenset[str] = frozenset()
    addends: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Latency:
    """Cycles from what an instruction reads to what it writes.

    Attributes:
        register: from its registers.
        address: from the registers of an address, with the load.
        addend: from the addend of a multiply-add.
    """

    register: float
    address: float
    addend: float


def dependency_bound(isa: str, body: Sequence[Instruction], latencies: Sequence[Latency]) -> float:
    """Return cycles per iteration that dependent instructions take if nothing else limits the loop."""
    accesses = [access_of(isa, instruction) for instruction in body]
    ready: dict[str, float] = {}
    _run(accesses, latencies, ready, _WARM_UP)
    before = max(ready.values(), default=0.0)
    _run(accesses, latencies, ready, _MEASURED)
    return (max(ready.values(), default=0.0) - before) / _MEASURED


def _run(
    accesses: Sequence[Access], latencies: Sequence[Latency], ready: dict[str, float], iterations: int
) -> None:
    for _ in range(iterations):
        for access, latency in zip(accesses, latencies, strict=True):
            done = max((ready.get(r, 0.0) for r in access.reads), default=0.0) + latency.register
            late = max((ready.get(r, 0.0) for r in access.addresses), default=0.0)
            done = max(done, late + latency.address)
            if access.addends:
                done = max(done, max(ready.get(r, 0.0) for r in access.addends) + latency.addend)
            ready.update(dict.fromkeys(access.writes, done))
            ready.update(dict.fromkeys(access.bases, late + 1.0))


def access_of(isa: str, instruction: Instruction) -> Access:
    """Return the registers that an instruction reads and writes."""
    return _arm_access(instruction) if isa == "aarch64" else _x86_access(instruction)


# --- x86-64, AT&T: the destination comes last

_X86_REGISTER = re.compile(r"%(\w+)")
_X86_COMPARES = re.compile(
    r"v?u?comis[sd]|cmp[bwlq]?|test[bwlq]?|bt[wlq]?|v?ptest|vtestp[sd]|k(or)?test[bwdq]"
)
_X86_PURE = re.compile(
    r"mov(?!h|l[ph]|s[sd]$)\w*|lea[wlq]?|set\w+|v?cvt\w+|v?sqrt\w+|v?rc?p?sqrt\w*|v?rcp\w+|v?round\w+|pshuf[dhl]\w*"
    r"|v?p?abs\w+|p?movmsk\w*|pmovmskb|pextr\w|extractps|pop\w*|popcnt\w*|[lt]zcnt\w*|bs[fr]\w?|lddqu|pmov[sz]x\w+"
    r"|andn\w?|s[ah][rl]x\w?|rorx\w?|bextr\w?|bzhi\w?|pdep\w?|pext\w?|bls\w+|mulx\w?|k\w+"
)
_X86_DESTRUCTIVE = re.compile(
    r"vfn?m(add|sub|addsub|subadd)\w+|vperm[ti]2\w+|vpternlog\w|vp?gather\w+|vpdp\w+|vpmadd52\w+|vpsh[lr]dv\w"
)
_X86_FUSED = re.compile(r"vfn?m(add|sub)")
_X86_FLAG_READERS = re.compile(r"j(?!mp|[er]?cxz)\w+|set\w+|cmov\w+|adc\w?|sbb\w?|rc[lr]\w?")
_X86_FLAG_WRITERS = re.compile(
    r"(add|sub|adc|sbb|and|andn|or|xor|neg|inc|dec|cmp|test|imul|mul|sh[lr]|sa[lr]|bt[src]?|popcnt|[lt]zcnt|bs[fr]|bls\w+)"
    r"[bwlq]?|v?u?comis[sd]|v?ptest|vtestp[sd]|k(or)?test[bwdq]"
)


def _x86_access(instruction: Instruction) -> Access:
    mnemonic, operands = instruction.mnemonic.split()[-1], instruction.operands
    flags = frozenset({_FLAGS})
    reads = flags if _X86_FLAG_READERS.fullmatch(mnemonic) else frozenset()
    writes = flags if _X86_FLAG_WRITERS.fullmatch(mnemonic) else frozenset()
    addresses = frozenset(r for o in operands if "(" in o for r in _x86_registers(o[o.index("(") :]))
    named = [[] if "(" in o else _x86_registers(o) for o in operands]
    if (
        not operands
        or instruction.target is not None
        or mnemonic.startswith(("j", "call", "nop", "prefetch"))
    ):
        reads |= {r for registers in named for r in registers}
        reads, writes = _x86_implicit(mnemonic, reads, writes)
        return Access(reads=reads, addresses=addresses, writes=writes)
    everything = frozenset(r for registers in named for r in registers)
    if form_of("x86-64", instruction).split(" ")[1:2] == ["0"]:
        return Access(reads=frozenset(), writes=frozenset(named[-1]) | writes)
    if _X86_COMPARES.fullmatch(mnemonic) or "(" in operands[-1]:
        masks = frozenset(re.findall(r"\{%(k\d)\}", operands[-1]))
        return Access(reads=reads | everything | masks, addresses=addresses, writes=writes)
    sources = frozenset(r for registers in named[:-1] for r in registers)
    target = named[-1][:1]
    addends: frozenset[str] = frozenset()
    if _X86_FUSED.match(mnemonic):
        addends = frozenset(target)
    elif _x86_reads_target(mnemonic, operands):
        sources |= frozenset(target)
    masks = frozenset(named[-1][1:])
    written = frozenset(target) | (frozenset(named[0]) if mnemonic.startswith("xchg") else frozenset())
    reads, writes = _x86_implicit(mnemonic, reads | sources | masks, writes | written)
    return Access(reads=reads, addresses=addresses, addends=addends, writes=writes)


def _x86_reads_target(mnemonic: str, operands: tuple[str, ...]) -> bool:
    if "{%k" in operands[-1] and "{z}" not in operands[-1]:
        return True
    if mnemonic in ("movsd", "movss"):
        return "(" not in operands[0]
    if mnemonic.startswith("imul") and len(operands) == 3:
        return False
    if mnemonic.startswith("v"):
        return _X86_DESTRUCTIVE.fullmatch(mnemonic) is not None
    return _X86_PURE.fullmatch(mnemonic) is None


def _x86_implicit(
    mnemonic: str, reads: frozenset[str], writes: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return reads and writes with the registers that are not written out."""
    if re.fullmatch(r"c(ltq|wtl|dqe|wde)", mnemonic):
        return reads | {"rax"}, writes | {"rax"}
    if re.fullmatch(r"c(qto|ltd|qo|dq|wtd)", mnemonic):
        return reads | {"rax"}, writes | {"rdx"}
    return reads, writes


_X86_WHOLE = {
    name: f"r{core}" if len(core) == 2 else core
    for core in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")
    for name in (f"r{core}", f"e{core}", core, f"{core[0]}l", f"{core}l", f"{core[0]}h")
}


def _x86_registers(text: str) -> list[str]:
    found = []
    for name in _X86_REGISTER.findall(text):
        if re.fullmatch(r"[xyz]mm\d+", name):
            found.append(f"v{name[3:]}")
        elif numbered := re.fullmatch(r"(r\d+)[bwd]?", name):
            found.append(numbered[1])
        elif name not in ("rip", "fs", "gs", "ds", "es", "ss", "cs"):
            found.append(_X86_WHOLE.get(name, name))
    return found


# --- AArch64: the destination comes first

_ARM_REGISTER = re.compile(r"\b(?:([bhsdqvz])(\d+)|([wx])(\d+)|(sp)|pn?(\d+))\b")
_ARM_BRANCHES = re.compile(r"b|bl|br|blr|b\.\w+|[ct]bn?z|ret|prf\w+|nop")
_ARM_COMPARES = re.compile(r"cmp|cmn|tst|ccmp|ccmn|fcmpe?|fccmpe?|ptest")
_ARM_FLAG_WRITERS = re.compile(r"(add|sub|and|bic|adc|sbc|neg)s|while\w+|ptrues|brk\w+s|cmp\w\w|pfirst|pnext")
_ARM_DESTRUCTIVE = re.compile(
    r"f?n?ml[as]\w*|[su]ml[as]l\w*|f?n?m(ad|sb)|bit|bif|bsl|ins|movk|bfi|bfxil|bfm|s[lr]i|[su]dot|fcmla|tbx"
    r"|(inc|dec|[su]q(inc|dec))[bhwdp]|[su]adalp|[su]sra|[su]ab[as]l?\w*|splice|insr|xar|cadd|pfirst|pnext"
)
_ARM_ADDENDS = re.compile(r"f?n?ml[as]\w*|[su]ml[as]l\w*|[su]dot|fcmla")
_ARM_SCALAR_ADDENDS = re.compile(r"fn?m(add|sub)|m(add|sub)|[su]m(add|sub)l")


def _arm_access(instruction: Instruction) -> Access:
    mnemonic, operands = instruction.mnemonic, instruction.operands
    flags = frozenset({_FLAGS})
    conditional = mnemonic.startswith("b.") or mnemonic in ("adc", "sbc", "adcs", "sbcs")
    form = form_of("aarch64", instruction)
    reads = flags if conditional or form.endswith((",c", " c")) else frozenset()
    writes = (
        flags if _ARM_FLAG_WRITERS.fullmatch(mnemonic) or _ARM_COMPARES.fullmatch(mnemonic) else frozenset()
    )
    named = [_arm_registers(o) for o in operands]
    address = next((k for k, o in enumerate(operands) if o.startswith("[")), None)
    if _ARM_BRANCHES.fullmatch(mnemonic) or instruction.target is not None:
        return Access(reads=reads | {r for registers in named for r in registers})
    if address is not None:
        return _arm_memory(mnemonic, operands, named, address)
    everything = frozenset(r for registers in named for r in registers)
    if _ARM_COMPARES.fullmatch(mnemonic) or not operands:
        return Access(reads=reads | everything, writes=writes)
    target, sources = frozenset(named[0]), frozenset(r for registers in named[1:] for r in registers)
    merges = any("/m" in o for o in operands[1:2]) or operands[0].endswith("]")
    if _ARM_ADDENDS.fullmatch(mnemonic):
        return Access(reads=reads | sources, addends=target, writes=writes | target)
    if _ARM_SCALAR_ADDENDS.fullmatch(mnemonic) and len(named) == 4:
        products = frozenset(r for registers in named[1:3] for r in registers)
        return Access(reads=reads | products, addends=frozenset(named[3]), writes=writes | target)
    if merges or _ARM_DESTRUCTIVE.fullmatch(mnemonic):
        sources |= target
    return Access(reads=reads | sources, writes=writes | target)


def _arm_memory(
    mnemonic: str, operands: tuple[str, ...], named: Sequence[Sequence[str]], address: int
) -> Access:
    before = frozenset(r for registers in named[:address] for r in registers)
    used = frozenset(named[address]) | frozenset(r for registers in named[address + 1 :] for r in registers)
    moves = operands[address].endswith("!") or len(operands) > address + 1
    bases = frozenset(named[address][:1]) if moves else frozenset()
    if not mnemonic.startswith("ld"):
        return Access(reads=before, addresses=used, bases=bases)
    predicates = frozenset(r for r in before if r.startswith("p"))
    lanes = any(o.rstrip().endswith("]") for o in operands[:address])
    reads = before if lanes else predicates
    return Access(reads=reads, addresses=used, writes=before - predicates, bases=bases)


def _arm_registers(text: str) -> list[str]:
    return list(_each_arm_register(text))


def _each_arm_register(text: str) -> Iterator[str]:
    for vector, number, _, integer, stack, predicate in _ARM_REGISTER.findall(text):
        if vector:
            yield f"v{number}"
        elif integer:
            yield f"x{integer}"
        else:
            yield stack or f"p{predicate}"

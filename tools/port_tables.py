"""Write the instruction tables of `pipeline/projection/ports/instructions` by running llvm-mca.

    python -m tools.port_tables [ASSEMBLY ...]
    python -m tools.port_tables --loops          the cycles of the loops that the tests compare with

Every instruction form of the existing tables and of the assembly files given, and the forms that differ from
them only in width, precision or a memory operand, is put to llvm-mca for every processor; what it answers
about micro-operations, latency and resources is stored. No file of LLVM's is read.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

from pipeline.projection.ports.assembly import Instruction, functions_in, loop_bodies
from pipeline.projection.ports.instruction_form import form_of
from pipeline.projection.ports.llvm_mca import find_llvm_mca, simulate_loop
from pipeline.projection.ports.processors import processors
from tools.instruction_examples import example
from tools.port_forms import USUAL, related

FOLDER = Path(__file__).parents[1] / "pipeline" / "projection" / "ports" / "instructions"
MODELS = {
    "x86-64": (
        *("haswell", "broadwell", "skylake-avx512", "icelake-server", "sapphirerapids"),
        *("znver1", "znver2", "znver3", "znver4"),
    ),
    "aarch64": ("neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2", "a64fx"),
}
TRIPLES = {"x86-64": "x86_64", "aarch64": "aarch64"}
ACCUMULATING = re.compile(
    r"f?n?m(la|ls|add|sub|adds|subs|addl|subl|lal|lsl)\d*|[su]m(addl|subl|lal2?|lsl2?)|[su]dot|fcmla"
)
CHAIN = 100  # iterations of a dependent chain


def main(paths: Sequence[str]) -> None:
    """Write one table per processor model."""
    for isa, models in MODELS.items():
        forms = sorted(forms_known(isa) | forms_in(isa, paths) | set(USUAL[isa]))
        wanted = sorted(set(forms) | set(related(isa, forms)))
        for model in models:
            write_table(isa, model, wanted)


def forms_known(isa: str) -> set[str]:
    """Return the forms of the tables as they are."""
    found: set[str] = set()
    for model in MODELS[isa]:
        path = FOLDER / f"{model}.tsv"
        if path.exists():
            lines = path.read_text().splitlines()
            found |= {
                form for line in lines if line[:1].isdigit() for form in line.split("\t")[-1].split("; ")
            }
    return found


def forms_in(isa: str, paths: Iterable[str]) -> set[str]:
    """Return the forms in assembly files of that instruction set."""
    found: set[str] = set()
    for path in paths:
        text = Path(path).read_text(errors="replace")
        if ("%r" in text) == (isa == "x86-64"):
            for body in functions_in(text, where=path).values():
                found |= {form_of(isa, instruction) for instruction in body}
    return found


def ask(isa: str, model: str, lines: Sequence[str], *options: str) -> tuple[dict, list[int]]:
    """Return llvm-mca's answer, and which of the lines the processor has."""
    tool = find_llvm_mca(None)
    kept = list(range(len(lines)))
    while True:
        command = [str(tool.path), f"-mtriple={TRIPLES[isa]}", f"-mcpu={model}", "--json", *options, "-"]
        text = "\n".join([*(lines[k] for k in kept), ""])
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        starts = np.cumsum([0, *(lines[k].count("\n") + 1 for k in kept)])
        wrong = {
            int(np.searchsorted(starts, int(n) - 1, "right")) - 1
            for n in re.findall(r"^<stdin>:(\d+):\d+: error", done.stderr, re.M)
        }
        if not wrong:
            break
        kept = [k for place, k in enumerate(kept) if place not in wrong]
    answer = json.loads(done.stdout)
    skipped = re.findall(r"^note: instruction: \t(.*)$", done.stderr, re.M)
    if skipped:
        printed = subprocess.run(
            [str(tool.path).replace("mca", "mc"), f"-triple={TRIPLES[isa]}", *MATTR[isa]],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.splitlines()
        printed = [
            re.split(r"\s+(?:# |// )", line[1:])[0]
            for line in printed
            if line.startswith("\t") and not line.startswith("\t.")
        ]
        queue = list(skipped)
        kept = [k for k, line in zip(kept, printed, strict=True) if not _next_is(line, queue)]
        if queue:
            raise SystemExit(f"{model}: '{queue[0]}' was skipped, but is not among the lines")
    return answer, kept


MATTR = {"x86-64": (), "aarch64": ("-mattr=+all",)}


def _next_is(line: str, skipped: list[str]) -> bool:
    if skipped and line == skipped[0]:
        skipped.pop(0)
        return True
    return False


def write_table(isa: str, model: str, forms: Sequence[str]) -> None:
    """Write the table of one processor model."""
    lines = [example(isa, form) for form in forms]
    answer, kept = ask(isa, model, lines, "--instruction-tables", "--skip-unsupported-instructions=any")
    region = answer["CodeRegions"][0]
    names, columns = resource_names(answer["TargetInfo"]["Resources"])
    if len(kept) != len(region["Instructions"]):
        raise SystemExit(f"{model}: {len(kept)} instructions kept, {len(region['Instructions'])} answered")
    pressure = np.zeros((len(kept), len(names)))
    for entry in region["ResourcePressureView"]["ResourcePressureInfo"]:
        if entry["InstructionIndex"] < len(kept):
            pressure[entry["InstructionIndex"], columns[entry["ResourceIndex"]]] += entry["ResourceUsage"]
    info = region["InstructionInfoView"]["InstructionList"]
    units = np.bincount(columns)
    uses = decomposed(names, units, pressure, np.array([row["NumMicroOpcodes"] for row in info]))
    chains = chain_latencies(isa, model, [forms[k] for k in kept])
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for k, row, use in zip(kept, info, uses, strict=True):
        chain = chains.get(forms[k], row["Latency"])
        latency = f"{row['Latency']}/{chain}" if chain != row["Latency"] else str(row["Latency"])
        groups[str(row["NumMicroOpcodes"]), latency, use].append(forms[k])
    version = find_llvm_mca(None).version
    simulated, _ = ask(isa, model, ["nop"], "--iterations=1")
    head = [
        f"# Instruction costs of {model}, by llvm-mca {version}; written by tools/port_tables.py.",
        "# micro-operations, latency (/latency as an addend), cycles of units, forms",
        f"isa\t{isa}",
        f"llvm\t{version}",
        f"dispatch\t{simulated['CodeRegions'][0]['SummaryView']['DispatchWidth']}",
        *window_and_buffers(isa, model, names),
        "units\t" + " ".join(f"{n}*{u}" if u > 1 else n for n, u in zip(names, units, strict=True)),
    ]
    rows = ["\t".join((*key, "; ".join(sorted(found)))) for key, found in sorted(groups.items())]
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{model}.tsv"
    path.write_text("\n".join([*head, *rows, ""]))
    print(f"{path.name}: {len(kept)} forms, {len(rows)} costs, {path.stat().st_size} bytes", flush=True)


def window_and_buffers(isa: str, model: str, names: Sequence[str]) -> list[str]:
    """Return the lines that state how many instructions the core holds, and what waits before its units."""
    probe = (
        "addq %rcx, %rdx\naddpd (%rax), %xmm1\nmovapd %xmm1, (%rax)" if isa == "x86-64" else "fadd d1, d2, d3"
    )
    command = [str(find_llvm_mca(None).path), f"-mtriple={TRIPLES[isa]}", f"-mcpu={model}"]
    command += ["--scheduler-stats", "--retire-stats", "-"]
    text = subprocess.run(command, input=probe, capture_output=True, text=True, check=True).stdout
    window = re.search(r"Total ROB Entries: +(\d+)", text)
    found = re.findall(r"^([A-Z]\w+) +\d+ +\d+ +(\d+)\s*$", text, re.M)
    buffers = [f"{'+'.join(behind(name, names))}={size}" for name, size in found]
    return [f"window\t{window[1] if window else 0}", f"buffers\t{' '.join(buffers) or '-'}"]


def behind(buffer: str, names: Sequence[str]) -> list[str]:
    """Return the units that a buffer of LLVM's model feeds, by its name."""
    if buffer.endswith("PortAny"):
        return [name for name in names if re.fullmatch(r"P\d+", name)]
    if numbered := re.fullmatch(r"SPRPort([\d_]+)", buffer):
        return [f"P{int(number)}" for number in numbered[1].split("_")]
    stem = re.sub(r"^Zn\d?", "", buffer)
    stems = {"Int": ("ALU", "AGU", "BRU"), "FP": ("FP0", "FP1", "FP2", "FP3", "FP45")}.get(stem, (stem,))
    return [name for name in names if name.startswith(stems)]


def resource_names(resources: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Return unit names without the processor's prefix, equal ones once, and the column of each resource."""
    stem = re.compile(r"^(?:BW|HW|SKX|ICX|SPR|Zn\d?|N[12]|V[12]|A64FXIP)(?:Port|Unit)?")
    short = [stem.sub("", name.split(".")[0]) for name in resources]
    short = [f"P{int(name)}" if name.isdigit() else name for name in short]
    names = list(dict.fromkeys(short))
    return names, np.array([names.index(name) for name in short])


def decomposed(names: list[str], units: np.ndarray, pressure: np.ndarray, uops: np.ndarray) -> list[str]:
    """Return what every instruction occupies: cycles of units or of groups of units, as text.

    llvm-mca divides the cycles of a group evenly among its units. The groups are those that instructions of
    one micro-operation show, and those of `STORES`; what other instructions occupy are sums of them.
    """
    text: list[list[str]] = [[] for _ in pressure]
    for family in families(names, units):
        levels = pressure[:, family] / units[family]
        groups = groups_seen(levels, uops, units[family], [names[k] for k in family])
        for row in np.flatnonzero(levels.sum(axis=1) > TINY):
            for group, amount in as_sum_of_groups(levels[row], groups, units[family]):
                label = "+".join(names[family[k]] for k in group)
                text[row].append(f"{label}={_number(amount)}")
    return [" ".join(parts) or "-" for parts in text]


def families(names: Sequence[str], units: np.ndarray) -> list[list[int]]:
    """Return the units that may share a group; a divider or a multiplier is a family of its own."""
    if "V0" in names:
        letters = ["B", "D", "L", "V", "SM"]  # Neoverse
    elif "FLA" in names:
        letters = ["E", "F"]  # A64FX
    else:
        letters = []
    joined = [[k for k, name in enumerate(names) if name[0] in letter] for letter in letters]
    taken = {k for family in joined for k in family}
    stems: dict[str, list[int]] = defaultdict(list)
    for k, name in enumerate(names):
        if k not in taken:
            stems[name if units[k] > 1 else re.sub(r"\d+$", "", name)].append(k)
    return joined + list(stems.values())


def groups_seen(
    levels: np.ndarray, uops: np.ndarray, units: np.ndarray, names: Sequence[str]
) -> list[tuple[int, ...]]:
    """Return the groups of a family's units that some instruction of one micro-operation is spread over."""
    found = {(k,) for k in range(len(names))}
    for stored in STORES:
        if all(name in names for name in stored) and not (
            "P7" in stored and "P8" in names and "P3" in stored
        ):
            found.add(tuple(names.index(name) for name in stored))
    for row in np.flatnonzero((levels > TINY).any(axis=1) & (uops <= 1)):
        used = np.flatnonzero(levels[row] > TINY)
        whole = float((levels[row] * units).sum())
        if {names[k] for k in used} == {"P4", "P7", "P8", "P9"}:
            continue  # store data and store address of processors that count both as one micro-operation
        if np.ptp(levels[row, used]) < ROUNDING and abs(whole - round(whole)) < ROUNDING:
            found.add(tuple(used.tolist()))
    return sorted(found, key=lambda group: (-len(group), group))


def as_sum_of_groups(
    levels: np.ndarray, groups: Sequence[tuple[int, ...]], units: np.ndarray
) -> list[tuple[tuple[int, ...], float]]:
    """Return the amounts of groups that add up to the levels: whole cycles of few groups if possible."""
    inside = [group for group in groups if all(levels[k] > TINY for k in group)]
    shares = np.array(
        [[1 / units[list(g)].sum() if k in g else 0.0 for g in inside] for k in range(len(levels))]
    )
    whole = round(float((levels * units).sum()))
    for many in range(1, min(len(inside), 4) + 1):
        for chosen in combinations(range(len(inside)), many):
            for amounts in compositions(whole, many):
                if np.abs(shares[:, chosen] @ amounts - levels).max() < ROUNDING:
                    return [(inside[k], float(a)) for k, a in zip(chosen, amounts, strict=True)]
    rest, found = levels.copy(), []
    for group in inside:  # widest first, and single units last, so that nothing is left
        level = rest[list(group)].min()
        if level > ROUNDING:
            rest[list(group)] -= level
            found.append((group, float(level * units[list(group)].sum())))
    return found


@cache
def compositions(whole: int, parts: int) -> list[tuple[int, ...]]:
    """Return the ways to write a number as a sum of that many positive ones, if they are few."""
    if whole > 24 or whole < parts:
        return []
    if parts == 1:
        return [(whole,)]
    return [(k, *rest) for k in range(1, whole) for rest in compositions(whole - k, parts - 1)]


STORES = (("P4", "P9"), ("P7", "P8"), ("P2", "P3", "P7"))
TINY, ROUNDING = 1e-9, 1e-4


def _number(value: float) -> str:
    close = Fraction(value).limit_denominator(12)
    return f"{float(close):.4g}" if abs(float(close) - value) < 1e-4 else f"{value:.4g}"


def chain_latencies(isa: str, model: str, forms: Sequence[str]) -> dict[str, int]:
    """Return the latency from a register that is needed late: an addend, or one beside a folded load.

    Each form is simulated as a chain through that register, one region of code each.
    """
    chains = {form: line for form in forms if (line := chained(isa, form)) is not None}
    if not chains:
        return {}
    lines = [
        f"{MARK[isa]} LLVM-MCA-BEGIN {k}\n{line}\n{MARK[isa]} LLVM-MCA-END"
        for k, line in enumerate(chains.values())
    ]
    once, kept = ask(isa, model, lines, f"--iterations={CHAIN}", *ONLY_TOTALS)
    twice, _ = ask(isa, model, [lines[k] for k in kept], f"--iterations={2 * CHAIN}", *ONLY_TOTALS)
    totals = [
        {r["Name"]: r["SummaryView"]["TotalCycles"] for r in answer["CodeRegions"]}
        for answer in (once, twice)
    ]
    names = list(chains)
    return {names[int(k)]: max(round((totals[1][k] - total) / CHAIN), 1) for k, total in totals[0].items()}


ONLY_TOTALS = ("--instruction-info=0", "--resource-pressure=0")
MARK = {"x86-64": "#", "aarch64": "#"}


def chained(isa: str, form: str) -> str | None:
    """Return an instruction of that form that depends on its own result through the late register."""
    name, _, kinds = form.partition(" ")
    if isa == "aarch64":
        scalar = name in ("fmadd", "fmsub", "fnmadd", "fnmsub", "madd", "msub", "smaddl", "umaddl")
        return example(isa, form, accumulating=scalar) if ACCUMULATING.fullmatch(name) else None
    listed = kinds.split(",")
    if re.match(r"vfn?m(add|sub)", name):
        return example(isa, form)
    if "m" not in listed[:-1] or listed[-1] not in "xyzlq" or not re.fullmatch(r"(i,)?m(,[xyzlq])+", kinds):
        return None
    if re.match(
        r"v?p?mov|lea|v?cvt|pop|v?sqrt|v?rsqrt|v?rcp|v?(p?broadcast|permil|round)|vp?shuf|v?p?abs|cmov", name
    ):
        return None
    mnemonic, _, rest = example(isa, form).partition(" ")
    operands = rest.split(", ")
    return f"{mnemonic} {', '.join(o if o[0] in '($' else operands[-1] for o in operands)}"


TEN = 10
LOOPS = Path(__file__).parents[1] / "tests" / "pipeline" / "projection" / "ports" / "loops"


def write_loops() -> None:
    """Write the cycles that llvm-mca states for the loops of the tests, for every processor model."""
    lines = ["model,listing,loop,cycles"]
    tool = find_llvm_mca(None)
    for processor in processors():
        if tool is None or processor.model != processor.llvm:
            continue
        for listing in sorted(LOOPS.glob("*.s")):
            found = []
            for name, instructions in functions_in(listing.read_text()).items():
                body = loop_bodies(instructions)[0]
                loop = instructions[body.start : body.stop]
                if is_x86(loop) == (processor.isa == "x86-64") and all(map(processor.table.cost, loop)):
                    cycles = simulate_loop(tool, processor, loop).cycles
                    found.append(f"{processor.model},{listing.stem},{name},{cycles:.6g}")
            lines += found if len(found) == TEN else []
    (LOOPS / "llvm-mca.csv").write_text("\n".join([*lines, ""]))


def is_x86(loop: Sequence[Instruction]) -> bool:
    """Return whether registers are written as on x86-64."""
    return any("%" in operand for instruction in loop for operand in instruction.operands)


if __name__ == "__main__":
    write_loops() if sys.argv[1:] == ["--loops"] else main(sys.argv[1:])

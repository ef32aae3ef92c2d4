"""Counting the instructions of a loop by class."""

import subprocess
import sys

import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.ports.assembly import functions_in
from pipeline.projection.ports.counting import USUAL_CLASSES, count_classes
from pipeline.stages.ports import counted_variant
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.programs import ARM, COMPILED, COMPILED_COUNTS, DUMPED
from tests.pipeline.projection.ports.simulated import MAP

FINER = (*USUAL_CLASSES, "fma", "sqrt", "idiv", "compare", "convert", "branch")


@pytest.fixture
def counted(tmp_path):
    def of(text, function, **options):
        (tmp_path / "base.s").write_text(text)
        given = {"port_map": None, "loop": None, "per_pass": 1, "cycles": None, **options}
        return counted_variant(tmp_path / "base.s", function, **given)[0]

    return of


def present(counts):
    return {name: count for name, count in counts.items() if count}


def test_compiler_output_by_the_classes_of_a_map(counted):
    row = counted(COMPILED, "flux", port_map=MAP, cycles=12.5)
    assert list(row) == ["variant", "instructions", *USUAL_CLASSES, "cycles"]
    assert (row["variant"], row["cycles"]) == ("base", 12.5)
    assert {name: row[name] for name in USUAL_CLASSES} == COMPILED_COUNTS


def test_a_pass_of_four_elements_of_objdump_text(counted):
    row = counted(DUMPED, "triad", per_pass=4)
    assert row == {
        **{"variant": "base", "instructions": 1.5, "cycles": ""},
        **dict.fromkeys(USUAL_CLASSES, 0),
        **{"mul": 0.25, "load": 0.75, "store": 0.25, "alu": 0.75},
    }


def test_aarch64(counted):
    found = counted(ARM, "triad")
    assert {name: found[name] for name in USUAL_CLASSES} == {
        **{"div": 1, "mul": 1, "add": 1, "shuffle": 0, "vector": 2, "alu": 5, "load": 4, "store": 2}
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vaddpd (%rax),%ymm0,%ymm1", {"add": 1, "load": 1}),
        ("vfnmadd231sd -8(%rdx,%rax,8),%xmm2,%xmm0", {"fma": 1, "load": 1}),
        ("vgatherdpd %ymm3,(%rax,%xmm1,8),%ymm2", {"vector": 1, "shuffle": 1, "load": 4}),
        ("vgatherdps (%rax,%zmm1,4),%zmm2{%k1}", {"vector": 1, "shuffle": 1, "load": 16}),
        ("vscatterdpd %zmm0,(%rax,%ymm1,8){%k1}", {"vector": 1, "shuffle": 1, "store": 8}),
        ("vmovupd %zmm1,(%rax){%k1}", {"store": 1}),
        ("movaps %xmm0,%xmm1", {}),
        ("movhpd 8(%rax),%xmm0", {"load": 1, "shuffle": 1}),
        ("movhpd %xmm0,8(%rax)", {"store": 1}),
        ("cvtsi2sdq %rax,%xmm0", {"convert": 1, "shuffle": 1}),
        ("addq $1,(%rax)", {"alu": 1, "load": 1, "store": 1}),
        ("cmpq $1,(%rax)", {"alu": 1, "load": 1}),
        ("movl %fs:0x28,%eax", {"load": 1}),
        ("movslq %eax,%rcx", {"alu": 1}),
        ("lea 8(%rax),%rcx", {"alu": 1}),
        ("vxorpd %xmm1,%xmm1,%xmm1", {"logic": 1}),
        ("vpaddd %ymm0,%ymm1,%ymm2", {"vector": 1}),
        ("vpextrq $1,%xmm0,%rsi", {"shuffle": 1}),
        ("vmaxpd (%rax),%ymm0,%ymm1", {"compare": 1, "load": 1}),
        ("ucomisd %xmm0,%xmm1", {"compare": 1}),
        ("vdivpd %ymm0,%ymm1,%ymm2", {"div": 1}),
        ("vsqrtps %zmm0,%zmm1", {"sqrt": 1}),
        ("idivq (%rax)", {"idiv": 1, "load": 1}),
        ("vmaskmovpd %ymm1,%ymm0,(%rax)", {"vector": 1, "store": 1}),
        ("je,pt 100", {"branch": 1}),
    ],
)
def test_x86_classes(text, expected):
    (instruction,) = functions_in(f"f:\n\t{text}\n")["f"]
    assert present(count_classes("x86-64", [instruction], (*FINER, "logic"))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fmadd d0, d1, d2, d3", {"fma": 1}),
        ("fmla z0.d, p0/m, z1.d, z2.d", {"fma": 1}),
        ("ldp q0, q1, [x0]", {"load": 2}),
        ("ldp q0, q1, [x0], #32", {"load": 2, "alu": 1}),
        ("ld1d { z0.d }, p0/z, [x0, z1.d, lsl #3]", {"load": 2, "vector": 1}),
        ("str d0, [x1, #8]!", {"store": 1, "alu": 1}),
        ("add v0.2d, v1.2d, v2.2d", {"vector": 1}),
        ("add x0, x1, #8", {"alu": 1}),
        ("zip1 v0.2d, v1.2d, v2.2d", {"shuffle": 1}),
        ("whilelo p0.d, x0, x1", {"predicate": 1}),
        ("scvtf d0, x1", {"convert": 1}),
    ],
)
def test_arm_classes(text, expected):
    (instruction,) = functions_in(f"f:\n\t{text}\n")["f"]
    assert present(count_classes("aarch64", [instruction], (*FINER, "predicate"))) == expected


def test_what_cannot_be_counted_is_refused(counted, tmp_path):
    def line(text=COMPILED, **options):
        return refused(lambda: counted(text, "flux", **options), raises=(InputError, UsageError))

    unknown = COMPILED.replace("unpcklpd\t%xmm1, %xmm0", "frobsd\t%xmm1, %xmm0")
    assert "base.s: flux: 'frobsd %xmm1, %xmm0' is in no class of x86-64 (frobsd x,x); count" in line(unknown)
    calling = COMPILED.replace("sqrtsd\t%xmm1, %xmm1", "call\tsqrt")
    assert "'call sqrt' calls a function, which cannot be counted; inline it" in line(calling)
    assert "--loop: there is no loop 3; choose 1 to 1" in line(loop=3)
    few = tmp_path / "few.toml"
    few.write_text('name = "m"\nports = ["A"]\n[classes]\nload = { ports = ["A"] }\n')
    assert "counts as div, which the map does not have; add div to its classes" in line(port_map=few)
    few.write_text('name = "m"\nports = ["A"]\n[classes]\nlode = { ports = ["A"] }\n')
    assert "no instruction counts as 'lode'; classes are add, alu, branch" in line(port_map=few)


def test_a_dozen_variants_are_a_loop_in_the_shell(tmp_path):
    """Rows are appended to a file, the header once; other classes are refused."""
    for name in ("base", "less"):
        (tmp_path / f"{name}.s").write_text(DUMPED)
    count = f"{sys.executable} -m pipeline ports $v --function triad --count"
    script = f"""
    for v in *.s; do {count} --map {MAP} >> variants.csv; done
    v=base.s
    {count} --cycles 2.5
    sed -i s/shuffle/x/ variants.csv
    {count} >> variants.csv
    """
    done = subprocess.run(["bash", "-c", script], check=False, cwd=tmp_path, capture_output=True, text=True)
    header = f"variant,instructions,{','.join(USUAL_CLASSES)},cycles"
    row = "6,0,1,0,0,0,3,3,1,"
    written = (tmp_path / "variants.csv").read_text().replace(",x,", ",shuffle,")
    assert written == f"{header}\nbase,{row}\nless,{row}\n"
    assert done.stdout == f"{header}\nbase,{row}2.5\n"
    assert done.returncode == 2
    assert "the file has other columns:" in done.stderr

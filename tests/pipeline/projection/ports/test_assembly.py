"""Functions, operands and their kinds, jumps and loops in assembly."""

import pytest

from pipeline.projection.ports.assembly import (
    Instruction,
    functions_in,
    loop_bodies,
    nesting_depth,
    operand_kinds,
    parse_instruction,
    read_functions,
)
from pipeline.projection.ports.function_loops import read_loops
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.programs import ARM, COMPILED, DUMPED


def test_compiler_output():
    ((name, flux),) = functions_in(COMPILED).items()
    assert name == "flux"
    assert len(flux) == 17
    assert flux[0] == Instruction("testq", ("%rdi", "%rdi"), None)
    assert flux[1] == Instruction("jle", (".L1",), 16)
    assert flux[3] == Instruction("movq", ("(%rsi,%rax,8)", "%rdx"), None)
    assert flux[15] == Instruction("jne", (".L3",), 3)
    assert flux[16] == Instruction("ret")


def test_the_text_of_objdump():
    (triad,) = functions_in(DUMPED).values()
    assert [i.mnemonic for i in triad] == [
        "xor",
        "nopw",
        "vmovapd",
        "vfmadd213pd",
        "vmovapd",
        "add",
        "cmp",
        "jne",
        "ret",
    ]
    assert triad[6] == Instruction("cmp", ("0x0(%rip)", "%rax"))
    assert triad[7] == Instruction("jne", ("8 <triad+0x8>",), 2)


def test_arm_syntax():
    (triad,) = functions_in(ARM).values()
    assert triad[1] == Instruction("ld1d", ("{ z4.d }", "p0/z", "[x3, x10, lsl #3]"))
    assert triad[8] == Instruction("str", ("x9", "[x5]"))
    assert triad[13] == Instruction("b.ne", (".LBB1_3",), 1)


def test_functions_are_separated_by_their_labels():
    text = "a:\n\tnop\n.L1: addl $1, %eax\n\tjmp .L1\nb: c: ret\nempty:\n"
    found = functions_in(text)
    assert {name: [i.mnemonic for i in body] for name, body in found.items()} == {
        "a": ["nop", "addl", "jmp"],
        "c": ["ret"],
    }
    assert found["a"][2].target == 1
    dump = "0010 <f>:\n  10:\tnop\n0020 <g>:\n  20:\tret\n"
    assert {name: [i.mnemonic for i in body] for name, body in functions_in(dump).items()} == {
        "f": ["nop"],
        "g": ["ret"],
    }


@pytest.mark.parametrize(
    ("text", "mnemonic", "operands"),
    [
        ("  NOP  ", "nop", ()),
        ("bnd jmp *%rax", "jmp", ("*%rax",)),
        ("data16 cs nopw 0x0(%rax,%rax,1)", "nopw", ("0x0(%rax,%rax,1)",)),
        ("vgatherdpd %ymm3,(%rax,%xmm1,8),%ymm2", "vgatherdpd", ("%ymm3", "(%rax,%xmm1,8)", "%ymm2")),
        ("vmovupd %zmm1,(%rax){%k1}", "vmovupd", ("%zmm1", "(%rax){%k1}")),
        ("ld1 {v0.2d, v1.2d}, [x0], #32", "ld1", ("{v0.2d, v1.2d}", "[x0]", "#32")),
        ("add %eax,", "add", ("%eax",)),
    ],
)
def test_mnemonic_and_operands(text, mnemonic, operands):
    found = parse_instruction(text, {})
    assert (found.mnemonic, found.operands, found.target) == (mnemonic, operands, None)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("jne .L3", 5),
        ("b.ne 40 <f+0x8>", 7),
        ("jmp 0x40", 7),
        ("b #40", 7),
        ("jne .L9", None),
        ("call .L3", None),
        ("bl .L3", None),
        ("cbz x0, .L3", 5),
        ("ret", None),
    ],
)
def test_targets_of_jumps(text, target):
    assert parse_instruction(text, {".L3": 5, "40": 7}).target == target


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("\taddq $1, %rax # one", ("$1", "%rax")),
        ("\taddq $1, %rax // one", ("$1", "%rax")),
        ("\taddq $1, %rax ; one", ("$1", "%rax")),
        ("\tadd x0, x1, #-1", ("x0", "x1", "#-1")),
        ("\tadd x0, x1, #0x1f", ("x0", "x1", "#0x1f")),
        ("\tadd x0, x1, #:lo12:name", ("x0", "x1", "#:lo12:name")),
    ],
)
def test_comments_end_a_line_and_numbers_do_not(text, operands):
    assert functions_in(f"f:\n{text}\n")["f"][0].operands == operands


def test_texts_that_are_not_assembly():
    give = "give compiler output (.s), an object file or the output of objdump -d"
    assert refused(functions_in, "", where="k.s") == f"k.s: no instructions found; {give}"
    source = "double sum(int n) {\n  switch (n) {\n  default: return 0;\n  }\n}\n"
    for text in (source, "sum = 0\n"):
        assert refused(functions_in, text, where="k.c") == f"k.c: it holds no machine code; {give}"
    intel = "Intel syntax is not supported; write it in AT&T syntax, the default of compilers and objdump"
    assert refused(functions_in, "\t.intel_syntax noprefix\nf:\n\tadd rax, 1\n") == f"assembly: {intel}"
    for size in ("QWORD", "XMMWORD", "YMMWORD", "ZMMWORD"):
        assert intel in refused(functions_in, f"f:\n\tmov rax, {size} PTR [rbx]\n")


def jumps(*pairs, length):
    targets = dict(pairs)
    return [Instruction("jne" if k in targets else "nop", (), targets.get(k)) for k in range(length)]


def test_loops_are_innermost_and_longest_first():
    nested = jumps((5, 2), (9, 1), (19, 12), length=25)
    assert loop_bodies(nested) == (range(12, 20), range(2, 6))
    assert loop_bodies(jumps((3, 3), (9, 7), (14, 12), length=20)) == (
        range(7, 10),
        range(12, 15),
        range(3, 4),
    )
    # Loops that share an end or a beginning are one inside the other.
    assert loop_bodies(jumps((5, 2), (7, 2), length=9)) == (range(2, 6),)


def test_a_path_moved_behind_the_return_is_not_a_loop():
    moved = jumps((8, 3), (15, 6), length=16)
    moved[10] = Instruction("ret")
    assert loop_bodies(moved) == (range(3, 9),)


def test_nesting_is_that_of_the_flow_of_control():
    # a vector loop and a scalar one, and a way around both that stands behind them and jumps back
    apart = jumps((3, 1), (8, 6), (12, 5), length=13)
    apart[9] = Instruction("ret")
    assert [(body, nesting_depth(apart, body)) for body in loop_bodies(apart)] == [
        (range(1, 4), 1),
        (range(6, 9), 1),
    ]
    # entered at its condition, which stands at the end, as compilers write it without optimisation
    inner, outer = Instruction("jmp", (), 4), Instruction("jmp", (), 7)
    rotated = [outer, Instruction("nop"), inner, *jumps((2, 0), (5, 0), length=6)]
    rotated[5], rotated[8] = Instruction("jne", (), 3), Instruction("jne", (), 1)
    assert [(body, nesting_depth(rotated, body)) for body in loop_bodies(rotated)] == [(range(3, 6), 2)]


OUTLINED = """\
_Z5scalePdl:
\tcall\tGOMP_parallel
\tret
_Z5scalePdl._omp_fn.0:
.L1:
\tmulsd\t(%rax), %xmm0
\tjne\t.L1
\tret
"""


def test_the_loops_of_a_parallel_region_are_those_of_its_function(tmp_path):
    path = tmp_path / "kernel.s"
    path.write_text(OUTLINED)
    assert [len(loop.instructions) for loop in read_loops(path, "scale")] == [2]
    path.write_text(OUTLINED + OUTLINED.replace("fn.0", "fn.1"))
    assert "several functions are called 'scale'; choose one: " in refused(read_loops, path, "scale")


@pytest.mark.parametrize(
    ("operand", "kind"),
    [
        ("%rax", "r"),
        ("%xmm0", "x"),
        ("%ymm15", "y"),
        ("%zmm31", "z"),
        ("%k1", "k"),
        ("$8", "i"),
        ("8(%rax)", "m"),
        ("*%rax", "r"),
        ("*8(%rax)", "m"),
        ("%fs:0x28", "m"),
        ("symbol", "m"),
    ],
)
def test_kinds_of_x86_operands(operand, kind):
    assert operand_kinds("x86-64", Instruction("mov", (operand, "%eax"))) == (kind, "r")


@pytest.mark.parametrize(
    ("operand", "kind"),
    [
        *((register, "r") for register in ("x0", "w30", "sp", "wsp", "xzr", "wzr")),
        *(
            (register, "v")
            for register in ("v0.2d", "z4.d", "d3", "s0", "h1", "b2", "{ z4.d }", "{v0.2d, v1.2d}")
        ),
        ("q1", "q"),
        ("p0/z", "p"),
        ("[x3, x10, lsl #3]", "m"),
        ("[x3, #8]!", "w"),
        ("[x3, z1.d]", "g"),
        ("[x3, z1.d]!", "g"),
        *((number, "i") for number in ("#1", "-3", "#0x1f", "#1.5", "#1.0e+2")),
        *((label, "l") for label in (".LBB1_3", "eq", "lsl", "x0y", "name", "vl2")),
    ],
)
def test_kinds_of_arm_operands(operand, kind):
    assert operand_kinds("aarch64", Instruction("mov", ("x1", operand))) == ("r", kind)


def test_targets_of_jumps_are_labels():
    assert operand_kinds("x86-64", Instruction("jne", (".L3",), 4)) == ("l",)
    assert operand_kinds("x86-64", Instruction("jmp", (".L3",))) == ("l",)
    assert operand_kinds("x86-64", Instruction("loop", (".L3",), 4)) == ("l",)
    assert operand_kinds("x86-64", Instruction("jmp", ("*8(%rax)",))) == ("m",)
    assert operand_kinds("x86-64", Instruction("jmp", ("*%rax",))) == ("r",)
    assert operand_kinds("x86-64", Instruction("add", (".L3",))) == ("m",)
    assert operand_kinds("x86-64", Instruction("ret")) == ()
    assert operand_kinds("aarch64", Instruction("cbz", ("x0", ".L3"), 4)) == ("r", "l")


def test_text_that_is_not_utf8_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "kernel.s"
    path.write_bytes(b"# \xff\nf:\n\tnop\n")
    assert next(read_functions(path, "f"))[1] == (Instruction("nop"),)


def test_wrong_files_and_functions(tmp_path):
    def read(path, name):
        return next(read_functions(path, name))

    where = tmp_path / "kernel.s"
    where.write_text(COMPILED)
    assert refused(read, where, "vflux") == f"{where}: no function 'vflux'; functions: flux"
    where.write_text("")
    assert refused(read, where, "f").startswith(f"{where}: no instructions found")
    assert "cannot be read" in refused(read, tmp_path / "none.s", "f")

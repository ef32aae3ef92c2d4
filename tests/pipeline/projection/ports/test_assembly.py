"""Functions, operands, jumps and loops in assembly."""

import pytest

from pipeline.projection.ports.assembly import (
    Instruction,
    function_named,
    functions_in,
    loop_bodies,
    parse_instruction,
    target_loop,
)
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
    assert refused(functions_in, "", where="k.s") == (
        "k.s: no instructions found; give a .s file or the output of objdump -d"
    )
    intel = "Intel syntax is not supported; write it in AT&T syntax, the default of compilers and objdump"
    assert refused(functions_in, "\t.intel_syntax noprefix\nf:\n\tadd rax, 1\n") == f"assembly: {intel}"
    for size in ("QWORD", "XMMWORD", "YMMWORD", "ZMMWORD"):
        assert intel in refused(functions_in, f"f:\n\tmov rax, {size} PTR [rbx]\n")


def test_functions_by_name():
    functions = dict.fromkeys("hgfedcbaz", 1)
    assert function_named(functions, "a") == 1
    assert refused(function_named, functions, "x", where="k.o") == (
        "k.o: no function 'x'; functions: a, b, c, d, e, f, g, h"
    )
    assert refused(function_named, functions, "x").startswith("assembly: ")


def jumps(*pairs, length):
    targets = dict(pairs)
    return [Instruction("jne" if k in targets else "nop", (), targets.get(k)) for k in range(length)]


def test_loops_are_innermost_and_longest_first():
    nested = jumps((5, 2), (9, 1), (19, 12), length=25)
    assert loop_bodies(nested) == (range(12, 20), range(2, 6))
    assert target_loop(nested) == range(12, 20)
    assert loop_bodies(jumps((3, 3), (9, 7), (14, 12), length=20)) == (
        range(7, 10),
        range(12, 15),
        range(3, 4),
    )
    # Loops that share an end or a beginning are one inside the other.
    assert loop_bodies(jumps((5, 2), (7, 2), length=9)) == (range(2, 6),)


def test_loops_that_are_not_there_or_several():
    twins = jumps((3, 1), (8, 6), length=9)
    assert target_loop(twins) == range(1, 4)
    assert (
        refused(target_loop, jumps((2, 5), length=8))
        == "no loop found: no jump goes backwards; name another function"
    )


def test_a_path_moved_behind_the_return_is_not_a_loop():
    moved = jumps((8, 3), (15, 6), length=16)
    moved[10] = Instruction("ret")
    assert loop_bodies(moved) == (range(3, 9),)

"""Counting the instructions of a loop by class."""

from pathlib import Path

import pytest

from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable
from pipeline.projection.ports.assembly import Instruction, functions_in
from pipeline.projection.ports.counting import (
    class_table,
    classify,
    count_classes,
    count_loop,
    operand_kinds,
    read_function,
    shipped_class_table,
)
from pipeline.projection.ports.port_map import read_port_map
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.programs import ARM, COMPILED, COMPILED_COUNTS, DUMPED


def _table(content):
    return class_table(TomlTable(content, Path("rules.toml")))


def _counted(text, function, portmap, tmp_path, **options):
    path = tmp_path / "kernel.s"
    path.write_text(text)
    counts = count_loop(path, function, portmap, **options)
    return dict(zip(portmap.classes, counts.tolist(), strict=True))


def test_compiler_output(tmp_path):
    found = _counted(COMPILED, "flux", read_port_map("golden-cove"), tmp_path)
    assert found == COMPILED_COUNTS


def test_objdump_text_and_source_iterations(tmp_path):
    found = _counted(DUMPED, "triad", read_port_map("skylake-x"), tmp_path, iterations=4)
    assert found == dict.fromkeys(found, 0) | {"mul": 0.25, "load": 0.75, "store": 0.25, "alu": 0.75}


def test_aarch64(tmp_path):
    found = _counted(ARM, "triad", read_port_map("neoverse-v2"), tmp_path)
    # A vector of divisions counts as 14 / 8 scalar ones on Neoverse V2.
    expected = {
        "div": 1.75,
        "idiv": 0,
        "mul": 1,
        "add": 1,
        "vector": 1,
        "predicate": 1,
        "alu": 4,
        "branch": 1,
    }
    expected |= {"load": 4, "store": 2, "vector_store": 1, "int_store": 1, "shuffle": 0}
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vaddpd (%rax),%ymm0,%ymm1", ("add", "load")),
        ("vgatherdpd %ymm3,(%rax,%xmm1,8),%ymm2", ("vector", "shuffle", *["load"] * 4)),
        ("vmovupd %zmm1,(%rax){%k1}", ("store",)),
        ("movaps %xmm0,%xmm1", ()),
        ("movhpd 8(%rax),%xmm0", ("load", "shuffle")),
        ("movhpd %xmm0,8(%rax)", ("store",)),
        ("cvtsi2sdq %rax,%xmm0", ("add", "shuffle")),
        ("addq $1,(%rax)", ("alu", "load", "store")),
        ("cmpq $1,(%rax)", ("alu", "load")),
        ("movl %fs:0x28,%eax", ("load",)),
        ("lea 8(%rax),%rcx", ("alu",)),
        ("vxorpd %xmm1,%xmm1,%xmm1", ("logic",)),
        ("vextractf128 $1,%ymm0,%xmm1", ("cross",)),
        ("vpermpd $78,%ymm0,%ymm1", ("cross",)),
        ("vpermilpd $1,%ymm0,%ymm1", ("shuffle",)),
        ("vmaxpd (%rax),%ymm0,%ymm1", ("compare", "load")),
        ("ucomisd %xmm0,%xmm1", ("compare",)),
        ("vdivpd %ymm0,%ymm1,%ymm2", ("div_256",)),
        ("vdivsd (%rax),%xmm1,%xmm2", ("div", "load")),
        ("vsqrtps %zmm0,%zmm1", ("sqrt_single_512",)),
        ("idivl %ecx", ("idiv",)),
        ("idivq (%rax)", ("idiv", "load")),
        ("vmaskmovpd (%rax),%ymm0,%ymm1", ("load", "vector")),
        ("vmaskmovpd %ymm1,%ymm0,(%rax)", ("vector", "store")),
        ("vgatherdps (%rax,%zmm1,4),%zmm2{%k1}", ("vector", "shuffle", *["load"] * 16)),
        ("je,pt 100", ("alu",)),
    ],
)
def test_x86_classes(text, expected):
    functions = functions_in(f"f:\n\t{text}\n")
    assert classify(shipped_class_table("x86-64"), functions["f"][0]) == expected


def test_unknown_instructions_are_errors(tmp_path):
    golden = read_port_map("golden-cove")
    unknown = COMPILED.replace("unpcklpd\t%xmm1, %xmm0", "frobsd\t%xmm1, %xmm0")
    with pytest.raises(
        InputError, match=r"kernel.s: flux: 'frobsd %xmm1, %xmm0' \(operands x,x\) matches no rule; add"
    ):
        _counted(unknown, "flux", golden, tmp_path)
    calling = COMPILED.replace("sqrtsd\t%xmm1, %xmm1", "call\tsqrt")
    with pytest.raises(
        InputError, match="'call sqrt' calls a function, whose instructions cannot be counted"
    ):
        _counted(calling, "flux", golden, tmp_path)
    undecoded = DUMPED.replace("vfmadd213pd (%rdx,%rax,1),%ymm1,%ymm1", "(bad)")
    with pytest.raises(InputError, match="matches no rule"):
        _counted(undecoded, "triad", golden, tmp_path)


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


RULES = {
    "isa": "x86-64",
    "memory": "operand",
    "rule": [
        {"mnemonic": "fma", "operands": "x,x", "classes": ["mul"]},
        {"mnemonic": "fma", "operands": "x,m|m,.*", "classes": ["mul", "add"]},
        {"mnemonic": "mov.?", "memory": "move", "classes": ["alu"]},
        {"mnemonic": "cmp", "memory": "read", "classes": ["alu"]},
        {"mnemonic": "lea", "memory": "none", "classes": ["alu"]},
        {"mnemonic": "nop", "classes": []},
    ],
}


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("fma %xmm0, %xmm1", ("mul",)),
        ("fma (%rax), %xmm1", ("mul", "add", "load")),
        ("fma %xmm0, (%rax)", ("mul", "add", "load", "store")),
        ("fma (%rbx), (%rax)", ("mul", "add", "load", "store")),
        ("mov %eax, %ebx", ("alu",)),
        ("mov (%rax), %ebx", ("load",)),
        ("movq %eax, (%rbx)", ("store",)),
        ("cmp (%rax), %ebx", ("alu", "load")),
        ("cmp %eax, (%rbx)", ("alu", "load")),
        ("lea 8(%rax), %rbx", ("alu",)),
        ("nop", ()),
        ("nop (%rax)", ("load", "store")),
    ],
)
def test_the_first_rule_that_matches_decides_and_memory_adds(text, classes):
    (instruction,) = functions_in(f"f:\n\t{text}\n")["f"]
    assert classify(_table(RULES), instruction) == classes


@pytest.mark.parametrize("text", ["fmad %xmm0, %xmm1", "movqq %eax, %ebx", "fma %xmm0, %xmm1, %xmm2"])
def test_rules_match_the_whole_mnemonic_and_all_operands(text):
    (instruction,) = functions_in(f"f:\n\t{text}\n")["f"]
    line = refused(classify, _table(RULES), instruction)
    assert line.startswith(
        f"'{text}' (operands {','.join(operand_kinds('x86-64', instruction))}) matches no rule;"
    )
    assert line.endswith("; add a rule for it to a class table of x86-64")


def test_instructions_that_no_rule_matches():
    assert refused(classify, _table(RULES), Instruction("bad")) == (
        "'bad' (operands none) matches no rule; add a rule for it to a class table of x86-64"
    )
    assert refused(classify, _table(RULES), Instruction("call", ("f",))) == (
        "'call f' calls a function, whose instructions cannot be counted; "
        "inline it (for sqrt: -fno-math-errno) or choose another loop"
    )
    assert "calls a function" in refused(classify, _table(RULES), Instruction("blr", ("x0",)))


def test_a_rule_without_memory_takes_that_of_the_table():
    rules = [{"mnemonic": "add", "classes": ["alu"]}]
    (instruction,) = functions_in("f:\n\tadd (%rax), %ebx\n")["f"]
    assert classify(_table({"isa": "x86-64", "rule": rules}), instruction) == ("alu",)
    assert classify(_table({"isa": "x86-64", "memory": "operand", "rule": rules}), instruction) == (
        "alu",
        "load",
    )


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        (
            {"mnemonic": "a", "memory": "all", "classes": []},
            "rules.toml: [rule]: rule 'a': memory = 'all'; choose one of operand, read, move, none",
        ),
        ({"mnemonic": "(", "classes": []}, "rule '(': not a regular expression: "),
        ({"mnemonic": "a", "operands": "(", "classes": []}, "rule 'a': not a regular expression: "),
        ({"mnemonic": "a"}, "rule 'a': 'classes' has to be a list of names; write classes = "),
        ({"mnemonic": "a", "classes": ["b", 3]}, "rule 'a': 'classes' has to be a list of names"),
        ({"classes": []}, "mnemonic: is missing"),
        ({"mnemonic": "a", "class": []}, "class: unknown key; did you mean 'classes'?"),
    ],
)
def test_mistakes_in_rules(rule, line):
    said = refused(_table, {"isa": "x", "rule": [rule]})
    assert line in said
    assert said.endswith("; correct it") or "not a regular expression" not in said


def test_mistakes_in_class_tables():
    assert refused(_table, {"rule": []}) == "rules.toml: isa: is missing; write isa = ..."
    assert "rules: unknown key; did you mean 'rule'?" in refused(_table, {"isa": "x", "rules": []})
    assert refused(shipped_class_table, "mips") == (
        "no class table for the instruction set 'mips'; give one of your own"
    )


def test_the_longest_loop_is_counted(tmp_path):
    text = "f:\n.L1:\n\taddl $1, %eax\n\tjne .L1\n.L2:\n\taddl $1, %eax\n\tnop\n\taddl $1, %eax\n\tjne .L2\n"
    golden = read_port_map("golden-cove")
    assert _counted(text, "f", golden, tmp_path)["alu"] == 3
    assert _counted(text, "f", golden, tmp_path, iterations=0.5)["alu"] == 6


def test_wrong_files_functions_and_loops(tmp_path):
    golden = read_port_map("golden-cove")
    where = tmp_path / "kernel.s"
    assert refused(_counted, COMPILED, "vflux", golden, tmp_path) == (
        f"{where}: no function 'vflux'; functions: flux"
    )
    assert refused(_counted, "", "f", golden, tmp_path).startswith(f"{where}: no instructions found")
    assert "cannot be read" in refused(count_loop, tmp_path / "none.s", "f", golden)
    for iterations in (0, -1):
        line = f"iterations = {iterations}; give unrolling times SIMD lanes, at least 1"
        assert refused(_counted, COMPILED, "flux", golden, tmp_path, iterations=iterations) == line
    assert refused(_counted, "f:\n\tnop\n", "f", golden, tmp_path) == (
        f"{where}: f: no loop found: no jump goes backwards; name another function"
    )


def test_classes_that_the_map_lacks():
    table = _table({"isa": "x86-64", "rule": [{"mnemonic": ".*", "classes": ["tensor"]}]})
    with pytest.raises(
        UsageError, match=r"Golden Cove has no instruction class 'tensor'; its classes are div"
    ):
        count_classes(read_port_map("golden-cove"), table, (Instruction("nop"),))


def test_text_that_is_not_utf8_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "kernel.s"
    path.write_bytes(b"# \xff\nf:\n\tnop\n")
    assert read_function(path, "f") == (Instruction("nop"),)

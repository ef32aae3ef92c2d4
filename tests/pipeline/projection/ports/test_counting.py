"""Counting the instructions of a loop: from compiler output, from objdump's text and from an object file."""

import struct
from pathlib import Path

import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.files import Table
from pipeline.projection.ports.assembly import Instruction, functions_in, loop_bodies, target_loop
from pipeline.projection.ports.counting import (
    class_table,
    classify,
    count_loop,
    read_function,
    shipped_class_table,
)
from pipeline.projection.ports.port_map import read_port_map

# A gather-divide-accumulate loop in the shape gcc gives it: 12 instructions, one read-modify-write on memory.
COMPILED = """\
\t.file\t"k.cpp"
\t.text
\t.globl\tflux
flux:
.LFB0:
\t.cfi_startproc
\ttestq\t%rdi, %rdi
\tjle\t.L1
\txorl\t%eax, %eax
.L3:
\tmovq\t(%rsi,%rax,8), %rdx\t# comment
\tmovsd\t8(%rcx,%rdx,8), %xmm0
\tdivsd\t(%rcx,%rdx,8), %xmm0
\tmovapd\t%xmm0, %xmm1
\tvfmadd231sd\t%xmm0, %xmm1, %xmm2
\tsqrtsd\t%xmm1, %xmm1
\taddsd\t(%r8,%rdx,8), %xmm1
\tunpcklpd\t%xmm1, %xmm0
\tmovsd\t%xmm1, (%r8,%rdx,8)
\taddl\t$1, (%r9)
\taddq\t$1, %rax
\tcmpq\t%rax, %rdi
\tjne\t.L3
.L1:
\tret
\t.cfi_endproc
\t.size\tflux, .-flux
"""
EXPECTED = {"div": 2, "mul": 1, "add": 1, "shuffle": 1, "vector": 0, "alu": 4, "load": 5, "store": 2}

DUMPED = """
k.o:     file format elf64-x86-64

Disassembly of section .text:

0000000000000000 <triad>:
   0:\t31 c0                \txor    %eax,%eax
   2:\t66 0f 1f 44 00 00    \tnopw   0x0(%rax,%rax,1)
   8:\tc5 fd 28 0c 06       \tvmovapd (%rsi,%rax,1),%ymm1
   d:\tc4 e2 f5 a8 0c 02    \tvfmadd213pd (%rdx,%rax,1),%ymm1,%ymm1
  13:\tc5 fd 29 0c 07       \tvmovapd %ymm1,(%rdi,%rax,1)
  18:\t48 83 c0 20          \tadd    $0x20,%rax
  1c:\t48 3b 05 00 00 00 00 \tcmp    0x0(%rip),%rax        # 23 <triad+0x23>
\t\t\t1f: R_X86_64_PC32\t.bss-0x4
  23:\t75 e3                \tjne    8 <triad+0x8>
  25:\tc3                   \tret
"""

ARM = """\
triad:                                  // @triad
\tmov\tx8, xzr
.LBB1_3:                                // %vector.body
\tld1d\t{ z4.d }, p0/z, [x3, x10, lsl #3]
\tfmul\tz6.d, z4.d, z1.d
\tfdivr\tz4.d, p0/m, z4.d, z2.d
\tfcmgt\tp1.d, p0/z, z4.d, z1.d
\tmov\tz2.d, p1/m, z4.d
\tst1d\t{ z2.d }, p0, [x1, x10, lsl #3]
\tldp\tq1, q2, [x4], #32
\tstr\tx9, [x5]
\tldr\td3, [x6, #8]!
\twhilelo\tp0.d, x10, x11
\tadd\tx10, x10, x9
\tcmp\tx10, x8
\tb.ne\t.LBB1_3
\tret
"""


def _table(content):
    return class_table(Table(content, Path("rules.toml")))


def _counted(text, function, portmap, tmp_path, **options):
    path = tmp_path / "kernel.s"
    path.write_text(text)
    counts = count_loop(path, function, portmap, **options)
    return dict(zip(portmap.classes, counts.tolist(), strict=True))


def test_compiler_output(tmp_path):
    found = _counted(COMPILED, "flux", read_port_map("golden-cove"), tmp_path)
    assert found == EXPECTED


def test_objdump_text_and_source_iterations(tmp_path):
    found = _counted(DUMPED, "triad", read_port_map("skylake-x"), tmp_path, iterations=4)
    assert found == dict.fromkeys(found, 0) | {"mul": 0.25, "load": 0.75, "store": 0.25, "alu": 0.75}


def test_aarch64(tmp_path):
    found = _counted(ARM, "triad", read_port_map("neoverse-v2"), tmp_path)
    expected = {"div": 1, "mul": 1, "add": 1, "vector": 1, "predicate": 1, "alu": 4, "branch": 1}
    expected |= {"load": 4, "store": 2, "vector_store": 1, "int_store": 1, "shuffle": 0}
    assert found == expected


def _object_file(code: bytes, name: str) -> bytes:
    """Return a minimal relocatable ELF file for x86-64 with one function."""
    sections, strings = [b""], b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, len(code))
    sections += [code, symbols, b"\0" + name.encode() + b"\0", strings]
    kinds = [(0, 0), (1, 0), (2, 3), (3, 0), (3, 0)]
    body, headers = b"", b""
    for section, (kind, link) in zip(sections, kinds, strict=True):
        label = strings.find([b"\0", b".text", b".symtab", b".strtab", b".shstrtab"][len(headers) // 64])
        sizes = (0, 24) if kind == 2 else (0, 0)
        headers += struct.pack(
            "<IIQQQQIIQQ", label, kind, 0, 0, 64 + len(body), len(section), link, 1, *sizes
        )
        body += section
    start = 64 + len(body)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    return head + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, start, 0, 64, 0, 0, 64, 5, 4) + body + headers


def test_object_file_gives_the_same_as_its_dump(tmp_path):
    pytest.importorskip("capstone", reason="extra 'disassembly' not installed")
    pytest.importorskip("elftools", reason="extra 'disassembly' not installed")
    rows = [line.split("\t")[1] for line in DUMPED.splitlines() if line.count("\t") == 2 and ":\t" in line]
    path = tmp_path / "kernel.o"
    path.write_bytes(_object_file(bytes.fromhex("".join(rows)), "triad"))
    skylake = read_port_map("skylake-x")
    found = dict(zip(skylake.classes, count_loop(path, "triad", skylake).tolist(), strict=True))
    assert found == _counted(DUMPED, "triad", skylake, tmp_path)


def test_damaged_object_file(tmp_path):
    pytest.importorskip("capstone", reason="extra 'disassembly' not installed")
    path = tmp_path / "kernel.o"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(20))
    with pytest.raises(InputError, match="damaged object file"):
        read_function(path, "triad")
    path.write_bytes(_object_file(b"", "empty"))
    with pytest.raises(InputError, match="the object file names no functions"):
        read_function(path, "triad")
    path.write_bytes(_object_file(b"\x90", "idle"))
    with pytest.raises(UsageError, match="no function 'triad'; functions are idle"):
        read_function(path, "triad")


def test_bytes_that_are_no_instruction_are_an_error(tmp_path):
    pytest.importorskip("capstone", reason="extra 'disassembly' not installed")
    path = tmp_path / "kernel.o"
    path.write_bytes(_object_file(bytes.fromhex("0f0b 06 ebfb".replace(" ", "")), "odd"))
    with pytest.raises(InputError, match="in no class"):
        count_loop(path, "odd", read_port_map("skylake-x"))


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
        ("vxorpd %xmm1,%xmm1,%xmm1", ("vector",)),
        ("vextractf128 $1,%ymm0,%xmm1", ("shuffle",)),
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
        InputError, match=r"kernel.s: flux: 'frobsd %xmm1, %xmm0' \(operands x,x\) is in no class; add"
    ):
        _counted(unknown, "flux", golden, tmp_path)
    calling = COMPILED.replace("sqrtsd\t%xmm1, %xmm1", "call\tsqrt")
    with pytest.raises(
        InputError, match="'call sqrt' calls a function, whose instructions cannot be counted"
    ):
        _counted(calling, "flux", golden, tmp_path)
    undecoded = DUMPED.replace("vfmadd213pd (%rdx,%rax,1),%ymm1,%ymm1", "(bad)")
    with pytest.raises(InputError, match="in no class"):
        _counted(undecoded, "triad", golden, tmp_path)


def _jumps(*pairs, length):
    targets = dict(pairs)
    return [Instruction("jne" if k in targets else "nop", (), targets.get(k)) for k in range(length)]


def test_loops_are_innermost_and_longest_first():
    nested = _jumps((5, 2), (9, 1), (19, 12), length=25)
    assert loop_bodies(nested) == (range(12, 20), range(2, 6))
    assert target_loop(nested) == range(12, 20)
    assert target_loop(nested, length=4) == range(2, 6)
    with pytest.raises(UsageError, match="0 loops of 7 instructions; the loops here have 8, 4"):
        target_loop(nested, length=7)
    with pytest.raises(UsageError, match="no loop: no jump goes backwards"):
        target_loop(_jumps((2, 5), length=8))


def test_a_path_moved_behind_the_return_is_no_loop():
    moved = _jumps((8, 3), (15, 6), length=16)
    moved[10] = Instruction("ret")
    assert loop_bodies(moved) == (range(3, 9),)


def test_bad_inputs_are_told_in_one_line(tmp_path):
    golden = read_port_map("golden-cove")
    with pytest.raises(UsageError, match=r"kernel.s: no function 'vflux'; functions are flux"):
        _counted(COMPILED, "vflux", golden, tmp_path)
    with pytest.raises(InputError, match="there are no instructions"):
        _counted("", "f", golden, tmp_path)
    with pytest.raises(InputError, match="Intel syntax"):
        _counted("\t.intel_syntax noprefix\nf:\n\tadd rax, 1\n", "f", golden, tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        count_loop(tmp_path / "none.s", "f", golden)
    with pytest.raises(UsageError, match="iterations = 0"):
        _counted(COMPILED, "flux", golden, tmp_path, iterations=0)
    with pytest.raises(InputError, match="no class table for the instruction set 'mips'"):
        shipped_class_table("mips")
    with pytest.raises(InputError, match="'isa' is missing"):
        _table({"rule": []})
    with pytest.raises(InputError, match="rule 'add': memory = 'all'; choose one of operand"):
        _table({"isa": "x", "rule": [{"mnemonic": "add", "memory": "all", "classes": []}]})
    with pytest.raises(InputError, match="not a regular expression"):
        _table({"isa": "x", "memory": "none", "rule": [{"mnemonic": "(", "classes": []}]})
    with pytest.raises(InputError, match="'classes' has to be a list of names"):
        _table({"isa": "x", "memory": "none", "rule": [{"mnemonic": "add"}]})


def test_classes_the_map_lacks_are_told(tmp_path):
    table = _table({"isa": "x86-64", "memory": "none", "rule": [{"mnemonic": ".*", "classes": ["tensor"]}]})
    with pytest.raises(UsageError, match="flux: Golden Cove has no instruction class 'tensor'"):
        _counted(COMPILED, "flux", read_port_map("golden-cove"), tmp_path, table=table)

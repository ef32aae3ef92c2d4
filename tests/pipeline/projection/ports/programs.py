"""Assembly as compilers and objdump write it, and a small object file."""

import struct

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
COMPILED_COUNTS = {"div": 2, "mul": 1, "add": 1, "shuffle": 1, "vector": 0, "alu": 4, "load": 5, "store": 2}

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


def object_file(code, name, *, machine=62, kind=0x12, section=1, value=0):
    """Return a minimal relocatable ELF file with one function, by default for x86-64."""
    sections, strings = [b""], b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, kind, 0, section, value, len(code))
    sections += [code, symbols, b"\0" + name.encode() + b"\0", strings]
    kinds = [(0, 0), (1, 0), (2, 3), (3, 0), (3, 0)]
    body, headers = b"", b""
    for section, (kind, link) in zip(sections, kinds, strict=True):
        label = strings.find([b"\0", b".text", b".symtab", b".strtab", b".shstrtab"][len(headers) // 64])
        sizes = (0, 24) if kind == 2 else (0, 0)
        headers += struct.pack(
            "<IIQQQQIIQQ", label, kind, 6 * (kind == 1), 0, 64 + len(body), len(section), link, 1, *sizes
        )
        body += section
    start = 64 + len(body)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    return (
        head
        + struct.pack("<HHIQQQIHHHHHH", 1, machine, 1, 0, 0, start, 0, 64, 0, 0, 64, 5, 4)
        + body
        + headers
    )

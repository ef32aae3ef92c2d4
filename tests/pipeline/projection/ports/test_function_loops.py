"""Loops of a function: width of vectors, elements of a pass, remainders."""

import pytest

from pipeline.projection.ports.assembly import functions_in
from pipeline.projection.ports.function_loops import elements_per_pass, packed_bits, read_loops


def both(body, isa="x86-64", sve=0):
    lines = "".join(f"\t{line.strip()}\n" for line in body.split(";"))
    (instructions,) = functions_in(f"f:\n.L3:\n{lines}").values()
    return elements_per_pass(isa, instructions, sve), packed_bits(isa, instructions, sve)


COUNTED = "addq $32, %rax; cmpq %rcx, %rax; jne .L3"
INDEXED = "addq $8, %rax; cmpq %rax, %rcx; jne .L3"


@pytest.mark.parametrize(
    ("body", "elements", "bits"),
    [
        (f"vmovupd (%rdx,%rax), %ymm1; vfmadd213pd (%rsi,%rax), %ymm0, %ymm1; {COUNTED}", 4, 256),
        (f"vmovups (%rdx,%rax), %ymm1; vmulps %ymm0, %ymm1, %ymm1; {COUNTED}", 8, 256),
        (f"vmovupd (%rdx,%rax,8), %zmm1; vaddpd %zmm0, %zmm1, %zmm0; {INDEXED}", 8, 512),
        (f"vmovsd (%rdx,%rax,8), %xmm1; vaddsd %xmm0, %xmm1, %xmm0; {INDEXED}", 8, 0),
        (f"vcvtdq2pd (%rdx,%rax,4), %ymm0; vmovupd %ymm0, (%rsi,%rax,8); {INDEXED}", 8, 256),
        (f"vmovdqu (%rdx,%rax,4), %ymm1; vpmaxsd %ymm0, %ymm1, %ymm0; {INDEXED}", 8, 256),
        (f"movzwl (%rdx,%rax,2), %edi; movw %r8w, (%rsi,%rax,2); {INDEXED}", 8, 0),
        ("leaq 16(%rdx), %rdx; movapd (%rdx), %xmm1; addpd %xmm1, %xmm0; decl %ecx; jne .L3", 2, 128),
        ("subq $-128, %rdx; vaddpd (%rdx), %ymm1, %ymm0; cmpq %rdx, %rcx; jne .L3", 16, 256),
        # backwards
        ("vaddsd (%rdx,%rax,8), %xmm1, %xmm1; subq $1, %rax; jne .L3", 1, 0),
        # arrays that advance differently, an address that is loaded, a step that may be skipped
        (f"vmovsd (%rdx,%rax,8), %xmm1; vaddsd (%rsi,%rax), %xmm1, %xmm1; {INDEXED}", None, 0),
        ("movq (%rdx), %rdx; vaddsd (%rdx), %xmm1, %xmm1; testq %rdx, %rdx; jne .L3", None, 0),
        # half a vector of floats, moved as a double into integers of another size
        (f"movsd (%rdx,%rax,4), %xmm1; cmpltps %xmm1, %xmm2; psubq %xmm1, %xmm0; {INDEXED}", None, 128),
        # an index of a gather may be of another size than the elements
        (
            "vmovdqu (%rdx,%rax,4), %ymm2; vgatherdpd (%rsi,%ymm2,8), %zmm3; "
            f"vaddpd %zmm3, %zmm0, %zmm0; {INDEXED}",
            None,
            512,
        ),
    ],
)
def test_x86(body, elements, bits):
    assert both(body) == (elements, bits)


@pytest.mark.parametrize(
    ("body", "elements", "bits"),
    [
        ("ldp q0, q1, [x1], #32; fmla v2.2d, v0.2d, v1.2d; subs x0, x0, #4; b.ne .L3", 4, 128),
        ("ldr d0, [x1, x8, lsl #3]; fadd d1, d1, d0; add x8, x8, #1; cmp x8, x0; b.ne .L3", 1, 0),
        ("ldr q0, [x1, #16]!; fadd v1.4s, v1.4s, v0.4s; cmp x1, x0; b.ne .L3", 4, 128),
        ("ld1d {z0.d}, p0/z, [x1, x8, lsl #3]; fadd z1.d, z1.d, z0.d; incd x8; b.mi .L3", 8, 512),
        ("ld1w {z0.s}, p0/z, [x1]; fadd z1.s, z1.s, z0.s; addvl x1, x1, #2; b.mi .L3", 32, 512),
        ("ld1d {z0.d}, p0/z, [x1, x8, lsl #3]; fadd z1.d, z1.d, z0.d; add x8, x8, x9; b.mi .L3", None, 512),
    ],
)
def test_arm(body, elements, bits):
    assert both(body, "aarch64", 512) == (elements, bits)


def test_a_step_that_may_be_skipped_is_no_constant(tmp_path):
    path = tmp_path / "k.s"
    path.write_text(
        "f:\n.L3:\n\taddsd (%rdx,%rax,8), %xmm1\n\tjp .L4\n\taddq $1, %rax\n"
        ".L4:\n\tcmpq %rax, %rcx\n\tjne .L3\n"
    )
    (loop,) = read_loops(path, "f")
    assert elements_per_pass("x86-64", loop.instructions) is None


def test_the_remainder_of_a_vector_loop_comes_last(tmp_path):
    path = tmp_path / "k.s"
    rest = "".join(f"\tvaddsd {8 * k}(%rdx,%rax,8), %xmm0, %xmm0\n" for k in range(5))
    other = "\tvmulsd (%rdx,%rax,8), %xmm0, %xmm0\n"
    path.write_text(
        f"f:\n.L1:\n{rest}\tjne .L1\n.L2:\n\tvaddpd (%rdx,%rax,8), %ymm0, %ymm0\n\tjne .L2\n"
        f".L3:\n{other}\tjne .L3\n\tret\n"
    )
    loops = read_loops(path, "f")
    assert [(len(loop.instructions), loop.remainder_of) for loop in loops] == [(2, 0), (2, 0), (6, 1)]

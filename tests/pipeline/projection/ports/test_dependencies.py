"""What a loop takes if every instruction waits for those that it depends on, and nothing else does."""

import pytest

from pipeline.projection.ports.assembly import functions_in
from pipeline.projection.ports.dependencies import Latency, dependency_bound

REGISTER, ADDRESS, ADDEND = 4.0, 9.0, 2.0


@pytest.mark.parametrize(
    ("isa", "body", "cycles"),
    [
        ("x86-64", "vfmadd231pd %ymm1, %ymm2, %ymm0", ADDEND),
        ("x86-64", "vfmadd231pd %ymm0, %ymm2, %ymm0", REGISTER),
        ("x86-64", "addsd %xmm1, %xmm0", REGISTER),
        ("x86-64", "vaddsd %xmm1, %xmm2, %xmm0", 0),
        ("x86-64", "movapd %xmm1, %xmm0", 0),
        ("x86-64", "vaddpd %ymm0, %ymm1, %ymm2; vmulpd %ymm2, %ymm3, %ymm0", 2 * REGISTER),
        ("x86-64", "mov (%rax), %rax", ADDRESS),
        ("x86-64", "addsd (%rax), %xmm0", REGISTER),
        ("x86-64", "movsd %xmm0, (%rax); addsd %xmm1, %xmm0; mov %rbx, %rax", REGISTER),
        ("x86-64", "cmpq %rax, %rbx", 0),
        ("aarch64", "fmla v0.2d, v1.2d, v2.2d", ADDEND),
        ("aarch64", "fmadd d0, d1, d2, d0", ADDEND),
        ("aarch64", "fmadd d0, d0, d2, d3", REGISTER),
        ("aarch64", "fadd d0, d0, d1", REGISTER),
        ("aarch64", "fadd d0, d1, d2", 0),
        ("aarch64", "ldr x0, [x0]", ADDRESS),
        ("aarch64", "ldr d0, [x1], #8", 1),
        ("aarch64", "fadd d1, d0, d2; fmul d0, d1, d2", 2 * REGISTER),
    ],
)
def test_a_loop_takes_the_longest_chain_from_one_iteration_to_the_next(isa, body, cycles):
    loop = functions_in("f:\n" + body.replace(";", "\n"))["f"]
    latency = Latency(register=REGISTER, address=ADDRESS, addend=ADDEND)
    assert dependency_bound(isa, loop, [latency] * len(loop)) == pytest.approx(cycles)

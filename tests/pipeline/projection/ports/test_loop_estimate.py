"""What limits a loop, by figures as llvm-mca gives them."""

import numpy as np
import pytest

from ingest.errors import InputError
from pipeline.projection.ports import loop_estimate
from pipeline.projection.ports.assembly import Instruction, functions_in
from pipeline.projection.ports.loop_estimate import LlvmMca, Simulated, estimate_loop, processor_named

BODY = "vmulpd %ymm0, %ymm1, %ymm2\nvaddpd (%rax), %ymm2, %ymm3\nvmovupd %ymm3, (%rbx)\nfrob %rax"
UNITS = ("FP", "LD", "ST", "ALU")
USUAL = [[2, 0, 0, 0], [2, 3.9, 0, 0], [0, 0, 1, 0], [0, 0, 0, 3.7]]


@pytest.fixture
def estimate(monkeypatch):
    """Estimate a loop of which llvm-mca says as given."""

    def call(body=BODY, on="zen3", *, cycles=4.0, pressure=USUAL, operations=6.0):
        instructions = functions_in(f"f:\n{body}\n")["f"]
        found = Simulated(
            cycles=cycles,
            micro_operations=operations,
            dispatch=6,
            units=UNITS,
            pressure=np.array(pressure, dtype=float),
            loads=frozenset(["LD"]),
            stores=frozenset(["ST"]),
            left_out=(instructions[-1], instructions[-1]),
        )
        monkeypatch.setattr(loop_estimate, "simulate_loop", lambda *_: found)
        return estimate_loop(processor_named(on), instructions, LlvmMca("llvm-mca", "19.1.7"))

    return call


def work_of(found):
    return tuple((one.kind, one.cycles) for one in found.work)


def test_units_that_are_nearly_as_busy_as_the_busiest_count_with_it(estimate):
    found = estimate()
    assert found.busiest == ("FP", "LD")  # 3.9 of 4 cycles, not 3.7
    assert work_of(found) == (("loads", 3.9), ("multiplication", 2.0), ("addition", 2.0))
    assert found.ports == {"FP": 4.0, "LD": 3.9, "ST": 1.0, "ALU": 3.7}
    assert (found.limit, found.bounds) == ("ports", {"ports": 4.0, "front end": 1.0})
    assert found.unknown == ("frob %rax",)
    assert (found.micro_operations, found.notes) == (6.0, ())


@pytest.mark.parametrize(
    ("cycles", "operations", "limit"),
    [
        (4.7, 6, "ports"),
        (4.8, 6, "dependencies"),  # 4 of 4.8 cycles are less than 85 %
        (6.0, 36, "front end"),
        (7.0, 36, "front end"),
        (7.1, 36, "dependencies"),
    ],
)
def test_a_bound_that_explains_most_of_the_cycles_is_the_limit(estimate, cycles, operations, limit):
    assert estimate(cycles=cycles, operations=operations).limit == limit


def test_the_ports_are_not_busier_than_the_loop_is_long(estimate):
    assert estimate(cycles=3.9).bounds["ports"] == 3.9


def test_stores_are_named(estimate):
    found = estimate(pressure=[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]])
    assert (found.busiest, work_of(found)) == (("ST",), (("stores", 2.0),))
    idle = estimate(pressure=np.zeros((4, 4)))
    assert (idle.busiest, work_of(idle), idle.ports) == ((), (), {})


def test_units_that_the_model_leaves_out_are_added(estimate):
    body = "vaddpd %zmm0, %zmm1, %zmm2\nvmulpd %zmm0, %zmm1, %zmm3\nvaddpd %ymm0, %ymm1, %ymm2\nnop"
    found = estimate(
        body, "silver-4116", cycles=1.5, pressure=[[1, 0, 0, 0], [0.5, 0, 0, 0], [0] * 4, [0] * 4]
    )
    assert found.ports == {"FP": 1.5, "P0 (512-bit)": 2.0}
    assert (found.cycles, found.busiest) == (2.0, ("P0 (512-bit)",))
    assert work_of(found) == (("addition", 1.0), ("multiplication", 1.0))
    assert "this processor has one, on port 0" in found.notes[-1]
    assert estimate(body, "skylake-x", cycles=1.5).cycles == 1.5


@pytest.mark.parametrize("operand", ["%zmm3", "%ymm3{%k1}", "%k2", "%xmm16", "%ymm29", "%xmm31"])
def test_what_needs_avx512_is_refused(estimate, operand):
    body = f"vaddpd %ymm0, %ymm1, {operand}\nnop\nnop\nnop"
    with pytest.raises(InputError, match="Zen 3 does not have AVX-512, which 'vaddpd %ymm0, %ymm1, "):
        estimate(body)
    assert estimate(body, "zen4").cycles == 4.0
    assert estimate(body.replace(operand, "%ymm15")).cycles == 4.0


def test_called_functions_are_named_once(estimate):
    found = estimate("call exp\ncall exp\ncallq log\nnop")
    assert found.notes == ("the time in called functions is not included: exp, log",)
    assert str(Instruction("ret")) == "ret"


def test_an_instruction_that_every_model_has_wrong(estimate):
    body = "vgatherdpd %ymm1, (%rax,%xmm2,8), %ymm3\nnop\nnop\nnop"
    assert estimate(body, "zen4").notes == ("in LLVM's model of Zen 4, gathers are too cheap",)
    assert estimate(body, "haswell").notes == ()

"""The time of a loop: what a description may say, and what the conventions change."""

import pytest

from ingest.errors import UsageError
from pipeline.projection.expressions.symbolic_model import constant, symbol
from pipeline.projection.expressions.units import BANDWIDTH, FLOP, TIME
from pipeline.projection.vector_loops.vector_loop import (
    Conventions,
    VectorLoop,
    as_flops,
    average_vector_length,
    loop_time,
    machine_values,
)
from tests.pipeline.projection.vector_loops.x1e import LOOP, VALUES, at


def loop(score="01", **given):
    return VectorLoop(**{"name": "l", "score": score, "spatial": 0, "temporal": 0, **given})


def test_average_vector_length():
    length = average_vector_length(symbol("n"), constant(64))
    assert [at(length, n=n) for n in (64, 65, 100, 32, 640)] == pytest.approx([64, 32.5, 50, 32, 64])


def test_the_score_says_whether_a_loop_is_streamed_and_vectorised():
    assert [(loop(s).streamed, loop(s).vectorised) for s in ("00", "01", "10", "11")] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]


def test_conventions_change_what_they_say():
    time = loop_time(LOOP, VALUES)
    slow = loop_time(LOOP, VALUES, Conventions(scalar_bandwidth="scalar"))
    assert at(slow.scalar_memory) == pytest.approx(at(time.scalar_memory) * 14 / 1.6)
    assert at(slow.vector_memory, n=640.0) == at(time.vector_memory, n=640.0)
    counted = loop_time(LOOP, VALUES, Conventions(references="instructions"))
    assert at(counted.vector_memory, n=640.0) == pytest.approx(64 * at(time.vector_memory, n=640.0))
    overlapped = loop_time(LOOP, VALUES, Conventions(overlap=True))
    both = [at(overlapped.vector_memory, n=640.0), at(overlapped.vector_compute, n=640.0)]
    assert at(overlapped.vector, n=640.0) == max(both)
    assert at(time.vector, n=640.0) == sum(both)


def test_instructions_of_short_vectors_move_fewer_elements():
    short = loop("01", vector_loads=constant(1e6), vector_length=constant(16))
    elements, instructions = (
        at(loop_time(short, VALUES, Conventions(references=kind)).vector_memory)
        for kind in ("elements", "instructions")
    )
    assert elements == pytest.approx(1e6 * 8 / 2.5e9 * 64 / 16)
    assert instructions == pytest.approx(1e6 * 16 * 8 / 2.5e9)


def test_overlap_holds_for_loops_that_are_not_vectorised():
    scalar = loop("10", scalar_loads=constant(1e6), scalar_stores=constant(1e6), scalar_flops=constant(3e6))
    memory, compute = 2e6 * 8 / 0.8e9, 3e6 / 2.26e9
    assert at(loop_time(scalar, VALUES).total) == pytest.approx(memory + compute)
    assert at(loop_time(scalar, VALUES, Conventions(overlap=True)).total) == pytest.approx(memory)


def test_the_scalar_bandwidth_of_a_loop_that_is_not_vectorised_is_its_own():
    scalar = loop("10", scalar_loads=constant(1e6))
    times = [loop_time(scalar, VALUES, Conventions(scalar_bandwidth=kind)) for kind in ("loop", "scalar")]
    assert at(times[0].total) == at(times[1].total)


def test_time_is_in_seconds_whatever_the_unit_of_flops():
    flops = loop(vector_flops=constant(4.5e9, FLOP))
    assert loop_time(flops, VALUES).total.dimension == TIME
    assert at(loop_time(flops, VALUES).total) == pytest.approx(1.0)
    assert as_flops(constant(3)).dimension == as_flops(constant(3, FLOP)).dimension == FLOP


@pytest.mark.parametrize(
    ("score", "counts", "line"),
    [
        (
            "10",
            {"vector_loads": constant(1)},
            r"l: vector operations in a loop that is not vectorised \(MV score 10\); count",
        ),
        ("00", {"vector_stores": constant(1)}, r"not vectorised \(MV score 00\)"),
        ("00", {"vector_flops": constant(1)}, r"not vectorised \(MV score 00\)"),
        ("01", {"vector_flops": symbol("x", BANDWIDTH)}, "unit mismatch: floating-point operations in B/s"),
    ],
)
def test_operations_that_do_not_fit(score, counts, line):
    with pytest.raises(UsageError, match=line):
        loop_time(loop(score, **counts), VALUES)


def test_a_machine_without_the_values():
    with pytest.raises(
        UsageError, match=r"the machine does not define 'bandwidth.tl0.mv01.sl0'; choose one with"
    ):
        loop_time(loop(vector_loads=constant(1)), machine_values({}))


def test_wrong_scores():
    with pytest.raises(UsageError, match="l: invalid MV score '2'; choose one of 00, 01, 10, 11"):
        loop(score="2")

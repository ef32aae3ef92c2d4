"""Models: arithmetic with dimensions, functions, binding and substitution."""

import math
from functools import partial

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.units import BANDWIDTH, BYTES, NONE, TIME_DIMENSION, Quantity
from pipeline.projection.expressions.ensembles import Ensemble
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.expression_text import text_of
from pipeline.projection.expressions.symbolic import number, real_symbol
from pipeline.projection.expressions.symbolic_model import (
    ValidRange,
    as_model,
    bind,
    ceiling,
    choose,
    constant,
    fits,
    floor,
    limited,
    log,
    log2,
    maximum,
    minimum,
    sqrt,
    substitute,
    symbol,
)
from tests.pipeline.projection import mistakes

refused = partial(mistakes.refused, raises=UsageError)
SIZE = symbol("x", BYTES)
WIRE = symbol("mach.latency", TIME_DIMENSION) + SIZE / symbol("mach.bandwidth", BANDWIDTH)
A, B, C = symbol("a"), symbol("b"), symbol("c")


def value(model, **at):
    return predict({"t": model}, {name.replace("_", "."): v for name, v in at.items()})["t"].value.tolist()


def test_arithmetic_with_numbers_on_either_side():
    cases = {
        "a + b": A + B,
        "a - b": A - B,
        "a * b": A * B,
        "a / b": A / B,
        "a ** b": A**B,
        "-a": -A,
        "3 + a": 3 + A,
        "3 - a": 3 - A,
        "3 * a": 3 * A,
        "3 / a": 3 / A,
        "a + 3": A + 3,
        "a - 3": A - 3,
        "a * 3": A * 3,
        "a / 3": A / 3,
        "a ** 3": A**3,
    }
    for text, model in cases.items():
        expected = eval(text, {"a": 2.5, "b": 1.5})
        assert value(model, a=2.5, b=1.5) == [pytest.approx(expected, rel=1e-15)], text


def test_functions():
    assert value(floor(A), a=2.5) == [2.0]
    assert value(ceiling(A), a=2.5) == [3.0]
    assert value(log(A), a=2.5) == [pytest.approx(math.log(2.5))]
    assert value(log2(A), a=2.5) == [pytest.approx(math.log2(2.5))]
    assert value(sqrt(A), a=2.5) == [pytest.approx(math.sqrt(2.5))]
    assert value(maximum(A, 1, 3), a=2.5) == [3.0]
    assert value(minimum(A, 1, 3), a=2.5) == [1.0]
    assert value(maximum(A), a=2.5) == [2.5]


def test_every_operation_gives_its_dimension():
    time, size = symbol("t", TIME_DIMENSION), symbol("s", BYTES)
    cases = {
        "s": [time + time, time - time, -time, maximum(time, time), minimum(0, time), 0 + time, time * 2],
        "B/s": [size / time, size * (1 / time)],
        "s*B": [time * size],
        "s^2": [time**2, time * time],
        "s^1/2": [sqrt(time)],
        "s^3/4": [time ** constant(0.75)],
        "no unit": [size / size, A**2, constant(2) ** A, floor(A), log(size / size)],
    }
    for unit, models in cases.items():
        assert [str(model.dimension) for model in models] == [unit] * len(models)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: SIZE + symbol("t", TIME_DIMENSION), "unit mismatch: cannot add B and s"),
        (lambda: symbol("t", TIME_DIMENSION) - A, "unit mismatch: cannot subtract s and no unit"),
        (lambda: maximum(SIZE, A), "unit mismatch: cannot compare B and no unit"),
        (lambda: 1 + SIZE, "unit mismatch: cannot add no unit and B"),
        (lambda: floor(SIZE), "unit mismatch: floor() takes a plain number, not B"),
        (lambda: ceiling(SIZE), "unit mismatch: ceil() takes a plain number, not B"),
        (lambda: log(SIZE), "unit mismatch: log() takes a plain number, not B"),
        (lambda: log2(SIZE), "unit mismatch: log2() takes a plain number, not B"),
        (lambda: A**SIZE, "unit mismatch: an exponent has to be a plain number, not B"),
        (lambda: SIZE**A, "unit mismatch: B can only be raised to a number"),
        (lambda: SIZE / 0, "division by zero; correct the expression"),
        (lambda: A / (constant(2) - 2), "division by zero; correct the expression"),
        (lambda: constant(math.inf), "inf is not a finite number; correct the expression"),
        (lambda: A + math.nan, "nan is not a finite number; correct the expression"),
        (lambda: constant(9) ** (constant(9) ** 9), "a power of two numbers is not finite; correct it"),
        (lambda: constant(0) ** -1, "a power of two numbers is not finite; correct it"),
        (lambda: constant(-1) ** constant(0.5), "a power of two numbers is not finite; correct it"),
        (lambda: symbol("x") * SIZE, "'x' is used in no unit and in B; rename one of the two"),
        (lambda: choose(SIZE, SIZE, A, SIZE), "unit mismatch: cannot choose between no unit and B"),
        (lambda: choose(SIZE, 10.0, SIZE, SIZE), "unit mismatch: cannot compare B and no unit"),
    ],
)
def test_what_does_not_fit_is_refused_where_it_is_written(call, line):
    assert refused(call) == line


def test_constants():
    assert constant(3.0).expression is number(3)
    assert str(constant(2, TIME_DIMENSION).dimension) == "s"
    assert as_model(A) is A
    assert (constant(9) ** constant(0.5)).expression is number(3)


def test_max_and_min_of_several():
    largest = maximum(A, maximum(B, C), 3)
    values = predict({"max": largest, "min": minimum(A, B, C, 3)}, {"a": [1, 9], "b": [2, 8], "c": [5, 7]})
    assert values["max"].value.tolist() == [5, 9]
    assert values["min"].value.tolist() == [1, 3]
    assert maximum(2, 5).expression is number(5)
    assert minimum(2, 5).expression is number(2)


def test_zero_has_every_dimension():
    for model in (
        maximum(0, SIZE),
        maximum(SIZE, 0),
        SIZE + 0,
        0 - SIZE,
        minimum(constant(0, TIME_DIMENSION), SIZE),
    ):
        assert model.dimension == BYTES
    assert fits(constant(0), TIME_DIMENSION)
    assert fits(SIZE, BYTES)
    assert fits(SIZE, TIME_DIMENSION) is False


def test_the_branch_for_small_sizes_holds_up_to_its_bound():
    model = choose(
        SIZE, symbol("switch", BYTES), SIZE / 2, choose(SIZE, symbol("next", BYTES), SIZE / 4, SIZE)
    )
    at = {"x": [10, 20, 30], "switch": 10, "next": 20}
    assert predict({"p": model}, at)["p"].value.tolist() == [5, 5, 30]
    assert model.dimension == BYTES
    assert choose(A, 1, 0, SIZE).dimension == BYTES
    assert choose(A, symbol("bound"), SIZE, 2 * SIZE).inputs == ("a", "bound", "x")


def test_inputs_are_the_free_symbols_in_alphabetical_order():
    assert WIRE.inputs == ("mach.bandwidth", "mach.latency", "x")
    bound = bind(WIRE, {"mach.latency": 1e-6})
    assert bound.inputs == ("mach.bandwidth", "x")
    assert set(bound.symbols) == {"mach.bandwidth", "mach.latency", "x"}


def test_binding_another_machine_projects():
    slow = bind(
        WIRE,
        {
            "mach.latency": Quantity(value=1e-5, dimension=TIME_DIMENSION),
            "mach.bandwidth": Quantity(value=1e8, dimension=BANDWIDTH),
        },
    )
    fast = bind(WIRE, {"mach.latency": 1e-6, "mach.bandwidth": 1e9, "other": 3.0})
    assert value(slow, x=[0.0, 1e6]) == pytest.approx([1e-5, 1.001e-2])
    assert value(fast, x=[0.0, 1e6]) == pytest.approx([1e-6, 1.001e-3])
    assert slow.inputs == ("x",)
    assert bind(WIRE, {"other": 3.0}) is WIRE


def test_joint_draws_can_be_bound():
    draws = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    model = bind(A * B, Ensemble(names=("a", "b"), estimate=np.array([2.0, 20.0]), draws=draws))
    found = predict({"t": model}, {})["t"]
    assert found.value == 40.0
    assert found.draws[:, 0].tolist() == [10.0, 40.0, 90.0]
    assert str(bind(SIZE, Ensemble(names=("x",), estimate=draws[0, :1], draws=draws[:, :1])).dimension) == "B"


def test_values_in_the_wrong_unit_are_refused():
    line = "unit mismatch: 'mach.latency' is in s, the value given for it in B"
    assert refused(lambda: bind(WIRE, {"mach.latency": Quantity(value=1.0, dimension=BYTES)})) == line
    line = "unit mismatch: 'x' is in B, the value given for it in no unit"
    assert refused(lambda: substitute(WIRE, {"x": symbol("V", NONE)})) == line
    assert refused(lambda: substitute(WIRE, {"x": 3})) == line


def test_substituting_composes():
    at = {"x": 1e6, "mach_latency": 0.0, "mach_bandwidth": 1e9}
    half = substitute(WIRE, {"x": SIZE / 2, "unknown": 3})
    assert value(half, **at) == pytest.approx([5e-4])
    assert half.dimension == TIME_DIMENSION
    other = substitute(WIRE, {"x": symbol("y", BYTES) * A})
    assert other.inputs == ("a", "mach.bandwidth", "mach.latency", "y")
    assert value(substitute(WIRE, {"x": 0}), mach_latency=3.0, mach_bandwidth=1.0) == [3.0]


def test_substituting_carries_ensembles_and_limits_along():
    limit = ("x", 1.0, 2.0, "fitted to x")
    model = limited(bind(WIRE, {"mach.latency": 1.0}), *limit)
    inner = limited(bind(symbol("y", BYTES) * A, {"a": 4.0}), *limit)
    found = substitute(model, {"x": inner})
    assert found.inputs == ("mach.bandwidth", "y")
    assert [text_of(each.expression) for each in found.limits] == ["y*a", "x"]
    assert [(each.lower, each.upper, each.basis) for each in found.limits] == [(1.0, 2.0, "fitted to x")] * 2


def test_sums_carry_every_ensemble_and_limit_once():
    known = bind(A, {"a": Quantity(value=1.0, note="a is a guess")})
    noted = limited(known, "a", 1.0, 2.0, "fitted to a", (1.0,))
    total = noted + noted * B
    assert len(total.ensembles) == len(total.limits) == 1
    assert total.notices == ("a is a guess",)
    first = ValidRange(expression=real_symbol("a"), lower=1.0, upper=2.0, basis="fitted to a", points=(1.0,))
    second = ValidRange(expression=real_symbol("b"), lower=0.0, upper=3.0, basis="fitted to b")
    assert limited(noted, "b", 0.0, 3.0, "fitted to b").limits == (first, second)

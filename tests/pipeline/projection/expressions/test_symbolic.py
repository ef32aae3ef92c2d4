"""Expressions become numbers as numpy would compute them, and stay as they are written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.projection.expressions.expression_text import text_of
from pipeline.projection.expressions.symbolic import (
    ONE,
    ZERO,
    combined,
    compiled,
    derivative,
    is_linear,
    nodes,
    number,
    real_symbol,
    replace,
)

X, Y, DOTTED = real_symbol("x"), real_symbol("y"), real_symbol("mach.b w")
TWO = number(2)


def log(x):
    return combined("log", x)


@given(st.floats(0.01, 1e6), st.floats(0.01, 1e6))
def test_compiled_expressions_are_what_numpy_computes(x, y):
    largest = combined("max", combined("max", X, Y), number(3))
    smallest = combined("min", X, combined("min", Y, number(3)))
    steps = combined("floor", X) - combined("ceil", Y)
    step = combined("choose", X, number(5), X, Y)
    expressions = [X * Y + DOTTED, steps, largest, smallest, step, log(X), -X / Y, X**TWO]
    found = compiled(expressions, ["x", "y", "mach.b w"])([x, y, 7.0])
    expected = [
        x * y + 7,
        np.floor(x) - np.ceil(y),
        max(x, y, 3),
        min(x, y, 3),
        x if x <= 5 else y,
        np.log(x),
        -x / y,
        x**2,
    ]
    assert [float(value) for value in found] == pytest.approx(expected, rel=1e-14)


def test_values_broadcast_and_keep_the_order_of_the_names():
    call = compiled([X - Y, number(4)], ["y", "x"])
    difference, four = call([np.array([1.0, 2.0]), np.array([[10.0], [20.0]])])
    assert difference.tolist() == [[9.0, 8.0], [19.0, 18.0]]
    assert difference.dtype == four.dtype == np.float64
    assert four == 4.0
    assert compiled([ONE / X], ["x"])([4])[0] == 0.25
    product, power = compiled([X * Y, (X * Y) ** TWO], ["x", "y"])([3.0, 2.0])
    assert (product, power) == (6.0, 36.0)


def test_what_is_not_finite_comes_out_without_a_warning():
    inverse, logarithm = compiled([ONE / X, log(X)], ["x"])([[0.0, -1.0]])
    assert inverse[0] == np.inf
    assert np.isnan(logarithm[1])


def test_equal_expressions_are_one_object():
    assert real_symbol("x") is X
    assert X * Y + ONE is X * Y + ONE
    assert X * Y is not Y * X
    assert len(nodes((X + Y) * (X + Y))) == 4


def test_numbers_are_computed_and_what_changes_nothing_is_left_out():
    assert TWO + number(3) is number(5)
    assert combined("max", TWO, ONE) is TWO
    assert [X + ZERO, ZERO + X, X - ZERO, X * ONE, ONE * X, X / ONE, X**ONE, ZERO - (ZERO - X)] == [X] * 8
    assert [X * ZERO, ZERO * X, ZERO / X, number(-0.0)] == [ZERO] * 4
    assert X**ZERO is ONE
    assert ZERO - X is -X
    assert np.isnan(log(number(-1)).value)


def test_replacing_leaves_the_rest_as_it_is():
    nested = combined("max", combined("max", X, combined("min", Y, TWO * X)), ONE)
    assert text_of(replace(nested, {X: number(5)})) == "max(5, min(y, 10), 1)"
    assert replace(nested, {}) is nested
    assert replace(X, {X: Y}) is Y
    assert replace(X + Y**TWO, {Y**TWO: X}) is X + X


@pytest.mark.parametrize(
    "expression",
    [
        X * Y + X / Y - X,
        X**TWO / (Y - X),
        TWO**X + X**Y,
        log(X * Y) / X,
        combined("max", X, Y) * combined("min", X, Y),
        combined("choose", X, number(5), X * X, Y),
        -X * Y,
        Y,
    ],
    ids=text_of,
)
def test_derivatives_are_those_of_differences(expression):
    step, at = 1e-6, np.array([1.7, 3.1])
    up, down = (compiled([expression], ["x", "y"])([at[0] + move, at[1]])[0] for move in (step, -step))
    (found,) = compiled([derivative(expression, "x")], ["x", "y"])(at)
    assert found == pytest.approx((up - down) / (2 * step), rel=1e-6, abs=1e-8)


def test_steps_have_no_slope():
    assert derivative(combined("floor", X) * Y, "x") is ZERO
    assert derivative(combined("ceil", X) * X, "x") is combined("ceil", X)


def test_linear_is_a_sum_of_multiples():
    step = combined("choose", Y, TWO, X, X * Y)
    for expression in (X, X * Y - X / Y, -X, Y * (X + real_symbol("z")), step, X * log(Y), ZERO + X):
        assert is_linear(expression, ["x", "z"]), text_of(expression)
    others = (
        X + ONE,
        X * X,
        Y / X,
        X**TWO,
        log(X),
        Y,
        combined("max", X, Y),
        combined("choose", X, Y, X, X),
        combined("choose", Y, TWO, X, ONE),
    )
    for expression in others:
        assert not is_linear(expression, ["x", "z"]), text_of(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (X - (Y - ONE), "x - (y - 1)"),
        (X + (Y - ONE), "x + y - 1"),
        (X - Y * TWO, "x - y*2"),
        (X / (Y * TWO), "x/(y*2)"),
        (X * (Y + ONE), "x*(y + 1)"),
        ((X * Y) ** TWO, "(x*y)**2"),
        (X ** (Y / TWO), "x**(y/2)"),
        (-(X + Y), "-(x + y)"),
        (X * -Y, "x*(-y)"),
        (X + number(-1.5), "x + (-1.5)"),
        (X * number(2.5e-9), "x*2.5e-09"),
        (combined("floor", log(X)), "floor(log(x))"),
        (combined("choose", X, TWO, Y, ONE), "(y if x <= 2 else 1)"),
    ],
)
def test_text_has_the_brackets_it_needs(expression, text):
    assert text_of(expression) == text


def test_other_languages():
    expression = combined("choose", X, TWO, combined("ceil", X / Y), number(3e20) * Y**TWO)
    assert text_of(expression, "python") == "(math.ceil(x/y) if x <= 2 else 3e+20*y**2)"
    assert text_of(expression, "octave") == "((x <= 2).*(ceil(x./y)) + (~(x <= 2)).*(3e+20.*y.^2))"
    assert text_of(expression, "latex") == (
        r"\begin{cases} \left\lceil\frac{x}{y}\right\rceil & \text{for}\: x \leq 2 \\ "
        r"3 \cdot 10^{20} y^{2} & \text{otherwise} \end{cases}"
    )
    assert text_of(X * TWO, "latex") == r"x \cdot 2"

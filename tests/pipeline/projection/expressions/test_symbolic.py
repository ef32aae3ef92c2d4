"""Expressions become numbers as numpy would compute them, and stay as they are written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.projection.expressions.symbolic import compiled, real_symbol, replace, sympy

X, Y, DOTTED = real_symbol("x"), real_symbol("y"), real_symbol("mach.b w")


@settings(deadline=None)  # sympy compiles at every example
@given(st.floats(0.01, 1e6), st.floats(0.01, 1e6))
def test_compiled_expressions_are_what_numpy_computes(x, y):
    largest, smallest = sympy.Max(X, Y, 3, evaluate=False), sympy.Min(X, Y, 3, evaluate=False)
    step = sympy.Piecewise((X, X <= 5), (Y, True))
    expressions = [X * Y + DOTTED, sympy.floor(X) - sympy.ceiling(Y), largest, smallest, step, sympy.log(X)]
    found = compiled(expressions, ["x", "y", "mach.b w"])([x, y, 7.0])
    expected = [
        x * y + 7,
        np.floor(x) - np.ceil(y),
        max(x, y, 3),
        min(x, y, 3),
        x if x <= 5 else y,
        np.log(x),
    ]
    assert [float(value) for value in found] == pytest.approx(expected, rel=1e-14)


def test_values_broadcast_and_keep_the_order_of_the_names():
    call = compiled([X - Y, sympy.Integer(4)], ["y", "x"])
    difference, four = call([np.array([1.0, 2.0]), np.array([[10.0], [20.0]])])
    assert difference.tolist() == [[9.0, 8.0], [19.0, 18.0]]
    assert difference.dtype == four.dtype == np.float64
    assert four == 4.0
    assert compiled([1 / X], ["x"])([4])[0] == 0.25


def test_what_is_not_finite_comes_out_without_a_warning():
    inverse, logarithm = compiled([1 / X, sympy.log(X)], ["x"])([[0.0, -1.0]])
    assert inverse[0] == np.inf
    assert np.isnan(logarithm[1])


def test_replacing_leaves_maxima_as_they_are():
    nested = sympy.Max(X, sympy.Min(Y, 2 * X, evaluate=False), 1, evaluate=False)
    found = replace(nested, {X: sympy.Integer(5)})
    assert found == sympy.Max(5, sympy.Min(Y, 10, evaluate=False), 1, evaluate=False)
    assert len(found.args) == 3
    assert replace(nested, {}) is nested
    assert replace(X, {X: Y}) == Y
    assert replace(X + Y**2, {Y**2: X}) == 2 * X


def test_maxima_of_many_symbols_are_compiled_at_once():
    symbols = [real_symbol(f"n.{k}") for k in range(14)]
    maximum = sympy.Max(*(2 * s + 1 for s in symbols), evaluate=False)
    (found,) = compiled([maximum], [s.name for s in symbols])([float(k) for k in range(14)])
    assert found == 27.0


def test_symbols_are_real():
    assert X.is_real

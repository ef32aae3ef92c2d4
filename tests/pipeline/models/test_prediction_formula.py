"""Formulas of predictions written: pieces, ranges, LaTeX and Python."""

import numpy as np
import pytest

from pipeline.models.forms import term
from pipeline.models.formulas import Formula, FormulaRange, PredictionFormula

LINEAR, SQUARE = term((1, 0)), term((2, 0))


def shown(*forms, parameters=("p",), ends=(), first=(1.0,), last=(32.0,), column=0):
    """Make a formula from constants and terms of its pieces."""
    pieces = tuple(Formula(parameters=parameters, constant=c, terms=tuple(terms)) for c, terms in forms)
    within = FormulaRange(first=np.array(first), last=np.array(last), column=column)
    return PredictionFormula(within=within, pieces=pieces, ends=tuple(ends))


def function(formula, name="f"):
    names = {}
    exec(formula.python(name, "What it is"), names)
    return names[name]


def test_one_form_is_written_with_its_range():
    formula = shown((3.0, [(2.0, LINEAR)]))
    assert (formula.text(), formula.range_text) == ("3 + 2 * p", "p = 1 .. 32")
    assert formula.latex() == r"3 + 2 \cdot p, \quad 1 \le p \le 32"
    assert function(formula)(4) == 11
    assert function(formula).__doc__ == "What it is, for p = 1 .. 32."


def test_pieces_follow_one_another():
    formula = shown((3.0, []), (0.0, [(1.0, LINEAR)]), (0.0, [(0.25, SQUARE)]), ends=(3.0, 4.5))
    assert formula.text() == "3 for p <= 3, 1 * p for p <= 4.5, 0.25 * p^2 above"
    assert formula.latex() == (
        r"\begin{cases} 3 & p \le 3 \\ 1 \cdot p & p \le 4.5 \\ 0.25 \cdot p^{2} & p > 4.5 \end{cases}, "
        r"\quad 1 \le p \le 32"
    )
    scales = np.array([1.0, 3.0, 3.1, 4.5, 4.6, 8.0])
    expected = [3, 3, 3.1, 4.5, 0.25 * 4.6**2, 16]
    assert function(formula)(scales) == pytest.approx(expected)
    assert formula.values(scales[:, None]) == pytest.approx(expected)
    assert formula.growth == "p^2"


def test_a_line_of_several_parameters_names_the_others():
    along = term((1, 0), (0, 0))
    formula = shown((3.0, [(2.0, along)]), parameters=("p", "n"), first=(1.0, 6.0), last=(8.0, 6.0))
    assert (formula.text(), formula.range_text) == ("3 + 2 * p at n = 6", "p = 1 .. 8, n = 6")
    assert formula.latex() == r"3 + 2 \cdot p, \quad 1 \le p \le 8,\; n = 6"
    assert function(formula)(p=4) == 11


def test_a_box_is_a_line_at_its_far_end():
    box = FormulaRange(first=np.array([1.0, 2.0]), last=np.array([8.0, 6.0]), column=0)
    assert (box.dimensions, box.line.dimensions) == (2, 1)
    assert (box.line.first.tolist(), box.line.last.tolist()) == ([1, 6], [8, 6])
    assert box.key != box.line.key


def test_names_that_become_alike_are_numbered():
    constant = [(1.0, [])]
    formula = shown(*constant, parameters=("a b", "a-b", "c"), first=(1.0,) * 3, last=(2.0,) * 3)
    assert "def f(a_b_1, a_b_2, c):" in formula.python("f", "")


def test_the_docstring_cannot_end_itself():
    names = {}
    exec(shown((1.0, [])).python("f", 'of "operator\\"""x'), names)
    assert names["f"].__doc__.startswith('of "operator\\"""x')

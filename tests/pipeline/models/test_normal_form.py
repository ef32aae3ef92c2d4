"""Terms evaluated, compared and written."""

from fractions import Fraction

import numpy as np
import pytest

from pipeline.models.normal_form import (
    exponents_of,
    factor_text,
    formula_text,
    growth_text,
    leading_terms,
    term,
    term_values,
)

LINEAR, ROOT, LOG = term((1, 0)), term(("1/2", 0)), term((0, 1))


def test_terms_are_products_of_powers_and_logarithms():
    points = np.array([[4.0, 3.0], [8.0, 1.0]])
    terms = [term(("3/2", 1), (0, 0)), term((1, 0), (2, 0)), term((0, 0), (-1, 0)), term((0, 2), (0, 1))]
    expected = [[8 * 2, 4 * 9, 1 / 3, 4 * np.log2(3)], [8**1.5 * 3, 8, 1, 0]]
    assert term_values(terms, points) == pytest.approx(np.array(expected))
    assert term_values([], points).shape == (2, 0)


@pytest.mark.parametrize(
    ("exponent", "text"),
    [
        ((0, 0), ""),
        ((1, 0), "p"),
        ((2, 0), "p^2"),
        (("3/2", 0), "p^(3/2)"),
        ((-1, 0), "p^(-1)"),
        ((0, 1), "log2(p)"),
        ((1, 2), "p * log2(p)^2"),
    ],
)
def test_factors_in_words(exponent, text):
    assert factor_text("p", term(exponent)[0]) == text


@pytest.mark.parametrize(
    ("constant", "terms", "text"),
    [
        (12.1, [(0.034, term(("3/2", 1)))], "12.1 + 0.034 * p^(3/2) * log2(p)"),
        (12.1, [(-0.034, LINEAR)], "12.1 - 0.034 * p"),
        (-1.0, [(2.0, LINEAR)], "-1 + 2 * p"),
        (0.0, [(-2.0, LINEAR), (1.0, LOG)], "-2 * p + 1 * log2(p)"),
        (0.0, [(0.0, LINEAR)], "0"),
        (3.0, [(0.0, LINEAR)], "3"),
        (1.23456, [], "1.235"),
        (2.0, [(1.0, term((0, 0)))], "2 + 1 * 1"),
    ],
)
def test_formulas_as_people_write_them(constant, terms, text):
    assert formula_text(("p",), constant, terms) == text


def test_a_term_leads_unless_another_grows_at_least_as_fast_along_every_parameter():
    assert leading_terms([LINEAR, ROOT, LOG]) == (LINEAR,)
    assert leading_terms([LOG, LOG]) == (LOG,)
    assert leading_terms([term((-1, 0))]) == ()
    assert leading_terms([]) == ()
    xy, xx, y, fall = term((1, 0), (1, 0)), term((2, 0), (0, 0)), term((0, 0), (1, 0)), term((1, 0), (-1, 0))
    assert leading_terms([xy, xx, y]) == (xy, xx)
    assert leading_terms([y, fall]) == (y, fall)


def test_growth_in_words():
    assert growth_text(("p",), [ROOT, LINEAR]) == "p"
    assert growth_text(("p",), []) == "1"
    assert growth_text(("x", "y"), [term((2, 0), (0, 0)), term((0, 0), (1, 0))]) == "x^2 + y"


def test_only_parameters_that_occur_have_exponents():
    one = term(("3/2", 0), (0, 0), (0, 1))
    expected = {"p": (Fraction(3, 2), 0), "r": (Fraction(0), 1)}
    assert exponents_of(("p", "q", "r"), one) == expected

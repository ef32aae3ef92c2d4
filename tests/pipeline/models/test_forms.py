"""Terms evaluated, compared and written."""

from fractions import Fraction

import numpy as np
import pytest

from pipeline.models.forms import exponents_of, leading_terms, stored_exponent, term, term_values
from pipeline.models.options import exponent

LINEAR, ROOT, LOG = term((1, 0)), term(("1/2", 0)), term((0, 1))


def test_terms_are_products_of_powers_and_logarithms():
    points = np.array([[4.0, 3.0], [8.0, 1.0]])
    terms = [term(("3/2", 1), (0, 0)), term((1, 0), (2, 0)), term((0, 0), (-1, 0)), term((0, 2), (0, 1))]
    expected = [[8 * 2, 4 * 9, 1 / 3, 4 * np.log2(3)], [8**1.5 * 3, 8, 1, 0]]
    assert term_values(terms, points) == pytest.approx(np.array(expected))
    assert term_values([], points).shape == (2, 0)


def test_a_term_leads_unless_another_grows_at_least_as_fast_along_every_parameter():
    assert leading_terms([LINEAR, ROOT, LOG]) == (LINEAR,)
    assert leading_terms([LOG, LOG]) == (LOG,)
    assert leading_terms([term((-1, 0))]) == ()
    assert leading_terms([]) == ()
    xy, xx, y, fall = term((1, 0), (1, 0)), term((2, 0), (0, 0)), term((0, 0), (1, 0)), term((1, 0), (-1, 0))
    assert leading_terms([xy, xx, y]) == (xy, xx)
    assert leading_terms([y, fall]) == (y, fall)


def test_only_parameters_that_occur_have_exponents():
    one = term(("3/2", 0), (0, 0), (0, 1))
    expected = {"p": (Fraction(3, 2), 0), "r": (Fraction(0), 1)}
    assert exponents_of(("p", "q", "r"), one) == expected


def test_exponents_are_stored_and_read():
    assert [stored_exponent(one) for one in (exponent("3/2", 1), exponent(0.5), exponent(1, 0, 2))] == [
        ["3/2", 1],
        ["1/2", 0],
        ["1", 0, 2],
    ]
    for stored in (["3/2", 1], ["-1", 0], ["0", 0, 3]):
        assert stored_exponent(exponent(*stored)) == stored
    assert exponent(2, 0, 0) == exponent(2) == (2, 0)

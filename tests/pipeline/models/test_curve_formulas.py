"""Normal forms close to curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.agreeing_formulas import AGREEMENT, Curves, TriedTerms, curve_formulas
from pipeline.models.forms import term, term_values, tried_exponents
from pipeline.models.search_space import FALLING_EXPONENTS

P = np.geomspace(1, 64, 33)[:, None]
TERMS = [(one,) for one in (*tried_exponents(), *FALLING_EXPONENTS)]


def formulas_of(*values, points=P):
    return curve_formulas(Curves.of(points, np.array(values)), TriedTerms.of(("p",), TERMS))


@pytest.mark.parametrize(
    ("curve", "text"),
    [
        (0 * P, "0"),
        (0 * P + 7, "7"),
        (3 * P**2, "3 * p^2"),
        (5 + 2 * P, "5 + 2 * p"),
        (2 * np.log2(P), "2 * log2(p)"),
        (8 / P + 0.5 * P, "0.5 * p + 8 * p^(-1)"),
    ],
)
def test_what_is_a_normal_form_is_found(curve, text):
    (found,) = formulas_of(curve[:, 0])
    assert found is not None
    assert found.text() == text


def test_terms_are_as_few_as_possible_and_negative_only_where_needed():
    bent = P[:, 0] * (1 + 0.02 * np.sin(P[:, 0]))
    saturating = 10 - 9 / P[:, 0]
    straight, falling = formulas_of(bent, saturating)
    assert (straight.constant, len(straight.terms)) == (0, 1)
    assert min(falling.constant, *(c for c, _ in falling.terms)) < 0


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.floats(-3, 3), st.sampled_from(range(len(TERMS)))), min_size=1, max_size=4),
    st.floats(-3, 3),
    st.integers(0, 2**32 - 1),
)
def test_what_is_found_agrees(parts, constant, seed):
    shapes = term_values([TERMS[t] for _, t in parts], P)
    curve = 10.0**constant + shapes @ 10.0 ** np.array([c for c, _ in parts])
    curve = curve * (1 + 0.01 * np.random.default_rng(seed).uniform(-1, 1, len(P)))
    (found,) = formulas_of(curve)
    if found is not None:
        some = curve > 1e-9 * curve.max()
        assert np.abs(np.log(found.values(P[some]) / curve[some])).max() <= np.log1p(AGREEMENT)
        assert all(c == float(f"{c:.4g}") for c, _ in found.terms)


def test_no_formula_agrees_with_a_jump():
    jump = np.where(P[:, 0] < 8, 1.0, 100.0)
    assert formulas_of(jump) == [None]


def test_kernels_are_fitted_in_blocks_alike(monkeypatch):
    curves = [P[:, 0] ** k + 3 * np.log2(P[:, 0]) + 1 for k in (0.5, 1, 1.5, 2)]
    together = formulas_of(*curves)
    monkeypatch.setattr("pipeline.models.agreeing_formulas._AT_ONCE", 1)
    assert formulas_of(*curves) == together


def test_what_is_nothing_beside_the_largest_value_counts_as_0():
    zero_at_first = np.where(P[:, 0] == 1, 1e-13, np.log2(P[:, 0]) ** 2)
    (found,) = formulas_of(zero_at_first)
    assert found.terms == ((1.0, term((0, 2))),)

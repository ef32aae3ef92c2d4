"""Factors of terms of several parameters: values, priors, order."""

import numpy as np
import pytest

from pipeline.models.forms import term, term_values, tried_exponents
from pipeline.models.multi_parameter.search import (
    FAR_FACTOR,
    NEAR,
    exponent_table,
    hypothesis_tables,
    make_factors,
    term_keys,
)
from pipeline.models.options import NO_EXPONENT, ModelOptions
from pipeline.models.search_space import plausibility

POINTS = np.array([(x, y) for x in (2.0, 4.0, 8.0, 16.0) for y in (1.0, 2.0, 3.0, 5.0)])
FLAT = np.ones((1, 2))
FACTORS = make_factors(POINTS, FLAT, ModelOptions())
TERMS = [(3, 0), (0, 7), (12, 25), (40, 1)]


def test_scaled_columns_times_their_unit_are_the_terms():
    picks = np.array(TERMS)
    truth = term_values([FACTORS.term(pick) for pick in picks], POINTS)
    columns = FACTORS.columns(picks).T
    assert columns == pytest.approx(truth * FACTORS.units(picks))
    assert columns.max() <= 1 + 1e-12
    for place, reach in enumerate((NEAR, FAR_FACTOR)):
        ahead = term_values([FACTORS.term(pick) for pick in picks], reach * POINTS.max(axis=0)[None])[0]
        assert FACTORS.scaled_ahead(picks, place) == pytest.approx(ahead * FACTORS.units(picks))
    assert FACTORS.values.max(axis=2) == pytest.approx(1.0)


def test_half_of_the_prior_is_that_a_parameter_does_not_occur():
    prior = np.exp(FACTORS.log_prior)
    assert prior[:, 0].tolist() == [0.5, 0.5]
    assert prior.sum(axis=1) == pytest.approx(1.0)
    weight = FACTORS.table.weight[1:]
    assert prior[:, 1:] == pytest.approx(np.stack([weight / weight.sum() / 2] * 2))
    expected = FACTORS.log_prior[0, 12] + FACTORS.log_prior[1, 25]
    assert FACTORS.term_log_prior(np.array([[12, 25]])) == pytest.approx([expected])


def test_uniform_weights_are_half_uniform_and_half_simple():
    uniform, simple = (exponent_table(ModelOptions(prior=prior)) for prior in ("uniform", "simple"))
    plain = np.array([plausibility(e, "simple") for e in simple.exponents])
    assert simple.weight == pytest.approx(plain / plain.sum())
    assert uniform.weight == pytest.approx((simple.weight + 1 / len(simple.exponents)) / 2)
    own = {term((1, 0))[0]: 1.0, term((2, 0))[0]: 3.0}
    table = exponent_table(ModelOptions(prior=own))
    assert table.exponents == (NO_EXPONENT, *own)
    assert table.weight.tolist() == [0.0, 1.0, 3.0]
    assert not table.optional.any()


@pytest.mark.parametrize(
    ("slope", "falling", "steep"), [(1.0, False, False), (-0.3, True, False), (2.6, False, True)]
)
def test_optional_powers_are_tried_where_the_data_call_for_them(slope, falling, steep):
    factors = make_factors(POINTS, np.array([[1.0, 1.0], [slope, 1.0]]), ModelOptions())
    tried = np.isfinite(factors.log_prior)
    power = factors.table.powers[:, 0]
    assert tried[0, power < 0].any() == falling
    assert tried[0, power > 3].any() == steep
    assert not tried[1, (power < 0) | (power > 3)].any()
    assert tried[:, ~factors.table.optional].all()


def test_logarithms_and_parameters_that_do_not_vary():
    points = np.column_stack([POINTS[:, 0] / 4, np.full(16, 7.0), POINTS[:, 1]])
    factors = make_factors(points, np.ones((1, 3)), ModelOptions())
    tried = np.isfinite(factors.log_prior)
    assert not tried[0, factors.table.powers[:, 1] > 0].any()
    assert tried[2, factors.table.powers[:, 1] > 0].all()
    assert tried[1].sum() == 1 and factors.log_prior[1, 0] == 0.0


def test_terms_of_a_hypothesis_are_sorted_by_growth_and_empty_ones_last():
    place = {e: n for n, e in enumerate(FACTORS.table.exponents)}
    square, linear, log = (place[term(e)[0]] for e in ((2, 0), (1, 0), (0, 1)))
    picks = np.array([[[[log, 0], [0, 0], [linear, linear]], [[0, linear], [linear, 0], [square, 0]]]])
    assert FACTORS.by_growth(picks).tolist() == [
        [[[linear, linear], [log, 0], [0, 0]], [[square, 0], [linear, 0], [0, linear]]]
    ]


def test_a_search_starts_from_products_of_few_exponents():
    start = {tuple(FACTORS.term(pick)) for pick in FACTORS.coarse}
    some = [term(e)[0] for e in ((0, 1), (1, 0), (2, 0), (3, 0))]
    expected = {(a, b) for a in (NO_EXPONENT, *some) for b in (NO_EXPONENT, *some)} - {(NO_EXPONENT,) * 2}
    assert start == expected
    assert len(FACTORS.coarse) == len(expected)
    assert len(FACTORS.table.exponents) == 1 + len(tried_exponents())


def test_every_term_has_a_key_of_its_own_and_the_empty_term_zero():
    picks = np.stack(np.meshgrid(*[np.arange(60)] * 3), axis=-1).reshape(-1, 3)
    keys = term_keys(picks)
    assert len(np.unique(keys)) == len(picks)
    assert keys[(picks == 0).all(axis=1)].tolist() == [0]


def test_terms_and_hypotheses_that_occur_are_numbered():
    picks = np.array([[[[3, 0], [0, 7]], [[0, 0], [0, 0]]], [[[3, 0], [0, 0]], [[3, 0], [0, 7]]]])
    terms, hypotheses, which, rows = hypothesis_tables(FACTORS, picks)
    assert {terms[0], terms[1]} == {FACTORS.term(np.array([3, 0])), FACTORS.term(np.array([0, 7]))}
    for k in range(2):
        for n in range(2):
            expected = [FACTORS.term(pick) for pick in picks[k, n] if pick.any()]
            assert [terms[t] for t in hypotheses[which[k, n]] if t >= 0] == expected
            assert [terms[t] for t in rows[k, n] if t >= 0] == expected
    assert which[0, 0] == which[1, 1]
    assert len(hypotheses) == 3

"""Scores and weights of hypotheses of several parameters against sums written out."""

import math

import numpy as np
import pytest

from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.multi_parameter.search import (
    BELIEF,
    evidence,
    make_factors,
    search_another_term,
    search_one_term,
)
from pipeline.models.multi_parameter.several_parameters import earn_their_place, fit_exactly, weigh
from pipeline.models.options import ModelOptions

POINTS = np.array([(x, y) for x in (2.0, 4.0, 8.0, 16.0) for y in (1.0, 2.0, 3.0, 5.0)])
FACTORS = make_factors(POINTS, np.ones((1, 2)), ModelOptions())
PRIOR_OF_SIZE = (0.4, 0.35, 0.2, 0.05)


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(4)
    x, y = POINTS.T
    truth = np.stack([1 + 0.2 * x * y, 3 + x**0.5 + y**2, 2 + 0 * x])
    mean = truth * random.lognormal(0, 0.1, truth.shape)
    mean /= mean.max(axis=1, keepdims=True)
    return WeightedMeans(mean, 100 / mean**2, np.full((3, 1, 1), 16.0), nonnegative=False)


def least_squares(data, kernel, picks):
    """Weighted squares left by a constant and the terms int64[M, D], by numpy's solver."""
    root = np.sqrt(data.weight[kernel])
    design = np.column_stack([np.ones(len(POINTS)), *FACTORS.columns(picks)])
    solution = np.linalg.lstsq(design * root[:, None], data.mean[kernel] * root, rcond=None)[0]
    return (((data.mean[kernel] - design @ solution) * root) ** 2).sum()


def score(chi2, picks):
    """Logarithm of evidence times prior of M terms in any order, for 16 points."""
    size = len(picks)
    likelihood = -(BELIEF + 16 - size - 1) / 2 * np.log1p(chi2 / BELIEF)
    price = -(size + 1) / 2 * np.log(16)
    prior = math.log(PRIOR_OF_SIZE[size]) + math.log(math.factorial(size))
    terms = sum(FACTORS.log_prior[d, pick] for term in picks for d, pick in enumerate(term))
    return likelihood + price + prior + terms


def test_a_coefficient_costs_half_the_logarithm_of_the_points():
    count = np.array([5.0, 16.0, 40.0])
    for size in (1, 2, 3):
        cheaper, dearer = (evidence(np.zeros(3), count, n) for n in (size, size + 1))
        assert cheaper - dearer == pytest.approx(np.log(count) / 2)


def test_what_is_left_over_counts_as_under_an_unknown_variance():
    left = np.array([0.0, 5.0, 60.0])
    found = evidence(left, np.full(3, 16.0), 2)
    assert found - found[0] == pytest.approx(-(BELIEF + 14) / 2 * np.log(1 + left / BELIEF))


def test_scores_of_candidates_are_evidence_times_prior(data):
    found = search_one_term(data, FACTORS)
    pairs = search_another_term(data, FACTORS, found, np.ones(3, dtype=bool))
    for candidates in (found, pairs):
        assert (candidates.score[:, :-1] >= candidates.score[:, 1:]).all()
        for kernel in range(3):
            for n in (0, 1, 5, 12):
                picks = candidates.picks[kernel, n]
                chi2 = least_squares(data, kernel, picks)
                assert candidates.chi2[kernel, n] == pytest.approx(chi2, rel=1e-5)
                assert candidates.score[kernel, n] == pytest.approx(score(chi2, picks), rel=1e-6)


def test_no_single_term_scores_better_than_the_one_found(data):
    best = search_one_term(data, FACTORS).score[:, 0]
    some = [(a, b) for a in range(0, len(FACTORS.table.exponents), 3) for b in (0, 3, 7, 12)]
    for kernel in range(3):
        for picks in some[1:]:
            if np.isfinite(FACTORS.term_log_prior(np.array(picks))):
                chi2 = least_squares(data, kernel, np.array([picks]))
                assert score(chi2, [picks]) <= best[kernel] + 1e-6


def test_candidates_are_different_hypotheses_in_any_order_of_their_terms(data):
    found = search_one_term(data, FACTORS)
    pairs = search_another_term(data, FACTORS, found, np.ones(3, dtype=bool))
    for kernel in range(3):
        there = np.isfinite(pairs.score[kernel])
        kinds = {frozenset(map(tuple, picks.tolist())) for picks in pairs.picks[kernel, there]}
        assert len(kinds) == there.sum()


def test_weights_are_those_of_the_hypotheses_that_earn_their_place(data):
    found = search_one_term(data, FACTORS)
    pairs = search_another_term(data, FACTORS, found, np.ones(3, dtype=bool))
    singles = np.pad(found.picks[:, :4], ((0, 0), (0, 0), (0, 1), (0, 0)))
    picks = np.concatenate([np.zeros_like(singles[:, :1]), singles, pairs.picks[:, :3]], axis=1)
    fits = fit_exactly(data, FACTORS, picks)
    stands = earn_their_place(fits)
    assert stands[:, 0].all()
    assert stands.any()
    assert not stands.all()
    rivals = weigh(data, FACTORS, fits, repeats=1000.0, count=picks.shape[1])
    for kernel in range(3):
        shown = {}
        for n in np.flatnonzero(stands[kernel]):
            terms = [term for term in picks[kernel, n].tolist() if any(term)]
            shown[n] = score(fits.chi2[kernel, n] / rivals.misfit, terms)
        weight = np.exp(np.array(list(shown.values())) - max(shown.values()))
        expected = np.sort(weight / weight.sum())[::-1]
        assert np.sort(rivals.weight[kernel])[::-1][: len(expected)] == pytest.approx(expected, rel=1e-9)
        best = rivals.fits.chi2[kernel, 0]
        size = rivals.fits.size[kernel, 0]
        variance = (BELIEF * rivals.misfit + best) / (BELIEF + 16 - size)
        assert rivals.variance[kernel, 0] == pytest.approx(variance)
        assert rivals.degrees[kernel] == BELIEF + 16 - size


def test_a_richer_hypothesis_must_predict_about_as_well_as_every_simpler_one(data):
    found = search_one_term(data, FACTORS)
    fits = fit_exactly(
        data, FACTORS, np.concatenate([np.zeros_like(found.picks[:, :1]), found.picks], axis=1)
    )
    stands = earn_their_place(fits)
    constant = fits.press[:, :1]
    assert (stands[:, 1:] == (fits.press[:, 1:] < 1.2 * constant)).all()

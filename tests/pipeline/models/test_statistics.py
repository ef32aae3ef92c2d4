"""The statistical parts against independent computations."""

import numpy as np
import pytest
from scipy import special, stats

from pipeline.models.forms import term_values
from pipeline.models.observations import ErrorModel, observe, sample_of
from pipeline.models.options import ModelOptions
from pipeline.models.posterior import design_columns, fit_all
from pipeline.models.prediction import Prediction
from pipeline.models.quality import correlation_of_errors
from pipeline.models.search_space import SpaceChoice, one_parameter_space
from pipeline.statistics import (
    deviations,
    from_odds,
    mixture_quantiles,
    normal_below,
    pool_variances,
    student_below,
    student_quantiles,
)
from tests.pipeline.models.dense import dense_precision

POINTS = 2.0 ** np.arange(2, 8)


def test_quantiles_are_those_of_scipy():
    degrees = np.array([0.4, 1.0, 1.5, 3.3, 7.0, 3.3, 150.0, 1e4, 3e6, np.inf])
    probability = np.array([0.001, 0.05, 0.4, 0.5, 0.95, 0.9999, 0.999999])
    expected = stats.t.ppf(probability[:, None], degrees)
    assert student_quantiles(degrees, probability) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    for level in (0.0, 0.5, 0.9, 0.99999):
        assert deviations(level) == pytest.approx(stats.norm.ppf((1 + level) / 2), abs=1e-9)


@pytest.mark.parametrize("walk", [0.0, 3.0])
def test_fits_equal_direct_solutions(walk):
    random = np.random.default_rng(2)
    space = one_parameter_space(ModelOptions(), 4.0, SpaceChoice(steep=True, falling=True, mixed=True))
    level = (3 + 2 * POINTS**1.5) * random.lognormal(0, 0.05, (2, 6))
    level /= level.max(axis=1, keepdims=True)
    structure = ErrorModel(0.1, walk)
    sample = sample_of(observe(POINTS[:, None], level[:, :, None]))
    fits = fit_all(space, design_columns(space, POINTS), sample, structure, nonnegative=False)
    dense = dense_precision(structure, POINTS, structure.scale(level[0]))
    for h in range(0, len(space), 7):
        terms = [space.terms[t] for t in space.rows[h] if t >= 0]
        columns = term_values(terms, POINTS[:, None])
        place = [n + 1 for n in range(len(terms))]
        if space.constant[h]:
            columns, place = np.column_stack([np.ones(6), columns]), [0, *place]
        normal = columns.T @ dense @ columns
        expected = np.linalg.solve(normal, columns.T @ dense @ level[0])
        residual = level[0] - columns @ expected
        covariance = (fits.root[0, h] @ fits.root[0, h].T)[np.ix_(place, place)]
        assert fits.coefficients[0, h, place] == pytest.approx(expected, rel=1e-6)
        assert fits.misfit[0, h] == pytest.approx(residual @ dense @ residual, rel=1e-6)
        assert covariance == pytest.approx(np.linalg.inv(normal), rel=1e-5)


def test_coefficients_that_may_not_be_negative_are_not():
    space = one_parameter_space(ModelOptions(), 4.0, SpaceChoice(mixed=True))
    level = np.array([POINTS**2 - 10, 100 - POINTS])
    level = level / np.abs(level).max(axis=1, keepdims=True)
    sample = sample_of(observe(POINTS[:, None], level[:, :, None]))
    fits = fit_all(space, design_columns(space, POINTS), sample, ErrorModel(), nonnegative=True)
    possible = np.isfinite(fits.misfit)
    assert (fits.coefficients[possible] >= 0).all()
    assert possible[:, 0].all()


def test_probabilities_equal_those_of_scipy():
    degrees, value = np.geomspace(0.3, 1e5, 40), np.linspace(-9.0, 9.0, 40)
    assert student_below(degrees, value) == pytest.approx(special.stdtr(degrees, value), abs=1e-10)
    assert normal_below(value) == pytest.approx(special.ndtr(value), rel=1e-12)
    assert student_below(np.ones(2), np.array([-1e300, 1e300])).tolist() == [0, 1]
    odds = np.linspace(-800.0, 800.0, 33)
    assert from_odds(odds) == pytest.approx(special.expit(odds), rel=1e-12)


@pytest.mark.parametrize("degrees", [1.0, 3.0, 8.0, 60.0])
def test_a_pool_solves_the_moments_of_logarithms(degrees):
    """Moments of log F, as scipy's functions give them."""
    logs = np.random.default_rng(5).normal(1.0, 3.0, 50)
    pool = pool_variances(np.exp(logs), np.full(50, degrees), most_degrees=100.0)
    half, own = pool.degrees / 2, degrees / 2
    assert special.polygamma(1, half) + special.polygamma(1, own) == pytest.approx(logs.var(ddof=1), rel=1e-8)
    center = logs.mean() - special.digamma(own) + np.log(own) + special.digamma(half) - np.log(half)
    assert np.log(pool.variance) == pytest.approx(center, abs=1e-9)


def test_pooled_variances_are_those_that_were_drawn():
    random = np.random.default_rng(4)
    true = 0.04 * 8 / random.chisquare(8, 20000)
    pool = pool_variances(true * random.chisquare(4, 20000) / 4, np.full(20000, 4.0))
    assert pool.degrees == pytest.approx(8, rel=0.1)
    assert pool.variance == pytest.approx(0.04, rel=0.05)


def test_equal_variances_make_a_pool_that_is_as_good_as_known():
    random = np.random.default_rng(4)
    pool = pool_variances(0.04 * random.chisquare(4, 5000) / 4, np.full(5000, 4.0))
    assert pool.degrees > 200
    assert pool.variance == pytest.approx(0.04, rel=0.05)


@pytest.mark.parametrize("degrees", [2.0, 5.0, 29.0, 30.0, 1e4])
def test_a_mixture_of_the_same_has_the_quantiles_of_each(degrees):
    probability = np.linspace(0.005, 0.995, 100)
    same = np.zeros((2, 1)), np.ones((2, 1)), np.array([0.3, 0.7])
    found = mixture_quantiles(*same, np.array([2]), np.array([degrees]), probability)[:, 0, 0]
    assert stats.t.cdf(found, degrees) == pytest.approx(probability, abs=0.002)


def test_mixture_quantiles_equal_those_of_draws():
    random = np.random.default_rng(6)
    center, weight = random.lognormal(2, 1, (4, 5, 1)), random.dirichlet(np.ones(5), 4)
    scale = 0.2 * center
    flat = center.reshape(-1, 1), scale.reshape(-1, 1), weight.ravel()
    got = mixture_quantiles(*flat, np.full(4, 5), np.full(4, 6.0), np.array([0.05, 0.5, 0.95]))
    for k in range(4):
        rival = random.choice(5, 200_000, p=weight[k])
        draws = center[k, rival, 0] + scale[k, rival, 0] * random.standard_t(6, 200_000)
        assert got[:, k, 0] == pytest.approx(np.quantile(draws, [0.05, 0.5, 0.95]), rel=0.03)


def test_quantiles_of_rivals_far_apart_are_found():
    """Between two peaks, and on one beside others, where the secant of logits fails."""
    center, scale = np.array([1.0, 1.1, 40.0, 4e3]), np.array([0.1, 0.02, 2.0, 900.0])
    weight = np.array([0.28, 0.3, 0.22, 0.2])
    probability = np.array([0.05, 0.5, 0.7, 0.95])
    columns = (column[:, None] for column in (center, scale))
    found = mixture_quantiles(*columns, weight, np.array([4]), np.array([5.0]), probability)[:, 0, 0]
    below = (weight * stats.t.cdf((found[:, None] - center) / scale, 5)).sum(axis=1)
    assert below == pytest.approx(probability, abs=0.005)


def test_sums_of_predictions_respect_correlation():
    one = np.ones((4, 1))
    parts = Prediction(10 * one, 9 * one, 12 * one)

    def total(a):
        return a.sum(axis=0, keepdims=True)

    independent, together = parts.combine(total, 0.0), parts.combine(total, 1.0)
    assert independent.upper[0, 0] == pytest.approx(40 + 2 * 2)
    assert together.upper[0, 0] == pytest.approx(40 + 2 * 4)
    assert independent.lower[0, 0] == pytest.approx(40 - 2)


def test_correlation_tells_noise_from_common_causes():
    random = np.random.default_rng(7)
    measured = np.ones((50, 6), dtype=bool)
    noise = random.standard_normal((50, 6))
    common = np.repeat(random.standard_normal((1, 6)), 50, axis=0)
    assert correlation_of_errors(noise, measured, np.zeros(50)) < 0.1
    assert correlation_of_errors(common, measured, np.ones(50)) > 0.9


def test_the_heaviest_are_those_of_most_effort_in_their_order():
    points = np.array([4.0, 8, 16])[:, None]
    sample = sample_of(observe(points, np.array([3.0, 9, 1, 5])[:, None, None] * np.ones((1, 3, 1))))
    assert sample.heaviest(2).tolist() == [1, 3]
    assert sample.heaviest(4).tolist() == [0, 1, 2, 3]
    assert sample.heaviest(5).tolist() == [0, 1, 2, 3]

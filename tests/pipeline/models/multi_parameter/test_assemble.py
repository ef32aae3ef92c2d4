"""Models of several parameters in the units of the data, against weighted least squares written out."""

import numpy as np
import pytest
from scipy import stats

from pipeline.models.forms import term, term_values
from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.multi_parameter.search import drift, make_factors
from pipeline.models.multi_parameter.several_parameters import fit_exactly, scaling_models, weigh
from pipeline.models.observations import Observations
from pipeline.models.options import NO_EXPONENT, ModelOptions
from pipeline.models.quality import Note, correlation_of_errors
from tests.pipeline.models.made import grid_of

POINTS = np.array([(x, y) for x in (2.0, 4.0, 8.0, 16.0) for y in (1.0, 2.0, 3.0, 5.0)])
FACTORS = make_factors(POINTS, np.ones((1, 2)), ModelOptions())
PLACE = {e: n for n, e in enumerate(FACTORS.table.exponents)}
NONE, LINEAR, SQUARE, CUBIC = (PLACE[e] for e in (NO_EXPONENT, *(term((n, 0))[0] for n in (1, 2, 3))))
PICKS = np.array(
    [
        [[NONE, NONE], [NONE, NONE]],
        [[LINEAR, LINEAR], [NONE, NONE]],
        [[LINEAR, NONE], [NONE, SQUARE]],
        [[NONE, CUBIC], [NONE, NONE]],
    ]
)
REPEATS = 64.0


def made(noise=0.05, least_drift=0.0, repeats=REPEATS):
    random = np.random.default_rng(4)
    x, y = POINTS.T
    mean = np.stack([500 + 20 * x * y, 3e-4 * (x + y**2), 7 + 0 * x]) * random.lognormal(0, noise, (3, 16))
    data = Observations(POINTS, mean, np.full((3, 16), 5), np.zeros((3, 16)))
    scale = mean.max(axis=1)
    means = WeightedMeans(
        mean / scale[:, None], 400 * (scale[:, None] / mean) ** 2, np.full((3, 1, 1), 16.0), nonnegative=False
    )
    rivals = weigh(
        means, FACTORS, fit_exactly(means, FACTORS, np.stack([PICKS] * 3)), repeats=repeats, count=4
    )
    models = scaling_models(("x", "y"), data, means, FACTORS, rivals, scale, repeats, least_drift)
    return data, means, rivals, models


@pytest.fixture(scope="module")
def assembled():
    return made()


def normal_equations(data, means, kernel, terms):
    weight = means.weight[kernel] / data.mean[kernel].max() ** 2
    design = np.column_stack([np.ones(16), term_values(terms, POINTS)])
    inverse = np.linalg.inv(design.T * weight @ design)
    return design, inverse, inverse @ (design.T * weight @ data.mean[kernel])


def test_rivals_are_weighted_least_squares_in_the_units_of_the_data(assembled):
    data, means, rivals, models = assembled
    variance = np.take_along_axis(
        rivals.variance, np.argsort(rivals.weight == 0, axis=1, kind="stable"), axis=1
    )
    seen = 0
    for k in range(3):
        for n in np.flatnonzero(grid_of(models).weight[k] > 0):
            terms = models.hypothesis(k, n)
            _, inverse, expected = normal_equations(data, means, k, terms)
            size = 1 + len(terms)
            assert grid_of(models).coefficients[k, n, :size] == pytest.approx(expected, rel=1e-6)
            assert grid_of(models).covariance[k, n, :size, :size] == pytest.approx(
                inverse * variance[k, n], rel=1e-6
            )
            assert not grid_of(models).coefficients[k, n, size:].any()
            seen += 1
        assert (grid_of(models).chosen[k, grid_of(models).weight[k] == 0] == -1).all()
        assert grid_of(models).weight[k].sum() == pytest.approx(1)
    assert seen > 5
    assert models.formula(0).text().endswith("* x * y")
    assert models.rivals.degrees.tolist() == rivals.degrees.tolist()


def test_every_point_is_predicted_from_the_others(assembled):
    data, means, _, models = assembled
    for k in range(3):
        terms, mean = models.hypothesis(k), data.mean[k]
        design, _, solution = normal_equations(data, means, k, terms)
        fitted, left_out = design @ solution, np.empty(16)
        for p in range(16):
            rest = np.arange(16) != p
            root = np.sqrt(means.weight[k, rest])
            one = np.linalg.lstsq(design[rest] * root[:, None], mean[rest] * root, rcond=None)[0]
            left_out[p] = design[p] @ one
        for figure, values in ((models.quality.smape, fitted), (models.quality.cv_smape, left_out)):
            error = 200 * np.mean(np.abs(values - mean) / (np.abs(values) + np.abs(mean)))
            assert figure[k] == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize(("least", "repeats"), [(0.0, REPEATS), (0.25, REPEATS), (0.0, 0.0)])
def test_drift_and_correlation(least, repeats):
    data, means, rivals, models = made(0.4, least, repeats)
    best = rivals.variance[:, 0]
    walk = drift(means, best, rivals.misfit, repeats, np.log2(8) + np.log2(5))
    assert models.rivals.drift == pytest.approx(np.sqrt(np.maximum(walk, least)))
    fitted = np.stack([models.formula_values(POINTS)[k] for k in range(3)])
    share = 1 - 1 / np.maximum(best, 1.0) if repeats else np.ones(3)
    expected = correlation_of_errors(data.mean - fitted, data.measured, share)
    assert models.correlation == pytest.approx(expected)


def test_the_probability_of_growing_is_that_of_a_positive_coefficient(assembled):
    _, _, _, models = assembled
    for k in range(3):
        expected = 0.0
        for n in np.flatnonzero(grid_of(models).weight[k] > 0):
            found = [0.0]
            for c, (coefficient, _) in enumerate(models.formula(k, n).terms, 1):
                if coefficient > 0:
                    deviation = np.sqrt(grid_of(models).covariance[k, n, c, c])
                    found.append(stats.t.cdf(coefficient / deviation, models.rivals.degrees[k]))
            expected += grid_of(models).weight[k, n] * max(found)
        assert models.quality.probability_growing[k] == pytest.approx(expected)


def test_models_that_spread_by_a_factor_of_four_at_four_times_the_largest_point_cannot_tell():
    said = set()
    for noise in (0.05, 0.1, 0.6, 1.5):
        _, _, _, models = made(noise)
        ahead = 4 * POINTS.max(axis=0)[None]
        for k in range(3):
            spread, logs, weights = [], [], []
            for n in np.flatnonzero(grid_of(models).weight[k] > 0):
                design = np.concatenate([[1.0], term_values(models.hypothesis(k, n), ahead)[0]])
                size = len(design)
                value = design @ grid_of(models).coefficients[k, n, :size]
                variance = design @ grid_of(models).covariance[k, n, :size, :size] @ design
                variance += value**2 * 4 * models.rivals.drift[k] ** 2
                logs.append(np.log(abs(value)))
                spread.append(variance / value**2)
                weights.append(grid_of(models).weight[k, n])
            total = np.cov(logs, aweights=weights, ddof=0) + np.average(spread, weights=weights)
            undecided = 2 * stats.norm.ppf(0.95) * np.sqrt(total) > np.log(4)
            assert bool(models.quality.note[k] & Note.CANNOT_TELL) == undecided
            said.add(bool(undecided))
    assert said == {True, False}


def test_the_ends_of_the_range_and_what_was_measured(assembled):
    _, _, _, models = assembled
    assert (models.first.tolist(), models.last.tolist()) == ([2.0, 1.0], [16.0, 5.0])
    assert models.quality.valid_from.tolist() == [[2.0, 1.0]] * 3
    assert models.quality.points.tolist() == [16] * 3
    assert models.quality.repetitions.tolist() == [5] * 3
    assert not models.nonnegative


def test_the_largest_power_tried_is_at_the_edge():
    steep = Observations(POINTS, POINTS[None, :, 1] ** 3, np.full((1, 16), 5), np.zeros((1, 16)))
    scaled = WeightedMeans(
        steep.mean / 125, np.full((1, 16), 400.0), np.full((1, 1, 1), 16.0), nonnegative=False
    )
    found = weigh(scaled, FACTORS, fit_exactly(scaled, FACTORS, PICKS[None]), repeats=64.0, count=4)
    models = scaling_models(("x", "y"), steep, scaled, FACTORS, found, np.array([125.0]), 64.0, 0.0)
    assert models.formula(0).growth == "y^3"
    assert models.quality.note[0] & Note.OUTSIDE_SPACE
    assert not any(made()[3].quality.note & Note.OUTSIDE_SPACE)

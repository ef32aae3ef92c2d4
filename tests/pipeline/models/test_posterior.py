"""Weights, variances and quantiles against computations that share only the definition with the code."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from pipeline.models.observations import (
    EXACT_MISFIT,
    LEAST_MISFIT,
    MISFIT_DEGREES,
    ErrorModel,
    NoiseEstimate,
    observe,
    sample_of,
)
from pipeline.models.options import ModelOptions
from pipeline.models.posterior import (
    AHEAD,
    PLAUSIBLE_RIVAL,
    design_columns,
    fit_all,
    keep_plausible,
    weigh_hypotheses,
)
from pipeline.models.search_space import SpaceChoice, one_parameter_space
from pipeline.statistics import PooledVariance
from tests.pipeline.models.dense import dense_precision
from tests.pipeline.models.made import grid_of, one_parameter

POINTS = 2.0 ** np.arange(2, 8)
RANDOM = np.random.default_rng(11)
VALUES = (
    np.stack([3 + 2 * POINTS**1.5, 50 + 0 * POINTS, 400 / POINTS + 0.3 * POINTS])[:, :, None]
    * RANDOM.lognormal(0, 0.05, (3, 6, 4))
)  # fmt: skip
SPACE = one_parameter_space(ModelOptions(), 4.0, SpaceChoice(steep=True, falling=True, mixed=True))
CONSTANT = np.where(np.arange(1 + SPACE.rows.shape[1]) > 0, 1.0, SPACE.constant[:, None])[:, None]
ERRORS = NoiseEstimate(residual=PooledVariance(0.01, 3.0), repetition=PooledVariance(0.0025, 20.0))
STRUCTURES = (ErrorModel(0.1), ErrorModel(0.1, walk=2.0))


@pytest.fixture(scope="module", params=STRUCTURES, ids=("independent", "walking"))
def weighed(request):
    """A sample with all its fits, unconstrained, and the weights of the hypotheses."""
    sample = sample_of(observe(POINTS[:, None], VALUES))
    precision = sample.precision(request.param)
    fits = fit_all(SPACE, design_columns(SPACE, POINTS), sample, request.param, nonnegative=False)
    prior = SPACE.log_prior_of(sample.falls, steep=True)
    evidence = weigh_hypotheses(sample, request.param, fits, prior, ERRORS)
    return request.param, sample, precision, fits, prior, evidence


def log_likelihood(misfit, points, typical, degrees):
    """Integrate normal errors over their unknown variance, but for factors that all hypotheses share."""

    def density(log_variance):
        variance = np.exp(log_variance)
        prior = stats.invgamma.pdf(variance, degrees / 2, scale=degrees * typical / 2)
        return prior * variance * variance ** (-(points - 1) / 2) * np.exp(-misfit / (2 * variance))

    return np.log(integrate.quad(density, np.log(1e-6), np.log(1e4), limit=400)[0])


def with_misfit(noise, structure):
    """The pooled variance of 0.01 and what formulas miss of real programs, as far as there is any misfit."""
    excess = 0.01 - noise
    return 0.01 + LEAST_MISFIT / (1 + structure.walk**2) * excess / (excess + noise + EXACT_MISFIT)


def test_weights_are_likelihood_times_prior_and_price(weighed):
    structure, sample, _, fits, prior, evidence = weighed
    noise, degrees = ERRORS.noise(sample, structure)
    sizes = set()
    for k in range(len(sample)):
        some = np.argsort(-evidence.weight[k])[[0, 1, 2, 5, 10, 20, 40]]
        typical = with_misfit(noise[k], structure) if noise[k] < 0.01 else noise[k]
        freedom = MISFIT_DEGREES if noise[k] < 0.01 else max(degrees[k], 3.0)
        score = [
            log_likelihood(fits.misfit[k, h], 6, typical, freedom)
            + prior[k, h]
            - fits.size[h] * np.log(6) / 2
            for h in some
        ]
        expected = np.exp(score - np.max(score))
        found = evidence.weight[k, some]
        assert found / found.max() == pytest.approx(expected, rel=1e-5)
        assert evidence.weight[k].sum() == pytest.approx(1)
        sizes |= set(fits.size[some].tolist())
    assert sizes == {1, 2, 3}


def test_the_noise_of_a_mean_is_that_of_its_repetitions_and_the_pool():
    structure, sample = STRUCTURES[0], sample_of(observe(POINTS[:, None], VALUES))
    noise, degrees = ERRORS.noise(sample, structure)
    for k, values in enumerate(VALUES / VALUES.mean(axis=2).max(axis=1)[:, None, None]):
        mean = values.mean(axis=1)
        relative = (values - mean[:, None]) / np.sqrt((mean**2 + 0.01) / 1.01)[:, None]
        assert noise[k] == pytest.approx(((relative**2).sum() + 20 * 0.0025) / (18 + 20) / 4)
        assert degrees[k] == 38


def test_the_variance_of_a_model_mixes_residuals_and_pool(weighed):
    structure, sample, _, fits, _, evidence = weighed
    noise, _ = ERRORS.noise(sample, structure)
    assert (noise < 0.01).all()
    pooled = MISFIT_DEGREES * with_misfit(noise, structure)[:, None]
    expected = (pooled + fits.misfit) / (MISFIT_DEGREES + 6 - fits.size)
    possible = np.isfinite(fits.misfit)
    assert evidence.variance[possible] == pytest.approx(np.maximum(expected, noise[:, None])[possible])
    assert evidence.degrees.tolist() == [MISFIT_DEGREES + 6 - 2] * 3
    mean = (evidence.weight * evidence.variance).sum(axis=1)
    assert evidence.misfit_share == pytest.approx(1 - noise / mean)


def test_what_repetitions_do_not_explain_drifts_on(weighed):
    structure, sample, _, _, _, evidence = weighed
    noise, _ = ERRORS.noise(sample, structure)
    mean = (evidence.weight * evidence.variance).sum(axis=1)
    expected = structure.walk**2 * mean if structure.walk else 15 * (mean - noise) / 5
    assert evidence.drift == pytest.approx(expected)


def test_a_detrended_walk_keeps_a_fifteenth_of_its_variance():
    """The number 15 above, from draws: what a straight line through a random walk leaves."""
    walks = np.cumsum(RANDOM.standard_normal((4000, 200)), axis=1) / np.sqrt(200)
    line = np.polynomial.polynomial.polyvander(np.linspace(0, 1, 200), 1)
    left = walks - walks @ line @ np.linalg.pinv(line)
    assert (left**2).mean() == pytest.approx(1 / 15, rel=0.05)


def test_the_posterior_is_that_of_dense_least_squares(weighed):
    structure, sample, _, fits, _, evidence = weighed
    kept = keep_plausible(SPACE, sample, structure, fits, evidence)
    for k in range(len(sample)):
        dense = dense_precision(structure, POINTS, structure.scale(sample.level[k]))
        weight = np.sort(evidence.weight[k])[::-1]
        weight = weight[weight > PLAUSIBLE_RIVAL]
        count = int((grid_of(kept).chosen[k] >= 0).sum())
        assert grid_of(kept).weight[k, :count] == pytest.approx(weight / weight.sum())
        assert (grid_of(kept).chosen[k, count:] == -1).all()
        assert not grid_of(kept).weight[k, count:].any()
        for rival in range(0, count, 3):
            design = columns_of(grid_of(kept).chosen[k, rival], POINTS)
            used = np.flatnonzero(design.any(axis=0))
            solve = np.linalg.inv(design[:, used].T @ dense @ design[:, used])
            expected = solve @ design[:, used].T @ dense @ sample.level[k] * sample.largest[k]
            assert grid_of(kept).coefficients[k, rival, used] == pytest.approx(expected, rel=1e-6)
            scale = evidence.variance[k, grid_of(kept).chosen[k, rival]] * sample.largest[k] ** 2
            assert grid_of(kept).covariance[k, rival][np.ix_(used, used)] == pytest.approx(
                solve * scale, rel=1e-5
            )
    assert kept.rivals.drift == pytest.approx(np.sqrt(evidence.drift))
    assert kept.probability_growing == pytest.approx((evidence.weight * SPACE.growing).sum(axis=1))


def columns_of(hypothesis, points):
    return (SPACE.design(points[:, None]) * CONSTANT)[hypothesis]


def test_left_out_points_are_predicted_by_a_fit_of_the_others(weighed):
    structure, sample, _, fits, _, evidence = weighed
    kept = keep_plausible(SPACE, sample, structure, fits, evidence)
    for k in range(len(sample)):
        dense = dense_precision(structure, POINTS, structure.scale(sample.level[k]))
        covariance = np.linalg.inv(dense)
        design = columns_of(grid_of(kept).chosen[k, 0], POINTS)
        design = design[:, design.any(axis=0)]
        for left in range(6):
            others = np.arange(6) != left
            inverse = np.linalg.inv(covariance[np.ix_(others, others)])
            normal = design[others].T @ inverse @ design[others]
            coefficients = np.linalg.solve(normal, design[others].T @ inverse @ sample.level[k, others])
            residual = sample.level[k, others] - design[others] @ coefficients
            value = design[left] @ coefficients + covariance[left, others] @ inverse @ residual
            assert kept.left_out[k, left] == pytest.approx(value * sample.largest[k], rel=1e-5)
    assert kept.fitted == pytest.approx(
        np.stack(
            [
                columns_of(h, POINTS) @ c
                for h, c in zip(grid_of(kept).chosen[:, 0], grid_of(kept).coefficients[:, 0], strict=True)
            ]
        )
    )


def test_models_are_undecided_if_they_differ_by_a_factor_of_four_ahead(weighed):
    structure, sample, _, fits, _, evidence = weighed
    kept = keep_plausible(SPACE, sample, structure, fits, evidence)
    ahead = np.array([POINTS[-1] * AHEAD])
    for k in range(len(sample)):
        value = [
            columns_of(h, ahead)[0] @ c
            for h, c in zip(grid_of(kept).chosen[k], grid_of(kept).coefficients[k], strict=True)
            if h >= 0
        ]
        logs, weight = (
            np.log(np.maximum(value, 1e-9 * sample.largest[k])),
            grid_of(kept).weight[k, : len(value)],
        )
        spread = np.cov(logs, aweights=weight, ddof=0) + 2 * evidence.drift[k]
        assert kept.undecided[k] == (2 * stats.norm.ppf(0.95) * np.sqrt(spread) > np.log(4))


def mixture_quantile(parts, degrees, probability):
    """Invert the distribution function of a mixture of (weight, center, scale)."""

    def excess(value):
        return sum(w * stats.t.cdf((value - c) / s, degrees) for w, c, s in parts) - probability

    low = min(c - 100 * s for _, c, s in parts)
    high = max(c + 100 * s for _, c, s in parts)
    return optimize.brentq(excess, low, high)


def two_kernels(drift=(0.0, 0.0), nonnegative=True):
    """The first kernel has three rivals, the second is sure of its one."""
    covariance = np.zeros((2, 3, 2, 2))
    covariance[0, :, 0, 0], covariance[0, :, 1, 1] = 0.04, 0.01
    covariance[0, :, 0, 1] = covariance[0, :, 1, 0] = -0.005
    covariance[1, 0] = [[0.09, 0.01], [0.01, 0.0025]]
    return one_parameter(
        [[[5.0, 2.0], [9.0, 0.03], [40.0, 0.0]], [[1.0, 0.5], [0, 0], [0, 0]]],
        [[1, 2, 0], [1, -1, -1]],
        weight=np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]]),
        covariance=covariance,
        degrees=np.array([6.0, 9.0]),
        drift=np.array(drift),
        nonnegative=nonnegative,
    )


@pytest.mark.parametrize("drift", [(0.0, 0.0), (0.2, 0.1)])
@pytest.mark.parametrize("at", [8.0, 64.0, 256.0, 4096.0])
@pytest.mark.parametrize("level", [0.9, 0.5])
def test_predictions_are_quantiles_of_the_mixture_of_all_rivals(drift, at, level):
    models = two_kernels(drift)
    found = models.predict(np.array([[at]]), level)
    doublings = max(np.log2(at / 64), 0.0)
    for k in range(2):
        parts = []
        for rival, hypothesis in enumerate(grid_of(models).chosen[k].tolist()):
            if hypothesis >= 0:
                design = np.array([1.0, (0.0, at, at**2)[hypothesis]])
                center = design @ grid_of(models).coefficients[k, rival]
                variance = (
                    design @ grid_of(models).covariance[k, rival] @ design
                    + doublings * (center * drift[k]) ** 2
                )
                parts.append((grid_of(models).weight[k, rival], center, np.sqrt(variance)))
        tail = (1 - level) / 2
        ends = [mixture_quantile(parts, models.rivals.degrees[k], q) for q in (tail, 0.5, 1 - tail)]
        width = ends[2] - ends[0]
        got = [found.lower[k, 0], found.value[k, 0], found.upper[k, 0]]
        assert got == pytest.approx(np.maximum(ends, 0.0), abs=0.01 * width)


def test_drift_widens_beyond_the_measured_range_only():
    plain, drifting = two_kernels(), two_kernels((0.3, 0.3))
    for at, wider in ((8.0, False), (64.0, False), (128.0, True)):
        one, other = (models.predict(np.array([[at]])) for models in (plain, drifting))
        assert (other.upper > one.upper * 1.001).all() == wider
        assert (other.upper == one.upper).all() != wider


def test_intervals_end_at_zero_only_if_nothing_is_negative():
    far = np.array([[1e4]])
    assert two_kernels((3.0, 3.0)).predict(far).lower.min() == 0
    assert two_kernels((3.0, 3.0), nonnegative=False).predict(far).lower.max() < 0

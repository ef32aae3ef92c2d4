"""The plain method against straight lines fitted one at a time with numpy."""

import numpy as np
import pytest
from scipy import stats

from pipeline.models.fit import fit
from pipeline.models.forms import term, term_values, tried_exponents
from pipeline.models.options import ModelOptions
from pipeline.models.quality import Note
from tests.pipeline.models.made import grid_of

POINTS = np.array([2.0, 3.0, 5.0, 8.0, 13.0, 21.0])
RANDOM = np.random.default_rng(3)
MEAN = np.stack(
    [
        (5 + 2 * POINTS) * RANDOM.lognormal(0, 0.2, 6),
        (5 + POINTS**1.5) * RANDOM.lognormal(0, 0.2, 6),
        10 * RANDOM.lognormal(0, 0.2, 6),
        (100 - 4 * POINTS) * RANDOM.lognormal(0, 0.05, 6),
    ]
)
COLUMNS = term_values([(e,) for e in tried_exponents()], POINTS[:, None]).T
OPTIONS = ModelOptions(method="extra-p")


def smape(predicted, mean):
    return 200 * np.mean(np.abs(predicted - mean) / (np.abs(predicted) + np.abs(mean)))


def line(column, mean):
    return np.linalg.lstsq(np.column_stack([np.ones(len(column)), column]), mean, rcond=None)[0]


def left_out(column, mean):
    """Each value predicted by a line through the others."""
    found = []
    for p in range(len(mean)):
        a, b = line(np.delete(column, p), np.delete(mean, p))
        found.append(a + b * column[p])
    return np.array(found)


def test_the_term_of_the_least_left_out_error_is_chosen_unless_a_constant_does_as_well():
    models = fit(("p",), POINTS[:, None], MEAN[:, :, None], OPTIONS)
    for k, mean in enumerate(MEAN):
        errors = [smape(left_out(column, mean), mean) for column in COLUMNS]
        constant = smape(np.full(6, mean.mean()), mean)
        best = int(np.argmin(errors))
        expected = ((tried_exponents()[best],),) if errors[best] < constant else ()
        assert models.hypothesis(k) == expected
    assert models.hypothesis(2) == ()
    assert len(models.hypothesis(0)) == 1


def test_coefficients_covariance_and_errors_are_those_of_the_line():
    models = fit(("p",), POINTS[:, None], MEAN[:, :, None], OPTIONS)
    for k in (0, 1, 3):
        (one,) = models.hypothesis(k)
        column, mean = term_values([one], POINTS[:, None])[:, 0], MEAN[k]
        found = stats.linregress(column, mean)
        assert models.formula(k).constant == pytest.approx(found.intercept, rel=1e-7)
        assert grid_of(models).coefficients[k, 0, 1] == pytest.approx(found.slope, rel=1e-7)
        covariance = grid_of(models).covariance[k, 0]
        assert covariance[0, 0] == pytest.approx(found.intercept_stderr**2, rel=1e-6)
        assert covariance[1, 1] == pytest.approx(found.stderr**2, rel=1e-6)
        assert models.rivals.degrees[k] == 4
        assert models.quality.probability_growing[k] == pytest.approx(
            stats.t.cdf(found.slope / found.stderr, 4), rel=1e-6
        )
        fitted = found.intercept + found.slope * column
        assert models.quality.smape[k] == pytest.approx(smape(fitted, mean))
        assert models.quality.cv_smape[k] == pytest.approx(smape(left_out(column, mean), mean), rel=1e-6)


def test_a_constant_is_the_mean_with_its_standard_error():
    models = fit(("p",), POINTS[:, None], MEAN[:, :, None], OPTIONS)
    assert models.formula(2).constant == pytest.approx(MEAN[2].mean())
    assert grid_of(models).covariance[2, 0, 0, 0] == pytest.approx(MEAN[2].var(ddof=1) / 6)
    assert grid_of(models).covariance[2, 0, 1, 1] == 0
    assert models.rivals.degrees[2] == 5
    assert models.quality.probability_growing[2] == 0
    assert models.formula(2).text() == f"{MEAN[2].mean():.4g}"


def test_the_interval_is_students():
    models = fit(("p",), POINTS[:, None], MEAN[:, :, None], OPTIONS)
    far = np.array([[55.0]])
    predicted = models.predict(far, 0.8)
    (one,) = models.hypothesis(0)
    design = np.array([1.0, term_values([one], far)[0, 0]])
    reach = stats.t.ppf(0.9, 4) * np.sqrt(design @ grid_of(models).covariance[0, 0] @ design)
    value = design @ grid_of(models).coefficients[0, 0]
    assert predicted.value[0, 0] == pytest.approx(value)
    assert predicted.upper[0, 0] == pytest.approx(value + reach)
    assert predicted.lower[0, 0] == pytest.approx(max(value - reach, 0.0))
    assert models.nonnegative


def test_an_exact_line_is_certain():
    models = fit(("p",), POINTS[:, None], (3 + 2 * POINTS)[None, :, None], OPTIONS)
    assert models.hypothesis(0) == (term((1, 0)),)
    assert models.quality.probability_growing[0] == pytest.approx(1.0)
    predicted = models.predict(np.array([[100.0]]))
    assert predicted.upper[0, 0] == pytest.approx(203) == predicted.lower[0, 0]


def test_missing_points_do_not_count():
    values = np.where(np.arange(6) == 2, np.nan, MEAN)[:, :, None]
    models = fit(("p",), POINTS[:, None], values, OPTIONS)
    rest = np.arange(6) != 2
    fewer = fit(("p",), POINTS[rest, None], MEAN[:, rest, None], OPTIONS)
    for k in range(4):
        assert models.hypothesis(k) == fewer.hypothesis(k)
        assert grid_of(models).coefficients[k] == pytest.approx(grid_of(fewer).coefficients[k])
        assert grid_of(models).covariance[k] == pytest.approx(grid_of(fewer).covariance[k])
    assert models.quality.smape == pytest.approx(fewer.quality.smape)
    assert models.quality.cv_smape == pytest.approx(fewer.quality.cv_smape)
    assert models.quality.points.tolist() == [5] * 4


def test_few_points_are_uncertain():
    models = fit(("p",), POINTS[:2, None], MEAN[:, :2, None], OPTIONS)
    assert (models.rivals.degrees == 1).all()
    assert (models.quality.note & Note.FEW_POINTS).all()
    alone = fit(("p",), POINTS[:1, None], MEAN[:, :1, None], OPTIONS)
    assert grid_of(alone).covariance[:, 0, 0, 0] == pytest.approx(MEAN[:, 0] ** 2)


def test_logarithms_are_tried_only_from_one_on():
    below = fit(("p",), POINTS[:, None] / 4, MEAN[:, :, None], OPTIONS)
    assert all(one[0][1] == 0 for one in below.hypotheses.terms)
    whole = fit(("p",), POINTS[:, None] / 2, MEAN[:, :, None], OPTIONS)
    assert len(whole.hypotheses.terms) == len(tried_exponents())
    own = ModelOptions(method="extra-p", exponents=(term((2, 0))[0],))
    assert fit(("p",), POINTS[:, None], MEAN[:, :, None], own).hypotheses.terms == (term((2, 0)),)


def test_blocks_of_kernels_are_chosen_alike(monkeypatch):
    whole = fit(("p",), POINTS[:, None], MEAN[:, :, None], OPTIONS)
    monkeypatch.setattr("pipeline.models.fit._BLOCK", 1)
    again = fit(("p",), POINTS[:, None], MEAN[:, :, None], OPTIONS)
    assert (grid_of(again).chosen == grid_of(whole).chosen).all()

import numpy as np
import pytest

from ingest.errors import ModelError
from pipeline.models.fit import fit
from pipeline.models.forms import term_values, tried_exponents
from pipeline.models.options import ModelOptions
from tests.pipeline.models.made import grid_of

PLAIN = ModelOptions(method="extra-p")
POWERS_OF_TWO = 2.0 ** np.arange(1, 6)[:, None]


def test_every_exact_term_is_found_again():
    terms = tuple((e,) for e in tried_exponents())
    values = (200 + 10 * term_values(terms, POWERS_OF_TWO)).T[:, :, None]
    models = fit(("p",), POWERS_OF_TWO, values, PLAIN)
    assert [models.hypothesis(k) for k in range(len(models))] == [(t,) for t in terms]
    assert grid_of(models).coefficients[:, 0, 0] == pytest.approx(200)
    assert grid_of(models).coefficients[:, 0, 1] == pytest.approx(10)


def test_a_point_without_measurement_does_not_change_an_exact_model():
    values = (3 + 2 * POWERS_OF_TWO**2).T[:, :, None].copy()
    values[0, 1] = np.nan
    models = fit(("p",), POWERS_OF_TWO, values, PLAIN)
    assert models.formula(0).text() == "3 + 2 * p^2"
    assert models.notes(0)[0] == "fewer than 5 points"


@pytest.mark.parametrize("factor", [1.0, 800.0, 1e9])
def test_rounding_errors_are_no_terms(factor):
    points = 2.0 ** np.arange(5)[:, None]
    values = np.repeat(factor * points.T[:, :, None], 2, axis=2)
    models = fit(("p",), points, values, ModelOptions())
    assert models.formula(0).text() == f"{factor:.4g} * p"


def test_kernels_with_equal_values_have_equal_models_and_change_no_other():
    rng = np.random.default_rng(2)
    points = POWERS_OF_TWO
    different = (5 + points**1.5).T[:, :, None] * rng.normal(1, 0.01, (3, len(points), 3))
    repeated = different[[0, 1, 2, 0, 0, 1, 2, 2]]
    alone, many = fit(("p",), points, different), fit(("p",), points, repeated)
    assert len(many) == 8
    assert [many.formula(k) for k in range(8)] == [alone.formula(k) for k in (0, 1, 2, 0, 0, 1, 2, 2)]
    far = many.predict(points[-1:] * 4).value
    assert far[3] == far[4] == far[0] and far[5] == far[1]


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_parameter_values_must_be_positive_numbers(bad):
    with pytest.raises(ModelError, match="not a positive number"):
        fit(("p",), np.array([[bad], [1.0]]), np.ones((1, 2, 1)), PLAIN)

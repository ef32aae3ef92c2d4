"""The models as shipped evaluate to what the models themselves predict."""

import base64
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ingest.arrays import FloatArray
from pipeline.models.analysis import Analysis
from pipeline.models.scaling_models import ScalingModels
from pipeline.report.html.model_data import PLAUSIBLE, RIVALS, model_data, plausible
from tests.pipeline.report.html.studies import study, two_parameter_study


def evaluated(data: dict[str, Any], kernel: int, point: FloatArray, rival: int = 0) -> float:
    """Evaluate the shipped data as the page does."""
    place = kernel * data["rivals"] + rival
    coefficients = np.frombuffer(base64.b64decode(data["coefficients"]), dtype="<f8")
    coefficients = coefficients.reshape(len(data["chosen"]), -1)[place]
    value = coefficients[0]
    for coefficient, t in zip(coefficients[1:], data["hypotheses"][data["chosen"][place]], strict=False):
        factors = [
            x ** float(Fraction(power)) * np.log2(x) ** logarithm
            for x, (power, logarithm) in zip(point, data["terms"][t], strict=True)
        ]
        value += coefficient * np.prod(factors)
    return max(float(value), 0.0 if data["nonnegative"] else -np.inf)


@pytest.mark.parametrize("made", [study, two_parameter_study])
def test_shipped_models_give_the_models_values(made: Callable[[], Analysis]) -> None:
    analysis = made()
    for level in (analysis.callpaths, analysis.regions):
        data = model_data(level.models)
        points = analysis.experiment.points * 3.3
        expected = level.models.values(points)
        found = [[evaluated(data, k, point) for point in points] for k in range(len(level.models))]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_growth_names_the_leading_terms() -> None:
    models = study().callpaths.models
    data = model_data(models)
    for k in range(len(models)):
        leading = data["growths"][data["growth"][k]]
        assert (leading == []) == (models.growth(k) == "1")
        assert all(models.terms[t] in models.hypothesis(k) for t in leading)


def test_notes_are_those_of_the_models() -> None:
    models = with_rivals(study().callpaths.models)
    models = replace(models, note=np.array([0, 1, 2, 1, 3]))
    data = model_data(models)
    assert [tuple(data["notes"][i]) for i in data["note"]] == [models.notes(k) for k in range(5)]


def with_rivals(models: ScalingModels) -> ScalingModels:
    """Give every kernel six rivals with falling weights."""
    count, rivals = len(models), 6
    weight = np.array([0.6, 0.3, 0.05, 0.03, 0.015, 0.005])
    return replace(
        models,
        chosen=np.tile(np.arange(rivals), (count, 1)),
        weight=np.tile(weight, (count, 1)),
        coefficients=np.repeat(models.coefficients, rivals, axis=1),
        covariance=np.repeat(models.covariance, rivals, axis=1),
    )


def test_only_plausible_rivals_are_shipped() -> None:
    models = with_rivals(study().callpaths.models)
    assert plausible(models)[0].tolist() == [0, 1, 2, 3]
    doubtful = replace(models, weight=np.tile([0.97, PLAUSIBLE / 2, 0.025, 0.001, 0.001, 0.001], (5, 1)))
    assert plausible(doubtful)[0].tolist() == [0, -1, 2, -1]
    data = model_data(doubtful)
    assert data["rivals"] == RIVALS
    assert data["chosen"][1] == -1
    assert evaluated(data, 0, np.array([4.0])) >= 0

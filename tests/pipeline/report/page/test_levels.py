"""What the page knows of the kernels of one level; the models as shipped evaluate to what they predict."""

import base64
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ingest.arrays import FloatArray
from pipeline.models.quality import Note
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, Level, default_target, look_ahead
from pipeline.report.page.folding import shown_level
from pipeline.report.page.levels import (
    PLAUSIBLE,
    RIVALS,
    level_data,
    model_data,
    plausible,
    warning_texts,
)
from pipeline.report.page.payload import region_numbers
from pipeline.report.page.scales import scales_of
from tests.pipeline.report.page.studies import outlooks, study, study_of, two_parameter_study


def made(analysis: Analysis | None = None) -> dict[str, Any]:
    analysis = analysis or study()
    scales = scales_of(analysis, default_target(analysis))
    shown = shown_level(analysis.callpaths, outlooks(analysis)[0], analysis.experiment.points, scales, 9)
    return level_data(shown, numbers_of(analysis))


def numbers_of(analysis: Analysis) -> dict[str, int]:
    return region_numbers([analysis.regions.kernels, analysis.callpaths.kernels])


def floats(text: str, kind: str = "<f4") -> FloatArray:
    return np.frombuffer(base64.b64decode(text), dtype=kind).astype(np.float64)


def test_predictions_at_the_grid_are_those_of_the_models() -> None:
    analysis = study()
    models = analysis.callpaths.models
    expected = models.predict(scales_of(analysis, default_target(analysis)).grid)
    data = made()
    for name in ("value", "lower", "upper"):
        np.testing.assert_allclose(floats(data[name]), getattr(expected, name).ravel(), rtol=1e-6)
    total = predict_total(models, scales_of(analysis, default_target(analysis)).grid)
    np.testing.assert_allclose(floats(data["total"]["lower"]), total.lower[0], rtol=1e-6)
    np.testing.assert_allclose(floats(data["total"]["upper"]), total.upper[0], rtol=1e-6)


def test_quality_is_that_of_the_models() -> None:
    data, models = made(), study().callpaths.models
    np.testing.assert_allclose(floats(data["growing"]), models.probability_growing, rtol=1e-6)
    np.testing.assert_allclose(floats(data["smape"]), models.smape, rtol=1e-6)
    np.testing.assert_allclose(floats(data["cvSmape"]), models.cv_smape, rtol=1e-6)


SHARED = {
    ("main",): lambda p: 100 + 0 * p,
    ("main", "solve"): lambda p: 50 + 0 * p,
    ("main", "solve", "MPI_Send"): lambda p: 2 + 0 * p,
    ("main", "MPI_Send"): lambda p: 3 + 0 * p,
}


def test_tree_and_measurements_are_those_of_the_kernels() -> None:
    analysis = study_of(SHARED)
    data, kernels = made(analysis), analysis.callpaths.kernels
    assert data["parent"] == [-1, 0, 1, 0]
    assert data["region"] == [0, 1, 2, 2]
    np.testing.assert_allclose(floats(data["mean"]), kernels.mean.ravel(), rtol=1e-6)


def test_crossovers_beyond_the_target_follow_those_of_the_outlook() -> None:
    analysis = study()
    targets = np.array([[64.0]])
    outlook = look_ahead(analysis, analysis.callpaths, targets)
    scales = scales_of(analysis, targets)
    found = shown_level(analysis.callpaths, outlook, analysis.experiment.points, scales, 9)
    assert found.outlook.crossovers == outlook.crossovers
    beyond = found.beyond
    assert [analysis.callpaths.kernels.callpaths[c.overtakes][-1] for c in beyond] == ["MPI_Allreduce"]
    assert 64.0 < beyond[0].at < 256.0
    assert not beyond[0].measured


CROSSING = {("main",): lambda p: 20 + 0 * p, ("main", "grows"): lambda p: p}


def test_crossovers_say_who_overtakes_whom_where() -> None:
    analysis = study_of(CROSSING)
    (crossover,) = made(analysis)["crossovers"]
    assert crossover[:2] == [1, 0]
    assert crossover[2] == pytest.approx(20, rel=0.05)
    assert crossover[2] == float(f"{crossover[2]:.6g}")
    assert crossover[3] is True
    (expected,) = outlooks(analysis)[0].crossovers
    assert crossover[2] == pytest.approx(expected.at, rel=1e-5)


def widths(data: dict[str, Any]) -> list[int]:
    """How many coefficients there are of each model; of a kernel without any, the constant."""
    return [
        1 + len(data["hypotheses"][h]) if h >= 0 else int(place % data["rivals"] == 0)
        for place, h in enumerate(data["chosen"])
    ]


def evaluated(data: dict[str, Any], kernel: int, point: FloatArray, rival: int = 0) -> float:
    """Evaluate the shipped data as the page does."""
    place = kernel * data["rivals"] + rival
    begin = sum(widths(data)[:place])
    coefficients = floats(data["coefficients"], "<f8")[begin : begin + widths(data)[place]]
    value = coefficients[0]
    for coefficient, t in zip(coefficients[1:], data["hypotheses"][data["chosen"][place]], strict=False):
        factors = [
            x ** float(Fraction(power)) * np.log2(x) ** logarithm
            for x, (power, logarithm) in zip(point, data["terms"][t], strict=True)
        ]
        value += coefficient * math.prod(factors)
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


def test_shipped_rivals_are_those_of_the_models() -> None:
    models = study().callpaths.models
    data = model_data(models)
    assert data["rivals"] == RIVALS == 4
    there = plausible(models) >= 0
    assert not there.all()
    np.testing.assert_allclose(floats(data["weight"]), models.weight[:, :4][there], rtol=1e-6)
    assert len(floats(data["coefficients"], "<f8")) == sum(widths(data))
    np.testing.assert_allclose(floats(data["validFrom"]), models.valid_from.ravel(), rtol=1e-6)
    point = np.array([100.0])
    for rival in range(3):
        expected = models.formula(3, rival).constant + sum(
            c * 100.0 ** float(i) * math.log2(100.0) ** j for c, ((i, j),) in models.formula(3, rival).terms
        )
        assert evaluated(data, 3, point, rival) == pytest.approx(expected, rel=1e-12)
    assert not model_data(replace(models, nonnegative=False))["nonnegative"]
    assert data["nonnegative"] is True


def test_growth_names_the_leading_terms() -> None:
    for analysis in (study(), two_parameter_study()):
        models = analysis.callpaths.models
        data = model_data(models)
        for k in range(len(models)):
            leading = [data["terms"][t] for t in data["growths"][data["growth"][k]]]
            expected = models.formula(k).growth
            assert (leading == []) == (expected == "1")
            assert len(leading) == expected.count(" + ") + (expected != "1")
            terms = [[[str(i), j] for i, j in term] for term in models.hypothesis(k)]
            assert all(term in terms for term in leading)


def test_terms_with_a_negative_coefficient_do_not_lead() -> None:
    models = study().callpaths.models
    k = next(k for k in range(len(models)) if models.formula(k).growth == "p^(3/2)")
    coefficients = models.coefficients.copy()
    coefficients[k, 0, 1] *= -1
    data = model_data(replace(models, coefficients=coefficients))
    assert data["growths"][data["growth"][k]] == []
    data = model_data(models)
    assert [data["terms"][t] for t in data["growths"][data["growth"][k]]] == [[["3/2", 0]]]


def test_a_kernel_without_a_model_has_no_terms_and_no_growth() -> None:
    models = study().callpaths.models
    chosen = models.chosen.copy()
    chosen[2] = -1
    data = model_data(replace(models, chosen=chosen))
    assert data["chosen"][2 * RIVALS] == -1
    assert evaluated(data, 2, np.array([100.0])) == models.coefficients[2, 0, 0]
    assert evaluated(data, 3, np.array([100.0])) == pytest.approx(models.values(np.array([[100.0]]))[3, 0])
    assert data["growths"][data["growth"][2]] == []


def test_warnings_are_those_of_the_models_in_words_of_the_page() -> None:
    models = study().callpaths.models
    noted = replace(models, note=np.array([0, Note.FEW_POINTS, Note.CANNOT_TELL, Note.FEW_POINTS, 3]))
    data = model_data(noted)
    texts = [tuple(data["warnings"][i]) for i in data["warning"]]
    assert texts == warning_texts(noted)
    assert texts == [
        (),
        ("fewer than 5 points",),
        ("growth uncertain",),
        ("fewer than 5 points",),
        ("fewer than 5 points", "growth uncertain"),
    ]
    assert data["growthUncertain"] == [0, 0, 1, 0, 1]
    assert len(data["warnings"]) == 4


def with_rivals(models: ScalingModels) -> ScalingModels:
    """Give every kernel six rivals with falling weights."""
    count, rivals = len(models), 6
    weight = np.array([0.6, 0.3, 0.05, 0.03, 0.015, 0.005])
    return replace(
        models,
        chosen=np.tile(np.arange(rivals), (count, 1)),
        weight=np.tile(weight, (count, 1)),
        coefficients=np.repeat(models.coefficients[:, :1], rivals, axis=1),
        covariance=np.repeat(models.covariance[:, :1], rivals, axis=1),
    )


def test_only_plausible_rivals_are_shipped() -> None:
    models = with_rivals(study().callpaths.models)
    assert plausible(models)[0].tolist() == [0, 1, 2, 3]
    assert PLAUSIBLE == 0.02
    doubtful = replace(models, weight=np.tile([0.01, PLAUSIBLE / 2, PLAUSIBLE, 0.019, 0.5, 0.5], (5, 1)))
    assert plausible(doubtful)[0].tolist() == [0, -1, 2, -1]
    assert models.chosen[0].tolist() == [0, 1, 2, 3, 4, 5]
    assert shipped_terms(model_data(models)) == [terms_of(models, h) for h in range(4)]
    data = model_data(doubtful)
    assert data["rivals"] == RIVALS
    assert data["chosen"][:4] == [0, -1, 1, -1]
    assert len(data["hypotheses"]) == 2
    assert shipped_terms(data) == [terms_of(models, h) for h in (0, 2)]


def shipped_terms(data: dict[str, Any]) -> list[list[Any]]:
    return [[data["terms"][t] for t in hypothesis] for hypothesis in data["hypotheses"]]


def terms_of(models: ScalingModels, hypothesis: int) -> list[list[list[Any]]]:
    return [[[str(i), j] for i, j in term] for term in models.plain_hypotheses[hypothesis]]


def test_fewer_rivals_than_the_page_can_show_are_all_shipped() -> None:
    models = study().callpaths.models
    few = replace(
        models,
        chosen=models.chosen[:, :2],
        weight=models.weight[:, :2],
        coefficients=models.coefficients[:, :2],
        covariance=models.covariance[:, :2],
    )
    data = model_data(few)
    assert data["rivals"] == 2
    assert len(data["chosen"]) == 2 * len(models)


def test_regions_and_call_paths_are_different_levels() -> None:
    analysis = study_of(SHARED)
    scales = scales_of(analysis, default_target(analysis))
    shown = shown_level(analysis.regions, outlooks(analysis)[1], analysis.experiment.points, scales, 9)
    data = level_data(shown, numbers_of(analysis))
    assert data["region"] == [0, 1, 2]
    assert data["parent"] == [-1, -1, -1]
    assert isinstance(analysis.regions, Level)
    np.testing.assert_allclose(floats(data["mean"]), analysis.regions.kernels.mean.ravel(), rtol=1e-6)

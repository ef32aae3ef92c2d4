"""What the page knows of kernels: measurements, texts, and what `pipeline predict` says at positions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ingest.arrays import FloatArray
from pipeline.models.prediction import Prediction
from pipeline.models.quality import Note
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, Level, default_target, kernel_formulas, look_ahead
from pipeline.report.page.page_data import SHOWN_RIVAL, kernel_data, plausible, region_numbers, warning_texts
from pipeline.report.page.positions import positions_of
from pipeline.report.page.shown_kernels import shown_kernels
from pipeline.wording.quantities import figure
from tests.pipeline.models.made import changed, grid_of
from tests.pipeline.report.page.studies import (
    as_carried,
    floats,
    outlooks,
    study,
    study_of,
    three_parameter_study,
    two_parameter_study,
)


def made(analysis: Analysis | None = None, level: str = "callpaths") -> Any:
    analysis = analysis or study()
    positions = positions_of(analysis, default_target(analysis))
    callpaths, regions = outlooks(analysis)
    shown = shown_kernels(
        getattr(analysis, level),
        callpaths if level == "callpaths" else regions,
        analysis.experiment.points,
        positions,
        9,
    )
    numbers = region_numbers([analysis.regions.kernels, analysis.callpaths.kernels])
    return as_carried(kernel_data(shown, numbers, positions, 9))


def texts(values: FloatArray) -> list[str]:
    return [figure(value) for value in values.ravel().tolist()]


def intervals(data: dict[str, Any], expected: Prediction) -> tuple[list[str], list[str]]:
    """Both ends as the page has them and as they should be, as they are written."""
    found, exact = [], []
    for part in (data["weighty"], data["others"]):
        places = np.ix_(part["kernels"], part["positions"])
        for end in ("lower", "upper"):
            found += texts(floats(part[end]))
            exact += texts(getattr(expected, end)[places])
    return found, exact


@pytest.mark.parametrize("level", ["callpaths", "regions"])
@pytest.mark.parametrize("of", [study, two_parameter_study, three_parameter_study])
def test_the_page_has_what_predict_says_to_the_last_digit_shown(
    of: Callable[[], Analysis], level: str
) -> None:
    analysis, data = of(), made(of(), level)
    models, positions = getattr(analysis, level).models, positions_of(analysis, default_target(analysis))
    expected = models.predict(positions.points)
    assert texts(floats(data["value"])) == texts(expected.value)
    found, exact = intervals(data, expected)
    assert found == exact
    assert sorted(data["weighty"]["kernels"] + data["others"]["kernels"]) == list(range(len(models)))
    assert data["weighty"]["positions"] == list(range(len(positions.points)))
    total = predict_total(models, positions.points)
    for end in ("value", "lower", "upper"):
        np.testing.assert_allclose(data["total"][end], getattr(total, end)[0], rtol=1e-8)


def test_quality_is_that_of_the_models() -> None:
    data, models = made(), study().callpaths.models
    np.testing.assert_allclose(floats(data["growing"]), models.quality.probability_growing, rtol=1e-4)
    np.testing.assert_allclose(floats(data["smape"]), models.quality.smape, rtol=1e-4)
    np.testing.assert_allclose(floats(data["cvSmape"]), models.quality.cv_smape, rtol=1e-4)
    np.testing.assert_allclose(floats(data["validFrom"]), models.quality.valid_from.ravel(), rtol=1e-4)


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
    np.testing.assert_allclose(floats(data["mean"]), kernels.mean.ravel(), rtol=1e-4)


def test_crossovers_beyond_the_target_follow_those_of_the_outlook() -> None:
    analysis, targets = study(), np.array([[64.0]])
    outlook = look_ahead(analysis, analysis.callpaths, targets)
    positions = positions_of(analysis, targets)
    shown = shown_kernels(analysis.callpaths, outlook, analysis.experiment.points, positions, 9)
    found = shown.crossovers
    assert found[: len(outlook.crossovers)] == outlook.crossovers
    (beyond,) = found[len(outlook.crossovers) :]
    assert analysis.callpaths.kernels.callpaths[beyond.overtakes][-1] == "MPI_Allreduce"
    assert 64.0 < beyond.at < 256.0
    assert not beyond.seen
    numbers = region_numbers([analysis.regions.kernels, analysis.callpaths.kernels])
    place, certainty = kernel_data(shown, numbers, positions, 9).crossovers[-1][4:]
    assert place.startswith(f"at p = {beyond.at:.0f} (") and certainty.endswith(" by p = 256")


CROSSING = {("main",): lambda p: 20 + 0 * p, ("main", "grows"): lambda p: p}


def test_crossovers_say_who_overtakes_whom_where() -> None:
    analysis = study_of(CROSSING)
    (crossover,) = made(analysis)["crossovers"]
    assert crossover[:2] == [1, 0]
    assert crossover[2] == pytest.approx(20, rel=0.05)
    assert crossover[2] == float(f"{crossover[2]:.6g}")
    assert crossover[3] == pytest.approx(20, rel=0.05)
    assert crossover[4:] == ["between p = 16 and 32", "seen, over 99 % sure"]
    (expected,) = outlooks(analysis)[0].crossovers
    assert crossover[2] == pytest.approx(expected.at, rel=1e-5)


@pytest.mark.parametrize("of", [study, two_parameter_study])
def test_formulas_are_those_of_the_models_as_text_and_at_positions(of: Callable[[], Analysis]) -> None:
    analysis = of()
    data, models = made(analysis), analysis.callpaths.models
    points = positions_of(analysis, default_target(analysis)).points
    formulas = kernel_formulas(analysis, analysis.callpaths)
    curves = floats(data["curves"], len(points))
    assert len(curves) == sum(len(data["rivals"][k]) for k in data["weighty"]["kernels"])
    first = 0
    for k in range(len(models)):
        assert [text or data["formula"][k] for text, _ in data["rivals"][k]] == [
            models.formula(k, i).text() for i in plausible(models, k)
        ]
        assert data["rivals"][k][0][1] == pytest.approx(grid_of(models).weight[k, 0], abs=0.005)
        assert data["formula"][k] == formulas[k].text()
        assert data["range"][k] == formulas[k].range_text
        assert data["latex"][k] == formulas[k].latex()
        if k in data["weighty"]["kernels"]:
            np.testing.assert_allclose(
                curves[first], models.formula_values(points)[k], rtol=2.5e-4
            )  # drawn only
            first += len(data["rivals"][k])
    text = data["python"][0]
    assert text.startswith("import numpy as np") and "def main(" in text and "    return " in text


def test_kernels_that_are_zero_have_no_source() -> None:
    data = made(study_of({("main",): lambda p: 20 + p, ("main", "never"): lambda p: 0 * p}))
    assert data["rivals"][1] == [["0", 1.0]]
    assert data["python"][1] == ""
    assert data["python"][0] != ""


def test_warnings_are_those_of_the_models_in_words_of_the_page() -> None:
    models = study().callpaths.models
    noted = changed(models, note=np.array([0, Note.FEW_POINTS, Note.CANNOT_TELL, Note.FEW_POINTS, 3]))
    data = made(replace(study(), callpaths=Level(study().callpaths.kernels, noted)))
    found = list(map(tuple, data["warnings"]))
    assert found == warning_texts(noted)
    assert found == [
        (),
        ("fewer than 5 points",),
        ("growth uncertain",),
        ("fewer than 5 points",),
        ("fewer than 5 points", "growth uncertain"),
    ]


def with_rivals(models: ScalingModels) -> ScalingModels:
    """Give every kernel six rivals with falling weights."""
    count, rivals = len(models), 6
    weight = np.array([0.6, 0.3, 0.05, 0.03, 0.015, 0.005])
    return changed(
        models,
        chosen=np.tile(np.arange(rivals), (count, 1)),
        weight=np.tile(weight, (count, 1)),
        coefficients=np.repeat(grid_of(models).coefficients[:, :1], rivals, axis=1),
        covariance=np.repeat(grid_of(models).covariance[:, :1], rivals, axis=1),
    )


def test_only_plausible_rivals_are_shown() -> None:
    models = with_rivals(study().callpaths.models)
    assert plausible(models, 0) == [0, 1, 2, 3]
    assert SHOWN_RIVAL == 0.02
    doubtful = changed(models, weight=np.tile([0.01, SHOWN_RIVAL / 2, SHOWN_RIVAL, 0.019, 0.5, 0.5], (5, 1)))
    assert plausible(doubtful, 0) == [0, 2]
    chosen = np.where(np.arange(6) < 2, grid_of(models).chosen, -1)
    few = changed(models, chosen=chosen)
    assert plausible(few, 0) == [0, 1]


def test_regions_and_call_paths_are_different_levels() -> None:
    analysis = study_of(SHARED)
    data = made(analysis, "regions")
    assert data["region"] == [0, 1, 2]
    assert data["parent"] == [-1, -1, -1]
    np.testing.assert_allclose(floats(data["mean"]), analysis.regions.kernels.mean.ravel(), rtol=1e-4)

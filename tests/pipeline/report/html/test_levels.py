"""What the page knows of the kernels of one level."""

import base64

import numpy as np
import pytest

from pipeline.models.analysis import default_target, look_ahead
from pipeline.report.html import levels
from pipeline.report.html.levels import all_crossovers, level_data
from pipeline.report.html.regions import region_numbers
from pipeline.report.html.scales import scales_of
from tests.pipeline.report.html.studies import SHIFT, outlooks, study


def made() -> dict[str, object]:
    analysis = study()
    scales = scales_of(analysis, default_target(analysis))
    return level_data(analysis.callpaths, outlooks(analysis)[0], region_numbers(analysis), scales)


def floats(text: object) -> np.ndarray:
    return np.frombuffer(base64.b64decode(str(text)), dtype="<f4")


def test_intervals_at_the_grid_are_the_predictions() -> None:
    analysis = study()
    scales = scales_of(analysis, default_target(analysis))
    expected = analysis.callpaths.models.predict(scales.grid)
    data = made()
    np.testing.assert_allclose(floats(data["lower"]), expected.lower.ravel(), rtol=1e-6)
    np.testing.assert_allclose(floats(data["upper"]), expected.upper.ravel(), rtol=1e-6)


def test_tree_and_measurements_are_those_of_the_kernels() -> None:
    data, kernels = made(), study().callpaths.kernels
    assert data["parent"] == kernels.parent.tolist()
    np.testing.assert_allclose(floats(data["mean"]), kernels.mean.ravel(), rtol=1e-6)
    numbers = region_numbers(study())
    assert data["region"] == [numbers[path[-1]] for path in kernels.callpaths]
    assert SHIFT in numbers


def test_repetitions_are_kept_for_the_largest_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    values = study().callpaths.kernels.values
    monkeypatch.setattr(levels, "REPETITION_VALUES", 2 * values[0].size + 1)
    kept = made()["repetitions"]
    largest = sorted(outlooks(study())[0].order[:2].tolist())
    assert kept["kernels"] == largest
    np.testing.assert_allclose(floats(kept["values"]), values[largest].ravel(), rtol=1e-6)


def test_crossovers_beyond_the_target_follow_those_of_the_outlook() -> None:
    analysis = study()
    targets = np.array([[64.0]])
    outlook = look_ahead(analysis, analysis.callpaths, targets)
    found = all_crossovers(analysis.callpaths, outlook, scales_of(analysis, targets))
    assert found[: len(outlook.crossovers)] == outlook.crossovers
    beyond = found[len(outlook.crossovers) :]
    assert [analysis.callpaths.kernels.callpaths[c.overtakes][-1] for c in beyond] == ["MPI_Allreduce"]
    assert 64.0 < beyond[0].at < 256.0

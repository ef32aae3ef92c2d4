"""A page of a large study: the leading kernels, and the sum of all others as one kernel."""

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ingest.arrays import FloatArray
from pipeline.models.total import added, predict_total
from pipeline.questions.analysis import default_target, look_ahead
from pipeline.report.page import folding, payload, report_html
from pipeline.report.page.folding import ShownLevel, joined, shown_level
from pipeline.report.page.payload import page_data, shown_levels
from pipeline.report.page.room import most_shown
from pipeline.report.page.scales import scales_of
from tests.pipeline.report.page.studies import (
    answered,
    outlooks,
    report_of,
    study,
    study_of,
    two_parameter_study,
    with_other_metrics,
)

SHOWN = 3


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave room for three kernels per level."""
    monkeypatch.setattr(payload, "most_shown", lambda *_: {"regions": SHOWN, "callpaths": SHOWN})


def callpaths() -> ShownLevel:
    analysis = study()
    return shown_levels(analysis, *outlooks(analysis), default_target(analysis))["callpaths"]


def floats(text: str, columns: int) -> FloatArray:
    return np.frombuffer(base64.b64decode(text), dtype="<f4").reshape(-1, columns)


def page() -> dict[str, Any]:
    analysis = study()
    targets = default_target(analysis)
    return page_data(analysis, shown_levels(analysis, *outlooks(analysis), targets), targets, None)


def test_the_largest_and_their_sum_are_shown() -> None:
    found, whole = callpaths(), study().callpaths.kernels
    assert found.folded == len(whole) - SHOWN == 2
    assert found.level.kernels.regions == [
        *(whole.regions[k] for k in found.kernels),
        "others (2 folded into one)",
    ]
    largest = outlooks(study())[0].order[0]
    assert largest in found.kernels
    assert len(found.level.models) == len(found.level.kernels) == SHOWN + 1


def test_all_figures_add_up_to_those_of_the_program() -> None:
    found, level = callpaths(), study().callpaths
    grid = found.grid[:, None]
    expected = level.models.predict(grid)
    np.testing.assert_allclose(found.prediction.value.sum(axis=0), expected.value.sum(axis=0))
    np.testing.assert_array_equal(found.prediction.value[:-1], expected.value[found.kernels])
    np.testing.assert_allclose(found.level.kernels.mean.sum(axis=0), level.kernels.mean.sum(axis=0))
    np.testing.assert_array_equal(found.total.upper, predict_total(level.models, grid).upper)
    assert (found.prediction.lower[-1] <= found.prediction.value[-1]).all()
    assert (found.prediction.upper[-1] >= found.prediction.value[-1]).all()


def test_the_interval_of_the_sum_is_that_of_its_parts() -> None:
    found, level = callpaths(), study().callpaths
    rest = np.setdiff1d(np.arange(len(level.kernels)), found.kernels)
    grid = found.grid[:, None]
    parts = level.models.take(rest)
    np.testing.assert_allclose(found.prediction.upper[-1], added(parts, parts.predict(grid)).upper[0])


def test_the_models_shown_are_those_of_the_kernels() -> None:
    found, level = callpaths(), study().callpaths
    for place, kernel in enumerate(found.kernels.tolist()):
        assert found.level.models.formula(place).text() == level.models.formula(kernel).text()
        assert found.level.models.notes(place) == level.models.notes(kernel)


def test_a_kept_call_path_is_called_by_the_nearest_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = {
        ("main",): lambda p: 10 + 0 * p,
        ("main", "z"): lambda p: 40 + 0 * p,
        ("main", "a"): lambda p: 0.001 + 0 * p,
        ("main", "a", "b"): lambda p: 50 + 0 * p,
        ("main", "c"): lambda p: 0.002 + 0 * p,
    }
    analysis = study_of(deep)
    monkeypatch.setattr(folding, "LEADING", 1.0)
    found = shown_levels(analysis, *outlooks(analysis), default_target(analysis))["callpaths"]
    names = found.level.kernels.regions
    assert names[:-1] == ["main", "z", "b"]
    assert found.level.kernels.parent.tolist() == [-1, 0, 0, -1]


def test_callers_of_large_call_paths_are_kept_before_others() -> None:
    deep = {
        ("main",): lambda p: 0.001 + 0 * p,
        ("main", "a"): lambda p: 0.001 + 0 * p,
        ("main", "a", "b"): lambda p: 50 + 0 * p,
        ("main", "c"): lambda p: 4 + 0 * p,
    }
    analysis = study_of(deep)
    found = shown_levels(analysis, *outlooks(analysis), default_target(analysis))["callpaths"]
    assert found.level.kernels.regions[:-1] == ["main", "a", "b"]


def test_crossovers_are_those_of_the_whole_study() -> None:
    found, ahead = callpaths(), outlooks(study())[0]
    whole, shown = study().callpaths.kernels.regions, found.level.kernels.regions
    assert ahead.crossovers
    assert [(shown[c.overtakes], shown[c.overtaken], c.at) for c in found.outlook.crossovers] == [
        (whole[c.overtakes], whole[c.overtaken], c.at) for c in ahead.crossovers
    ]
    assert all(c.overtakes < SHOWN and c.overtaken < SHOWN for c in found.beyond)


def test_the_sum_of_others_overtakes_nobody() -> None:
    growing = {("main", f"small {i}"): lambda p: 0.005 * p**1.5 for i in range(20)}
    analysis = study_of({("main",): lambda p: 300 + 0 * p, ("main", "b"): lambda p: 200 + 0 * p} | growing)
    targets = np.array([[64.0]])
    ahead = [look_ahead(analysis, level, targets) for level in (analysis.callpaths, analysis.regions)]
    found = shown_levels(analysis, *ahead, targets)["callpaths"]
    values = found.prediction.value
    assert values[-1, 0] < values[0, 0] and values[-1, -1] > values[:-1, -1].max()
    assert all(SHOWN not in (c.overtakes, c.overtaken) for c in found.beyond)


def test_what_has_room_is_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload, "most_shown", most_shown)
    found = callpaths()
    assert found.folded == 0
    assert found.level is study().callpaths


def test_the_page_refers_to_what_it_shows() -> None:
    data, found = page(), callpaths()
    names = [region["name"] for region in data["regions"]]
    level = data["levels"]["callpaths"]
    assert [names[r] for r in level["region"]] == found.level.kernels.regions
    assert set(names) == {names[r] for kind in data["levels"].values() for r in kind["region"]}
    experiment = study().experiment
    visits = experiment.values["visits"].sum.mean(axis=2)
    assert data["metrics"][0]["name"] == "visits"
    values = floats(data["metrics"][0]["values"], len(experiment.points))
    np.testing.assert_allclose(values[:-1], visits[found.kernels], rtol=1e-6)
    np.testing.assert_allclose(values.sum(axis=0), visits.sum(axis=0), rtol=1e-6)
    assert max(data["imbalance"]["kernels"]) < SHOWN
    high = experiment.values["time"].max.mean(axis=2)[found.kernels][data["imbalance"]["kernels"]]
    np.testing.assert_allclose(floats(data["imbalance"]["high"], len(experiment.points)), high, rtol=1e-6)


def test_the_page_says_what_is_folded() -> None:
    text = report_html(report_of(study()))
    assert "The page shows 3 of 5 call paths" in text
    assert "the other 2 are folded into one kernel, others, their sum" in text
    assert "The page shows 3 of 5 regions" in text


def test_other_metrics_are_left_out_of_a_folded_page() -> None:
    report = replace(answered(study()), others=with_other_metrics(study()).others)
    assert "no room for the metrics visits, time_per_visit" in report_html(report)


def test_studies_of_several_parameters_are_folded() -> None:
    analysis = two_parameter_study()
    scales = scales_of(analysis, default_target(analysis))
    ahead = outlooks(analysis)[0]
    found = shown_level(analysis.callpaths, ahead, analysis.experiment.points, scales, 2)
    assert found.folded == 1
    (rest,) = set(range(3)) - set(found.kernels.tolist())
    expected = analysis.callpaths.kernels.mean[rest]
    np.testing.assert_allclose(found.level.models.values(analysis.experiment.points)[-1], expected, rtol=0.1)


def test_joined_formulas_say_what_they_said_apart() -> None:
    one, other = study().callpaths.models, study().regions.models.take([1, 2])
    both, points = joined(one, other), np.array([[4.0], [100.0]])
    np.testing.assert_allclose(both.values(points), np.vstack([one.values(points), other.values(points)]))
    assert both.formula(len(one)).text() == other.formula(0).text()
    assert both.formula(len(one) + 1).growth == other.formula(1).growth

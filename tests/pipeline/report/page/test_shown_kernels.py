"""A page of a large study: the leading kernels, and the sum of all others as one kernel."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ingest.arrays import FloatArray
from pipeline.columns.column import QUANTITY, Column
from pipeline.columns.kernels import KERNELS, RankedKernels
from pipeline.models.total import added, predict_total
from pipeline.questions.analysis import Analysis, Level, default_target
from pipeline.report.page import page, page_data, report_html, shown_kernels
from pipeline.report.page.page_data import levels_shown
from pipeline.report.page.positions import positions_of
from pipeline.report.page.shown_kernels import DRAWN, ShownKernels, most_shown
from pipeline.wording.quantities import figure
from tests.pipeline.report.page.studies import (
    altered,
    answered,
    carried,
    floats,
    outlooks,
    page_data_of,
    report_of,
    study,
    study_of,
    three_parameter_study,
    two_parameter_study,
    with_other_metrics,
)

SHOWN = 3


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave room for three kernels per level."""
    monkeypatch.setattr(page_data, "most_shown", lambda *_: {"regions": SHOWN, "callpaths": SHOWN})


def callpaths(analysis: Analysis | None = None, targets: FloatArray | None = None) -> ShownKernels:
    analysis = analysis or study()
    positions = positions_of(analysis, default_target(analysis) if targets is None else targets)
    return levels_shown(analysis, *outlooks(analysis, targets), positions)["callpaths"]


def test_the_largest_and_their_sum_are_shown() -> None:
    found, whole = callpaths(), study().callpaths.kernels
    assert found.folded == len(whole) - SHOWN == 2
    assert found.kernels.regions == [
        *(whole.regions[k] for k in found.members),
        "others (2 folded into one)",
    ]
    largest = outlooks(study())[0].order[0]
    assert largest in found.members
    assert sum(map(len, found.models)) == len(found.kernels) == SHOWN + 1


def test_all_figures_add_up_to_those_of_the_program() -> None:
    found, level = callpaths(), study().callpaths
    grid = positions_of(study(), default_target(study())).points
    expected = level.models.predict(grid)
    np.testing.assert_allclose(found.prediction.value.sum(axis=0), expected.value.sum(axis=0))
    np.testing.assert_array_equal(found.prediction.value[:-1], expected.value[found.members])
    np.testing.assert_allclose(found.kernels.mean.sum(axis=0), level.kernels.mean.sum(axis=0))
    np.testing.assert_array_equal(found.total.upper, predict_total(level.models, grid).upper)
    assert (found.prediction.lower[-1] <= found.prediction.value[-1]).all()
    assert (found.prediction.upper[-1] >= found.prediction.value[-1]).all()


@pytest.mark.parametrize("at_once", [1 << 19, 10])
def test_the_interval_of_the_sum_is_that_of_its_parts(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr("pipeline.models.prediction.VALUES_AT_ONCE", at_once)
    found, level = callpaths(), study().callpaths
    rest = np.setdiff1d(np.arange(len(level.kernels)), found.members)
    grid = positions_of(study(), default_target(study())).points
    parts = level.models.take(rest)
    np.testing.assert_allclose(found.prediction.upper[-1], added(parts, parts.predict(grid)).upper[0])


def test_the_models_shown_are_those_of_the_kernels() -> None:
    found, level = callpaths(), study().callpaths
    for place, kernel in enumerate(found.members.tolist()):
        assert found.models[0].formula(place) == level.models.formula(kernel)
        assert found.models[0].notes(place) == level.models.notes(kernel)


def test_a_kept_call_path_is_called_by_the_nearest_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = {
        ("main",): lambda p: 10 + 0 * p,
        ("main", "z"): lambda p: 40 + 0 * p,
        ("main", "a"): lambda p: 0.001 + 0 * p,
        ("main", "a", "b"): lambda p: 50 + 0 * p,
        ("main", "c"): lambda p: 0.002 + 0 * p,
    }
    analysis = study_of(deep)
    monkeypatch.setattr(shown_kernels, "_LEADING", 1.0)
    found = callpaths(analysis)
    names = found.kernels.regions
    assert names[:-1] == ["main", "z", "b"]
    assert found.kernels.parent.tolist() == [-1, 0, 0, -1]


def test_callers_of_large_call_paths_are_kept_before_others() -> None:
    deep = {
        ("main",): lambda p: 0.001 + 0 * p,
        ("main", "a"): lambda p: 0.001 + 0 * p,
        ("main", "a", "b"): lambda p: 50 + 0 * p,
        ("main", "c"): lambda p: 4 + 0 * p,
    }
    analysis = study_of(deep)
    found = callpaths(analysis)
    assert found.kernels.regions[:-1] == ["main", "a", "b"]


def test_crossovers_are_those_of_the_whole_study() -> None:
    found, ahead = callpaths(), outlooks(study())[0]
    whole, shown = study().callpaths.kernels.regions, found.kernels.regions
    assert ahead.crossovers
    both = [
        (whole[c.overtakes], whole[c.overtaken], c.at)
        for c in ahead.crossovers
        if {c.overtakes, c.overtaken} <= set(found.members.tolist())
    ]
    assert 0 < len(both) < len(ahead.crossovers)  # there is room for three kernels
    assert [(shown[c.overtakes], shown[c.overtaken], c.at) for c in found.crossovers[: len(both)]] == both
    assert all(c.overtakes < SHOWN and c.overtaken < SHOWN for c in found.crossovers)


def test_the_sum_of_others_overtakes_nobody() -> None:
    growing = {("main", f"small {i}"): lambda p: 0.005 * p**1.5 for i in range(20)}
    analysis = study_of({("main",): lambda p: 300 + 0 * p, ("main", "b"): lambda p: 200 + 0 * p} | growing)
    targets = np.array([[64.0]])
    found = callpaths(analysis, targets)
    values = found.prediction.value
    assert values[-1, 0] < values[0, 0] and values[-1, -1] > values[:-1, -1].max()
    assert all(SHOWN not in (c.overtakes, c.overtaken) for c in found.crossovers)


def test_what_has_room_is_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_data, "most_shown", most_shown)
    found = callpaths()
    assert found.folded == 0
    assert found.models == (study().callpaths.models,)


def test_the_page_refers_to_what_it_shows() -> None:
    data, found = page_data_of(study()), callpaths()
    names = [region["name"] for region in data["regions"]]
    level = data["levels"]["callpaths"]
    assert [names[r] for r in level["region"]] == found.kernels.regions
    assert set(names) == {names[r] for kind in data["levels"].values() for r in kind["region"]}
    experiment = study().experiment
    visits = experiment.values["visits"].sum.mean(axis=2)
    assert data["metrics"][0]["name"] == "visits"
    values = floats(data["metrics"][0]["values"], len(experiment.points))
    np.testing.assert_allclose(values[:-1], visits[found.members], rtol=1e-4)
    np.testing.assert_allclose(values.sum(axis=0), visits.sum(axis=0), rtol=1e-4)
    assert max(data["imbalance"]["kernels"]) < SHOWN
    high = experiment.values["time"].max.mean(axis=2)[found.members][data["imbalance"]["kernels"]]
    np.testing.assert_allclose(floats(data["imbalance"]["high"], len(experiment.points)), high, rtol=1e-4)


def test_the_page_says_what_is_folded() -> None:
    text = report_html(report_of(study()))
    assert "The page shows 3 of 5 call paths" in text
    assert "the other 2 are folded into one kernel, others, their sum" in text
    assert "The page shows 3 of 5 regions" in text


def test_other_metrics_are_left_out_of_a_folded_page() -> None:
    report = altered(answered(study()), others=with_other_metrics(study()).ahead.others)
    assert "no room for the metrics visits, time_per_visit" in report_html(report)


def test_studies_of_several_parameters_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = two_parameter_study()
    monkeypatch.setattr(page_data, "most_shown", lambda *_: {"regions": 2, "callpaths": 2})
    found = callpaths(analysis)
    assert found.folded == 1
    (rest,) = set(range(3)) - set(found.members.tolist())
    expected = analysis.callpaths.kernels.mean[rest]
    np.testing.assert_allclose(
        found.models[1].formula_values(analysis.experiment.points)[0], expected, rtol=0.1
    )
    assert page_data_of(analysis)["levels"]["callpaths"]["formula"][-1] == found.formulas[-1].text()


def many(analysis: Analysis, count: int = 1000, points: int = 1, repetitions: int = 5) -> Analysis:
    """The same kernels again and again, of as many regions, at more points, with more repetitions."""
    callpaths, regions = (
        _larger(level, count, points, repetitions) for level in (analysis.callpaths, analysis.regions)
    )
    return replace(analysis, callpaths=callpaths, regions=regions)


def _larger(level: Level, count: int, points: int, repetitions: int) -> Level:
    every = np.arange(count) % len(level.kernels)
    kernels, nowhere = level.kernels, np.full(count, -1)
    large = replace(
        kernels,
        callpaths=tuple((f"region_{k:04}_of_a_module",) for k in range(count)),
        paradigms=("",) * count,
        values=np.tile(kernels.values[every][:, :, :1], (1, points, repetitions)),
        node=nowhere,
        parent=nowhere,
        common_error=kernels.common_error[every],
    )
    return Level(large, level.models.take(every))


@pytest.mark.slow
@pytest.mark.parametrize("made", [study, two_parameter_study, three_parameter_study])
def test_a_page_of_1000_call_paths_has_at_most_1_mb(
    monkeypatch: pytest.MonkeyPatch, made: Callable[[], Analysis]
) -> None:
    monkeypatch.setattr(page_data, "most_shown", most_shown)
    text = report_html(report_of(many(made(), repetitions=8)))
    assert len(text) < 1_000_000
    for level in carried(text)["levels"].values():
        assert 300 < len(level["region"]) <= 1001
        assert 0 < len(level["repetitions"]["kernels"]) <= 1000


def test_less_room_leaves_repetitions_and_metrics_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_data, "most_shown", most_shown)
    analysis = many(study(), 300, repetitions=10)
    found = [page_data_of(analysis, room=room) for room in (2_000_000, 300_000, 0)]
    repetitions = [len(data["levels"]["callpaths"]["repetitions"]["kernels"]) for data in found]
    assert repetitions[0] > repetitions[1] > repetitions[2] == 0
    assert [len(data["metrics"]) for data in found] == [1, 1, 0]


def test_repetitions_are_those_of_the_largest_kernels() -> None:
    analysis = many(study(), 300, repetitions=10)
    shown = callpaths(analysis)
    kept = page_data_of(analysis, room=30_000)["levels"]["callpaths"]["repetitions"]
    assert kept["kernels"] == sorted(shown.order[: len(kept["kernels"])].tolist())
    expected = shown.kernels.values[kept["kernels"]].ravel()
    np.testing.assert_allclose(floats(kept["values"]), expected, rtol=1e-4)
    assert kept["count"] == 10


def test_what_has_no_room_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_data, "most_shown", lambda *_: {"regions": 9, "callpaths": 9})
    report = with_other_metrics(study())
    assert "has no room" not in report_html(report)
    assert "has room" not in report_html(report)
    monkeypatch.setattr(page, "MOST_CHARACTERS", 0)
    text = report_html(report)
    assert "The page has no room for measured values of visits in the call tree" in text
    assert "The page has no room for the metrics visits, time_per_visit" in text
    assert "of the others it shows means" in text


def test_a_level_has_the_room_that_the_other_leaves() -> None:
    def most(analysis: Analysis, room: int) -> dict[str, int]:
        return most_shown(analysis, positions_of(analysis, default_target(analysis)), room)

    analysis = many(study())
    assert most(analysis, 2_000_000) == {"regions": 1000, "callpaths": 1000}
    both = most(analysis, 200_000)
    assert 100 < both["regions"] < both["callpaths"] < 1000  # names are of regions
    few = replace(analysis, regions=many(study(), 10).regions)
    assert most(few, 200_000)["callpaths"] > 1.5 * both["callpaths"]
    assert most(few, 200_000)["regions"] >= 10


def test_weighty_kernels_are_those_of_a_noteworthy_share() -> None:
    effort = {("main",): lambda p: 100 + 0 * p, ("main", "little"): lambda p: 1e-5 + 0 * p}
    found = callpaths(study_of(effort | {("main", "late"): lambda p: 1e-4 * p**2}))
    assert [found.kernels.regions[k] for k in found.weighty] == ["main", "late"]


def test_a_further_column_of_kernels_comes_to_the_page_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {column.key for column in KERNELS} <= DRAWN
    column = Column[RankedKernels](
        key="calls",
        kind=QUANTITY,
        unit="occ",
        about="how often",
        values=lambda found: (10.0 * k for k in found.chosen.tolist()),
    )
    monkeypatch.setattr(shown_kernels, "KERNELS", (*KERNELS, column))
    (found,) = page_data_of(study())["levels"]["callpaths"]["further"]
    members = callpaths().members.tolist()
    assert found["values"] == [*(10.0 * k for k in members), None]
    assert found["texts"] == [*(figure(10.0 * k) for k in members), ""]
    assert (found["key"], found["title"], found["help"]) == ("calls", "calls [occ]", "how often")
    assert found["number"] is True


def test_of_many_kernels_few_are_shown_whatever_room_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = study()
    positions, count = positions_of(analysis, default_target(analysis)), len(analysis.callpaths.kernels)
    assert most_shown(analysis, positions, 1e9)["callpaths"] == count
    monkeypatch.setattr(shown_kernels, "MANY", count - 1)
    monkeypatch.setattr(shown_kernels, "SHOWN", 3)
    assert most_shown(analysis, positions, 1e9)["callpaths"] == 3
    assert most_shown(analysis, positions, 10.0)["callpaths"] < 3

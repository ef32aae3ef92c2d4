"""The page of a large study stays small: what is needed most has room first; what has none is said."""

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pipeline.questions.analysis import Analysis, Level, default_target
from pipeline.report.page import page, report_html
from pipeline.report.page.embedding import json_for_script
from pipeline.report.page.payload import page_data, shown_levels
from pipeline.report.page.room import most_shown
from pipeline.report.page.scales import scales_of
from tests.pipeline.report.page.studies import (
    outlooks,
    report_of,
    study,
    three_parameter_study,
    two_parameter_study,
    with_other_metrics,
)
from tests.pipeline.report.page.test_page import data_of, shown

MOST = 2_000_000  # characters of a page of 1000 call paths


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


@pytest.mark.parametrize("made", [study, two_parameter_study, three_parameter_study])
def test_a_page_of_1000_call_paths_has_at_most_2_mb(made: Callable[[], Analysis]) -> None:
    text = report_html(report_of(many(made(), repetitions=8)))
    assert len(text.encode()) < MOST
    for level in data_of(text)["levels"].values():
        assert len(level["region"]) == 1000
        assert level["predictor"]["kernels"]
        assert 0 < len(level["repetitions"]["kernels"]) <= 1000
    assert "the others it shows means" in shown(text)


def page_of(analysis: Analysis, room: int) -> dict[str, Any]:
    targets = default_target(analysis)
    levels = shown_levels(analysis, *outlooks(analysis), targets)
    return page_data(analysis, levels, targets, None, room=room)


def counts(data: dict[str, Any], part: str) -> list[int]:
    return [len(level[part]["kernels"]) for level in data["levels"].values()]


def test_predictors_have_room_before_repetitions_and_these_before_other_metrics() -> None:
    analysis = many(study(), 300, repetitions=10)
    found = [page_of(analysis, room) for room in (1_500_000, 800_000, 500_000, 0)]
    predictors, repetitions = (
        [counts(data, part)[1] for data in found] for part in ("predictor", "repetitions")
    )
    assert predictors[0] == predictors[1] > predictors[2] > predictors[3] > 0
    assert 300 == repetitions[0] > repetitions[1] > repetitions[2] == repetitions[3] > 0
    assert [len(data["metrics"]) for data in found] == [1, 1, 0, 0]
    assert [
        len(json_for_script(data)) < 1.02 * room
        for data, room in zip(found, (1_500_000, 800_000, 500_000), strict=False)
    ] == [True, True, True]


def test_repetitions_are_those_of_the_largest_kernels() -> None:
    analysis = many(study(), 300, repetitions=10)
    largest, values = outlooks(analysis)[0].order, analysis.callpaths.kernels.values
    kept = page_of(analysis, 0)["levels"]["callpaths"]["repetitions"]
    assert kept["kernels"] == sorted(largest[: len(kept["kernels"])].tolist())
    found = np.frombuffer(base64.b64decode(kept["values"]), dtype="<f4")
    np.testing.assert_allclose(found, values[kept["kernels"]].ravel(), rtol=1e-6)
    assert kept["count"] == 10


def test_what_has_no_room_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    report = with_other_metrics(study())
    assert "has no room" not in shown(report_html(report))
    assert "has room" not in shown(report_html(report))
    monkeypatch.setattr(page, "MOST_CHARACTERS", 0)
    text = shown(report_html(report))
    assert "The page has no room for measured values of visits in the call tree" in text
    assert "The page has no room for the metrics visits, time_per_visit" in text


def test_a_level_has_the_room_that_the_other_leaves() -> None:
    analysis = many(study())
    scales = scales_of(analysis, default_target(analysis))
    assert most_shown(analysis, scales, 2_000_000) == {"regions": 1000, "callpaths": 1000}
    both = most_shown(analysis, scales, 500_000)
    assert 100 < both["regions"] < both["callpaths"] < 1000  # names are of regions
    few = replace(analysis, regions=many(study(), 10).regions)
    assert most_shown(few, scales, 500_000)["callpaths"] > 1.5 * both["callpaths"]
    assert most_shown(few, scales, 500_000)["regions"] >= 10
    more_points = many(study(), points=20)
    assert most_shown(more_points, scales, 500_000)["callpaths"] < both["callpaths"]

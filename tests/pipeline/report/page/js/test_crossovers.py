"""Crossovers that the page finds are those of Python."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.questions.analysis import Analysis, default_target, look_ahead
from tests.accelerated_runs import write_accelerated_runs
from tests.pipeline.report.page import test_page
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.js.data import data_of
from tests.pipeline.report.page.studies import report_of, study, study_of, three_parameter_study

FOUND = "report.levels.NAME.crossovers.map(({ over, past, at, measured }) => [over, past, at, measured])"
TURNS = {
    ("main",): lambda p: 30 + 0 * p,
    ("main", "a"): lambda p: 3 * p,
    ("main", "b"): lambda p: 0.012 * p**2,
    ("main", "c"): lambda p: 400 / p,
    ("main", "MPI_Finalize"): lambda p: 0.5 * p**1.5,
}


def turning() -> Analysis:
    """A study whose kernels overtake each other in the measured range, up to the target and beyond it."""
    return study_of(TURNS)


@pytest.mark.parametrize("name", ["callpaths", "regions"])
@pytest.mark.parametrize("made", [study, turning, three_parameter_study])
def test_who_overtakes_whom_where(scripts: Scripts, made: Callable[[], Analysis], name: str) -> None:
    for factor in (1.0, 0.5):
        analysis = made()
        data = data_of(analysis, factor * default_target(analysis))
        expected = data["levels"][name]["crossovers"]
        data["levels"][name]["crossovers"] = None
        found = scripts.read(data, FOUND.replace("NAME", name))
        assert [row[:2] + row[3:] for row in found] == [row[:2] + row[3:] for row in expected]
        np.testing.assert_allclose([row[2] for row in found], [row[2] for row in expected], rtol=0.01)


def test_there_is_something_to_find() -> None:
    rows = data_of(turning())["levels"]["callpaths"]["crossovers"]
    assert len(rows) > 3
    assert {row[3] for row in rows} == {True, False}
    target = default_target(turning())[-1, 0]
    assert max(row[2] for row in rows) > target > min(row[2] for row in rows)
    assert look_ahead(study(), study().callpaths, default_target(study())).crossovers


@pytest.mark.parametrize("mark", ["unreliable", "not_measurable", "start_up"])
def test_kernels_that_are_marked_take_no_part(scripts: Scripts, mark: str) -> None:
    data = data_of(study())
    level = data["levels"]["callpaths"]
    ((over, *_),) = level["crossovers"]
    level["crossovers"] = None
    level["standing"][mark][over] = 1
    assert scripts.read(data, FOUND.replace("NAME", "callpaths")) == []


@pytest.fixture(scope="module")
def accelerated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The data of a page with GPU time beside time."""
    folder = tmp_path_factory.mktemp("gpu")
    write_accelerated_runs(folder / "runs")
    command = [
        sys.executable,
        "-m",
        "pipeline",
        "run",
        str(folder / "runs"),
        "--out",
        str(folder / "results"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return test_page.data_of(Path(folder / "results" / "report.html").read_text(encoding="utf-8"))


def test_other_metrics_have_crossovers(scripts: Scripts, accelerated: dict[str, Any]) -> None:
    of_gpu = "report.metrics.find(({ name }) => name === 'gpu_time').levels.regions"
    found = scripts.read(
        accelerated,
        "((level) => level.crossovers.map(({ over, past, at }) => [level.name(over), level.name(past), at]))"
        f"({of_gpu})",
    )
    (at,) = [at for over, past, at in found if (over, past) == ("GPU idle", "axpy")]
    assert at == pytest.approx(16, rel=0.3)
    listed = scripts.read(
        accelerated,
        "((level) => { const at = report.space.opening; const all = level.region.map((_, k) => k); return "
        "crossovers.crossoverList(level, at, crossovers.shownCrossovers(level, at, all)).textContent; })"
        f"({of_gpu})",
    )
    assert "GPU idle overtakes axpy" in listed


def test_why_there_are_none_is_said(scripts: Scripts) -> None:
    data = data_of(three_parameter_study())
    read = "values.map((at) => crossovers.crossoverList(level, at, []).textContent)"
    here = data["targets"][-1]
    found = scripts.read(data, read, here, [here[0], here[1] * 2, here[2]])
    assert found == [
        "No kernel overtakes a leading one up to the end of the slider.",
        "Crossovers are known with the other parameters at the target that the page opens with.",
    ]
    assert report_of(study()).callpaths.crossovers
    text = "(level.additive = false, crossovers.crossoverList(level, values[0], []).textContent)"
    assert scripts.read(data, text, here) == "Crossovers are found for metrics that have a total."

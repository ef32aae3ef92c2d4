"""Targets: the page agrees with `pipeline predict`, and says how far outside the measurements they are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.questions.runtime_summary import verdict_line
from pipeline.stages.model import forecast_at
from pipeline.store.results import read_study
from pipeline.wording.quantities import figure
from tests.documents import summary_of
from tests.pipeline.report.page.browser import OpenPage, Scripts, shows
from tests.pipeline.report.page.studies import carried as data_of

BOXES = ("hpcg-strong", "lammps-melt")  # of one and of two parameters
AT_TARGETS = """values.map((at) => [
    ...report.levels.regions.region.map((_, k) => numbers.figure(report.levels.regions.value(k, at))),
    ...report.program.answers.map(({ value }) => value[report.positions.placeOf(at)]),
])"""
SAYS = "(text) => document.querySelector('#verdict').textContent.replaceAll('\u00a0', ' ') === text"
FIGURES = {
    "wall time": "wall_seconds",
    "speed-up": "speedup",
    "efficiency": "efficiency",
    "weak efficiency": "weak_efficiency",
    "n per second, relative": "work_rate",
}


@pytest.fixture(scope="module", params=BOXES)
def results(request: Any, sample: Callable[[str], Path]) -> Path:
    return sample(request.param)


def test_positions_agree_with_predict_to_the_last_digit(scripts: Scripts, results: Path) -> None:
    analysis = read_study(results).chosen
    data = data_of((results / "report.html").read_text(encoding="utf-8"))
    column = data["column"]
    targets = [
        [*line[:column], scale, *line[column + 1 :]] for line in data["lines"] for scale in data["scales"]
    ]
    at = [dict(zip(data["parameters"], target, strict=True)) for target in targets]
    summary = summary_of(analysis, at, most=None)
    pages = scripts.read(data, AT_TARGETS, *targets)
    regions = {row["callpath"][-1]: row for row in summary["regions"]}
    rows = [regions[data["regions"][r]["name"]] for r in data["levels"]["regions"]["region"]]
    runtime = sorted(summary["runtime"]["at"], key=lambda row: row["measured"])
    known = {tuple(row["point"].values()): row for row in runtime}  # what was measured counts there
    for i, (page, target) in enumerate(zip(pages, at, strict=True)):
        found = known[tuple(target.values())]
        assert page[: len(rows)] == [figure(row["predictions"][i]["value"]) for row in rows]
        answers = [found[FIGURES[one["label"]]]["value"] for one in data["program"]["answers"]]
        np.testing.assert_allclose(page[len(rows) :], answers, rtol=1e-8)


def test_verdict_and_answers_follow_the_target_as_commands_give_them(
    open_page: OpenPage, results: Path
) -> None:
    analysis = read_study(results).chosen
    content = (results / "report.html").read_text(encoding="utf-8")
    data = data_of(content)
    watched = open_page(results / "report.html", viewport={"width": 1400, "height": 900})
    page, name = watched.page, data["parameters"][data["column"]]
    opening = dict(zip(data["parameters"], data["lines"][0], strict=True))
    for scale in (data["scales"][0], data["scales"][1], data["scales"][-8], data["scales"][-1]):
        forecast = forecast_at(analysis, [opening | {name: scale}])
        assert forecast.runtime is not None
        verdict = verdict_line(forecast.runtime, data["parameters"])
        box = page.get_by_label(f"Target {name}", exact=True)
        box.fill(str(scale))
        box.press("Enter")
        page.wait_for_function(SAYS, arg=verdict.text)
        shows(page.locator("#trust"), f"trust: {verdict.trust}")
        shows(page.locator('[data-says="Confidence"]'), f"Trust is {verdict.trust}: ")


def test_a_typed_target_shows_the_nearest_position_and_the_command(
    open_page: OpenPage, results: Path
) -> None:
    watched = open_page(results / "report.html", viewport={"width": 1400, "height": 900})
    page, data = watched.page, data_of((results / "report.html").read_text(encoding="utf-8"))
    name, column = data["parameters"][data["column"]], data["column"]
    largest = max(point[column] for point in data["points"])
    box, line, hint = (
        page.get_by_label(f"Target {name}", exact=True),
        page.locator(".at-target"),
        page.locator(".nearest"),
    )
    for factor, text in ((256, "times beyond the measured range: far too much"), (1, "")):
        box.fill(str(largest * factor))
        box.press("Enter")
        shows(line, f"{name} = {largest * factor:.0f}")
        shows(line, text)
        assert hint.is_hidden()
    assert "outside" not in line.inner_text()
    box.fill("4.4")
    box.press("Enter")
    nearest = min(data["scales"], key=lambda scale: abs(np.log(scale / 4.4)))
    shows(hint, f"The nearest position, {name} = {nearest:g}, is shown.")
    shows(hint, f"pipeline predict OUT --at {'p=4.4' if len(data['parameters']) == 1 else ''}")
    assert f"{name}=4.4" in hint.inner_text()
    assert box.input_value() == f"{nearest:g}"
    box.fill(str(largest * 1e6))
    box.press("Enter")
    shows(line, f"{name} = {data['scales'][-1]:.0f}")

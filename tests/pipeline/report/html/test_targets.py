"""Any target: the page agrees with `pipeline predict`, and says how far outside the measurements it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.stages.model import stored_summary
from pipeline.store.results import read_study
from tests.pipeline.report.html.browser import Scripts, Watched, shows
from tests.pipeline.report.html.test_page import data_of

STUDIES = ("hpcg-strong", "openfoam-cavity", "lulesh-accessors/full")
TARGETS = 20
CLOSE = 0.01
AT_TARGETS = """values.map((at) => {
    const found = report.levels.regions;
    const values = found.values(at);
    const total = values.reduce((a, b) => a + b, 0);
    return {
        regions: Object.fromEntries(
            Array.from(values, (value, k) => [found.fullName(k), [...found.interval(k, at, value), value]])),
        total: [...found.intervalOfTotal(at, total), total],
        answer: Object.fromEntries(report.answer.map(({ label, curve }) => {
            const { value, lower, upper } = estimates.figureAt(curve, at[0]);
            return [label, [lower, upper, value]];
        })),
    };
})"""
FIGURES = {
    "wall time": "wall_seconds",
    "speed-up": "speedup",
    "efficiency": "efficiency",
    "weak efficiency": "weak_efficiency",
    "work rate": "work_rate",
}


@pytest.fixture(scope="module", params=STUDIES)
def results(request: Any, sample: Callable[[str], Path]) -> Path:
    return sample(request.param)


def near(found: list[float], expected: dict[str, float]) -> bool:
    """Whether value and interval agree; lower ends relative to the value, since they may be next to zero."""
    lower, upper, value = found
    against = (expected["value"], expected["upper"], expected["value"])
    exact = (expected["lower"], expected["upper"], expected["value"])
    return all(
        abs(a - b) <= CLOSE * abs(c) for a, b, c in zip((lower, upper, value), exact, against, strict=True)
    )


def test_twenty_random_targets_agree_with_predict(scripts: Scripts, results: Path) -> None:
    data = data_of((results / "report.html").read_text(encoding="utf-8"))
    (name,) = data["parameters"]
    scales = [point[0] for point in data["points"]]
    draw = np.random.default_rng(20)
    logs = draw.uniform(np.log(max(scales[0] / 2, 1)), np.log(512 * scales[-1]), TARGETS)
    targets = [float(f"{target:.6g}") for target in np.exp(logs)]
    summary = stored_summary(read_study(results), [{name: target} for target in targets], others=False)
    pages = scripts.read(data, AT_TARGETS, *([target] for target in targets))
    apart, compared = [], 0
    for q, (target, page) in enumerate(zip(targets, pages, strict=True)):
        expected = {row["region"]: row["predictions"][q] for row in summary["regions"]}
        total = summary["total"]["predictions"][q]
        noticeable = {n: e for n, e in expected.items() if e["value"] > 0.01 * total["value"]}
        checked = [("total", page["total"], total)]
        checked += [(region, page["regions"][region], e) for region, e in noticeable.items()]
        (row,) = [row for row in summary["runtime"]["at"] if row["point"][name] == target]
        checked += [(label, page["answer"][label], row[FIGURES[label]]) for label in page["answer"]]
        compared += len(checked)
        apart += [(target, what, found, exact) for what, found, exact in checked if not near(found, exact)]
    assert compared > 3 * TARGETS
    assert apart == []


def test_box_takes_any_value_and_says_how_far_outside_it_is(running: Any, results: Path) -> None:
    watched = Watched(running, results / "report.html", viewport={"width": 1400, "height": 900})
    page, data = watched.page, data_of((results / "report.html").read_text(encoding="utf-8"))
    name, largest = data["parameters"][0], max(point[0] for point in data["points"])
    box, line = page.get_by_label(f"Target {name}", exact=True), page.locator(".at-target")
    for factor, text in (
        (300, "300 times outside the measured range: far too much"),
        (10, "10 times"),
        (1, ""),
    ):
        box.fill(str(largest * factor))
        box.press("Enter")
        shows(line, f"{name} = {largest * factor:.0f}")
        assert box.input_value() == f"{largest * factor:.0f}"
        shows(line, text)
    assert "outside" not in line.inner_text()
    box.fill(str(largest * 1e6))
    box.press("Enter")
    shows(line, "pipeline predict has predictions and intervals here")
    assert watched.complaints == []
    page.close()

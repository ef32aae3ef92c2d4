"""Any target: the page agrees with `pipeline predict`, and says how far outside the measurements it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.arrays import FloatArray
from pipeline.questions.analysis import Analysis
from pipeline.report.page import report_html
from pipeline.stages.model import summary_of
from pipeline.store.results import read_study
from tests.pipeline.report.page.browser import Scripts, Watched, shows
from tests.pipeline.report.page.studies import answered, three_parameter_study
from tests.pipeline.report.page.test_page import data_of

SAMPLES = (
    "hpcg-strong",
    "openfoam-cavity",
    "openfoam-iterations",
    "lulesh-accessors/full",
    "gromacs-water",  # two parameters
    "lammps-melt",  # two parameters
)
MADE = {"three parameters": three_parameter_study}
BOXES = ("hpcg-strong", "openfoam-cavity", "lulesh-accessors/full")
TARGETS = 60
CLOSE = 0.003
ENDS = ("lower", "upper", "value")
NOTICEABLE = 0.01  # share of the total
AT_TARGETS = """values.map((at) => ({
    ...Object.fromEntries(Object.entries(report.levels).map(([name, level]) =>
        [name, Array.from(level.values(at), (value, k) => [...level.interval(k, at, value), value])])),
    total: Object.values(report.levels).map((level) => {
        const total = level.values(at).reduce((a, b) => a + b, 0);
        return [...level.intervalOfTotal(at, total), total];
    }),
    answers: report.program.answersAt(at).map(({ label, figure }) =>
        [label, [figure.lower, figure.upper, figure.value]]),
}))"""
FIGURES = {
    "wall time": "wall_seconds",
    "speed-up": "speedup",
    "efficiency": "efficiency",
    "weak efficiency": "weak_efficiency",
    "work rate": "work_rate",
}


@pytest.fixture(params=[*SAMPLES, *MADE])
def studied(request: Any, sample: Callable[[str], Path]) -> tuple[Analysis, dict[str, Any]]:
    """A study with the data of its page."""
    if request.param in MADE:
        analysis = MADE[request.param]()
        return analysis, data_of(report_html(answered(analysis)))
    results = sample(request.param)
    return read_study(results).chosen, data_of((results / "report.html").read_text(encoding="utf-8"))


def drawn_targets(analysis: Analysis) -> FloatArray:
    """Targets spread by ratio, float64[TARGETS, D]: below, in and far beyond the measurements."""
    points = analysis.experiment.points
    far = np.full(points.shape[1], 8.0)
    far[analysis.experiment.parameters.index(analysis.parameter)] = 512
    ends = np.log(np.maximum(points.min(axis=0) / 2, 1)), np.log(far * points.max(axis=0))
    drawn = np.exp(np.random.default_rng(20).uniform(*ends, (TARGETS, points.shape[1])))
    return np.array([[float(f"{value:.6g}") for value in row] for row in drawn.tolist()])


def apart(found: FloatArray, expected: FloatArray) -> FloatArray:
    """How far lower ends, upper ends and values, last axis, are off; lower ends relative to the value."""
    return np.asarray(np.abs(found - expected) / np.abs(expected[..., [2, 1, 2]]))


def test_random_targets_agree_with_predict(
    scripts: Scripts, studied: tuple[Analysis, dict[str, Any]]
) -> None:
    analysis, data = studied
    targets, names = drawn_targets(analysis), analysis.experiment.parameters
    at = [dict(zip(names, target, strict=True)) for target in targets.tolist()]
    summary = summary_of(analysis, at, most=None)
    pages = scripts.read(data, AT_TARGETS, *targets.tolist())
    total = np.array([[p[end] for end in ENDS] for p in summary["total"]["predictions"]])
    assert apart(np.array([page["total"] for page in pages]), total[:, None]).max() < CLOSE
    for name, level in (("regions", analysis.regions), ("callpaths", analysis.callpaths)):
        exact = level.models.predict(targets)
        expected = np.stack([exact.lower, exact.upper, exact.value], axis=-1).transpose(1, 0, 2)
        noticeable = expected[..., 2] > NOTICEABLE * total[:, None, 2]
        assert noticeable.sum() > TARGETS
        found = np.array([page[name] for page in pages])
        assert apart(found[noticeable], expected[noticeable]).max() < CLOSE
    rows = [row for row in summary["runtime"]["at"] if not row["measured"]][-TARGETS:]
    for target, page, row in zip(at, pages, rows, strict=True):
        assert row["point"] == target
        assert page["answers"]
        for label, figure in page["answers"]:
            exact_figure = [row[FIGURES[label]][end] for end in ENDS]
            assert apart(np.array(figure), np.array(exact_figure)).max() < CLOSE


@pytest.fixture(scope="module", params=BOXES)
def results(request: Any, sample: Callable[[str], Path]) -> Path:
    return sample(request.param)


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
    shows(line, "1000000 times outside the measured range: far too much")
    assert watched.complaints == []
    page.close()

"""Steps of the slider redraw at once what is read, and the rest when it rests; hot paths; shared flags."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.pipeline.report.page.browser import OpenPage, Scripts, set_target, shows
from tests.pipeline.report.page.studies import answered, study_of

STEP = """(place) => new Promise((done) => {
    const slider = document.getElementById("target");
    slider.value = place;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(() => requestAnimationFrame(() => done([
        document.querySelector("#legend caption").textContent,
        document.getElementById("kernel-target").textContent,
    ])));
})"""
SLOW_REST = """() => { const later = setTimeout;
window.setTimeout = (act, after, ...rest) => later(act, after === 120 ? 2000 : after, ...rest); }"""


@pytest.fixture
def page(open_page: OpenPage, file: Path) -> Any:
    return open_page(file).page


def test_tables_wait_until_the_slider_rests(page: Any) -> None:
    before = page.locator("#kernel-target").inner_text()
    page.evaluate(SLOW_REST)
    legend, table = page.evaluate(STEP, 0)
    assert (legend, table) == ("At p = 4", before)
    shows(page.locator("#kernel-target"), "p = 4")


def test_a_typed_target_redraws_everything_at_once(page: Any) -> None:
    set_target(page, 4)
    assert page.locator("#kernel-target").inner_text() == "p = 4"


def test_hot_paths_reach_the_hottest_leaf(open_page: OpenPage) -> None:
    deep = tuple(f"level{i}" for i in range(12))
    effort = {deep[: i + 1]: lambda p: 1 + 0 * p for i in range(len(deep))}
    wide = {("level0", "many", f"f{i}"): lambda p, i=i: 8 + i / 1e3 + 0 * p for i in range(120)}
    callers = {("level0", "many", f"f{i}", "inner"): lambda p: 6 + 0 * p for i in range(1, 120)}
    hottest = {("level0", "many", "f0"): lambda p: 11 + 0 * p}
    many = effort | {("level0", "many"): lambda p: 1 + 0 * p} | wide | callers | hottest
    page = open_page(answered(study_of(many))).page
    page.get_by_role("button", name="Collapse all").click()
    page.get_by_role("button", name="Expand hot paths").click()
    names = page.locator("#tree-rows .node .cut").all_text_contents()
    assert "f0" in names  # though a hundred callees beside it take more with their own callees
    focused = page.locator("#tree-rows .node[tabindex='0']")
    shows(focused, "f0")
    assert focused.evaluate("node => node.getBoundingClientRect().top < innerHeight")


def test_flags_that_all_rows_have_are_said_once(open_page: OpenPage) -> None:
    growing = {
        ("main",): lambda p: p**1.5,
        ("main", "a"): lambda p: 2 * p**1.5,
        ("main", "b"): lambda p: p * p,
    }
    page = open_page(answered(study_of(growing))).page
    assert page.locator("#kernel-shared").inner_text().strip().startswith("All rows: grows")
    chips = page.locator("#kernel-table .flag").all_inner_texts()
    assert "grows" not in chips
    assert chips


def test_curves_have_no_corners_and_stay_between_their_places(scripts: Scripts) -> None:
    places = [[0, 0], [1, 1], [2, 1], [3, 5], [10, 6]]
    text = scripts.evaluate("draw/chart.js", "pathThrough", "pathThrough(values[0], true)", places)
    pieces = [np.array(piece.split(), dtype=float).reshape(3, 2) for piece in text.split("C")[1:]]
    assert [piece[-1].tolist() for piece in pieces] == places[1:]
    ends = np.array(places, dtype=float)
    steps = np.linspace(0, 1, 21)[:, None]
    slopes = []
    for start, (one, two, end) in zip(ends[:-1], pieces, strict=True):
        line = (1 - steps) ** 3 * start + 3 * steps * (1 - steps) ** 2 * one
        line = line + 3 * steps**2 * (1 - steps) * two + steps**3 * end
        assert (np.diff(line[:, 1]) >= -1e-9).all()
        slopes.append([(one - start)[1] / (one - start)[0], (end - two)[1] / (end - two)[0]])
    for (_, left), (right, _) in pairwise(slopes):
        assert left == pytest.approx(right, abs=0.15)  # numbers of a path have one place
    path = "pathThrough([[0, 0], [1, NaN], [2, 1], [3, 1]], true)"
    assert scripts.evaluate("draw/chart.js", "pathThrough", path) == "M0.0 0.0M2.0 1.0L3.0 1.0"

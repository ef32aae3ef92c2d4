"""The differential flame graph of a report: what its boxes say, and what a reader does with it."""

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.questions.analysis import Analysis
from pipeline.report.page import report_html
from tests.pipeline.report.page.browser import OpenPage, WritePage, kept, rows_of, saved, set_target, shows
from tests.pipeline.report.page.studies import answered, study_of

SIZE = {"width": 1400, "height": 4000}
# At 4 processes there is no exchange, at 64 no setup; the solver keeps its share of a growing program.
EFFORT = {
    ("main",): lambda p: 10 + 0 * p,
    ("main", "setup"): lambda p: 20.0 if p < 10 else 0.0,
    ("main", "solve"): lambda p: 100 * p**0.25,
    ("main", "solve", "exchange"): lambda p: 0.0 if p < 10 else 5.0 * p,
    ("main", "solve", "spmv"): lambda p: 60 + 0 * p,
}
NARROWED = """() => {
    const host = document.getElementById("difference");
    host.style.width = "300px";
    return host.querySelector("rect").getBoundingClientRect().width;
}"""
MAIN, SETUP, SOLVE, EXCHANGE, SPMV = range(5)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return study_of(EFFORT)


@pytest.fixture(scope="module")
def mean(analysis: Analysis) -> Any:
    """Exclusive values, call path by point."""
    return analysis.callpaths.kernels.mean


@pytest.fixture(scope="module")
def file(analysis: Analysis, write_page: WritePage) -> Path:
    return write_page(report_html(answered(analysis)))


@pytest.fixture
def page(open_page: OpenPage, file: Path) -> Iterator[Any]:
    opened = open_page(file, "icicle=difference", viewport=SIZE)
    yield opened.page
    assert {request.partition("#")[0] for request in opened.requests} == {file.as_uri()}


def box(page: Any, k: int) -> Any:
    return page.locator(f".difference .box[data-kernel='{k}']")


def side(page: Any, number: int) -> Any:
    return page.locator("#icicle-options select").nth(number)


def width(page: Any, k: int) -> float:
    return float(box(page, k).locator("rect").get_attribute("width"))


def colour(page: Any, k: int) -> int:
    """From -100, less, to 100, more."""
    node = box(page, k)
    size = int(node.evaluate("node => node.style.getPropertyValue('--g')").rstrip("%"))
    return -size if "g-down" in node.get_attribute("class") else size


def count(page: Any, where: str, expected: int) -> None:
    from playwright.sync_api import expect

    expect(page.locator(where)).to_have_count(expected)


def test_boxes_are_as_wide_as_b_and_coloured_by_growth_against_the_program(page: Any, mean: Any) -> None:
    a, b = mean[:, 0], mean[:, 4]
    shows(page.locator("#difference .side"), "A, measured at p = 4")
    shows(page.locator("#difference .side"), "B, measured at p = 64")
    inclusive = b[SOLVE] + b[EXCHANGE] + b[SPMV]
    assert width(page, SOLVE) / width(page, MAIN) == pytest.approx(inclusive / b.sum(), rel=0.01)
    common = b.sum() / a.sum()
    end = math.log2(4)
    shows(page.locator("#difference .growth-legend"), f"over the ×{common:.2f} of the whole program")
    shows(page.locator("#difference .growth-legend"), "≥ ×4.00")
    for k in (MAIN, SOLVE, SPMV):
        growth = math.log2(b[k] / a[k] / common)
        assert colour(page, k) == pytest.approx(100 * max(min(growth / end, 1), -1), abs=1)
    assert colour(page, EXCHANGE) == 100
    page.get_by_role("radio", name="unchanged").check()
    shows(
        page.locator("#difference .growth-legend"),
        "without its callees; grey, too, if less than 1 % is its own: ≤ ×0.50",
    )
    assert colour(page, SOLVE) == pytest.approx(100 * math.log2(b[SOLVE] / a[SOLVE]) / math.log2(2), abs=1)
    assert colour(page, MAIN) == pytest.approx(0, abs=1)


def test_tooltips_have_both_values_their_difference_and_where_they_come_from(page: Any, mean: Any) -> None:
    title = box(page, SOLVE).locator("title").text_content()
    lines = title.split("\n")
    assert lines[0] == "solve"
    inclusive = mean[[SOLVE, EXCHANGE, SPMV]].sum(axis=0)
    assert lines[1].startswith(f"A, measured at p = 4: {inclusive[0]:.0f} core-s (")
    assert f"without its callees {mean[SOLVE, 0]:.0f} core-s, 3 runs " in lines[1]
    assert lines[2].startswith(f"B, measured at p = 64: {inclusive[4]:.0f} core-s (")
    added = inclusive[4] - inclusive[0]
    assert lines[3].startswith(f"Difference: +{added:.0f} core-s (×{inclusive[4] / inclusive[0]:.2f}); ")
    side(page, 1).select_option(label="predicted at the target")
    title = box(page, SOLVE).locator("title").text_content()
    assert "B, predicted at p = 256: " in title
    assert "core-s, 90 % interval " in title


def test_call_paths_of_one_side_are_hatched_marked_and_named(page: Any) -> None:
    assert box(page, EXCHANGE).locator(".hatch").count() == 1
    assert box(page, SOLVE).locator(".hatch").count() == 0
    assert "only at p = 64" in box(page, EXCHANGE).locator("title").text_content()
    assert box(page, SETUP).count() == 0  # it has no width at p = 64
    assert page.locator(".gone title").all_text_contents() == ["only at p = 4: 20.0 core-s\nsetup"]
    shows(page.locator("#difference .missing"), "Without width here, only at p = 4: setup (20.0 core-s).")
    page.get_by_role("button", name="Show them").click()
    assert width(page, SETUP) > 10
    assert colour(page, SETUP) == -100
    assert box(page, SETUP).locator(".hatch").count() == 1
    assert page.locator(".gone").count() == 0
    assert page.get_by_label("Width").input_value() == "larger"
    page.get_by_label("Width").select_option("a")
    assert page.locator(".gone title").all_text_contents()[0].startswith("only at p = 64: ")
    assert box(page, EXCHANGE).count() == 0


def test_every_choice_is_kept_and_comes_back(page: Any) -> None:
    assert kept(page) == {"icicle": "difference"}
    side(page, 0).select_option(label="measured at p = 16")
    side(page, 1).select_option(label="predicted at the target")
    page.get_by_label("Width").select_option("larger")
    page.get_by_role("radio", name="unchanged").check()
    box(page, SOLVE).click()
    expected = {"icicle": "difference", "a": "2", "b": "target", "width": "larger", "neutral": "none"}
    assert kept(page) == expected | {"zoom": "2", "callpath": "2"}
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    shows(page.locator("#difference .side"), "A, measured at p = 16")
    shows(page.locator("#difference .side"), "B, predicted at p = 256")
    assert page.get_by_label("Width").input_value() == "larger"
    assert page.get_by_role("radio", name="unchanged").is_checked()
    assert box(page, MAIN).count() == 0
    assert "selected" in box(page, SOLVE).get_attribute("class")
    page.get_by_role("radio", name="side by side").check()
    assert page.locator("#icicle-left .box").count() > 0
    assert page.locator("#difference").is_hidden()
    assert "icicle" not in kept(page)


def test_the_keyboard_walks_zooms_and_comes_back(page: Any) -> None:
    focused = "document.activeElement.querySelector('title')?.textContent.split('\\n')[0]"
    box(page, MAIN).focus()
    names = []
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        names.append(page.evaluate(focused))
    assert names == ["solve", "exchange", "spmv", "exchange", "solve"]
    shows(page.locator("#difference .details"), "solve · A, measured at p = 4")
    page.keyboard.press("Enter")
    assert box(page, MAIN).count() == 0
    assert page.evaluate(focused) == "solve"
    page.keyboard.press("Escape")
    assert box(page, MAIN).count() == 1


def test_search_and_selection_are_those_of_the_page(page: Any) -> None:
    page.get_by_label("Search: Kernels").fill("spmv")
    count(page, ".difference .box:not(.fades)", 1)
    page.get_by_label("Search: Kernels").fill("")
    count(page, ".difference .fades", 0)
    page.locator("#difference .side button", has_text="exchange").click()
    count(page, ".difference .selected", 1)
    assert "selected" in box(page, EXCHANGE).get_attribute("class")
    shows(page.locator("#controls .chip"), "exchange")


def test_the_target_moves_a_side_that_is_predicted(page: Any) -> None:
    side(page, 1).select_option(label="predicted at the target")
    before = box(page, SPMV).locator("title").text_content()
    set_target(page, 512)
    shows(page.locator("#difference .side"), "B, predicted at p = 512")
    assert box(page, SPMV).locator("title").text_content() != before


def test_it_is_saved_as_a_table_with_both_sides(page: Any, mean: Any) -> None:
    rows = rows_of(saved(page, "Save as CSV: differential flame graph")[1])
    assert [row["call path"] for row in rows] == ["/".join(path) for path in EFFORT]
    names = [f"exclusive effort (core-s), measured at p = {p}" for p in (4, 64)]
    values = np.array([[float(row[name]) for name in names] for row in rows])
    np.testing.assert_allclose(values, mean[:, [0, 4]], rtol=1e-5)
    common = mean[:, 4].sum() / mean[:, 0].sum()
    last = rows[SPMV]
    assert float(last["difference, exclusive effort (core-s)"]) == pytest.approx(
        mean[4, 4] - mean[4, 0], rel=1e-3
    )
    assert float(last["B / A over that of the program"]) == pytest.approx(
        mean[4, 4] / mean[4, 0] / common, rel=1e-3
    )
    assert last["what measured at p = 4 is"] == "measured, 3 runs"


def test_it_is_saved_as_a_picture_with_its_hatching(page: Any) -> None:
    root = ET.fromstring(saved(page, "Save as SVG: differential flame graph")[1])
    boxes = [node for node in root.iter() if node.tag.endswith("rect") and node.get("fill", "none") != "none"]
    assert len(boxes) >= 5
    paths = [node for node in root.iter() if node.tag.endswith("path")]
    lines = [path for path in paths if path.get("fill") == "none" and path.get("d", "").count("M") > 1]
    assert lines and all(path.get("stroke", "none") != "none" for path in lines)
    assert all("var(" not in value for node in root.iter() for value in node.attrib.values())


@pytest.mark.parametrize("wide", [1400, 700])
def test_it_fits_the_page_and_paper(open_page: OpenPage, file: Path, wide: int) -> None:
    size = {"width": wide, "height": 900}
    opened = open_page(file, "icicle=difference&section=icicle", viewport=size)
    page = opened.page
    box(page, MAIN).wait_for()
    page.emulate_media(media="print")
    assert page.evaluate(NARROWED) <= 300  # at once, not when it is drawn again: paper runs no scripts
    assert not page.locator("#difference .details").is_visible()
    assert page.locator("#difference .growth-legend").is_visible()

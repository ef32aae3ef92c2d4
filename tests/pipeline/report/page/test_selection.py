"""One selection and one search: table, tree, icicle and charts follow each other."""

from pathlib import Path
from typing import Any

import pytest

from ingest.cpp_names import short_name
from tests.pipeline.report.page.browser import OpenPage, press, settle, shows
from tests.pipeline.report.page.studies import SOLVER, answered, study_of


@pytest.fixture
def page(open_page: OpenPage, file: Path) -> Any:
    return open_page(file).page


def selected(page: Any) -> dict[str, list[str]]:
    """Names of what is selected in each part."""
    settle(page)
    texts = "nodes => nodes.map(node => node.dataset.kernel ?? node.querySelector('.name')?.textContent)"
    lines = "nodes => nodes.map(node => node.querySelector('title').textContent)"
    return {
        "table": page.eval_on_selector_all("#kernel-table tr.selected", texts),
        "tree": page.eval_on_selector_all("#tree-rows .selected", texts),
        "icicle": page.eval_on_selector_all("#icicle-right .selected", texts),
        "lines": page.eval_on_selector_all("#lines path.line:not(.fades)", lines),
        "areas": page.eval_on_selector_all("#stack path.band:not(.fades)", lines),
    }


ALLREDUCE = {
    "table": ["MPI_Allreduce"],
    "tree": ["2"],
    "icicle": ["2"],
    "lines": ["MPI_Allreduce"],
    "areas": ["MPI_Allreduce", "all others"],
}


def test_selecting_anywhere_selects_everywhere(page: Any) -> None:
    page.get_by_role("button", name="Select MPI_Allreduce").click()
    assert selected(page) == ALLREDUCE
    page.locator("#controls .chip").click()
    assert selected(page)["table"] == []
    page.locator("#legend").get_by_role("button", name="MPI_Allreduce").click()
    assert selected(page) == ALLREDUCE
    page.locator("#legend").get_by_role("button", name="MPI_Allreduce").click()
    assert selected(page)["tree"] == []
    page.locator("#tree-rows .node", has_text="MPI_Allreduce").click()
    assert selected(page) == ALLREDUCE
    page.locator("#controls .chip").click()
    page.locator("#icicle-right .box[data-kernel='2']").click()
    assert selected(page) == ALLREDUCE
    page.locator("#controls .chip").click()
    page.locator("#stack path.band", has_text=short_name(SOLVER)).dispatch_event("click")
    assert selected(page)["table"] == [short_name(SOLVER)]
    assert selected(page)["icicle"] == ["1"] or page.locator("#icicle-path button").count() > 1


def test_the_keyboard_selects_and_keeps_its_place(page: Any) -> None:
    pick = page.get_by_role("button", name="Select MPI_Allreduce")
    pick.focus()
    pick.press("Enter")
    assert selected(page) == ALLREDUCE
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "Select MPI_Allreduce"
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    node = page.locator("#tree-rows .node", has_text="MPI_Allreduce")
    node.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate("document.activeElement.className").startswith("node selected")


def test_a_selected_call_path_is_one_of_its_region(open_page: OpenPage) -> None:
    shared = {
        ("main",): lambda p: 100 + 0 * p,
        ("main", "MPI_Send"): lambda p: 3 + 0 * p,
        ("main", "solve"): lambda p: 50 + 0 * p,
        ("main", "solve", "MPI_Send"): lambda p: 2 + 0 * p,
    }
    page = open_page(answered(study_of(shared))).page
    page.get_by_role("button", name="Select MPI_Send").click()
    assert sorted(selected(page)["tree"]) == ["1", "3"]
    page.locator("#tree-rows .node[data-kernel='3']").click()
    assert selected(page)["tree"] == ["3"]
    assert selected(page)["table"] == ["MPI_Send"]
    page.locator("#controls").get_by_role("radio", name="Call paths").check()
    settle(page)
    assert page.locator("#kernel-table tr.selected .callers").all_inner_texts() == ["main › solve"]


def test_searching_searches_everywhere(page: Any) -> None:
    page.get_by_label("Search: Kernels").fill("allred")
    settle(page)
    assert page.locator("#kernel-table .name").all_text_contents() == ["MPI_Allreduce"]
    assert page.locator("#tree-rows .found").count() == 1
    assert page.locator("#icicle-right .box:not(.fades)").count() == 1
    assert selected(page)["lines"] == ["MPI_Allreduce"]
    page.get_by_label("Search: Kernels").fill("")
    settle(page)
    assert page.locator(".fades, .found").count() == 0


def test_a_search_opens_the_tree_down_to_what_it_finds(page: Any) -> None:
    page.get_by_role("button", name="Collapse all").click()
    assert page.locator("#tree-rows .node").count() == 1
    page.get_by_label("Search: Kernels").fill("mpi_all")
    shows(page.locator("#tree-rows .found"), "MPI_Allreduce")


def test_selected_kernels_are_drawn_even_if_they_are_small(open_page: OpenPage) -> None:
    many = study_of(
        {("main",): lambda p: 1 + 0 * p}
        | {("main", f"f{i}"): lambda p, i=i: 100 - i + 0 * p for i in range(12)}
    )
    opened = open_page(answered(many), "region=f11")
    assert opened.page.locator("#lines path.line").count() == 8
    assert selected(opened.page)["lines"] == ["f11"]
    shows(opened.page.locator("#legend tr.selected"), "f11")


def test_charts_zoom_move_and_go_back(page: Any) -> None:
    chart = page.locator("#lines svg")
    box = chart.bounding_box()

    def curve() -> str:
        return page.locator("#lines path.line").first.get_attribute("d")

    before = curve()
    x, y = box["x"] + 150, box["y"] + 100
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y + 5)
    assert page.locator("#lines .brush").count() == 1
    page.mouse.up()
    zoomed = curve()
    assert zoomed != before
    assert page.locator("#lines .brush").count() == 0
    page.keyboard.down("Shift")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 80, y)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert curve() != zoomed
    page.mouse.dblclick(x, y)
    assert curve() == before
    page.locator("#lines svg").focus()
    page.keyboard.press("+")
    assert curve() != before
    assert page.evaluate("document.activeElement === document.querySelector('#lines svg')")
    page.keyboard.press("Escape")
    assert curve() == before
    press(page, "Zoom in: leading kernels")
    assert curve() != before
    press(page, "Whole chart: leading kernels")
    assert curve() == before


def test_a_click_pins_the_reading(page: Any) -> None:
    box = page.locator("#lines svg").bounding_box()
    page.mouse.click(box["x"] + 200, box["y"] + 60)
    reading = page.locator("#lines .readings")
    text = reading.inner_text()
    page.mouse.move(10, 10)
    assert reading.is_visible()
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    assert reading.inner_text() == text
    page.mouse.click(box["x"] + 300, box["y"] + 60)
    page.mouse.move(10, 10)
    assert not reading.is_visible()


def test_readings_have_intervals_and_say_what_was_measured(page: Any) -> None:
    box = page.locator("#lines svg").bounding_box()
    at_64 = page.locator("#lines circle.dot").evaluate_all(
        "dots => Math.max(...dots.map(d => +d.getAttribute('cx')))"
    )
    page.mouse.move(box["x"] + at_64, box["y"] + 60)
    shows(page.locator("#lines .readings"), "p = 64")
    shows(page.locator("#lines .readings"), " to ")
    shows(page.locator("#lines .readings"), ", measured ")

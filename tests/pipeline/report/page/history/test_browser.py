"""What a person does with the site, in a real browser."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.report.page.history import site
from pipeline.report.page.history.site import page_of
from tests.pipeline.report.page.browser import Watched, shows
from tests.pipeline.report.page.history.conftest import TEMPLATE, written
from tests.pipeline.report.page.history.histories import HOSTILE, KERNELS, digest, history

SIZE = {"width": 1400, "height": 1000}


@pytest.fixture(scope="module")
def index(running: Any, folder: Path) -> Watched:
    return Watched(running, folder / "index.html", viewport=SIZE)


@pytest.fixture
def kernel(running: Any, folder: Path) -> Iterator[Watched]:
    opened = Watched(running, folder / page_of(KERNELS[1]), viewport=SIZE)
    yield opened
    opened.page.close()


def names(page: Any) -> list[str]:
    found: list[str] = page.locator("#matrix tbody tr:not([hidden]) .name").all_text_contents()
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [700, 1400])
def test_pages_open_without_network_and_complaint_and_fit(
    running: Any, folder: Path, theme: str, width: int
) -> None:
    for path in (folder / "index.html", folder / page_of(KERNELS[0])):
        opened = Watched(running, path, viewport={"width": width, "height": 900}, color_scheme=theme)
        assert opened.requests == [path.as_uri()]
        assert opened.complaints == []
        assert opened.page.evaluate("document.documentElement.scrollWidth") == width
        opened.page.close()


def test_hostile_names_show_as_text(index: Watched) -> None:
    assert HOSTILE in names(index.page)
    assert index.page.locator("img").count() == 0


def test_search_and_level(index: Watched) -> None:
    page = index.page
    page.get_by_label("Search: Kernels").fill("allred")
    assert names(page) == ["MPI_Allreduce", "MPI_Allreduce"]
    assert page.locator("#filters [role=status]").inner_text() == "2"
    page.get_by_role("radio", name="Regions").check()
    assert names(page) == ["MPI_Allreduce"]
    page.get_by_label("Search: Kernels").fill("")
    assert names(page) == ["whole program", "MPI_Allreduce"]
    page.get_by_role("radio", name="All", exact=True).check()


def test_sorting_by_any_column_and_back(index: Watched) -> None:
    page = index.page
    page.get_by_role("button", name="Kernel", exact=True).click()
    assert names(page) == [HOSTILE, "MPI_Allreduce", "MPI_Allreduce", "solve", "whole program"]
    page.get_by_role("button", name="Time at p = 512").click()
    assert names(page)[0] == "whole program"
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Time at p = 512")
    page.get_by_role("button", name="Time at p = 512").click()
    assert names(page)[-1] == "whole program"
    page.get_by_role("button", name="Newest change").click()
    assert set(names(page)[:2]) == {"whole program", "solve"}


def test_a_kernel_leads_to_its_page_and_back(running: Any, folder: Path) -> None:
    opened = Watched(running, folder / "index.html", viewport=SIZE)
    opened.page.get_by_role("link", name="solve").first.click()
    shows(opened.page.locator("h1"), "solve")
    opened.page.get_by_role("link", name="Scaling history").click()
    shows(opened.page.locator("h1"), "time at p = 512")
    assert opened.complaints == []


def test_pointing_at_a_chart_reads_the_entry_in_all_of_them(kernel: Watched) -> None:
    page = kernel.page
    box = page.locator("svg.chart").first.bounding_box()
    at = box["x"] + box["width"] * (66 + 562 * 40 / 59) / 640  # the entry c40
    page.mouse.move(at, box["y"] + 50)
    shows(page.locator("#selection"), "c40 2025-07-25")
    value = history().value[1, 40]
    shows(page.locator("#selection"), f"Effort measured at p = 128: {value:.1f} core-s")
    assert page.locator(".selected circle").count() == page.locator("svg.chart").count() == 4
    link = page.locator("#selection a")
    assert link.get_attribute("href") == f"https://example.org/commit/{digest('40')}"


def test_the_selected_dot_is_on_the_line(kernel: Watched) -> None:
    """Of 60 entries every one is drawn as a dot; a script selects the same places."""
    page = kernel.page
    page.locator("figure").first.focus()
    page.keyboard.press("ArrowLeft")
    shows(page.locator("#selection"), "c58")
    for n in range(4):
        chart = page.locator("svg.chart").nth(n)
        drawn = chart.locator("circle.entry").nth(58)
        chosen = chart.locator(".selected circle")
        places = ([float(one.get_attribute(name)) for name in ("cx", "cy")] for one in (chosen, drawn))
        assert next(places) == pytest.approx(next(places), abs=0.1)


def test_keys_walk_through_the_entries(kernel: Watched) -> None:
    page = kernel.page
    page.locator("figure").nth(2).focus()
    for key, label in (("ArrowRight", "c59"), ("PageUp", "c34"), ("ArrowRight", "c35"), ("PageUp", "c10")):
        page.keyboard.press(key)
        shows(page.locator("#selection"), label)


@pytest.mark.parametrize("factor", [1e-9, 1e-4, 1.0, 40.0, 3e3, 1e6, 1e10, 1e14])
def test_the_table_of_entries_says_the_same_with_and_without_script(
    running: Any, tmp_path: Path, factor: float
) -> None:
    entries = history()
    more = {name: factor * getattr(entries, name) for name in ("value", "predicted", "wall_seconds")}
    folder = written(site(replace(entries, **more), TEMPLATE), tmp_path)
    path = folder / page_of(KERNELS[1])
    opened = Watched(running, path, viewport=SIZE)
    rows = "[...document.querySelectorAll('#entry-table tbody tr')].map(row => row.innerText)"
    with_script = opened.page.evaluate(rows)
    plain = running.new_context(java_script_enabled=False).new_page()
    plain.goto(path.as_uri())
    without = plain.locator("#entry-table tbody tr").all_inner_texts()
    assert len(without) == 25
    assert with_script == without
    opened.page.close()
    plain.close()


def test_the_table_has_all_entries_in_pages(kernel: Watched) -> None:
    page = kernel.page
    first = page.locator("#entry-table tbody th").first
    shows(first, "c59")
    assert page.get_by_role("button", name="Newer entries").is_disabled()
    for _ in range(2):
        page.get_by_role("button", name="Older entries").click()
    shows(page.locator("#pager"), "51 to 60 of 60")
    assert page.locator("#entry-table tbody th").last.inner_text() == "c0"
    assert page.get_by_role("button", name="Older entries").is_disabled()


def test_a_click_finds_the_entry_in_the_table(kernel: Watched) -> None:
    page = kernel.page
    box = page.locator("svg.chart").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 66 / 640, box["y"] + 50)
    shows(page.locator("tr[aria-selected=true]"), "c0")
    assert page.locator("tr[aria-selected=true] td", has_text="regression").count() == 0


def test_packed_commits_are_unpacked(running: Any, tmp_path: Path) -> None:
    entries = history(30, at=99, digests=True)
    folder = written(site(entries, TEMPLATE), tmp_path)
    opened = Watched(running, folder / page_of(KERNELS[0]), viewport=SIZE)
    link = opened.page.locator("#entry-table a").nth(3)
    assert link.inner_text() == digest("26")[:10]
    assert link.get_attribute("href") == f"https://example.org/commit/{digest('26')}"
    opened.page.close()


def test_thousands_of_commits_load_quickly(running: Any, large: Path) -> None:
    """The best of three, since other work on the machine only makes it slower; more work, more slowly."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    for path in (large / "index.html", large / page_of(KERNELS[0])):
        seconds = []
        for _ in range(3):
            start = time.perf_counter()
            opened = Watched(running, path, viewport=SIZE)
            seconds.append(time.perf_counter() - start)
            assert opened.complaints == []
            opened.page.close()
        assert min(seconds) < 1.5 * busy

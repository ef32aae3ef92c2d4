"""What a person does with the site, in a real browser."""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.gate.trends import trends
from pipeline.report.page.history import site
from pipeline.report.page.history.history_words import HistoryWords
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
    found: list[str] = page.locator("#matrix tbody .name").all_text_contents()
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
    assert page.locator("#matrix [role=status]").inner_text() == "2"
    page.get_by_role("radio", name="Regions").check()
    assert names(page) == ["MPI_Allreduce"]
    page.get_by_label("Search: Kernels").fill("")
    assert names(page) == ["whole program", "MPI_Allreduce"]
    page.get_by_role("radio", name="All", exact=True).check()


def test_enter_goes_from_match_to_match_and_back_undoes_a_choice(running: Any, folder: Path) -> None:
    opened = Watched(running, folder / "index.html", viewport=SIZE)
    page = opened.page
    page.get_by_label("Search: Kernels").fill("allred")
    shows(page.locator(".matches"), "2 found")
    page.keyboard.press("Enter")
    shows(page.locator(".matches"), "1 of 2")
    assert page.evaluate("document.activeElement.matches('#matrix tbody a.name')")
    page.wait_for_function("() => location.hash.includes('find=allred')")
    page.get_by_role("radio", name="Regions").check()
    page.wait_for_function("() => location.hash.includes('level=region')")
    page.go_back()
    page.wait_for_function("() => document.documentElement.dataset.ready && !location.hash.includes('level')")
    page.get_by_role("radio", name="All", exact=True).wait_for(state="attached")
    assert page.get_by_role("radio", name="All", exact=True).is_checked()
    shows(page.locator(".matches"), "2 found")
    assert opened.complaints == []
    page.close()


def test_the_search_of_entries_selects_them_everywhere(kernel: Watched) -> None:
    page = kernel.page
    shows(page.locator("#selection"), "c59")
    page.get_by_label("Search: Entries").fill("c4")
    shows(page.locator(".matches"), "11 found")
    page.keyboard.press("Enter")
    shows(page.locator("#selection"), "c49")
    shows(page.locator("#entry-table tr.selected"), "c49")
    shows(page.locator(".matches"), "1 of 11")
    page.wait_for_function("() => location.hash.includes('entry=c49')")


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
    shows(opened.page.locator("#verdict"), "time at p = 512")
    assert opened.complaints == []


def place(page: Any, n: int, entry: int) -> tuple[float, float]:
    """Where an entry is in a chart, on the page."""
    dot = page.locator("svg.chart").nth(n).locator("circle.entry").nth(entry).bounding_box()
    return dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2


def test_pointing_at_a_chart_reads_the_entry_in_all_of_them(kernel: Watched) -> None:
    page = kernel.page
    page.mouse.move(*place(page, 0, 40))
    shows(page.locator("#selection"), "c40 2025-07-25")
    value = history().value[1, 40]
    shows(page.locator("#selection"), f"Effort measured at p = 128: {value:.1f} core-s")
    assert page.locator(".chosen circle").count() == page.locator("svg.chart").count() == 4
    link = page.locator("#selection a")
    assert link.get_attribute("href") == f"https://example.org/commit/{digest('40')}"


def test_the_selected_dot_is_on_the_line(kernel: Watched) -> None:
    """Of 60 entries every one is drawn as a dot; a selected one is at the same place."""
    page = kernel.page
    page.locator("figure").first.focus()
    page.keyboard.press("ArrowLeft")
    shows(page.locator("#selection"), "c58")
    for n in range(4):
        chart = page.locator("svg.chart").nth(n)
        drawn = chart.locator("circle.entry").nth(58)
        chosen = chart.locator(".chosen circle")
        places = ([float(one.get_attribute(name)) for name in ("cx", "cy")] for one in (chosen, drawn))
        assert next(places) == pytest.approx(next(places), abs=0.1)


def test_charts_have_axes_levels_places_and_marks(kernel: Watched) -> None:
    chart = kernel.page.locator("svg.chart").first
    for name in ("path.level", "rect.place", "path.worse"):
        assert chart.locator(name).count() == {"path.level": 2}.get(name, 1)
    texts = chart.locator(".axis text").all_text_contents()
    assert {"2025-06-15", "2025-08-13", "core-s"} <= set(texts)
    assert re.fullmatch(
        r"Effort measured at p = 128: 6\d\.\d core-s to 9\d\.\d core-s, 1 change point",
        chart.get_attribute("aria-label"),
    )
    mark, new = (chart.locator(name).last.bounding_box() for name in ("path.worse", "path.level"))
    assert mark["x"] + mark["width"] / 2 == pytest.approx(place(kernel.page, 0, 40)[0], abs=1.5)
    assert 0 < new["y"] - mark["y"] < 14  # the triangle stands on the new level, which rose


def test_lines_of_the_matrix_say_what_they_show_and_mark_changes(index: Watched) -> None:
    row = index.page.locator("#matrix tbody tr", has=index.page.get_by_role("link", name="whole program"))
    line = row.locator("svg.spark").first
    assert re.fullmatch(r"\d+ ms to \d+ ms, 1 change point", line.get_attribute("aria-label"))
    mark = line.locator("circle.worse")
    assert float(mark.get_attribute("cx")) == pytest.approx(3 + 40.5 / 60 * 126, abs=0.1)
    heights = [
        float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", line.locator(".line").get_attribute("d"))
    ]
    assert min(heights[:40]) > max(heights[40:])
    assert float(mark.get_attribute("cy")) == pytest.approx(np.median(heights[40:]), abs=0.3)


def test_gaps_one_day_and_many_entries(running: Any, tmp_path: Path) -> None:
    entries = history(200, step=20.0, at=120, kernels=KERNELS[:2])
    entries.value[1, 10:12] = np.nan
    entries = replace(entries, added=entries.added[:1] + np.arange(200))
    folder = written(site(entries, TEMPLATE), tmp_path)
    opened = Watched(running, folder / page_of(KERNELS[1]), viewport=SIZE)
    chart = opened.page.locator("svg.chart").first
    assert chart.locator("path.line.c0").get_attribute("d").count("M") == 2
    assert chart.locator("circle.entry").count() == 0
    texts = chart.locator(".axis text").all_text_contents()
    assert {"c0", "c199"} <= set(texts)
    assert {"100", "300", "1000"} <= set(texts), "wide ranges are logarithmic"
    index = Watched(running, folder / "index.html", viewport=SIZE)
    assert index.page.locator("svg.spark path.band").count() > 0
    assert opened.complaints == index.complaints == []
    opened.page.close()
    index.page.close()


def test_keys_walk_through_the_entries(kernel: Watched) -> None:
    page = kernel.page
    page.locator("figure").nth(2).focus()
    for key, label in (("ArrowRight", "c59"), ("PageUp", "c34"), ("ArrowRight", "c35"), ("PageUp", "c10")):
        page.keyboard.press(key)
        shows(page.locator("#selection"), label)


@pytest.mark.parametrize("factor", [1e-9, 1e-4, 1.0, 40.0, 3e3, 1e6, 1e10, 1e14])
def test_the_table_of_entries_says_what_python_says(running: Any, tmp_path: Path, factor: float) -> None:
    entries = history()
    more = {name: factor * getattr(entries, name) for name in ("value", "predicted", "wall_seconds")}
    entries = replace(entries, **more)
    folder = written(site(entries, TEMPLATE), tmp_path)
    opened = Watched(running, folder / page_of(KERNELS[1]), viewport=SIZE)
    rows = opened.page.locator("#entry-table tbody tr")
    words, measures = HistoryWords(entries), trends(entries)[1].measures
    assert rows.count() == 25
    heads = [head.strip(" ↓") for head in opened.page.locator("#entry-table thead th").all_inner_texts()]
    titles = [words.title(measure) for measure in measures]
    assert heads == ["Entry", "Added", *titles, "Growth of the model", "Verdict"]
    for n, entry in enumerate(range(59, 34, -1)):
        expected = [words.value(measure, trend.values[entry]) for measure, trend in measures.items()]
        verdict = "regression" if entry == 40 else ""
        cells = rows.nth(n).locator("th > .commit, td").all_inner_texts()
        assert cells == [f"c{entry}", words.date(entry), *expected, "p^(1/2)", verdict]
    opened.page.close()


def test_the_table_has_all_entries_in_pages(kernel: Watched) -> None:
    page = kernel.page
    first = page.locator("#entry-table tbody th").first
    shows(first, "c59")
    assert page.get_by_role("button", name="Previous page").is_disabled()
    for _ in range(2):
        page.get_by_role("button", name="Next page").click()
    shows(page.locator("#entry-table .count"), "51–60 of 60")
    assert page.locator("#entry-table tbody th .commit").last.inner_text() == "c0"
    assert page.get_by_role("button", name="Next page").is_disabled()


def test_a_click_finds_the_entry_in_the_table_and_a_row_in_the_charts(kernel: Watched) -> None:
    page = kernel.page
    page.mouse.click(*place(page, 0, 0))
    shows(page.locator("#entry-table tr.selected"), "c0")
    assert page.locator("tr.selected td", has_text="regression").count() == 0
    page.get_by_role("button", name="Select c5", exact=True).click()
    shows(page.locator("#selection"), "c5 2025-06-20")
    shows(page.locator("#entry-table tr.selected"), "c5")


def test_commits_are_linked_by_all_their_digits(running: Any, tmp_path: Path) -> None:
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

"""The page of an application on a machine: verdict, curves over what is swept, parts and search."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.wording.quantities import estimate_text
from tests.pipeline.report.page.browser import Watched, shows, violations, watching
from tests.pipeline.report.page.test_files import rows_of, saved

WIDE = {"width": 1400, "height": 2000}
SWEEP = ["milc", "--on", "power5plus", "--at", "L=4:8,P=1024"]


def project(*arguments: str) -> str:
    command = [sys.executable, "-m", "pipeline", "project", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("projection") / "milc.html"
    project(*SWEEP, "-o", str(path))
    return path


@pytest.fixture(scope="module")
def watched(running: Any, file: Path) -> Iterator[Watched]:
    yield from watching(running, file, viewport=WIDE)


def test_the_verdict_follows_the_target_and_says_what_json_says(watched: Watched) -> None:
    points = json.loads(project(*SWEEP, "--json", "-"))["projections"]
    page = watched.page
    for place in (4, 0):
        page.locator("#controls select").select_option(str(place))
        total = points[place]["total"]
        said = page.locator("#verdict").inner_text().replace("\xa0", " ")
        assert said.startswith(estimate_text(total["value"], total["lower"], total["upper"], "s"))
        assert f"at L = {points[place]['at']['L']:g} on " in said
        names = [" › ".join(line["path"]) for line in points[place]["breakdown"]]
        shown = page.locator("#parts-table tbody tr > :first-child").all_inner_texts()
        assert sorted(shown) == sorted([*names, "total"])
    assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('at')") in (None, "4")


def test_curves_have_the_total_with_its_interval_and_the_parts(watched: Watched) -> None:
    points = json.loads(project(*SWEEP, "--json", "-"))["projections"]
    rows = rows_of(saved(watched.page, "Save as CSV: projection over L")[1])
    series = {(row["series"], row["kind"]) for row in rows}
    assert {("total", "line"), ("T_ser", "line"), ("90 % interval", "lower end")} <= series
    totals = [float(row["total (s)"]) for row in rows if (row["series"], row["kind"]) == ("total", "line")]
    assert totals == pytest.approx([one["total"]["value"] for one in points])
    assert "\\addplot" in saved(watched.page, "Save as LaTeX: projection over L")[1].decode()


def test_the_search_counts_and_enter_goes_on(watched: Watched) -> None:
    page = watched.page
    box = page.get_by_label("Search: Parts")
    box.fill("cg")
    shows(page.locator(".matches"), "3 found")
    box.press("Enter")
    shows(page.locator(".matches"), "1 of 3")
    assert page.locator("#parts-table tr.selected").count() == 1
    box.fill("")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(running: Any, file: Path, theme: str) -> None:
    opened = Watched(running, file, viewport=WIDE, color_scheme=theme)
    assert violations(opened.page) == []
    assert opened.complaints == []
    opened.page.close()


def test_one_point_has_no_curves(running: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    project("milc", "--on", "power5plus", "--at", "L=8,P=1024", "-o", str(path))
    opened = Watched(running, path, viewport={"width": 390, "height": 900})
    assert opened.page.locator("#sweep").count() == 0
    assert opened.page.locator("#verdict").inner_text().startswith("9.81 s [9.56 .. 10.1] on ")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert opened.complaints == []
    opened.page.close()

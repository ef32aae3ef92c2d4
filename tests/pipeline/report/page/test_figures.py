"""Figures for papers, each saved with one click: what is seen and nothing else, as SVG and PNG."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.report.page.browser import WIDE, saved, watching

SPACE = "{http://www.w3.org/2000/svg}"
CHARTS = ("speed-up", "leading kernels", "stacked kernels", "kernel MPI_Allreduce")
PICTURES = (*CHARTS, "icicle right")


@pytest.fixture(scope="module")
def page(running: Any, file: Path) -> Iterator[Any]:
    for opened in watching(running, file, viewport=WIDE, color_scheme="dark"):
        opened.page.locator("#kernel-table .opener", has_text="MPI_Allreduce").click()
        yield opened.page


def figure(page: Any, kind: str, name: str) -> str:
    return saved(page, f"Save as {kind}: {name}")[1].decode()


@pytest.mark.parametrize("name", PICTURES)
def test_a_figure_has_what_is_seen_in_the_colours_of_paper(page: Any, name: str) -> None:
    root = ET.fromstring(figure(page, "SVG", name))
    assert [node.tag for node in root.iter(f"{SPACE}title")] == [f"{SPACE}title"]  # of the whole alone
    known = {"path", "text", "g", "rect", "line", "circle", "clipPath", "defs", "title", "svg"}
    assert {node.tag.removeprefix(SPACE) for node in root.iter()} <= known
    names = {name for node in root.iter() for name in node.attrib}
    assert not names & {"class", "tabindex", "display", "visibility", "style", "role", "opacity"}
    colours = {node.get(name) for node in root.iter() for name in ("fill", "stroke") if node.get(name)}
    assert all(re.fullmatch("none|#[0-9a-f]{6}", colour or "") for colour in colours)
    assert "#15181c" not in colours  # of the dark theme, which the page shows
    for path in root.iter(f"{SPACE}path"):
        assert path.get("fill") != "none" or path.get("stroke", "none") != "none"


def test_what_is_hidden_or_only_pointed_at_is_left_out(page: Any) -> None:
    def areas() -> int:
        return len(re.findall(r'fill-opacity="0.1"', figure(page, "SVG", "leading kernels")))

    assert areas() == 5
    opener = page.locator("#lines-options summary")
    opener.click()
    page.get_by_role("radio", name="hidden").check()
    opener.click()
    assert areas() == 0
    opener.click()
    page.get_by_role("radio", name="shown").check()
    opener.click()
    before = figure(page, "SVG", "leading kernels")
    box = page.locator("#lines svg").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 60)
    page.locator("#lines .readings").wait_for(state="visible")
    button = "[aria-label='Save as SVG: leading kernels']"
    with page.expect_download() as download:
        page.evaluate(f'document.querySelector("{button}").click()')
    assert Path(download.value.path()).read_text(encoding="utf-8") == before


def test_names_may_have_any_character(page: Any) -> None:
    page.evaluate("document.querySelector('#lines svg text').textContent = 'a<b>&\\u0001'")
    assert "a<b>&\ufffd" in [
        node.text for node in ET.fromstring(figure(page, "SVG", "leading kernels")).iter()
    ]

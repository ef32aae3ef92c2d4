"""The site for everyone: axe-core finds nothing in light and dark, the keyboard works, motion is reduced."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.report.page.history.site import page_of
from tests.pipeline.report.page.browser import MOVING, Watched, shows, violations
from tests.pipeline.report.page.history.histories import KERNELS

SIZE = {"width": 1400, "height": 4000}
PAGES = ("index.html", *(page_of(kernel) for kernel in KERNELS[:3]))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(running: Any, folder: Path, path: str, theme: str) -> None:
    page = Watched(running, folder / path, viewport=SIZE, color_scheme=theme).page
    assert violations(page) == []
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_while_pages_are_used(running: Any, folder: Path, theme: str) -> None:
    page = Watched(running, folder / "index.html", viewport=SIZE, color_scheme=theme).page
    page.get_by_role("button", name="Time at p = 512").click()
    page.get_by_label("Search: Kernels").fill("allred")
    page.get_by_role("radio", name="Regions").check()
    assert violations(page) == []
    page.get_by_role("radio", name={"light": "Dark", "dark": "Light"}[theme]).check()
    assert violations(page) == []
    page.close()
    page = Watched(running, folder / page_of(KERNELS[1]), viewport=SIZE, color_scheme=theme).page
    page.locator("figure").first.focus()
    page.keyboard.press("ArrowLeft")
    shows(page.locator("#selection"), "c58")
    page.get_by_role("button", name="Next page").click()
    assert violations(page) == []
    page.close()


def test_the_index_can_be_used_with_the_keyboard_alone(running: Any, folder: Path) -> None:
    page = Watched(running, folder / "index.html", viewport=SIZE).page
    page.keyboard.press("Tab")
    for _ in range(40):
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Search: Kernels":
            break
        page.keyboard.press("Tab")
    page.keyboard.type("solve")
    shows(page.locator("#matrix [role=status]"), "1")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#matrix tbody a.name')"):
            break
    page.keyboard.press("Enter")
    shows(page.locator("h1"), "solve")
    page.close()


@pytest.mark.parametrize("path", PAGES[:2])
def test_motion_is_reduced_if_it_is_asked_for(running: Any, folder: Path, path: str) -> None:
    page = Watched(running, folder / path, reduced_motion="reduce").page
    assert page.evaluate(MOVING) == 0
    page.close()

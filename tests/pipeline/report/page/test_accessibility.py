"""The page for everyone: axe-core finds nothing, in light and dark, as it opens and while it is used."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline.report.page.browser import OpenPage, violations

STUDIES = ("hpcg-strong", "openfoam-cavity", "lammps-melt")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("study", STUDIES)
def test_axe_finds_nothing(
    open_page: OpenPage, sample: Callable[[str], Path], study: str, theme: str
) -> None:
    file = sample(study) / "report.html"
    opened = open_page(file, viewport={"width": 1400, "height": 9000}, color_scheme=theme)
    page = opened.page
    assert violations(page) == []
    page.locator("#lines-options summary").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("#kernel-table .opener").first.click()
    page.locator("#kernel-table .pick").nth(1).click()
    page.get_by_label("Search: Kernels").fill("e")
    page.wait_for_timeout(200)
    assert violations(page) == []
    page.get_by_role("radio", name="difference").check()
    page.get_by_label("Width").select_option("larger")
    page.locator(".difference .box").nth(2).focus()
    assert violations(page) == []

"""The page for everyone: axe-core finds nothing, in light and dark, as it opens and while it is used."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.report.html.browser import Watched

AXE = Path("tools/javascript/node_modules/axe-core/axe.min.js")
STUDIES = ("hpcg-strong", "openfoam-cavity", "lammps-melt")
RUN = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]);
}"""


@pytest.fixture
def axe() -> str:
    if not AXE.exists():
        pytest.skip("NO AXE-CORE: accessibility was not tested; `make javascript` installs it")
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("study", STUDIES)
def test_axe_finds_nothing(
    running: Any, sample: Callable[[str], Path], axe: str, study: str, theme: str
) -> None:
    file = sample(study) / "report.html"
    opened = Watched(running, file, viewport={"width": 1400, "height": 9000}, color_scheme=theme)
    page = opened.page
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    page.locator("#kernel-table .opener").first.click()
    page.locator("#kernel-table .pick").nth(1).click()
    page.get_by_label("Search: Kernels").fill("e")
    page.wait_for_timeout(200)
    assert page.evaluate(RUN) == []
    assert opened.complaints == []
    page.close()


def test_motion_is_reduced_where_it_is_asked_for(running: Any, sample: Callable[[str], Path]) -> None:
    file = sample("openfoam-cavity") / "report.html"
    page = Watched(running, file, reduced_motion="reduce").page
    moving = """[...document.querySelectorAll('*')].filter((node) => {
        const style = getComputedStyle(node);
        return style.transitionDuration !== '0s' || style.animationName !== 'none';
    }).length"""
    assert page.evaluate(moving) == 0
    page.close()

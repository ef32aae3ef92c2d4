"""What report, comparison and history have in common: no network, no scrolling sideways, any address."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from pipeline.report.page import report_html
from pipeline.report.page.history_page import history_page, history_view
from tests.pipeline.report.page.browser import MOVING, OpenPage, WritePage, shows
from tests.pipeline.report.page.histories import history
from tests.pipeline.report.page.studies import answered, study
from tests.pipeline.report.page.test_comparison_page import made
from tests.pipeline.report.page.test_locations import report as with_locations

PAGES: dict[str, Callable[[], str]] = {
    "report": lambda: report_html(answered(study())),
    "locations": lambda: report_html(with_locations()),
    "comparison": lambda: made()[0],
    "history": lambda: history_page(history_view(history())),
}
WIDTHS = [*((name, width) for name in ("report", "comparison", "history") for width in (390, 700, 1400))]
NONSENSE = [
    ("report", "at.p=-3&callpath=99&open=x.7&sort=no&metric=no&tree=x.99", ".at-target", "p = 256"),
    ("report", "region=no&zoom=1e9", ".at-target", "p = 256"),
    ("report", "%E0%A4%A=1", ".at-target", "p = 256"),
    ("report", "kernels", ".at-target", "p = 256"),
    (
        "report",
        "icicle=difference&a=9&b=-1&width=no",
        "#difference .side",
        "B, measured at p = 64",
    ),
    ("report", "icicle=difference&a=x&b=1e9&zoom=77", "#difference .side", "A, measured at p = 4"),
    ("locations", "open=2&scale=99&locations=x", ".longest", "Longest at p = 64"),
    ("locations", "open=2&scale=-1", ".longest", "Longest at p = 64"),
    ("locations", "open=2&scale=1.5", ".longest", "Longest at p = 64"),
    ("comparison", "scale=99&callpath=-4&zoom=1e9", "#difference .side", "gcc, measured at p = 128"),
    ("comparison", "scale=x&width=no&find=%E0%A4%A", "#difference .side", "gcc, measured at p = 128"),
    ("history", "measure=no&level=no&open=99.x&order=no", "#matrix tbody", "whole program"),
]


@pytest.fixture(scope="module")
def written(write_page: WritePage) -> Callable[[str], Path]:
    return cache(lambda name: write_page(PAGES[name]()))


@pytest.mark.parametrize(("name", "width"), WIDTHS)
def test_it_opens_without_network_and_fits(
    open_page: OpenPage, written: Callable[[str], Path], name: str, width: int
) -> None:
    file = written(name)
    opened = open_page(file, viewport={"width": width, "height": 3000})
    assert opened.requests == [file.as_uri()]
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", ["report", "comparison", "history"])
def test_motion_is_reduced_where_it_is_asked_for(
    open_page: OpenPage, written: Callable[[str], Path], name: str
) -> None:
    assert open_page(written(name), reduced_motion="reduce").page.evaluate(MOVING) == 0


@pytest.mark.parametrize(("name", "address", "where", "text"), NONSENSE)
def test_nonsense_in_the_address_does_no_harm(
    open_page: OpenPage, written: Callable[[str], Path], name: str, address: str, where: str, text: str
) -> None:
    page = open_page(written(name), address).page
    shows(page.locator(where), text)
    assert page.locator(".failed").count() == 0

"""Back undoes a choice, and the search says how much it finds."""

from pathlib import Path

from tests.pipeline.report.page.browser import OpenPage, shows

WRITTEN = "(text) => location.hash.includes(text)"
AT = """(scale) => document.documentElement.dataset.ready
    && document.querySelector('#controls input[type=number]').value === scale"""


def test_back_and_forward_go_through_what_was_chosen(open_page: OpenPage, file: Path) -> None:
    watched = open_page(file, viewport={"width": 1400, "height": 900})
    page = watched.page
    box = page.get_by_label("Target p", exact=True)
    opening = page.locator("#verdict").inner_text()
    for scale in ("64", "16"):
        box.fill(scale)
        box.press("Enter")
        page.wait_for_function(WRITTEN, arg=f"at.p={scale}")
    page.go_back()
    page.wait_for_function(AT, arg="64")
    page.go_back()
    page.wait_for_function(AT, arg="256")
    assert page.locator("#verdict").inner_text() == opening
    page.go_forward()
    page.wait_for_function(AT, arg="64")


def test_search_counts_what_it_finds_and_enter_goes_on(open_page: OpenPage, file: Path) -> None:
    watched = open_page(file, viewport={"width": 1400, "height": 900})
    page = watched.page
    search = page.get_by_placeholder("Search kernels")
    search.fill("a")
    shows(page.locator(".matches"), " found")
    count = int(page.locator(".matches").inner_text().split()[0])
    assert count > 1
    for place in (*range(1, count + 1), 1):
        search.press("Enter")
        shows(page.locator(".matches"), f"{place} of {count}")
        page.locator("#kernel-table tr.selected").first.wait_for()
    search.press("Shift+Enter")
    shows(page.locator(".matches"), f"{count} of {count}")
    search.fill("no such kernel")
    shows(page.locator(".matches"), "0 found")

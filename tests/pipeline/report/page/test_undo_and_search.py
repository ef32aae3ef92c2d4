"""Back undoes a choice, and the search says how much it finds."""

from typing import Any

from tests.pipeline.report.page.browser import shows

WRITTEN = "(text) => location.hash.includes(text)"
AT = """(scale) => document.documentElement.dataset.ready
    && document.querySelector('#controls input[type=number]').value === scale"""


def test_back_and_forward_go_through_what_was_chosen(screen: Any) -> None:
    box = screen.get_by_label("Target p", exact=True)
    opening = screen.locator("#verdict").inner_text()
    for scale in ("64", "16"):
        box.fill(scale)
        box.press("Enter")
        screen.wait_for_function(WRITTEN, arg=f"at.p={scale}")
    screen.go_back()
    screen.wait_for_function(AT, arg="64")
    screen.go_back()
    screen.wait_for_function(AT, arg="256")
    assert screen.locator("#verdict").inner_text() == opening
    screen.go_forward()
    screen.wait_for_function(AT, arg="64")


def test_search_counts_what_it_finds_and_enter_goes_on(screen: Any) -> None:
    search = screen.get_by_placeholder("Search kernels")
    search.fill("a")
    shows(screen.locator(".matches"), " found")
    count = int(screen.locator(".matches").inner_text().split()[0])
    assert count > 1
    for place in (*range(1, count + 1), 1):
        search.press("Enter")
        shows(screen.locator(".matches"), f"{place} of {count}")
        screen.locator("#kernel-table tr.selected button:focus").wait_for()  # the way to it has ended
    search.press("Shift+Enter")
    shows(screen.locator(".matches"), f"{count} of {count}")
    search.fill("no such kernel")
    shows(screen.locator(".matches"), "0 found")

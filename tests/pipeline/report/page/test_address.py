"""The page's address keeps what was chosen: reloading and links bring it back."""

from pathlib import Path

import pytest

from pipeline.report.page import report_html
from tests.pipeline.report.page.browser import OpenPage, Watched, WritePage, kept, set_target, shows
from tests.pipeline.report.page.studies import (
    altered,
    answered,
    study,
    two_parameter_study,
    with_other_metrics,
)


@pytest.fixture(scope="module")
def file(write_page: WritePage) -> Path:
    others = with_other_metrics(study()).ahead.others
    return write_page(report_html(altered(answered(study()), others=others)))


@pytest.fixture
def watched(open_page: OpenPage, file: Path) -> Watched:
    return open_page(file)


def test_every_choice_is_kept_and_comes_back(watched: Watched) -> None:
    page = watched.page
    set_target(page, 512)
    page.locator("#controls").get_by_role("radio", name="Call paths").check()
    page.locator("#controls select").select_option(label="visits (occ)")
    page.locator("#kernel-table thead").get_by_role("button", name="Kernel").click()
    page.locator("#kernel-table .opener", has_text="MPI_Allreduce").click()
    page.get_by_role("button", name="Collapse all").click()
    page.get_by_role("button", name="Select MPI_Allreduce").click()
    page.get_by_label("Search: Kernels").fill("m")
    expected = {"at.p": "512", "show": "callpaths", "metric": "visits", "sort": "kernel", "open": "2"}
    expected |= {"tree": "", "callpath": "2", "find": "m"}
    assert kept(page) == expected
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.get_by_label("Target p", exact=True).input_value() == "512"
    assert page.locator("#controls").get_by_role("radio", name="Call paths").is_checked()
    assert page.locator("#controls select option:checked").inner_text() == "visits (occ)"
    assert page.locator("#kernel-table th[aria-sort=ascending]").inner_text().strip() == "Kernel"
    assert page.locator("#kernel-table .kernel-detail").count() == 1
    shows(page.locator("#kernel-table tr.selected"), "MPI_Allreduce")
    assert page.get_by_label("Search: Kernels").input_value() == "m"
    assert kept(page) == expected


def test_going_back_to_how_it_opens_leaves_nothing_in_the_address(watched: Watched) -> None:
    page = watched.page
    set_target(page, 512)
    assert kept(page) == {"at.p": "512"}
    page.get_by_role("button", name="Reset").click()
    assert kept(page) == {}
    assert "#" not in page.url


def test_links_to_sections_keep_what_was_chosen(watched: Watched) -> None:
    page = watched.page
    set_target(page, 512)
    page.locator("nav").get_by_role("link", name="Call tree").click()
    assert kept(page) == {"at.p": "512", "section": "tree"}


def test_a_changed_address_is_followed(watched: Watched, file: Path) -> None:
    page = watched.page
    page.goto(f"{file.as_uri()}#at.p=128&region=MPI_Allreduce")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.wait_for_function("document.querySelector('.at-target').textContent.includes('p = 128')")
    shows(page.locator("#controls .chip"), "MPI_Allreduce")
    assert page.locator("#tree-rows .selected").count() == 1


def test_every_parameter_is_kept(open_page: OpenPage) -> None:
    opened = open_page(answered(two_parameter_study()), "at.p=128&at.n=20")
    shows(opened.page.locator(".at-target"), "p = 128, n = 20")
    shows(opened.page.locator(".at-target"), "wall time")
    assert "formulas alone" not in opened.page.locator(".at-target").inner_text()

"""What a person does with the report: every part opens, follows the slider and shows names as they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.cpp_names import short_name
from pipeline.models.growth import growth_classes
from pipeline.report.page import report_html
from pipeline.wording.quantities import estimate_text, interval_text
from tests.pipeline.models.made import grid_of
from tests.pipeline.report.page.browser import (
    WIDE,
    OpenPage,
    Watched,
    WritePage,
    hides,
    set_target,
    settle,
    shows,
    watching,
)
from tests.pipeline.report.page.studies import (
    SCRIPT,
    SHIFT,
    SOLVER,
    outlooks,
    report_of,
    study,
    study_of,
    with_other_metrics,
)


@pytest.fixture(scope="module")
def file(write_page: WritePage) -> Path:
    return write_page(report_html(report_of(study())))


@pytest.fixture(scope="module")
def watched(running: Any, file: Path) -> Iterator[Watched]:
    yield from watching(running, file, viewport=WIDE, color_scheme="light")


@pytest.fixture
def page(watched: Watched) -> Iterator[Any]:
    """The opened page as it was at first."""
    yield watched.page
    watched.page.get_by_role("button", name="Reset").click()
    choose(watched.page, "#controls", "Regions")
    watched.page.get_by_label("Search: Kernels").fill("")
    settle(watched.page)


def choose(page: Any, where: str, name: str) -> None:
    page.locator(where).get_by_role("radio", name=name, exact=True).check()
    settle(page)


def names(page: Any, where: str = "#kernel-table .name") -> list[str]:
    return page.locator(where).all_text_contents()


def test_it_opens_at_the_target(watched: Watched) -> None:
    shows(watched.page.locator(".verdict"), "p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}256")


def test_hostile_names_show_as_text(page: Any) -> None:
    shown = names(page)
    assert SCRIPT in shown
    assert SHIFT in shown
    assert page.locator("#kernel-table script").count() == 0
    assert SCRIPT in names(page, "#tree-rows .cut")
    assert SCRIPT in names(page, "#filter-table th .cut")


def test_table_shows_what_the_outlook_says(page: Any) -> None:
    analysis, regions = study(), outlooks(study())[1]
    expected = [short_name(analysis.regions.kernels.callpaths[k][-1]) for k in regions.order]
    assert names(page) == expected
    row = page.locator("#kernel-table tbody tr").first.inner_text()
    assert f"{100 * regions.share_target[regions.order[0]]:.1f} %" in row
    assert f"{100 * regions.share_measured[regions.order[0]]:.1f} %" in row


def test_flags_are_those_of_the_outlook(page: Any) -> None:
    regions = outlooks(study())[1]
    rows = page.locator("#kernel-table tbody tr")
    text = {"growing": "grows", "coming_bottleneck": "future bottleneck"}
    text |= {"dominant_measured": "largest now", "dominant_at_target": "largest at target"}
    for place, k in enumerate(regions.order.tolist()):
        flags = set(regions.flags[k]) - ({"growing"} if "coming_bottleneck" in regions.flags[k] else set())
        assert set(rows.nth(place).locator(".flag:not(.warning)").all_text_contents()) == {
            text[f] for f in flags
        }


def test_sorting_turns_with_every_press(page: Any) -> None:
    header = page.locator("#kernel-table thead").get_by_role("button", name="Kernel")
    header.click()
    ascending = names(page)
    assert ascending == sorted(ascending, key=str.lower)
    assert page.locator("#kernel-table th[aria-sort=ascending]").count() == 1
    header.click()
    assert names(page) == ascending[::-1]
    page.locator("#kernel-table thead").get_by_role("button", name="At target").click()


def test_search_finds_names_of_callers_too(page: Any) -> None:
    search = page.get_by_label("Search: Kernels")
    search.fill("allred")
    shows(page.locator("#kernel-table [role=status]"), "1")
    assert names(page) == ["MPI_Allreduce"]
    choose(page, "#controls", "Call paths")
    settle(page)
    search.fill("solvesegregated")
    shows(page.locator("#kernel-table [role=status]"), "2")
    assert set(names(page)) == {"MPI_Allreduce", short_name(SOLVER)}
    search.fill("nowhere")
    shows(page.locator("#kernel-table [role=status]"), "Nothing found")


def test_row_opens_its_plot_with_points_curve_and_interval(page: Any) -> None:
    opener = page.locator("#kernel-table .opener").first
    opener.click()
    detail = page.locator("#kernel-table .kernel-detail")
    assert detail.locator(".dot").count() == 15
    assert detail.locator("path.line").count() >= 1
    assert detail.locator("path.band").count() == 1
    assert opener.get_attribute("aria-expanded") == "true"
    before = detail.locator("path.line").last.get_attribute("d")
    detail.locator("summary").click()
    detail.get_by_role("radio", name="linear").first.check()
    assert detail.locator("path.line").last.get_attribute("d") != before
    detail.get_by_role("radio", name="log").first.check()
    opener.press("Enter")
    assert detail.count() == 0


def test_an_opened_row_tells_what_is_known_about_the_model(page: Any) -> None:
    models = study().regions.models
    k = study().regions.kernels.callpaths.index((SCRIPT,))
    page.locator("#kernel-table .opener", has_text="alert").click()
    facts = page.locator("#kernel-table .facts")
    prediction = outlooks(study())[1].prediction
    value, low, high = (a[k, 0] for a in (prediction.value, prediction.lower, prediction.upper))
    assert facts.locator("dd").all_inner_texts()[1:] == [
        "compiler",
        estimate_text(value, low, high, "core-s"),
        facts.locator(".formula").first.inner_text(),
        "LaTeXPython",
        f"SMAPE {models.quality.smape[k]:.1f} % (fit), {models.quality.cv_smape[k]:.1f} % (leave-one-out)",
        growth_classes(models)[k],
        f"{100 * models.quality.probability_growing[k]:.0f} %",
    ]
    assert facts.locator(".formula").first.get_attribute("title") == models.formula(k).text()
    shows(facts.locator("h3"), "Rival models, which the prediction weighs by their probability")
    assert [text.split()[-2] for text in facts.locator("li").all_inner_texts()] == [
        f"{100 * weight:.0f}" for weight in grid_of(models).weight[k, :3]
    ]
    page.locator("#kernel-table .opener", has_text="alert").click()


def test_slider_re_evaluates_the_models(page: Any) -> None:
    analysis = study()
    k = analysis.regions.kernels.callpaths.index(("MPI_Allreduce",))
    first = page.locator("#legend tbody tr").first
    shows(first, "MPI_Allreduce")
    set_target(page, 64)
    assert short_name(SOLVER) in first.inner_text()
    set_target(page, 512)
    value = analysis.regions.models.predict(np.array([[512.0]])).value[k, 0]
    shown = float(first.locator("td").first.inner_text())
    assert shown == pytest.approx(value, rel=0.01)
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("Home")
    settle(page)
    shows(page.locator("#kernel-target"), "p = 4")  # tables follow when the slider rests
    assert slider.get_attribute("aria-valuetext") == "p = 4"


def test_interval_at_the_target_is_that_of_the_models(page: Any) -> None:
    prediction = outlooks(study())[1].prediction
    k = study().regions.kernels.callpaths.index(("MPI_Allreduce",))
    row = page.locator("#legend tbody tr", has_text="MPI_Allreduce").inner_text()
    assert interval_text(prediction.lower[k, 0], prediction.upper[k, 0]) in row


def test_crossover_is_listed_and_marked(page: Any) -> None:
    shows(page.locator("#crossovers"), "MPI_Allreduce overtakes")
    listed = page.locator("#crossovers li").all_inner_texts()
    assert [text.startswith("Between p = 16 and 32 ") for text in listed] == [True] * 3 + [False] * 2
    assert [text.rpartition(" (")[2].split(",")[0] for text in listed] == ["seen"] * 3 + ["predicted"] * 2
    assert page.locator("#lines .crossing").count() == len(listed) - 1  # the last is beyond the chart
    choose(page, "#stack-options", "shares")
    assert "100 %" in page.locator("#stack .axis").nth(1).text_content()
    choose(page, "#stack-options", "values")


def test_tree_opens_and_closes_with_keys(page: Any) -> None:
    nodes = page.locator("#tree-rows [role=treeitem]")
    page.get_by_role("button", name="Collapse all").click()
    assert nodes.count() == 1
    nodes.first.focus()
    nodes.first.press("ArrowRight")
    assert nodes.count() == 3
    assert nodes.first.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert nodes.count() == 4
    focused = page.evaluate("document.activeElement.getAttribute('aria-level')")
    assert focused == "2"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert nodes.count() == 1
    page.get_by_role("button", name="Expand hot paths").click()


def test_tree_switches_metric_scale_and_kind(page: Any) -> None:
    root = page.locator("#tree-rows [role=treeitem]").first
    options = page.locator("#tree-options")
    shows(root, "100.0 %")
    choose(page, "#tree-options", "exclusive")
    hides(root, "100.0 %")
    choose(page, "#tree-options", "inclusive")
    options.locator("select").first.select_option(label="visits")
    assert page.locator("#tree-unit").inner_text() == "visits (occ)"
    shows(root, " 7040 ")  # (1 + 2 + 3 + 2 + 3) calls of 10 on 64 processes
    options.locator("select").first.select_option("-1")
    options.locator("select").last.select_option(label="measured at p = 4")
    shows(options, "measured at p = 4")
    options.locator("select").last.select_option("target")


def test_many_callees_show_in_portions(open_page: OpenPage) -> None:
    many = study_of(
        {("main",): lambda p: 1 + 0 * p} | {("main", f"f{i}"): lambda p: 2 + 0 * p for i in range(105)}
    )
    opened = open_page(report_of(many))
    page = opened.page
    assert page.locator("#tree-rows [role=treeitem]").count() == 101
    page.get_by_role("button", name="5 more with smaller values").click()
    assert page.locator("#tree-rows [role=treeitem]").count() == 106
    shows(page.locator("#kernel-table [role=status]"), "1–10 of 106")
    for pages, text in (
        ("Next page", "11–20 of 106"),
        ("Next page", "21–30 of 106"),
        ("Previous page", "11–20 of 106"),
    ):
        page.locator("#kernel-table").get_by_role("button", name=pages).click()
        shows(page.locator("#kernel-table [role=status]"), text)
    page.get_by_label("Search: Kernels").fill("f10")
    hides(page.locator("#kernel-table [role=status]"), "of 106")
    assert set(names(page)) == {"f10", *(f"f10{i}" for i in range(5))}


def test_icicle_zooms_and_comes_back(page: Any) -> None:
    boxes = page.locator("#icicle-right .box")
    everything = boxes.count()
    boxes.filter(has_text=short_name(SOLVER)).first.focus()
    page.keyboard.press("Enter")
    assert boxes.count() < everything
    shows(page.locator("#icicle-path"), "solveSegregated")
    page.keyboard.press("Escape")
    assert boxes.count() == everything


def test_imbalance_follows_its_point(page: Any) -> None:
    first = page.locator("#imbalance-table tbody tr").first
    at_64 = first.inner_text()
    page.locator("#imbalance-options select").select_option(label="p = 4")
    settle(page)
    assert first.inner_text() != at_64
    shows(first, "solveSegregated")


def test_static_parts_are_there(page: Any) -> None:
    shows(page.locator("#efficiency"), "global efficiency")
    shows(page.locator("#warnings"), "is <b>torn</b> off")
    assert page.locator("#filter-table .flag.dropped").count() == 1
    shows(page.locator("#provenance"), "pipeline run studies/made")


def test_theme_follows_the_system(page: Any) -> None:
    def paper() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = paper()
    page.emulate_media(color_scheme="dark")
    assert paper() != light


def test_the_table_fits_a_narrow_page(open_page: OpenPage, file: Path) -> None:
    assert fits(open_page(file, viewport={"width": 700, "height": 3000}).page, "#kernel-table .scroll")


def fits(page: Any, where: str) -> bool:
    """Tell whether an element shows all of its width."""
    fit: bool = page.locator(where).evaluate("node => node.scrollWidth <= node.clientWidth")
    return fit


def test_tables_fit_a_wide_page(page: Any) -> None:
    choose(page, "#controls", "Call paths")
    assert all(
        fits(page, f"{table} .scroll") for table in ("#kernel-table", "#imbalance-table", "#filter-table")
    )


def test_the_metric_can_be_switched_and_factors_are_named(open_page: OpenPage) -> None:
    report = with_other_metrics(study())
    watched = open_page(report)
    page = watched.page
    page.locator("#kernel-table .name").first.click()
    assert "Factor: visits (occ)" in page.locator("#kernel-table").inner_text()
    page.locator("#controls select").select_option(label="visits (occ)")
    settle(page)
    measured = report.ahead.of_others["visits"][1].share_measured
    shares = page.locator("#kernel-table tbody td:nth-child(2)").all_text_contents()
    assert sorted(shares) == sorted(f"{100 * share:.1f} %" for share in measured)
    assert page.locator("#kernel-target").inner_text().endswith("of visits (occ)")
    page.locator("#controls select").select_option(label="time_per_visit (s)")
    settle(page)
    assert "have no sum" in page.locator("#stack").inner_text()
    assert set(page.locator("#kernel-table tbody td:nth-child(2)").all_text_contents()) == {"-"}
    choose(page, "#controls", "Call paths")
    assert len(names(page)) == len(report.ahead.of_others["time_per_visit"][0].order)
    page.locator("#controls select").select_option(label="effort (core-s)")
    settle(page)
    assert len(names(page)) == len(study().callpaths.kernels)

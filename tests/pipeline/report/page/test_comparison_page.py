"""The page of a comparison in a real browser: its flame graph, its table, and what keeps both together."""

import datetime
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.gate.check_result import CheckResult
from pipeline.gate.compared_studies import ComparedStudies, TwoStudies, compare_trees
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.study_check import check
from pipeline.gate.target_forecast import forecast
from pipeline.models.options import ModelOptions
from pipeline.report.check.terminal import TOTAL_KERNEL
from pipeline.report.page.comparison_page import comparison_html
from pipeline.wording.quantities import estimate_text, figure, spoken_interval
from tests.pipeline.gate.studies import many, study
from tests.pipeline.report.check.results import NASTY, compared, of_every_kind
from tests.pipeline.report.page.browser import (
    OpenPage,
    Watched,
    WritePage,
    kept,
    rows_of,
    saved,
    set_target,
    settle,
    shows,
    violations,
)

WIDE = {"width": 1400, "height": 1000}
BOTH = {("main",): 3.0, "solve": 60.0, ("main", "solve", NASTY): 20.0}
BEFORE = many(k1=12.0) | BOTH | {"gone": 25.0}
AFTER = many(k1=24.0) | BOTH | {"added": 15.0, ("main", "added", "leaf"): 5.0}


@cache
def made() -> tuple[str, ComparedStudies, CheckResult]:
    one, two = study(BEFORE, seed=1), study(AFTER, seed=2)
    result = check(two, one, CheckOptions(), ModelOptions(), datetime.date(2026, 1, 1))
    studies = ComparedStudies.of(one, two, ModelOptions(), 0.01)
    totals = studies.curves([TOTAL_KERNEL], two.targets(()))
    found = TwoStudies(names=("gcc", "llvm"), result=result, totals=totals)
    return comparison_html(found, studies), studies, result


@pytest.fixture(scope="module")
def file(write_page: WritePage) -> Path:
    return write_page(made()[0])


@pytest.fixture
def watched(open_page: OpenPage, file: Path) -> Watched:
    return open_page(file, viewport=WIDE)


@pytest.fixture
def page(watched: Watched) -> Any:
    return watched.page


def runs(*path: str, point: int) -> tuple[Any, Any]:
    """The repetitions of a call path at a point in A and in B."""
    one, two = (
        side.values[side.kernels.index(KernelId(Scope.CALLPATH, path)), point] for side in made()[1].sides
    )
    return one, two


def box(page: Any, name: str) -> Any:
    title = page.locator("title", has_text=re.compile(rf"^{re.escape(name)}\sgcc, "))
    return page.locator(".difference .box").filter(has=title)


def test_boxes_have_the_values_of_both_studies_and_the_verdict(page: Any) -> None:
    shows(page.locator("#difference .side"), "gcc, measured at p = 128")
    shows(page.locator("#difference .side"), "llvm, measured at p = 128")
    a, b = runs("main", "k1", point=4)
    lines = box(page, "k1").locator("title").text_content().split("\n")
    assert lines[0] == "k1"
    assert f"without its callees {a.mean():.1f} core-s, 5 runs {a.min():.1f} to " in lines[1]
    assert lines[2].startswith(f"llvm, measured at p = 128: {b.mean():.1f} core-s")
    added, ratio = b.mean() - a.mean(), b.mean() / a.mean()
    assert lines[3].startswith(f"Difference: +{added:.1f} core-s (×{ratio:.2f}); ")
    assert lines[4].startswith("Verdict: worse; llvm / gcc here 2.")
    assert "g-up" in box(page, "k1").get_attribute("class")


def test_everything_follows_the_target_with_the_numbers_of_predict(page: Any) -> None:
    studies = ComparedStudies.of(study(BEFORE, seed=1), study(AFTER, seed=2), ModelOptions(), 0.01)
    k1 = KernelId(Scope.CALLPATH, ("main", "k1"))
    kernel = page.locator("#curves figure").last
    shows(kernel.locator(".options > span"), "main › k1")  # what got slower most
    row = page.locator("#kernel-table tbody tr").first
    row.locator(".opener").click()
    detail = page.locator("tr.detail figure")
    for target in (512, 256):
        set_target(page, target)
        curves = studies.curves([TOTAL_KERNEL, k1], np.array([[float(target)]]))
        a, b = (forecast(one, curves.points, ModelOptions()) for one in studies.measured)
        for letter, side in (("gcc", a), ("llvm", b)):
            total, ends = (
                estimate_text(*(float(end[0, 0]) for end in (of.value, of.lower, of.upper)), "core-s")
                for of in (side.of([one]).prediction for one in (TOTAL_KERNEL, k1))
            )
            shows(page.locator(".at-target"), f"{letter} {total}")
            for chart in (kernel, detail):
                assert f"{letter} {ends}" in chart.locator("svg.chart").get_attribute("aria-label")
        ratio = figure(float(curves.ratio.value[1, 0]))
        row.scroll_into_view_if_needed()
        shows(page.locator("#kernel-table thead"), f"llvm / gcc at p = {target}")
        shows(row.locator("td.number").last, re.compile(rf"^{re.escape(ratio)}"))
        shows(page.locator("#verdict"), re.compile(rf"^llvm is .* gcc .* at p = {target}: "))
    for chart in (kernel, detail):
        assert chart.locator(".line.c0, .line.c1").count() == 2
        assert chart.locator(".band").count() == 2
    page.wait_for_timeout(400)
    page.go_back()
    page.wait_for_selector("html[data-ready]", state="attached")
    shows(page.locator("#verdict"), re.compile("at p = 512"))


def test_of_two_scales_nothing_is_predicted_and_there_is_no_target(
    open_page: OpenPage, write_page: WritePage
) -> None:
    one, two = (study({("main",): 5.0, "solve": 9.0 * n}, scales=(8, 16), seed=n) for n in (1, 2))
    result = check(two, one, CheckOptions(), ModelOptions(), datetime.date(2026, 1, 1))
    studies = ComparedStudies.of(one, two, ModelOptions(), 0.01)
    page = comparison_html(compared(result), studies)
    opened = open_page(write_page(page), viewport=WIDE)
    shows(opened.page.locator("#verdict"), re.compile(r"^b .* a at p = 16: "))
    assert opened.page.locator("#target, #curves .line, #curves .band").count() == 0
    assert opened.page.locator("#curves figure").first.locator(".dot").count() > 2
    text = opened.page.locator("main").text_content()
    assert "llvm / gcc at" not in text and "90 % interval" not in text


def test_of_two_parameters_the_other_one_can_be_chosen(open_page: OpenPage, write_page: WritePage) -> None:
    points = np.array([(p, n) for p in (4.0, 8.0, 16.0) for n in (10.0, 20.0, 40.0)])
    p, n = points.T
    one, two = (
        replace(
            study({("main",): 5.0, "solve": seed * p * n}, scales=range(1, 10), seed=seed),
            parameters=("p", "n"),
            points=points,
        )
        for seed in (1, 2)
    )
    rules = CheckOptions(targets=({"p": 32.0, "n": 40.0},))
    result = check(two, one, rules, ModelOptions(), datetime.date(2026, 1, 1))
    studies = ComparedStudies.of(one, two, ModelOptions(), 0.01)
    opened = open_page(write_page(comparison_html(compared(result), studies)), viewport=WIDE)
    shows(opened.page.locator("#verdict"), re.compile(r"at p = 32, n = 40: "))
    opened.page.locator("#controls select").select_option(label="n = 10")
    shows(opened.page.locator("#verdict"), re.compile(r"at p = 32, n = 10: "))
    ahead = forecast(two, np.array([[32.0, 10.0]]), ModelOptions()).of([TOTAL_KERNEL]).prediction
    ends = (float(end[0, 0]) for end in (ahead.value, ahead.lower, ahead.upper))
    shows(opened.page.locator(".at-target"), f"b {estimate_text(*ends, 'core-s')}")
    assert kept(opened.page)["at.n"] == "10"


def test_enter_goes_through_what_the_search_finds(page: Any) -> None:
    search = page.get_by_label("Search: Kernels")
    search.fill("k1")
    shows(page.locator("#kernels .count"), "1–10 of 11")
    names = page.locator("#kernel-table th .name").all_text_contents()
    for name in names[:2]:
        search.press("Enter")
        shows(page.locator("tr.selected th .name"), name)
    search.press("Shift+Enter")
    shows(page.locator("tr.selected th .name"), names[0])


def test_call_paths_of_one_study_are_shown_and_marked(page: Any) -> None:
    assert box(page, "added").locator(".hatch").count() == 1
    assert "only in llvm" in box(page, "added").locator("title").text_content()
    assert box(page, "gone").count() == 0
    assert page.locator(".gone title").text_content().startswith("only in gcc: 2")
    shows(page.locator(".missing"), "Without width here, only in gcc: gone (2")
    page.get_by_role("button", name="Show them").click()
    assert box(page, "gone").locator(".hatch").count() == 1
    assert "only in gcc" in box(page, "gone").locator("title").text_content()


@pytest.mark.parametrize(("place", "number"), [("measured at p = 8", 0), ("measured at p = 64", 3)])
def test_ratios_are_those_tested_at_the_scale(page: Any, place: str, number: int) -> None:
    page.get_by_label("Scale").select_option(label=place)
    (changed,) = (one for one in made()[2].kernels if one.kernel == KernelId(Scope.CALLPATH, ("main", "k1")))
    change = changed.measured[number]
    expected = (
        f"worse; llvm / gcc here {estimate_text(change.ratio, change.lower, change.upper)}, for all rows"
    )
    assert expected in box(page, "k1").locator("title").text_content()


def test_any_common_scale_and_the_target_can_be_looked_at(page: Any) -> None:
    page.get_by_label("Scale").select_option(label="measured at p = 8")
    shows(page.locator("#difference .side"), "gcc, measured at p = 8")
    (a, _) = runs("main", "solve", point=0)
    assert f"without its callees {a.mean():.1f} core-s" in box(page, "solve").locator("title").text_content()
    page.get_by_label("Scale").select_option(label="predicted at the target")
    for target in (512, 256):
        set_target(page, target)
        ahead = forecast(made()[1].measured[1], np.array([[float(target)]]), ModelOptions())
        total, solve = (
            [float(end[0, 0]) for end in (found.value, found.lower, found.upper)]
            for found in (
                ahead.of([kernel]).prediction
                for kernel in (TOTAL_KERNEL, KernelId(Scope.CALLPATH, ("main", "solve")))
            )
        )
        if target == 512:  # elsewhere the intervals of call paths are not known
            expected = f"{solve[0]:.1f} core-s, 90 % interval {spoken_interval(*solve[1:])}"
            assert expected in box(page, "solve").locator("title").text_content()
        whole = f"core-s, 90 % interval {spoken_interval(*total[1:])}. Whole program"
        shows(page.locator("#difference .side"), whole)
        assert f"llvm, predicted at p = {target}: " in box(page, "solve").locator("title").text_content()


def test_the_table_and_the_boxes_have_one_selection(page: Any) -> None:
    page.get_by_role("button", name="Select main › k1", exact=True).click()
    assert box(page, "k1").get_attribute("class").endswith("selected")
    row = page.locator("tr.selected")
    assert row.locator("th .name").text_content() == "k1"
    assert row.locator(".pick").get_attribute("aria-pressed") == "true"
    box(page, "solve").click()
    assert page.locator(".difference .selected").count() == 1
    assert "selected" in box(page, "solve").get_attribute("class")
    page.keyboard.press("Escape")
    assert box(page, "main").count() == 1
    page.get_by_role("button", name="Select main › k1", exact=True).click()
    page.get_by_role("button", name="Select main › k1", exact=True).click()
    settle(page)
    assert page.locator(".selected").count() == 0


def test_the_search_finds_rows_and_boxes(page: Any) -> None:
    everything = page.locator("#kernels .count").inner_text()
    page.get_by_label("Search: Kernels").fill("K19 main")
    shows(page.locator(".matches"), "1 found")
    shows(page.locator("#kernel-table tbody tr"), "k19")
    page.get_by_label("Search: Kernels").fill("k1")
    settle(page)
    names = page.locator(".difference .box:not(.fades) title").all_text_contents()
    assert all(text.split("\n")[0].startswith("k1") for text in names)
    assert len(names) == 11  # k1 and k10 to k19
    page.get_by_label("Search: Kernels").fill("")
    shows(page.locator("#kernels .count"), everything)
    settle(page)
    assert page.locator(".matches").inner_text() == ""
    assert page.locator(".fades").count() == 0


def test_the_address_keeps_every_choice(page: Any) -> None:
    assert kept(page) == {}
    page.get_by_label("Scale").select_option(label="measured at p = 8")
    page.get_by_label("Width").select_option("larger")
    page.get_by_role("radio", name="grows as the program").check()
    page.get_by_label("Search: Kernels").fill("k")
    box(page, "k1").click()
    expected = {"scale": "0", "width": "larger", "neutral": "program", "find": "k"}
    found = kept(page)
    assert {name: found[name] for name in expected} == expected
    assert found["zoom"] == found["callpath"]
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    shows(page.locator("#difference .side"), "gcc, measured at p = 8")
    assert page.get_by_label("Width").input_value() == "larger"
    assert page.get_by_role("radio", name="grows as the program").is_checked()
    assert page.get_by_label("Search: Kernels").input_value() == "k"
    assert page.locator(".difference .box").count() == 1
    assert page.locator("tr.selected").count() == 1
    assert kept(page) == found


def test_hostile_names_show_as_text(page: Any) -> None:
    titles = page.locator(".difference title").all_text_contents()
    assert any(NASTY in title for title in titles)
    assert page.locator("main script").count() == 0


def test_both_are_saved(page: Any) -> None:
    rows = rows_of(saved(page, "Save as CSV: differential flame graph")[1])
    trees = compare_trees(made()[1])
    assert len(rows) == len(trees.callpaths)
    k = trees.callpaths.index(("main", "k1"))
    value = float(rows[k]["exclusive effort (core-s), llvm, measured at p = 128"])
    assert value == pytest.approx(runs("main", "k1", point=4)[1].mean(), rel=1e-4)
    table = rows_of(saved(page, "Save as CSV: Kernels")[1])
    assert list(table[0])[:6] == ["Kernel", "Verdict", "gcc", "llvm", "Share", "Ratio"]
    assert [(row["Kernel"], row["Verdict"]) for row in table[:2]] == [("main/k1", "worse"), ("added", "new")]
    assert len(table) == len(made()[2].kernels)
    assert saved(page, "Save as PNG: differential flame graph")[1].startswith(b"\x89PNG")


def test_the_keyboard_reaches_and_works_everything(page: Any) -> None:
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(n => n.getAttribute('aria-label') || n.innerText || n.name || n.tagName)"
                "(document.activeElement)"
            )
        )
    assert {"Skip to the kernels", "Kernels", "Search: Kernels in table and call tree"} <= reached
    assert {"neutral", "Zoom, axes and files: differential flame graph", "Select main › k1"} <= reached
    assert "g" in {name.lower() for name in reached}  # the picture, once: arrow keys go on from there


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(open_page: OpenPage, file: Path, write_page: WritePage, theme: str) -> None:
    size = {"width": 1400, "height": 4000}
    page = open_page(file, viewport=size, color_scheme=theme).page
    assert violations(page) == []
    page.get_by_label("Search: Kernels").fill("k")
    page.get_by_label("Width").select_option("larger")
    page.get_by_role("button", name="Select main › k1", exact=True).click()
    box(page, "k2").focus()
    assert violations(page) == []
    one, two = study(BEFORE, seed=1), study(AFTER, seed=2)
    studies = ComparedStudies.of(one, two, ModelOptions(), 0.01)
    every_verdict = write_page(comparison_html(of_every_kind(), studies))
    page = open_page(every_verdict, viewport=size, color_scheme=theme).page
    assert violations(page) == []


def test_without_scripts_the_verdict_is_there_and_where_the_numbers_are(running: Any, file: Path) -> None:
    page = running.new_context(java_script_enabled=False).new_page()
    page.goto(file.as_uri())
    shows(page.locator("#verdict"), re.compile("^llvm is .* k1$"))
    assert "pipeline compare --json" in page.locator("noscript").text_content()
    page.close()

"""The first screen in a browser: the answers, and two charts that fit and hide nothing."""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.wording.quantities import figure
from tests.pipeline.report.page.browser import OpenPage, set_target, settle, shows
from tests.pipeline.report.page.studies import answered, sized_study, study


def pixels(page: Any, where: str, *names: str) -> list[list[float]]:
    """Numbers in attributes of the elements of a chart."""
    script = "(nodes, names) => nodes.map((node) => names.map((name) => Number(node.getAttribute(name))))"
    found: list[list[float]] = page.eval_on_selector_all(where, script, list(names))
    return found


def test_first_screen_answers_and_has_two_charts(open_page: OpenPage, file: Path) -> None:
    for theme in ("light", "dark"):
        watched = open_page(file, viewport={"width": 1400, "height": 900}, color_scheme=theme)
        page = watched.page
        assert page.locator(".brief dt").all_inner_texts() == ["What breaks first"]
        boxes = [page.locator(f"#runtime-{name} svg").bounding_box() for name in ("speedup", "efficiency")]
        assert all(box is not None and box["y"] + box["height"] <= 900 for box in boxes)
        assert boxes[0]["y"] == boxes[1]["y"]


def test_what_breaks_follows_the_target_or_steps_aside(screen: Any) -> None:
    row = screen.locator("[data-says='What breaks first']")
    opening = row.inner_text()
    found = answered(study()).ahead.runtime
    assert found is not None
    set_target(screen, 64)
    shows(row, f"{figure(found.losses[0].total)} core-s lost at p = 64")
    screen.locator("#target").press("ArrowRight")
    settle(screen)  # at a position between measurements and target
    assert not row.is_visible()
    set_target(screen, 256)
    assert row.is_visible() and row.inner_text() == opening


def test_charts_of_the_first_screen_fit_and_keep_every_point(open_page: OpenPage, file: Path) -> None:
    for width in (1400, 700, 380):
        watched = open_page(file, viewport={"width": width, "height": 900})
        page = watched.page
        for name in ("speedup", "efficiency"):
            host = f"#runtime-{name}"
            dots = pixels(page, f"{host} circle.dot", "cx", "cy")
            frame = page.locator(f"{host} svg").bounding_box()
            clip = pixels(page, f"{host} clipPath rect", "x", "y", "width", "height")[0]
            assert len(dots) == 5
            assert all(
                clip[0] <= x <= clip[0] + clip[2] and clip[1] <= y <= clip[1] + clip[3] for x, y in dots
            )
            assert frame["width"] <= width


def test_charts_of_the_first_screen_say_what_they_show(screen: Any) -> None:
    label = screen.locator("#runtime-efficiency svg").get_attribute("aria-label")
    assert label.startswith("parallel efficiency over p; measured: 100.0 % at p = 4, ")
    assert "; predicted: " in label
    assert " at p = 256, 90 % interval " in label
    assert screen.locator("#runtime-speedup path.ideal").count() == 1
    assert screen.locator("#runtime-speedup path.threshold").count() == 0
    assert screen.locator("#runtime-efficiency path.threshold").count() == 1
    assert screen.locator("#runtime-speedup path.bar").count() == 5
    screen.hover("#runtime-speedup svg", position={"x": 300, "y": 100})
    shows(screen.locator("#runtime-speedup .readings"), "90 % interval")


def test_lines_of_the_first_screen_have_labels_that_do_not_overlap(open_page: OpenPage, file: Path) -> None:
    for width in (1440, 1024, 390):
        page = open_page(file, viewport={"width": width, "height": 900}).page
        assert page.locator(".verdict").bounding_box()["height"] < (70 if width > 390 else 160)
        for name, lines in (("speedup", ["ideal"]), ("efficiency", ["75 % asked for"])):
            texts = page.locator(f"#runtime-{name} text.end")
            assert {"measured", "model", "90 % interval", *lines} <= set(texts.all_text_contents())
            boxes = [one.bounding_box() for one in page.locator(f"#runtime-{name} text").all()]
            assert not any(_overlap(a, b) for a, b in combinations(boxes, 2))
            assert all(box["x"] + box["width"] <= width for box in boxes)


def _overlap(a: dict[str, float], b: dict[str, float]) -> bool:
    ends = [(a[at] + a[size], b[at] + b[size]) for at, size in (("x", "width"), ("y", "height"))]
    pairs = zip(("x", "y"), ends, strict=True)
    return all(min(to) - max(a[at], b[at]) > 3 for at, to in pairs)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_two_parameters_begin_with_contours(open_page: OpenPage, theme: str) -> None:
    page = open_page(
        answered(sized_study()), viewport={"width": 1440, "height": 900}, color_scheme=theme
    ).page
    for name in ("efficiency", "wall"):
        box = page.locator(f"#surface-{name} svg").bounding_box()
        assert box["y"] + box["height"] <= 900
    shows(page.locator("#surface-efficiency"), "75 %")
    assert page.locator("#runtime").bounding_box()["y"] > box["y"] + box["height"]


def test_what_charts_offer_opens_and_closes_with_the_keyboard(screen: Any) -> None:
    offered = screen.locator("#runtime [aria-label='Save as SVG: speed-up']")
    opener = screen.locator("#runtime summary[aria-label='Zoom, axes and files: speed-up']")
    assert not offered.is_visible()
    opener.focus()
    screen.keyboard.press("Enter")
    assert offered.is_visible()
    screen.keyboard.press("Tab")
    screen.keyboard.press("Escape")
    assert not offered.is_visible()
    assert opener.evaluate("node => node === document.activeElement")
    opener.click()
    screen.mouse.click(5, 5)
    assert not offered.is_visible()


def test_models_fade_beyond_four_and_eight_times_the_measured_range(open_page: OpenPage) -> None:
    for target, faded in ((256.0, (0, 0)), (512.0, (1, 0)), (1024.0, (1, 1))):
        watched = open_page(answered(study(), np.array([[target]])), viewport={"width": 1400, "height": 900})
        chart = "#runtime-speedup path.line"
        assert tuple(watched.page.locator(f"{chart}{cls}").count() for cls in (".far", ".very-far")) == faded


def test_a_report_is_printed_on_few_pages(screen: Any) -> None:
    printed = screen.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) <= 4


def test_little_is_to_be_read_above_the_charts_of_kernels(screen: Any) -> None:
    above = screen.locator(".verdict, .brief").all_inner_texts()
    assert 0 < len(" ".join(above)) <= 300
    assert screen.locator("#overview p:visible").count() == 0


def test_a_picture_of_the_whole_page_has_all_its_charts(open_page: OpenPage, file: Path) -> None:
    page = open_page(file, viewport={"width": 1440, "height": 900}).page  # after the load event, and at once
    assert page.locator("#icicle svg rect").count() > 5
    page.screenshot(full_page=True)
    blank = "nodes => nodes.filter(node => node.checkVisibility() && !node.querySelector('svg')).length"
    assert page.locator(".plot").count() >= 4
    assert page.eval_on_selector_all(".plot", blank) == 0

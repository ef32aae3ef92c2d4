"""What a person sees of a study of two parameters: a map and contours."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from pipeline.questions.analysis import Analysis
from tests.pipeline.report.page.browser import OpenPage, shows
from tests.pipeline.report.page.studies import answered, report_of, sized_study, study, two_parameter_study

OF_SCALES = re.compile(
    r"measured (?:and requested )?(?:scales?|sizes|points?|range|p|n)\b"
)  # which were measured, elsewhere
HINTS = """[...document.querySelectorAll("title, [title], [aria-label]")]
    .map((one) => [one.textContent, one.title, one.ariaLabel]).join()"""


def test_two_parameters_have_a_map_a_slider_and_a_list(open_page: OpenPage) -> None:
    opened = open_page(report_of(two_parameter_study()))
    page = opened.page
    assert page.get_by_role("slider").count() == 1
    cells = page.locator("#heatmap .cell").count()
    assert cells > 50
    assert page.locator("#heatmap-legend li").count() >= 2
    page.locator("select").filter(has_text="n = 20").first.select_option(label="n = 20")
    shows(page.locator("#kernel-target"), "n = 20")
    shows(page.locator("#legend tbody tr").first, " .. ")  # an interval away from the target's n, too


def test_a_size_and_a_scale_have_contours(open_page: OpenPage) -> None:
    opened = open_page(answered(sized_study()))
    page = opened.page
    assert page.locator("#surface-efficiency .contour").count() >= 2
    assert page.locator("#surface-efficiency .contour.kept").count() == 1
    assert page.locator("#surface-efficiency .band").get_attribute("d")
    assert page.locator("#surface-wall .contour").count() >= 3
    assert page.locator("#surface-wall .dot").count() == 16 + 1
    assert "relative to the smallest measured p with the same n" in page.locator("#surface").inner_text()


@pytest.mark.parametrize("made", [study, two_parameter_study, sized_study])
def test_values_of_another_machine_are_nowhere_called_measured(
    open_page: OpenPage, made: Callable[[], Analysis]
) -> None:
    analysis = made()
    tested = analysis.back_test and replace(analysis.back_test, judged_by="projected")
    page = open_page(answered(replace(analysis, observed="projected", back_test=tested))).page
    for text in (page.locator("body").inner_text(), page.evaluate(HINTS)):
        assert "projected" in text
        found = OF_SCALES.sub("", text)
        assert "measured" not in found.lower(), found[max(found.lower().find("measured") - 80, 0) :][:160]

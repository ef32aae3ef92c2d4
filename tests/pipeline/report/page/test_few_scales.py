"""Studies of too few scales to predict from: the page shows what was measured, as the terminal does."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.report.page import report_html
from tests.pipeline.report.page.browser import OpenPage, WritePage
from tests.pipeline.report.page.studies import EFFORT, answered, carried, study_of


@pytest.fixture(scope="module")
def file(write_page: WritePage) -> Path:
    return write_page(report_html(answered(study_of(EFFORT, processes=(4, 16)), np.array([[256.0]]))))


def test_values_at_the_positions_were_measured(file: Path) -> None:
    data = carried(file.read_text(encoding="utf-8"))
    assert data["measuredOnly"] and data["scales"] == [4.0, 16.0] and data["reach"] == 16.0
    measured = study_of(EFFORT, processes=(4, 16)).callpaths.kernels.mean.sum(axis=0)
    assert data["levels"]["callpaths"]["total"]["value"] == pytest.approx(measured)
    assert data["levels"]["callpaths"]["total"]["lower"] == [None, None]
    (answer,) = (one for one in data["program"]["answers"] if one["label"] == "wall time")
    assert answer["value"] == pytest.approx(measured / [4, 16])
    for chart in data["program"]["charts"]:
        assert set(chart["lines"][0]["curve"]["value"]) == {None}


def test_nothing_is_said_of_models(open_page: OpenPage, file: Path) -> None:
    watched = open_page(file, viewport={"width": 1400, "height": 900})
    page = watched.page
    heads = page.locator("#kernel-table thead th").all_inner_texts()
    assert not {"90 % interval", "Growth", "Model"} & {head.split("[")[0].strip() for head in heads}
    assert "measured [core-s]" in heads
    page.locator("#kernel-table .opener").first.click()
    assert "Formula" not in page.locator(".kernel-detail").first.inner_text()
    assert page.locator("#runtime path.line.c0:not(.bar)").count() == 0
    assert "factor of" not in page.locator("#confidence").inner_text()
    assert "too few scales to predict from" in page.locator("#verdict").inner_text()

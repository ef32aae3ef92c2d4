"""What a reader takes along: charts as pictures and tables, formulas as source text, the printed page."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from tests.pipeline.report.page.browser import WIDE, OpenPage, Scripts, Watched, rows_of, saved, watching
from tests.pipeline.report.page.studies import answered, outlooks, study, study_of, two_parameter_study
from tests.pipeline.report.page.studies import page_data_of as data_of

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def watched(running: Any, file: Path) -> Iterator[Watched]:
    yield from watching(running, file, viewport=WIDE)


CHARTS = ("speed-up", "parallel efficiency", "leading kernels", "stacked kernels", "icicle left")


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_are_pictures_that_stand_alone(watched: Watched, chart: str) -> None:
    name, svg = saved(watched.page, f"Save as SVG: {chart}")
    assert name == f"app-{chart.replace(' ', '-')}.svg"
    root = ET.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    shapes = [node for node in root.iter() if node.tag.rpartition("}")[2] in ("path", "rect", "text")]
    assert len(shapes) > 5
    assert all("var(" not in value for node in shapes for value in node.attrib.values())
    assert any(node.get("fill", "none") not in ("none", "rgb(0, 0, 0)") for node in shapes[1:])
    name, png = saved(watched.page, f"Save as PNG: {chart}")
    assert name.endswith(".png")
    assert png.startswith(PNG)
    size = [int.from_bytes(png[at : at + 4]) for at in (16, 20)]
    assert size == [2 * int(float(root.get(of, ""))) for of in ("width", "height")]


def test_charts_are_tables_too(watched: Watched) -> None:
    rows = rows_of(saved(watched.page, "Save as CSV: speed-up")[1])
    assert list(rows[0]) == ["series", "kind", "p", "speed-up"]
    assert {row["kind"] for row in rows} == {"line", "lower end", "upper end", "point"}
    assert len([row for row in rows if row["kind"] == "point"]) == 5
    assert {"ideal scaling", "model", "90 % interval"} <= {row["series"] for row in rows}
    rows = rows_of(saved(watched.page, "Save as CSV: leading kernels")[1])
    assert {"MPI_Allreduce", "MPI_Allreduce, 90 % interval"} <= {row["series"] for row in rows}


def test_kernels_are_saved_with_both_ends(watched: Watched) -> None:
    name, content = saved(watched.page, "Save as CSV: Kernels with their shares, models and predictions")
    assert name.startswith("app-kernels-")
    rows = rows_of(content)
    regions = outlooks(study())[1]
    assert len(rows) == len(study().regions.kernels)
    names = [path[-1] for path in study().regions.kernels.callpaths]
    for row in rows:
        k = names.index(row["kernel"])
        assert float(row["Predicted [core-s]"]) == pytest.approx(regions.prediction.value[k, 0], rel=1e-4)
        assert float(row["lower end [core-s]"]) == pytest.approx(regions.prediction.lower[k, 0], rel=1e-4)
        assert float(row["upper end [core-s]"]) == pytest.approx(regions.prediction.upper[k, 0], rel=1e-4)
        assert float(row["At target"]) == pytest.approx(regions.share_target[k], rel=1e-4)


TABLES = (
    "Regions kept and dropped by the filter",
    "Smallest, mean and largest value of a location, per call path",
    "efficiency",
    "call tree",
    "icicle",
    "input files",
)


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_saved(watched: Watched, table: str) -> None:
    if table == "input files":
        watched.page.locator("summary", has_text="Input files").click()
    rows = rows_of(saved(watched.page, f"Save as CSV: {table}")[1])
    assert rows
    assert all(None not in row and None not in row.values() for row in rows)


def test_cells_that_look_like_formulas_are_text(scripts: Scripts) -> None:
    rows = [["=1+1", "-x", "a,b", 'say "x"', -1.5, None], ["two\nlines", "@x", "+", 1e-7, float("nan"), ""]]
    found = scripts.evaluate("draw/files.js", "csvText", "csvText(values[0])", rows[:1])
    assert found == '\'=1+1,\'-x,"a,b","say ""x""",-1.5,\r\n'
    assert scripts.evaluate("draw/files.js", "csvText", 'csvText([["two\\nlines", "@x", NaN]])') == (
        '"two\nlines",\'@x,\r\n'
    )


@pytest.mark.parametrize("made", [study, two_parameter_study])
def test_formulas_are_those_of_python(scripts: Scripts, made: Any) -> None:
    analysis = made()
    models = analysis.callpaths.models
    found = scripts.read(
        data_of(analysis),
        "level.region.map((_, k) => [level.latex[k], level.python[k]])",
    )
    last = np.array([[4.0], *np.ones((models.last.size - 1, 1))])[:, 0] * models.last
    formulas = prediction_formulas(models, formula_range(models, 0, last[None]))
    points = np.random.default_rng(2).uniform(models.first, last, (5, models.last.size))
    for formula, (latex, python) in zip(formulas, found, strict=True):
        assert latex == formula.latex()
        names: dict[str, Any] = {}
        exec(python, names)
        (function,) = (one for name, one in names.items() if name not in ("np", "__builtins__"))
        values = [function(*point) for point in points]
        np.testing.assert_allclose(values, formula.values(points), rtol=1e-3)


def test_the_formula_of_an_opened_row_is_copied(running: Any, file: Path) -> None:
    context = running.new_context(viewport=WIDE, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator("#kernel-table .opener", has_text="MPI_Allreduce").click()
    page.get_by_role("button", name="Copy the formula as Python").click()
    assert "def MPI_Allreduce(p):" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy the formula as LaTeX").click()
    assert r"\cdot p^{\frac{3}{2}}" in page.evaluate("navigator.clipboard.readText()")
    context.close()


def test_paper_has_the_rows_of_the_screen_intervals_and_colours(open_page: OpenPage) -> None:
    many = {("main", f"f{i}"): lambda p, i=i: 2 + i + 0 * p for i in range(60)}
    many = {("main",): lambda p: 1 + 0 * p} | many
    opened = open_page(answered(study_of(many)), viewport={"width": 794, "height": 1123})
    page = opened.page
    assert page.locator("#kernel-table tbody tr").count() == 10
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    rows = page.locator("#kernel-table tbody tr")
    assert rows.count() == 10  # as on the screen
    assert rows.last.locator("td", has_text=" .. ").first.is_visible()  # the interval
    swatch = page.locator("#legend .swatch").first
    assert swatch.evaluate("node => getComputedStyle(node).printColorAdjust") == "exact"
    assert not page.locator("#controls").is_visible()
    assert not page.locator("#lines-options").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 794

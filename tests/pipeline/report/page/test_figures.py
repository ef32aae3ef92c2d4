"""Figures for papers, each saved with one click: what is seen and nothing else, as SVG, PDF and LaTeX."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.report.page import report_html
from tests.pipeline.report.page.browser import Scripts, Watched
from tests.pipeline.report.page.studies import answered, study
from tests.pipeline.report.page.test_files import rows_of, saved

WIDE = {"width": 1400, "height": 5000}
SPACE = "{http://www.w3.org/2000/svg}"
CHARTS = ("speed-up", "leading kernels", "stacked kernels", "kernel MPI_Allreduce")
PICTURES = (*CHARTS, "icicle right")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_html(answered(study())), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(running: Any, file: Path) -> Iterator[Any]:
    opened = Watched(running, file, viewport=WIDE, color_scheme="dark")
    opened.page.locator("#kernel-table .opener", has_text="MPI_Allreduce").click()
    yield opened.page
    assert opened.complaints == []
    opened.page.close()


def figure(page: Any, kind: str, name: str) -> str:
    return saved(page, f"Save as {kind}: {name}")[1].decode()


@pytest.mark.parametrize("name", PICTURES)
def test_a_figure_has_what_is_seen_in_the_colours_of_paper(page: Any, name: str) -> None:
    root = ET.fromstring(figure(page, "SVG", name))
    assert [node.tag for node in root.iter(f"{SPACE}title")] == [f"{SPACE}title"]  # of the whole alone
    known = {"path", "text", "g", "rect", "clipPath", "defs", "title", "svg"}
    assert {node.tag.removeprefix(SPACE) for node in root.iter()} <= known
    names = {name for node in root.iter() for name in node.attrib}
    assert not names & {"class", "tabindex", "display", "visibility", "style", "role", "opacity"}
    colours = {node.get(name) for node in root.iter() for name in ("fill", "stroke") if node.get(name)}
    assert all(re.fullmatch("none|#[0-9a-f]{6}", colour or "") for colour in colours)
    assert "#15181c" not in colours  # of the dark theme, which the page shows
    for path in root.iter(f"{SPACE}path"):
        assert path.get("fill") != "none" or path.get("stroke", "none") != "none"


def test_what_is_hidden_or_only_pointed_at_is_left_out(page: Any) -> None:
    def areas() -> int:
        return len(re.findall(r'fill-opacity="0.1"', figure(page, "SVG", "leading kernels")))

    assert areas() == 5
    page.get_by_role("radio", name="hidden").check()
    assert areas() == 0
    page.get_by_role("radio", name="shown").check()
    before = figure(page, "SVG", "leading kernels")
    box = page.locator("#lines svg").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 60)
    page.locator("#lines .readings").wait_for(state="visible")
    button = "[aria-label='Save as SVG: leading kernels']"
    with page.expect_download() as download:
        page.evaluate(f'document.querySelector("{button}").click()')
    assert Path(download.value.path()).read_text(encoding="utf-8") == before


def test_the_font_is_chosen_once_for_all_figures(page: Any) -> None:
    fonts = page.get_by_label("Font of saved figures")
    assert 'font-family="Helvetica, ' in figure(page, "SVG", "speed-up")
    fonts.first.select_option("serif")
    assert set(fonts.evaluate_all("all => all.map((one) => one.value)")) == {"serif"}
    assert "font-family=\"'Times New Roman', Times" in figure(page, "SVG", "leading kernels")
    fonts.last.select_option("sans-outlines")
    text = figure(page, "SVG", "speed-up")
    assert "<text" not in text
    assert "font-family" not in text
    fonts.first.select_option("sans")


def objects_of(content: bytes) -> dict[int, bytes]:
    """Objects of a PDF file, found by its table, with inflated streams."""
    start = int(re.findall(rb"startxref\n(\d+)\n", content)[-1])
    places = re.findall(rb"(\d{10}) 00000 n ", content[start:])
    found = {}
    for number, place in enumerate(places, start=1):
        text = content[int(place) :]
        assert text.startswith(b"%d 0 obj\n" % number)
        head, _, rest = text.partition(b"stream\n")
        if len(head) < text.index(b"endobj"):
            length = int(re.findall(rb"/Length (\d+)", head)[0])
            assert rest[length:].startswith(b"\nendstream")
            text = head + zlib.decompress(rest[:length]) + b"endobj"
        found[number] = text[: text.index(b"endobj")]
    return found


@pytest.mark.parametrize("name", PICTURES)
def test_pdf_is_made_of_vectors_with_letters_as_outlines(page: Any, name: str) -> None:
    root = ET.fromstring(figure(page, "SVG", name))
    ending, content = saved(page, f"Save as PDF: {name}")
    assert ending.endswith(".pdf")
    objects = objects_of(content)
    assert not re.search(rb"/Font|/Image|/JavaScript", b"".join(objects.values()))
    width, height = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", objects[3])[0]
    assert [float(width), float(height)] == [0.75 * float(root.get(of, "")) for of in ("width", "height")]
    drawn = objects[4].decode()
    letters = sum(len("".join((node.text or "").split())) for node in root.iter(f"{SPACE}text"))
    assert drawn.count(" Do Q") == letters
    assert drawn.count("\nS\n") + drawn.count("\nf\n") >= len([*root.iter(f"{SPACE}path")])
    assert content == saved(page, f"Save as PDF: {name}")[1]


def coordinates(text: str) -> set[tuple[str, str]]:
    return set(re.findall(r"\(([^,()]+),([^,()]+)\)", "".join(re.findall(r"coordinates \{(.*?)\}", text))))


@pytest.mark.parametrize("name", CHARTS)
def test_latex_draws_the_data_with_the_digits_that_are_shown(page: Any, name: str) -> None:
    text = figure(page, "LaTeX", name)
    rows = rows_of(saved(page, f"Save as CSV: {name}")[1])
    x, y = list(rows[0])[2:]
    found = {(float(a), float(b)) for a, b in coordinates(text) if "nan" not in (a, b)}
    wanted = {(float(f"{float(row[x]):.6g}"), float(f"{float(row[y]):.4g}")) for row in rows if row[y]}
    drawn = {(a, b) for a, b in wanted if b > 0}
    assert drawn <= found
    assert all(len(re.sub(r"^-?0*\.?0*|[.]|e.*$", "", b)) <= 4 for _, b in coordinates(text))
    assert f"xlabel={{{x}}}" in text
    ticks = re.findall(r"xticklabels=\{(.*)\}, xminorticks", text)[0]
    host = page.get_by_role("button", name=f"Save as CSV: {name}", exact=True)
    shown = host.evaluate(
        "node => [...node.closest('figure, .kernel-detail').querySelector('.plot .axis').children]"
        ".filter((one) => one.tagName === 'text').map((one) => one.textContent)"
    )
    assert re.findall(r"\{([^{}]*)\}", ticks) == shown[:-1]


def test_pictures_without_axes_are_drawn_shape_by_shape(page: Any) -> None:
    text = figure(page, "LaTeX", "icicle right")
    assert "\\begin{axis}" not in text
    assert text.count("\\path") > 3
    assert "{main}" in text


def test_names_are_text_for_latex(scripts: Scripts) -> None:
    names = ["operator<<", "a_b{c}%#&$~^\\", "MPI…\n\\input{x}", "größe × 2"]
    found = scripts.each("draw/figures/tikz_file.js", "latexText", [[name] for name in names])
    assert found == [
        "operator\\textless{}\\textless{}",
        "a\\_b\\{c\\}\\%\\#\\&\\$\\textasciitilde{}\\textasciicircum{}\\textbackslash{}",
        "MPI\\ldots{} \\textbackslash{}input\\{x\\}",
        "größe $\\times$ 2",
    ]


def test_latex_takes_every_figure(page: Any, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None or not Path("/usr/share/texlive").exists():
        pytest.skip("NO LATEX: figures were not compiled; apt-get install texlive-pictures")
    body = "\n\n".join(figure(page, "LaTeX", name) for name in PICTURES)
    head = "\\documentclass{article}\\usepackage{pgfplots}\\pgfplotsset{compat=1.18}\\begin{document}\n"
    (tmp_path / "all.tex").write_text(f"{head}{body}\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:]

"""The gallery is what `python -m tools.gallery` writes: every number of its pages, every picture."""

import re

import pytest

from pipeline.projection.expressions.shipped_files import shipped
from pipeline.stages.shipped import shipped_applications
from tests.snapshots import alike
from tools.gallery import PAPERS
from tools.gallery.asking import ROOT
from tools.gallery.page import written

pytestmark = pytest.mark.slow
GALLERY = ROOT / "docs" / "gallery"
MADE_BY = re.compile(r"Matplotlib v[\d.]+")
LARGEST, ALL_OF_THEM = 60_000, 2_000_000  # bytes
PAPER_OF = {"hycom": "002", "hydra": "000", "milc": "004"}
NUMBERED = re.compile(r"(?P<what>Table|Figure)s? (?P<first>\d)(?: to (?P<last>\d)|, (?P<second>\d))?")


@pytest.fixture(params=PAPERS, ids=lambda paper: paper.number, scope="module")
def made(request):
    return request.param.number, written(request.param)


def test_pages_and_pictures_are_those_that_are_made(made):
    number, files = made
    there = {path.name for path in GALLERY.iterdir() if number in path.name}
    assert there == set(files), "run python -m tools.gallery"
    for name, content in files.items():
        lines, shown = (text.decode().splitlines() for text in (content, (GALLERY / name).read_bytes()))
        if name.endswith(".svg") and MADE_BY.findall("".join(lines)) != MADE_BY.findall("".join(shown)):
            continue  # another release draws other paths
        assert len(lines) == len(shown), name
        assert not [pair for pair in zip(lines, shown, strict=True) if not alike(*pair)], name


def test_pictures_are_shown_and_small(made):
    _, files = made
    (page,) = (content.decode() for name, content in files.items() if name.endswith(".md"))
    pictures = {name: content for name, content in files.items() if name.endswith(".svg")}
    assert set(re.findall(r"\]\((\S+\.svg)\)", page)) == set(pictures)
    assert max(map(len, pictures.values())) < LARGEST


def test_the_whole_gallery_is_small():
    assert sum(path.stat().st_size for path in GALLERY.iterdir()) < ALL_OF_THEM


@pytest.mark.parametrize("name", PAPER_OF)
def test_what_an_application_reproduces_is_on_its_page(name):
    application = next(one for one in shipped_applications() if one.path.stem == name)
    page = (GALLERY / f"paper-{PAPER_OF[name]}.md").read_text()
    named = list(NUMBERED.finditer(application.reproduces))
    assert named
    for found in named:
        last = int(found["last"] or found["second"] or found["first"])
        for number in range(int(found["first"]), last + 1):
            assert re.search(rf"^## .*{found['what']} {number}", page, re.MULTILINE), (found[0], number)


def test_every_application_of_a_paper_says_what_it_reproduces():
    papers = [one for one in shipped_applications() if one.source and "your own" not in one.source]
    assert {one.path.stem for one in papers} == set(shipped("application")) - {"openfoam-cavity", "loops"}
    assert all(one.reproduces for one in papers)

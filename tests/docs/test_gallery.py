"""The gallery is what `python -m tools.gallery` writes: every number of its pages, every picture."""

import re

import pytest

from tests.snapshots import alike
from tools.gallery import PAPERS
from tools.gallery.page import ROOT, written

pytestmark = pytest.mark.slow
GALLERY = ROOT / "docs" / "gallery"
MADE_BY = re.compile(r"Matplotlib v[\d.]+")


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
    assert max(map(len, pictures.values())) < 60_000

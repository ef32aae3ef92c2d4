"""No label of the gallery is contradicted by the columns below it, as the pages print them."""

import ast
import re
from decimal import Decimal

import pytest

from tools.gallery import PAPERS
from tools.gallery.asking import ROOT
from tools.gallery.labels import Beside, Label, compared
from tools.gallery.page import Item, front

GALLERY = ROOT / "docs" / "gallery"
PAGES = sorted(GALLERY.glob("paper-*.md"))
SECTION = re.compile(r"^## (?P<title>.*)\n\n\*\*(?P<label>[A-Z][a-z ]+)\*\*: (?P<said>.*)$", re.MULTILINE)
NUMBER = re.compile(r"-?\d+(\.\d+)?")
COUNTED = re.compile(r"^\| (?P<label>[a-z ]+) \| (?P<count>\d+) \|", re.MULTILINE)
WORST = re.compile(
    r"(?P<wrong>\d+) of (?P<all>\d+) values?, most in .*: (?P<ours>\S+) for (?P<printed>\S+) "
    r"\((?P<percent>\S+) %\)\. .+"
)


def sections():
    for page in PAGES:
        for found in SECTION.finditer(page.read_text()):
            ours = re.search(r"^pipeline .*sample_profiles", below(found), re.MULTILINE)
            yield pytest.param(
                *found.groups(), pairs(below(found)), bool(ours), id=f"{page.stem}: {found['title'][:40]}"
            )


def below(found):
    """Return what stands below a label, up to the next heading."""
    return found.string[found.end() :].partition("\n## ")[0]


def pairs(body):
    """Return the numbers of columns called published, and those of ours beside them."""
    rows = [line[2:-2].split(" | ") for line in body.splitlines() if line.startswith("| ")]
    if not rows:
        return []
    at = [k for k, head in enumerate(rows[0]) if head.endswith(", published")]
    assert all(rows[0][k + 1] == rows[0][k].replace(", published", ", ours") for k in at)
    cells = [(row[k], row[k + 1]) for row in rows[2:] for k in at if NUMBER.fullmatch(row[k])]
    return [(Decimal(printed), Decimal(ours)) for printed, ours in cells if NUMBER.fullmatch(ours)]


def half_a_unit(printed):
    return Decimal("0.5").scaleb(printed.as_tuple().exponent)


def is_printed(pair):
    printed, ours = pair
    return abs(printed - ours) <= half_a_unit(printed)


@pytest.mark.parametrize(("title", "label", "said", "values", "ours"), sections())
def test_no_label_is_contradicted_by_the_columns(title, label, said, values, ours):
    assert label == "Not comparable" or not ours, "samples of our own stand in"
    wrong = [pair for pair in values if not is_printed(pair)]
    if label == "Differs":
        told = WORST.fullmatch(said)
        assert told, "counts, the worst, and a sentence that explains it"
        assert (int(told["wrong"]), int(told["all"])) == (len(wrong), len(values))
        assert (Decimal(told["printed"]), Decimal(told["ours"])) in wrong
        least = [(abs(ours - printed) - half_a_unit(printed)) / abs(printed) for printed, ours in wrong]
        assert max(least) <= Decimal("1.01") * abs(Decimal(told["percent"])) / 100  # it has three digits
    elif label == "Not comparable":
        assert "stand-in" in title or not values
    else:
        assert label in ("Agrees", "Input")
        assert not wrong
        assert values or label == "Input"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_table_on_top_counts_the_labels_below(page):
    text = page.read_text()
    labels = [found["label"].lower() for found in SECTION.finditer(text)]
    assert len(labels) == len(re.findall(r"^## (?!Not there)", text, re.MULTILINE))
    counts = {row["label"]: int(row["count"]) for row in COUNTED.finditer(text)}
    assert {label: labels.count(label) for label in Label} == {label: counts[label] for label in Label}


def test_the_front_page_counts_what_the_pages_say():
    index = (GALLERY / "index.md").read_text()
    assert index == front(PAPERS, GALLERY)
    for page in PAGES:
        compared_ones = [
            found for found in SECTION.finditer(page.read_text()) if found["label"] in ("Agrees", "Differs")
        ]
        values = [pair for found in compared_ones for pair in pairs(below(found))]
        right = sum(map(is_printed, values))
        assert re.search(rf"\({page.name}\).* \| {right} of {len(values)} \|$", index, re.MULTILINE)


@pytest.mark.parametrize("page", [*PAGES, GALLERY / "index.md"], ids=lambda page: page.stem)
def test_every_paragraph_is_whole_sentences(page):
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^[#|!].*$", "", prose, flags=re.MULTILINE)
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", prose)):
        assert re.fullmatch(r"[A-Z`\[*\d].*\.", paragraph.strip(), re.DOTALL), paragraph


def test_no_sentence_lost_its_second_half():
    """A string that is a statement lacks the parentheses of its concatenation, or describes what is above."""
    for path in (ROOT / "tools").rglob("*.py"):
        text = path.read_text()
        alone = [one.value for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Expr)]
        strings = [one for one in alone if isinstance(one, ast.Constant | ast.JoinedStr)]
        assert all(ast.get_source_segment(text, one).startswith('"""') for one in strings), path


def labelled(*cells, commands=(), stand_in=False):
    return compared(("x", "value"), [(k, cell) for k, cell in enumerate(cells)], commands, stand_in=stand_in)


def test_a_value_agrees_to_half_a_unit_of_its_last_digit():
    assert labelled(Beside("25", 25.02), Beside("7.0", 6.951))[0] == Label.AGREES
    assert labelled(Beside("7.00", 7.0056), Beside("137", 137.4)) == (
        Label.DIFFERS,
        "1 of 2 values, most in x 0, value: 7.01 for 7.00 (+0.08 %)",
    )


def test_what_is_read_back_from_a_file_is_an_input():
    commands = ("project hycom --at flops=20,loads=0,stores=0",)
    assert labelled(Beside("18", 18.0), commands=commands)[0] == Label.INPUT
    assert labelled(Beside("18", 18.2), commands=commands)[0] == Label.AGREES
    assert labelled(Beside("3.14", 3.14), commands=commands)[0] == Label.AGREES
    assert labelled(Beside("4.6", 4.5), commands=commands)[0] == Label.DIFFERS
    assert labelled(Beside("steps", "nsteps"))[0] == Label.INPUT


def test_nothing_is_compared_where_data_of_our_own_stand_in():
    assert labelled(Beside("18", 18.0), stand_in=True)[0] == Label.NOT_COMPARABLE
    assert labelled(18.0)[0] == Label.NOT_COMPARABLE


@pytest.mark.parametrize(("ours", "reading"), [(2.0, ""), (1.0, "It is known why.")])
def test_a_reading_is_there_if_and_only_if_a_value_differs(ours, reading):
    rows = [("x", Beside("1", ours))]
    item = Item(title="t", covers="t", commands=(), note="", reading=reading, columns=("a", "b"), rows=rows)
    with pytest.raises(ValueError, match="reading"):
        item.label()

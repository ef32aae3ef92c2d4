import re

import pytest

from pipeline.gate.check_result import PointRatio, Ruling, StudySide
from pipeline.report.check.ci_servers import check_markdown
from tests.pipeline.report.check.results import kernel, kernels, result


def rows(text):
    """The kernels of all Markdown tables, in order."""
    lines = [line for line in text.splitlines() if re.match(r"\| (?!kernel |---)", line)]
    return [line.split(" | ")[0].removeprefix("| ") for line in lines]


def test_markdown_escapes_names_and_keeps_its_tables(nasty):
    text = check_markdown(nasty)
    assert "<script>" not in text
    table = [line for line in text.splitlines() if line.startswith("| ")]
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    assert columns == {11}


def test_markdown_lists_every_kernel_once_in_order():
    text = check_markdown(result(*kernels(3), *kernels(2, Ruling.NEW), *kernels(4, Ruling.UNCHANGED)))
    assert rows(text) == [f"main › f{n}" for n in (0, 1, 2, 0, 1)]
    assert "### Regressions (3)" in text and "### New (2)" in text
    assert "more" not in text


@pytest.mark.parametrize(("number", "more"), [(19, False), (20, False), (21, True), (27, True)])
def test_markdown_counts_the_kernels_that_it_leaves_out(number, more):
    text = check_markdown(result(*kernels(number)))
    assert len(rows(text)) == min(number, 20)
    assert re.findall(r"^(\d+) of (\d+) shown", text, re.MULTILINE) == ([("20", str(number))] if more else [])
    assert re.findall(r"Evidence for (\d+) of (\d+)", text) == ([("20", str(number))] if more else [])
    assert len(re.findall(r"^- \*\*", text, re.MULTILINE)) == min(number, 20)


def test_markdown_explains_the_first_doubts_and_nothing_that_is_fine():
    text = check_markdown(result(*kernels(7, Ruling.INCONCLUSIVE), *kernels(3, Ruling.IMPROVEMENT)))
    assert len(re.findall(r"^- \*\*", text, re.MULTILINE)) == 5
    assert "<details" not in check_markdown(result(*kernels(3, Ruling.IMPROVEMENT)))


def test_markdown_rows_show_values_ratios_growth_and_source():
    full = kernel(
        baseline=StudySide(value=2.0, share=0.2, growth="1"),
        candidate=StudySide(value=3.0, share=0.25, growth="p"),
        measured=(PointRatio({}, 9.0, 1, 1), PointRatio({}, 1.5, 1, 1)),
        target=(PointRatio({}, 9.0, 1, 1), PointRatio({}, 1.75, 1.25, 1234.0)),
        file="/src/deep/f.c",
        line=7,
    )
    one_sided = kernel("g", baseline=None, measured=(), target=(), file="g.c")
    gone = kernel("h", candidate=None, baseline=StudySide(value=2.0, share=0.1))
    text = check_markdown(result(full, one_sided, gone, targets=({"p": 16.0}, {"p": 32.0})))
    ratios = "1.50 | 1.00 .. 1.00 | 1.75 | 1.25 .. 1234"
    assert f"| main › f | 2.00 | 3.00 | 25.0 % | {ratios} | constant → p | f.c\\:7 |" in text
    assert r"| main › g | \- | 3.00 | 25.0 % | \- | \- | \- | \- |  |  |" in text
    assert r"| main › h | 2.00 | \- | 10.0 % |" in text
    assert r"baseline \[core\-s\] | now \[core\-s\]" in text
    assert "| baseline | now |" in check_markdown(result(full, unit=""))


def test_markdown_shows_reasons_and_notices():
    text = check_markdown(result(kernel(), reasons=("another *machine*",), notices=("beware",)))
    assert "- another \\*machine\\*\n" in text
    assert "> beware\n" in text

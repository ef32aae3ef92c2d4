import html
import re

import pytest

from pipeline.gate.check_result import Change, Finding, Ground, Ruling, StudySide
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.check.document import check_document, comparison_document
from pipeline.report.page.comparison_page import (
    comparison_headline,
    comparison_html,
    comparison_table,
    show_comparison,
)
from tests.pipeline.report.check.results import NASTY, kernel, kernels, result, trees
from tests.terminal_output import printed


def test_the_comparison_page_is_escaped_and_needs_nothing_else(nasty):
    hostile = trees({NASTY: 5.0, "k": 3.0})
    page = comparison_html(nasty, (), "a<b</script>", "c&d", hostile)
    assert page.count("<script") == page.count("</script>") == 2
    plain = re.sub(r"<script>.*</script>", "", page, flags=re.DOTALL)
    assert "a&lt;b" in page and "c&amp;d" in page
    assert not re.search(r"""[^.]src=|href="(?!#|data:,)|url\(|@import""", plain)
    policy = html.unescape(re.search(r'Security-Policy" content="([^"]*)"', page)[1])
    assert re.match(r"default-src 'none'; script-src 'sha256-\S*'; style-src 'sha256-\S*'; img", policy)
    assert " style=" not in page


@pytest.mark.parametrize(
    ("change", "bar"),
    [
        (Change({}, 1.0, 0.1, 10.0), 'x="16.67" y="4" width="66.67"'),
        (Change({}, 10.0, 1.0, 1e9), 'x="50.0" y="4" width="50.0"'),
        (Change({}, 1.0, 1.0, 1.0), 'x="50.0" y="4" width="0.5"'),
        (Change({}, 1e-12, 0.0, 1.0), 'x="0.0" y="4" width="50.0"'),
    ],
)
def test_bars_span_three_decades_with_one_in_the_middle(change, bar):
    page = comparison_html(result(kernel(measured=(Change({}, 5.0, 1, 9), change))), (), "a", "b", trees())
    assert bar in page
    mark = {1.0: "50.0", 10.0: "83.33", 1e-12: "0.0"}[change.ratio]
    assert f'<rect class="mark" x="{mark}"' in page
    assert 'class="ratio"' not in comparison_html(
        result(kernel(measured=(Change({}, 0.0, 0, 1),))), (), "", "", trees()
    )


def test_the_comparison_page_shows_both_sides_their_models_and_renames():
    side = {"value": 2.0, "share": 0.25}
    one = kernel(
        baseline=StudySide(**side, formula="3 + p"),
        candidate=StudySide(**side, formula="4 * p"),
        target=(Change({}, 7.0, 1, 1), Change({}, 8.0, 2.0, 9.0)),
    )
    ids = KernelId(Scope.CALLPATH, ("main", "old")), KernelId(Scope.CALLPATH, ("main", "new"))
    quiet = kernel("quiet", Ruling.UNCHANGED, evidence=(Finding(Ground.MEASURED, "nothing here"),))
    page = comparison_html(
        result(
            one,
            quiet,
            kernel("x", baseline=None),
            reasons=("another machine",),
            notices=("beware",),
            targets=({"p": 4.0}, {"p": 8.0}),
        ),
        (ids,),
        "A",
        "B",
        trees(),
    )
    for text in (
        "<div>3 + p</div><div>4 * p</div>",
        "<li>main › old → main › new</li>",
        "at p = 8</th>",
        ">8.00<br>",
    ):
        assert text in page.replace("\n", "")
    assert "2.00 .. 9.00" in page and "25.0 %" in page and "another machine" in page and "beware" in page
    assert "nothing here" not in page and "measured 1.5 times" in page
    assert "Values are in core-s at" in page and "no significant change" in page
    assert "at p = 4" not in page


def test_a_comparison_counts_what_is_worse_and_better():
    assert (
        comparison_headline(result(*kernels(2), *kernels(1, Ruling.IMPROVEMENT)))
        == "B against A: 2 worse, 1 better"
    )
    assert comparison_headline(result(*kernels(1, Ruling.IMPROVEMENT))) == "B against A: 0 worse, 1 better"
    same = comparison_headline(result(*kernels(3, Ruling.UNCHANGED)))
    assert same == "No kernel differs significantly by more than the factor"


def test_a_comparison_in_the_terminal_speaks_of_a_and_b():
    one = result(kernel("x", baseline=None), *kernels(1))
    shown = printed(show_comparison, one, (), limit=5, width=100)
    assert "B against A: 2 worse" in shown
    header = next(line.split() for line in shown.splitlines() if line.startswith("verdict"))
    assert header[:4] == ["verdict", "kernel", "A", "B"]
    assert "worse " in shown and "regression" not in shown and "baseline " not in header


def test_a_comparison_as_data_has_no_outcome():
    ids = KernelId(Scope.CALLPATH, ("main", "old")), KernelId(Scope.CALLPATH, ("main", "new"))
    document = comparison_document(result(kernel()), (ids,), "x", "y")
    assert (document["a"], document["b"]) == ("x", "y")
    assert document["renamed"] == [{"a": ["main", "old"], "b": ["main", "new"]}]
    assert set(check_document(result(kernel()))) - set(document) == {"outcome", "exit_code", "expectations"}


def test_the_notes_of_the_table_are_what_stands_around_it_in_the_terminal():
    ids = KernelId(Scope.CALLPATH, ("main", "old")), KernelId(Scope.CALLPATH, ("main", "new"))
    notes = comparison_table(result(kernel()), (ids,), limit=15).notes
    assert notes[0] == comparison_headline(result(kernel()))
    assert notes[-1] == "Possibly renamed: main › old → main › new"

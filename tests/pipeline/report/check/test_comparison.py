import html
import re
from dataclasses import replace

import numpy as np

from ingest.record_codec import document
from pipeline.gate.check_result import Cause, Caveat, Finding, Ground, PointRatio, Ruling, StudySide
from pipeline.gate.compared_studies import ComparedCurves
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.models.prediction import Prediction
from pipeline.report.check.document import check_document, comparison_document
from pipeline.report.check.terminal import TOTAL_KERNEL, comparison_table, comparison_verdict, show_comparison
from pipeline.report.page.comparison_page import comparison_html
from tests.pipeline.report.check.results import NASTY, compared, kernel, kernels, result, studies
from tests.pipeline.report.page.studies import carried
from tests.terminal_output import printed

RENAMED = KernelId(Scope.CALLPATH, ("main", "old")), KernelId(Scope.CALLPATH, ("main", "new"))


def test_the_comparison_page_is_escaped_and_needs_nothing_else(nasty):
    hostile = studies({NASTY: 5.0, "k": 3.0})
    page = comparison_html(compared(nasty, names=("a<b</script>", "c&d")), hostile)
    assert page.count("<script") == page.count("</script>") == 3
    plain = re.sub(r"<script>.*</script>", "", page, flags=re.DOTALL)
    assert "a&lt;b" in page and "c&amp;d" in page
    assert not re.search(r"""[^.]src=|href="(?!#|data:,)|url\(|@import""", plain)
    policy = html.unescape(re.search(r'Security-Policy" content="([^"]*)"', page)[1])
    assert re.match(r"default-src 'none'; script-src( 'sha256-\S*')+; style-src 'sha256-\S*'; img", policy)
    assert " style=" not in page


def test_the_comparison_page_shows_both_sides_their_models_and_renames():
    side = {"value": 2.0, "share": 0.25}
    one = kernel(
        baseline=StudySide(**side, formula="3 + p"),
        candidate=StudySide(**side, formula="4 * p"),
        target=(PointRatio({}, 7.0, 1, 1), PointRatio({}, 8.0, 2.0, 9.0)),
    )
    quiet = kernel("quiet", Ruling.UNCHANGED, evidence=(Finding(Ground.MEASURED, "nothing here"),))
    found = result(
        one,
        quiet,
        kernel("x", baseline=None),
        reasons=("another machine",),
        notices=("beware",),
        targets=({"p": 4.0}, {"p": 8.0}),
    )
    page = comparison_html(compared(found, (RENAMED,), ("A", "B")), studies())
    assert "<li>main › old → main › new</li>" in page.replace("\n", "")
    assert "another machine" in page and "beware" in page and "Values are in core-s at" in page
    data = carried(page)
    assert [row[3] for row in data["kernels"]] == [["3 + p", "4 * p"], ["", ""], ["", ""]]
    stories = [row[2] for row in data["kernels"]]
    assert stories[0].startswith("measured 1.5 times") and stories[1] == "nothing here"
    texts = {column["key"]: column["texts"] for column in data["columns"]}
    assert texts["verdict"] == ["worse", "no significant change", "worse"]
    assert (texts["A"][0], texts["B"][0], texts["share"][0]) == ("2.00", "2.00", "25.0 %")
    assert (texts["A"][2], texts["ratio"][0], texts["ratio_upper"][0]) == ("-", "1.50", "1.2 .. 1.9")


def of_total(verdict, **given):
    return replace(kernel("total", verdict, **given), kernel=TOTAL_KERNEL)


def verdict(one, curves=None):
    return comparison_verdict(replace(compared(one, names=("x/a.txt", "x/b.txt")), totals=curves))


def test_a_comparison_names_what_is_worse_and_better():
    both = result(*kernels(2), kernel("g", Ruling.IMPROVEMENT))
    assert verdict(both) == "b beside a: f0, f1; better: g"
    same = result(*kernels(3, Ruling.UNCHANGED))
    assert verdict(same) == "b beside a: no function differs significantly"
    whole = result(of_total(Ruling.REGRESSION, measured=()), *kernels(3, Ruling.UNCHANGED))
    assert verdict(whole).endswith(": the whole program")
    apart = replace(same, reasons=(Caveat(Cause.INCOMPARABLE, "another machine"),))
    assert verdict(apart) == "a and b cannot be compared"


def test_the_verdict_of_a_comparison_says_how_much_slower_the_second_is_measured_and_predicted():
    one = result(of_total(Ruling.REGRESSION, target=()), *kernels(2))
    ends = [[[18.0]], [[6.0]], [[40.0]]], [[[36.0]], [[30.0]], [[90.0]]], [[[2.0]], [[1.5]], [[3.0]]]
    a, b, ratio = (Prediction(*map(np.array, of_side)) for of_side in ends)
    curves = ComparedCurves(points=np.array([[32.0]]), a=a, b=b, ratio=ratio, seconds=np.ones((2, 1)))
    measured = "b is 1.5 times slower than a at p = 8"
    assert verdict(one, curves) == f"{measured}, about 2 times (1.5 to 3.0) at p = 32: f0, f1"
    unknown = replace(curves, ratio=Prediction(*np.full((3, 1, 1), np.nan)))
    assert verdict(one, unknown) == verdict(one) == f"{measured}: f0, f1"
    faster = replace(curves, ratio=Prediction(*(np.array([[end]]) for end in (0.5, 0.4, 0.8))))
    assert "about 2 times faster than a (1.2 to 2.5) at p = 32" in verdict(one, faster)
    noisy = result(of_total(Ruling.INCONCLUSIVE, target=()))
    assert verdict(noisy).startswith(f"{measured} (too noisy to judge): ")
    visits = replace(one, unit="visits")
    assert verdict(visits).startswith("b takes 1.5 times as much as a at p = 8")


def test_a_comparison_in_the_terminal_speaks_of_its_studies():
    one = compared(result(kernel("x", baseline=None), *kernels(1)), names=("gcc/out", "llvm/out"))
    shown = printed(show_comparison, one, limit=5, width=100, details=True)
    header = next(line.split() for line in shown.splitlines() if line.startswith("verdict"))
    assert header[:4] == ["verdict", "kernel", "gcc", "llvm"]
    assert "worse " in shown and "regression" not in shown.lower() and "baseline " not in header


def test_a_comparison_as_data_has_no_outcome():
    found = document(comparison_document(compared(result(kernel()), (RENAMED,), ("x", "y"))))
    assert (found["a"], found["b"]) == ("x", "y")
    assert found["renamed"] == [{"a": ["main", "old"], "b": ["main", "new"]}]
    assert set(check_document(result(kernel()))) - set(found) == {"outcome", "exit_code", "expectations"}


def test_the_notes_of_the_table_are_what_stands_around_it_in_the_terminal():
    notes = comparison_table(compared(result(kernel()), (RENAMED,)), limit=15).notes
    assert notes[0] == comparison_verdict(compared(result(kernel())))
    assert notes[-1] == "Possibly renamed: main › old → main › new"

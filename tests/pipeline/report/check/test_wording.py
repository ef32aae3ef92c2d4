from dataclasses import replace

import pytest

from pipeline.columns.changes import growth_change
from pipeline.gate.check_result import Cause, Caveat, Finding, Ground, Outcome, Ruling, StudySide
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.check.wording import (
    CAUSES,
    RULE_IDS,
    RULE_TEXTS,
    basis,
    headline,
    kernel_name,
    rule_id,
    source_file,
    story,
)
from tests.pipeline.report.check.results import kernel, kernels, result


def test_headlines():
    assert headline(result(*kernels(1))) == "Scalability regression in 1 function"
    assert (
        headline(result(*kernels(2), *kernels(3, Ruling.UNCHANGED)))
        == "Scalability regression in 2 functions"
    )
    total = kernel("total", kernel=KernelId(Scope.TOTAL, ("total",)))
    assert headline(result(*kernels(1), total)) == "Scalability regression in 1 function"
    assert headline(result(total)) == "Scalability regression in the total"
    for cause in Cause:
        doubts = replace(result(outcome=Outcome.INCONCLUSIVE), reasons=(Caveat(cause, "because"),))
        assert headline(doubts) == f"Inconclusive: {CAUSES[cause]}"
    other = result(*kernels(2), outcome=Outcome.INCONCLUSIVE, reasons=("another machine",))
    assert headline(other) == "Inconclusive: the studies cannot be compared"
    total = kernel("total", Ruling.INCONCLUSIVE, kernel=KernelId(Scope.TOTAL, ("total",)))
    assert headline(result(total, outcome=Outcome.INCONCLUSIVE)) == (
        "Inconclusive: the whole program is too noisy to judge"
    )
    assert headline(result(outcome=Outcome.PASSED)) == "No scalability regression"


def test_the_basis_counts_what_was_checked():
    checked = [
        *kernels(2),
        *kernels(1, Ruling.NEW),
        *kernels(1, Ruling.VANISHED),
        *kernels(1, Ruling.UNCHANGED),
    ]
    one = result(*checked, targets=({"p": 4.0, "n": 2.0}, {"p": 8.0}), below_share_floor=5, tests=1)
    assert basis(one) == (
        "2 functions checked at 1 point and predicted for p = 4, n = 2 and p = 8; 5 below the share floor; "
        "1 test, false alarms controlled by Holm's procedure"
    )
    nowhere = replace(one, kernels=tuple(replace(kernel, target=()) for kernel in one.kernels))
    assert basis(nowhere).startswith("2 functions checked at 1 point; 5 below")


def test_the_story_of_a_kernel_has_evidence_places_and_advice():
    one = kernel(located=(("main", "f"), ("main", "g")), advice="measure again")
    assert (
        story(one) == "measured 1.5 times the baseline at p = 8; mostly in main › f; main › g; measure again"
    )
    assert story(kernel(evidence=())) == ""


def test_names_of_kernels():
    signature = "void solve(int, double)"
    region = KernelId(Scope.REGION, (signature,))
    assert kernel_name(kernel(kernel=KernelId(Scope.TOTAL, ("total",)))) == "total"
    assert kernel_name(kernel(kernel=region)) == "solve"
    assert kernel_name(kernel(signature)) == "main › solve"
    long = KernelId(Scope.REGION, ("a" * 99,))
    assert len(kernel_name(kernel("a" * 99), 30)) == len(kernel_name(kernel(kernel=long), 30)) == 30


def test_growth_before_and_now():
    def growths(before, now):
        sides = [None if g is None else StudySide(value=1.0, share=0.1, growth=g) for g in (before, now)]
        return growth_change(kernel(baseline=sides[0], candidate=sides[1]))

    assert growths("1", "p") == "constant → p"
    assert growths("p", "p") == "p"
    assert growths(None, "p") == growths("p", None) == growths("", "p") == "p"
    assert growths("", "") == growths(None, "") == ""


def test_every_ground_has_a_rule_with_a_text():
    assert set(RULE_IDS) == set(Ground)
    assert {*RULE_IDS.values(), "inconclusive", "expectation"} == set(RULE_TEXTS)
    assert rule_id(kernel(evidence=())) == "inconclusive"
    two = (Finding(Ground.GROWTH, ""), Finding(Ground.MEASURED, ""))
    assert rule_id(kernel(evidence=two)) == "growth-worsened"


@pytest.mark.parametrize(
    ("file", "line", "root", "shown"),
    [
        ("/src/a.c", 7, "/src", "a.c"),
        ("/src/a.c", 7, "", "/src/a.c"),
        ("/srcs/a.c", 7, "/src", "/srcs/a.c"),
        ("/src/a.c", 0, "/src", ""),
        ("/src/a.c", 1, "/src", "a.c"),
        ("", 7, "/src", ""),
    ],
)
def test_source_files_are_relative_to_the_root(file, line, root, shown):
    assert source_file(kernel(file=file, line=line), root) == shown

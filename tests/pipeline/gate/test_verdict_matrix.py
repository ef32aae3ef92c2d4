"""Known truths in, verdicts out: what a check says of a kernel, its exit code, and every output.

Every row is a program of twenty kernels whose truth is known; `k5` (15 core-seconds, 5 % of the total) is the
one that changes. All other kernels must stay unchanged, whatever happens to this one.
"""

import datetime
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

import numpy as np
import pytest

from pipeline.gate.check_result import CheckResult, Ground, Outcome, Ruling
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.gate.kernel_values import KernelValues, Origin
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from pipeline.report.check.ci_servers import (
    check_markdown,
    github_annotations,
    gitlab_code_quality,
    junit_xml,
    sarif_document,
)
from pipeline.report.check.document import check_document
from pipeline.report.check.terminal import show_check
from tests.pipeline.gate.studies import SCALES, many, study, without
from tests.terminal_output import printed

TODAY = datetime.date(2026, 11, 21)
P = np.array(SCALES, dtype=float)
KERNEL = "k5"
BEFORE = study(many(), seed=1)
WAIVERS = tuple(Waiver(match=match, reason="known", until=TODAY) for match in ("*/k5", "total"))
EXPIRED = (Waiver(match="*/k5", reason="known", until=TODAY - datetime.timedelta(days=1)),)
ROUGH = np.where(np.arange(20)[:, None, None] == 5, 0.9, 0.02)  # the noise of k5 alone


@dataclass(frozen=True, kw_only=True)
class Row:
    """A truth and what must be said of it."""

    after: KernelValues
    verdict: Ruling | None  # None: the kernel is not mentioned
    outcome: Outcome
    grounds: frozenset[Ground] = frozenset()
    at_least: frozenset[Ground] = frozenset()
    before: KernelValues = BEFORE
    options: CheckOptions = field(default_factory=CheckOptions)
    kernel: str = KERNEL
    total: Ruling = Ruling.UNCHANGED


def changed(effort, **options):
    return study(many(k5=effort), seed=2, **options)


def truth(verdict, after, *grounds, **more):
    """A row; without an outcome only a regression fails."""
    outcome = Outcome.REGRESSED if verdict is Ruling.REGRESSION else Outcome.PASSED
    given = {"after": after, "verdict": verdict, "outcome": outcome, "grounds": frozenset(grounds)}
    return Row(**(given | more))


MEASURED, GROWTH = Ground.MEASURED, Ground.GROWTH
SLOWER = 15 * 1.3
STEEPER = 15 * np.sqrt(P / 8)
ROWS = {
    "unchanged": truth(Ruling.UNCHANGED, changed(15.0)),
    "slower at all scales": truth(Ruling.REGRESSION, changed(SLOWER), MEASURED),
    "slower by less than the factor": truth(Ruling.UNCHANGED, changed(15 * 1.08)),
    "slower by less than the factor, with a stricter rule": truth(
        Ruling.REGRESSION,
        changed(15 * 1.08),
        MEASURED,
        options=CheckOptions(kernels=(KernelRule(match="*/k5", factor=1.0),)),
    ),
    "slower at the largest scale": truth(
        Ruling.REGRESSION, changed(15 * np.array([1, 1, 1, 1, 1.5])), MEASURED
    ),
    "slower at the smallest scale": truth(
        Ruling.REGRESSION, changed(15 * np.array([1.5, 1, 1, 1, 1])), MEASURED
    ),
    "steeper growth, measurably worse": truth(Ruling.REGRESSION, changed(STEEPER), MEASURED, GROWTH),
    "steeper growth, still better at every scale": truth(
        Ruling.REGRESSION, changed(15 * P / P[-1] * 0.8), GROWTH
    ),
    "rises, but stays far below the baseline": truth(
        Ruling.IMPROVEMENT, changed(15 * np.array([0.2, 0.22, 0.25, 0.27, 0.3])), MEASURED
    ),
    "faster": truth(Ruling.IMPROVEMENT, changed(5.0), MEASURED),
    "gentler growth": truth(
        Ruling.IMPROVEMENT,
        changed(15.0),
        MEASURED,
        GROWTH,
        before=study(many(k5=STEEPER), seed=1),
    ),
    "new and large": truth(Ruling.REGRESSION, study(many(extra=30.0), seed=2), Ground.NEW, kernel="extra"),
    "new and small": truth(Ruling.NEW, study(many(extra=10.0), seed=2), Ground.NEW, kernel="extra"),
    "new and negligible": truth(None, study(many(extra=1.0), seed=2), kernel="extra"),
    "vanished": truth(Ruling.VANISHED, without(study(many(), seed=2), KERNEL), Ground.NEW),
    "renamed": truth(
        Ruling.UNCHANGED,
        study({("k5_v2" if name == KERNEL else name): e for name, e in many(k5=30.0).items()}, seed=2),
        before=study(many(k5=30.0), seed=1),
        kernel="k5_v2",
    ),
    "too noisy to judge": truth(
        Ruling.INCONCLUSIVE,
        study(many(k5=40.0), noise=ROUGH, seed=2, repetitions=3),
        before=study(many(k5=40.0), noise=ROUGH, seed=1, repetitions=3),
        total=Ruling.UNCHANGED,
    ),
    "noisy but too small to make the total worse": truth(
        Ruling.UNCHANGED,
        study(many(k5=6.0), noise=ROUGH / 2, seed=2, repetitions=3),
        before=study(many(k5=6.0), noise=ROUGH / 2, seed=1, repetitions=3),
    ),
    "noisy but beyond doubt": truth(
        Ruling.REGRESSION,
        study(many(k5=400.0), noise=ROUGH / 3, seed=2, repetitions=5),
        before=study(many(k5=15.0), noise=ROUGH / 3, seed=1, repetitions=5),
        at_least=frozenset({MEASURED}),
        total=Ruling.REGRESSION,
    ),
    "waived": truth(Ruling.WAIVED, changed(SLOWER), MEASURED, options=CheckOptions(waivers=WAIVERS)),
    "waived until yesterday": truth(
        Ruling.REGRESSION, changed(SLOWER), MEASURED, options=CheckOptions(waivers=EXPIRED)
    ),
    "slower on another machine": truth(
        Ruling.REGRESSION,
        changed(SLOWER, origin=Origin(machine="b")),
        MEASURED,
        outcome=Outcome.INCONCLUSIVE,
        before=study(many(), origin=Origin(machine="a")),
    ),
    "beyond a ceiling on its share, though unchanged": truth(
        Ruling.REGRESSION,
        changed(15.0),
        Ground.SHARE_RULE,
        options=CheckOptions(kernels=(KernelRule(match="*/k5", share=0.02),)),
    ),
    "within a ceiling on its share": truth(
        Ruling.UNCHANGED, changed(15.0), options=CheckOptions(kernels=(KernelRule(match="*/k5", share=0.06),))
    ),
    "beyond a ceiling on its growth": truth(
        Ruling.REGRESSION,
        changed(STEEPER),
        Ground.GROWTH_RULE,
        before=study(many(k5=STEEPER), seed=1),
        options=CheckOptions(kernels=(KernelRule(match="*/k5", growth=(0, 1)),)),
    ),
}
JUNIT = {Ruling.REGRESSION: "failure", Ruling.WAIVED: "skipped", Ruling.INCONCLUSIVE: "skipped"}
SARIF = {Ruling.REGRESSION: "error", Ruling.WAIVED: "error", Ruling.INCONCLUSIVE: "note"}
GITHUB = {Ruling.REGRESSION: "::error ", Ruling.INCONCLUSIVE: "::warning "}
GITLAB = {Ruling.REGRESSION: "critical", Ruling.WAIVED: "info", Ruling.INCONCLUSIVE: "minor"}
MARKDOWN = {
    Ruling.REGRESSION: "Regressions",
    Ruling.WAIVED: "Waived",
    Ruling.INCONCLUSIVE: "Too noisy to judge",
    Ruling.NEW: "New",
    Ruling.VANISHED: "Vanished",
    Ruling.IMPROVEMENT: "Improvements",
}


@pytest.fixture(scope="module", params=list(ROWS))
def case(request) -> tuple[Row, CheckResult]:
    row = ROWS[request.param]
    return row, check(row.after, row.before, row.options, ModelOptions(), TODAY)


def verdicts(result, kernel):
    return {one.verdict for one in result.kernels if one.kernel.region == kernel}


def test_the_kernel_gets_its_verdict_for_the_right_reasons(case):
    row, result = case
    assert verdicts(result, row.kernel) == ({row.verdict} if row.verdict else set())
    grounds = {e.ground for one in result.kernels if one.kernel.region == row.kernel for e in one.evidence}
    assert grounds >= row.at_least if row.at_least else grounds == row.grounds


def test_the_outcome_is_the_exit_code(case):
    row, result = case
    assert result.outcome is row.outcome
    assert int(result.outcome) == {"PASSED": 0, "REGRESSED": 1, "INCONCLUSIVE": 3}[row.outcome.name]


def test_no_other_kernel_is_accused(case):
    row, result = case
    others = [k for k in result.kernels if k.kernel.region not in (row.kernel, "total", KERNEL)]
    assert {k.verdict for k in others} == {Ruling.UNCHANGED}
    assert len(others) >= 19
    assert verdicts(result, "total") == {row.total}


def test_check_json_says_so(case):
    row, result = case
    document = check_document(result)
    assert document["exit_code"] == int(row.outcome)
    assert document["outcome"] == row.outcome.name.lower()
    found = [k for k in document["kernels"] if k["region"] == row.kernel]
    assert {k["verdict"] for k in found} == ({row.verdict.value} if row.verdict else set())
    assert {e["ground"] for k in found for e in k["evidence"]} >= {g.value for g in row.grounds}


def test_junit_says_so(case):
    row, result = case
    (suite,) = ET.fromstring(junit_xml(result))
    every = suite.findall("testcase")
    cases = {case.get("name").split("/")[-1]: case for case in every}
    kinds = [child.tag for case in every for child in case]
    assert int(suite.get("tests")) == len(every) == len(result.kernels) + len(result.reasons)
    assert int(suite.get("failures")) == kinds.count("failure")
    assert int(suite.get("skipped")) == kinds.count("skipped")
    if row.verdict:
        wanted = JUNIT.get(row.verdict)
        assert [c.tag for c in cases[row.kernel] if c.tag != "system-out"] == ([wanted] if wanted else [])


def test_sarif_says_so(case):
    row, result = case
    (run,) = sarif_document(result, "", "base.json")["runs"]
    assert run["invocations"][0]["exitCode"] == int(row.outcome)
    found = [r for r in run["results"] if r["locations"][0]["logicalLocations"][0]["name"] == row.kernel]
    wanted = SARIF.get(row.verdict)
    assert [r["level"] for r in found] == ([wanted] if wanted else [])
    assert ["suppressions" in r for r in found] == ([row.verdict is Ruling.WAIVED] if wanted else [])


def test_github_says_so(case):
    row, result = case
    found = [
        line
        for line in github_annotations(result)
        if f"› {row.kernel}::" in line or f" {row.kernel}::" in line
    ]
    wanted = GITHUB.get(row.verdict)
    assert [line[: len(wanted)] for line in found] == [wanted] if wanted else not found


def test_gitlab_says_so(case):
    row, result = case
    found = [
        e
        for e in gitlab_code_quality(result, "", "base.json")
        if e["description"].split(":")[0].endswith(row.kernel)
    ]
    wanted = GITLAB.get(row.verdict)
    assert [e["severity"] for e in found] == ([wanted] if wanted else [])


def test_markdown_says_so(case):
    row, result = case
    text = check_markdown(result)
    icon = {Outcome.PASSED: "✅", Outcome.REGRESSED: "❌", Outcome.INCONCLUSIVE: "⚠️"}[row.outcome]
    assert text.startswith(f"## {icon} ")
    sections = text.split("### ")[1:]
    name = row.kernel.replace("_", "\\_")
    inside = [s.split(" (")[0] for s in sections if f" {name} |" in s]
    wanted = MARKDOWN.get(row.verdict)
    assert inside == ([wanted] if wanted else [])


def test_the_terminal_says_so(case):
    row, result = case
    first, *rest = printed(show_check, result, width=100, details=True).splitlines()
    opening = {
        Outcome.PASSED: "No ",
        Outcome.REGRESSED: "REGRESSION",
        Outcome.INCONCLUSIVE: "Inconclusive",
    }
    assert first.startswith(opening[row.outcome])
    lines = [line for line in rest if line.split("  ")[0] == (row.verdict.value if row.verdict else "")]
    listed = [line for line in lines if row.kernel in line]
    assert bool(listed) == (row.verdict not in (None, Ruling.UNCHANGED))

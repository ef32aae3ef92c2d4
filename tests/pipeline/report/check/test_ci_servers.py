"""SARIF, checked against the schema of the standard."""

import json
import re

import jsonschema
import pytest
from junitparser import Failure, JUnitXml, Skipped

from pipeline.gate.check_result import Finding, Ground, Outcome, PointRatio, Ruling, StudySide
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.check.ci_servers import (
    check_markdown,
    github_annotations,
    gitlab_code_quality,
    junit_xml,
    sarif_document,
)
from pipeline.report.check.wording import headline, seen_text
from tests.pipeline.report.check.results import POWER, kernel, kernels, result
from tests.pipeline.report.check.sarif_subset import SARIF


def test_annotations_are_single_lines_and_at_most_ten(nasty):
    lines = github_annotations(nasty, "/src")
    assert 1 <= len(lines) <= 10
    assert all(line.startswith(("::error ", "::warning ")) and "\n" not in line for line in lines)
    assert any(line.startswith("::error file=") and ",line=" in line for line in lines)
    assert len(github_annotations(result(*kernels(12), reasons=("another machine",)))) == 10


def test_annotations_tell_the_place_and_the_story():
    one = kernel("f,g", file="/src/a,b.c", line=7, evidence=(Finding(Ground.MEASURED, "50 %\r\nmore"),))
    reasons = ("another machine",)
    other = kernel("h", Ruling.INCONCLUSIVE, evidence=(), advice="measure again")
    lines = github_annotations(result(one, other, kernel("i", Ruling.WAIVED), reasons=reasons), "/src")
    assert lines == [
        "::warning title=Scalability regression in 1 function::another machine",
        "::error file=a%2Cb.c,line=7,title=regression%3A main › f%2Cg::50 %25%0Amore",
        "::warning title=inconclusive%3A main › h::measure again",
    ]


def test_code_quality_has_gitlabs_keys(nasty):
    entries = gitlab_code_quality(nasty, "/src", "base.json")
    assert len({e["fingerprint"] for e in entries}) == len(entries)
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not entry["location"]["path"].startswith("/")


def test_code_quality_needs_a_file_and_a_line():
    found = result(kernel(file="/src/a.c", line=7), kernel())
    places = [e["location"] for e in gitlab_code_quality(found, "/src", "base.json")]
    assert places == [
        {"path": "a.c", "lines": {"begin": 7}},
        {"path": "base.json", "lines": {"begin": 1}},
    ]
    (entry,) = gitlab_code_quality(result(kernel()), "/src", "/src/ci/base.json")
    assert entry["location"]["path"] == "ci/base.json"


def test_junit_has_a_case_per_kernel(nasty, tmp_path):
    file = tmp_path / "check.xml"
    file.write_text(junit_xml(nasty), encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(file))
    cases = list(suite)
    assert len(cases) == suite.tests == len(nasty.kernels)
    failed = [c.name for c in cases if any(isinstance(r, Failure) for r in c.result)]
    assert suite.failures == len(failed) == len(nasty.of(Ruling.REGRESSION))
    assert any("alert" in name for name in failed)
    assert any(isinstance(r, Skipped) and "waived" in r.message for c in cases for r in c.result)


def test_junit_counts_failures_and_what_is_skipped(tmp_path):
    file = tmp_path / "check.xml"
    everything = [kernel(verdict.value, verdict) for verdict in Ruling] + kernels(2)
    for reasons in ((), ("another machine", "another filter")):
        checked = result(*everything, reasons=reasons)
        file.write_text(junit_xml(checked), encoding="utf-8")
        whole = JUnitXml.fromfile(str(file))
        (suite,) = whole
        extra = len(reasons)
        assert (suite.tests, suite.failures, suite.skipped) == (11 + extra, 3 + extra, 4)
        assert (whole.tests, whole.failures, whole.errors) == (11 + extra, 3 + extra, 0)
        assert {case.time for case in suite} == {0.0}
    first, second = list(suite)[:2]
    assert (first.name, second.name) == ("incomparable", "incomparable")
    ((one,), (two,)) = first.result, second.result
    assert (one.type, one.text, two.text) == ("incomparable", "another machine", "another filter")
    assert one.message == headline(checked)


def test_junit_states_the_power(tmp_path):
    file = tmp_path / "check.xml"
    powerful = result(kernel(), power=POWER)
    file.write_text(junit_xml(powerful), encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(file))
    assert suite.tests == len(list(suite)) == 1
    assert [(one.name, one.value) for one in suite.properties()] == [("power", seen_text(powerful))]


def test_sarif_has_what_the_standard_requires(nasty):
    document = json.loads(json.dumps(sarif_document(nasty, "/src", "base.json")))
    jsonschema.validate(document, SARIF)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({r["id"] for r in rules}) == len(rules)
    assert run["results"]
    for entry in run["results"]:
        assert rules[entry["ruleIndex"]]["id"] == entry["ruleId"]
        (location,) = entry["locations"]
        physical = location["physicalLocation"]
        assert not physical["artifactLocation"]["uri"].startswith(("/", "file:"))
        assert re.fullmatch(r"[\w./%~-]+", physical["artifactLocation"]["uri"])
        assert physical["region"]["startLine"] >= 1
    suppressed = [e for e in run["results"] if "suppressions" in e]
    assert all(e["suppressions"][0]["kind"] == "external" for e in suppressed)
    assert suppressed


def test_sarif_says_what_was_run_and_what_it_found():
    growth = (Finding(Ground.GROWTH, "scales worse"),)
    found = [
        kernel("a", file="/src/a b.c", line=7),
        kernel("b", evidence=growth, file="/src/b.c", line=9),
        kernel("c", Ruling.WAIVED, advice="waived until 2027-01-31: known"),
        kernel("d", Ruling.UNCHANGED),
    ]
    one = result(*found, reasons=("another machine",), notices=("beware",), outcome=Outcome.INCONCLUSIVE)
    (run,) = sarif_document(one, "", "base.json")["runs"]
    (invocation,) = run["invocations"]
    assert (invocation["exitCode"], invocation["exitCodeDescription"]) == (3, headline(one))
    notes = [n["message"]["text"] for n in invocation["toolExecutionNotifications"]]
    assert notes == ["another machine", "beware"]
    assert invocation["executionSuccessful"] is True
    assert run["tool"]["driver"]["name"] == "pipeline check"
    assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["effort-increased", "growth-worsened"]
    a, b, c = run["results"]
    assert (a["ruleId"], b["ruleId"], c["ruleId"]) == (
        "effort-increased",
        "growth-worsened",
        "effort-increased",
    )
    place = a["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "file:///src/a%20b.c"}, "region": {"startLine": 7}}
    assert a["locations"][0]["logicalLocations"] == [
        {"name": "a", "fullyQualifiedName": "main/a", "kind": "function"}
    ]
    assert c["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "base.json"},
        "region": {"startLine": 1},
    }
    (run,) = sarif_document(one, "/ci", "/ci/base line.json")["runs"]
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
    assert uris == ["file:///src/a%20b.c", "file:///src/b.c", "base%20line.json"]
    assert c["suppressions"] == [{"kind": "external", "justification": "waived until 2027-01-31: known"}]
    assert len(a["partialFingerprints"]["kernel/v1"]) == 32
    relative = sarif_document(one, "/src", "")["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert relative["artifactLocation"]["uri"] == "a%20b.c"


def test_fingerprints_tell_kernels_and_findings_apart_and_nothing_else():
    one = kernel("a", file="a.c", line=7)
    moved = kernel("a", Ruling.WAIVED, file="b.c", line=8, advice="known")
    other = [
        kernel("b"),
        kernel("a", evidence=(Finding(Ground.GROWTH, ""),)),
        kernel("a", evidence=()),
        kernel(kernel=KernelId(Scope.REGION, ("main", "a"))),
    ]

    def fingerprint(kernel):
        (entry,) = gitlab_code_quality(result(kernel), "", "base.json")
        return entry["fingerprint"]

    assert fingerprint(one) == fingerprint(moved)
    assert re.fullmatch("[0-9a-f]{64}", fingerprint(one))
    assert len({fingerprint(k) for k in (one, *other)}) == 5
    assert fingerprint(kernel("\udcff"))


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
    ratios = "1.50 | 1.00 .. 1.00 | 1.75 | 1.2 .. 1234"
    assert f"| main › f | 2.00 | 3.00 | 25.0 % | {ratios} | constant → p | f.c\\:7 |" in text
    assert r"| main › g | \- | 3.00 | 25.0 % | \- | \- | \- | \- |  |  |" in text
    assert r"| main › h | 2.00 | \- | 10.0 % |" in text
    assert r"baseline \[core\-s\] | now \[core\-s\]" in text
    assert "| baseline | now |" in check_markdown(result(full, unit=""))


def test_markdown_shows_reasons_and_notices():
    text = check_markdown(result(kernel(), reasons=("another *machine*",), notices=("beware",)))
    assert "- another \\*machine\\*\n" in text
    assert "> beware\n" in text

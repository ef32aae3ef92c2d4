"""Outputs of a check, read by the readers and rules of those they are for."""

import datetime
import json
import re

import jsonschema
import pytest
from junitparser import Failure, JUnitXml, Skipped

from pipeline.gate.check import check
from pipeline.gate.options import CheckOptions, Waiver
from pipeline.models.options import ModelOptions
from pipeline.report.check.annotations import github_annotations, gitlab_code_quality
from pipeline.report.check.comparison import comparison_html
from pipeline.report.check.junit import junit_xml
from pipeline.report.check.markdown import check_markdown
from pipeline.report.check.sarif import sarif_document
from tests.pipeline.gate.studies import many, study
from tests.pipeline.report.check.sarif_subset import SARIF

NASTY = '<script>alert("1")</script>|`&%\n\x01'


@pytest.fixture(scope="module")
def result():
    changed = many(**{NASTY: 90.0, "operator<<": 60.0})
    options = CheckOptions(waivers=(Waiver(match="*/operator<<", reason="known", until=datetime.date.max),))
    before = study(many(**{NASTY: 30.0, "operator<<": 30.0}), seed=1)
    return check(study(changed, seed=2), before, options, ModelOptions(), datetime.date(2026, 1, 1))


def test_junit_has_a_case_a_kernel(result, tmp_path):
    file = tmp_path / "check.xml"
    file.write_text(junit_xml(result), encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(file))
    cases = list(suite)
    assert len(cases) == suite.tests == len(result.kernels)
    failed = [c.name for c in cases if any(isinstance(r, Failure) for r in c.result)]
    assert suite.failures == len(failed)
    assert any("alert" in name for name in failed)
    assert any(isinstance(r, Skipped) and "waived" in r.message for c in cases for r in c.result)


def test_sarif_has_what_the_standard_requires(result):
    document = json.loads(json.dumps(sarif_document(result, "/src")))
    jsonschema.validate(document, SARIF)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({r["id"] for r in rules}) == len(rules)
    assert run["results"]
    for entry in run["results"]:
        assert rules[entry["ruleIndex"]]["id"] == entry["ruleId"]
        (location,) = entry["locations"]
        physical = location.get("physicalLocation")
        if physical is not None:
            assert not physical["artifactLocation"]["uri"].startswith(("/", "file:"))
            assert re.fullmatch(r"[\w./%~-]+", physical["artifactLocation"]["uri"])
            assert physical["region"]["startLine"] >= 1
    suppressed = [e for e in run["results"] if "suppressions" in e]
    assert all(e["suppressions"][0]["kind"] == "external" for e in suppressed)
    assert suppressed


def test_markdown_escapes_names_and_keeps_its_tables(result):
    text = check_markdown(result)
    assert "<script>" not in text
    table = [line for line in text.splitlines() if line.startswith("| ")]
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    assert columns == {9}


def test_annotations_are_single_lines_and_at_most_ten(result):
    lines = github_annotations(result, "/src")
    assert 1 <= len(lines) <= 10
    assert all(line.startswith(("::error ", "::warning ")) and "\n" not in line for line in lines)
    assert any(line.startswith("::error file=") and ",line=" in line for line in lines)


def test_code_quality_has_gitlabs_keys(result):
    entries = gitlab_code_quality(result, "/src")
    assert len({e["fingerprint"] for e in entries}) == len(entries)
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not entry["location"]["path"].startswith("/")


def test_the_comparison_page_is_escaped_and_needs_nothing_else(result):
    page = comparison_html(result, (), "a<b", "c&d")
    assert "<script" not in page
    assert "a&lt;b" in page and "c&amp;d" in page
    assert not re.search(r"(src|href)=|url\(|@import", page)

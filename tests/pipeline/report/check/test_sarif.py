"""SARIF, checked against the schema of the standard."""

import json
import re

import jsonschema

from pipeline.gate.check_result import Finding, Ground, Outcome, Ruling
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.check.ci_servers import fingerprint, sarif_document
from pipeline.report.check.wording import headline
from tests.pipeline.report.check.results import kernel, result
from tests.pipeline.report.check.sarif_subset import SARIF


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
    assert fingerprint(one) == fingerprint(moved)
    assert re.fullmatch("[0-9a-f]{64}", fingerprint(one))
    assert len({fingerprint(k) for k in (one, *other)}) == 5
    assert fingerprint(kernel("\udcff"))

from junitparser import Failure, JUnitXml, Skipped

from pipeline.gate.check_result import Finding, Ground, Ruling
from pipeline.report.check.ci_servers import github_annotations, gitlab_code_quality, junit_xml
from pipeline.report.check.wording import headline, power_text
from tests.pipeline.report.check.results import POWER, kernel, kernels, result


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
        "::warning title=Scalability regression in 1 kernel::another machine",
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
    file.write_text(junit_xml(result(kernel(), power=POWER)), encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(file))
    assert suite.tests == len(list(suite)) == 1
    assert [(one.name, one.value) for one in suite.properties()] == [("power", power_text(POWER))]

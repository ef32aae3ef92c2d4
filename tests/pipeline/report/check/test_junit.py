"""JUnit XML, read by another reader."""

from junitparser import Failure, JUnitXml, Skipped

from pipeline.gate.check_result import Ruling
from pipeline.report.check.junit import junit_xml
from pipeline.report.check.wording import headline, power_text
from tests.pipeline.report.check.results import POWER, kernel, kernels, result


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

"""What people and CI servers read, as approved; see `tests.snapshots`."""

import json
import re

import pytest

from pipeline.gate.check_result import Outcome, Ruling
from pipeline.report.check.ci_servers import (
    check_markdown,
    github_annotations,
    gitlab_code_quality,
    junit_xml,
)
from pipeline.report.check.document import check_document
from pipeline.report.check.terminal import show_check, show_comparison
from pipeline.report.page.comparison_page import comparison_html
from tests.pipeline.report.check.results import compared, kernel, of_every_kind, result, studies
from tests.terminal_output import printed


@pytest.fixture(scope="module")
def every_kind():
    return of_every_kind()


def test_there_is_a_kernel_of_every_verdict(every_kind):
    assert {k.verdict for k in every_kind.result.kernels} == set(Ruling)


def test_the_terminal(every_kind, snapshot):
    snapshot(printed(show_check, every_kind.result, limit=15), "terminal.txt")


def test_a_wide_terminal_shows_growth_and_longer_names(every_kind, snapshot):
    text = printed(show_check, every_kind.result, limit=15, width=120, details=True)
    snapshot(text, "terminal-wide.txt")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_broken(every_kind, width):
    for show, one in ((show_check, every_kind.result), (show_comparison, every_kind)):
        text, whole = (printed(show, one, limit=15, width=room) for room in (width, 10_000))
        assert max(map(len, text.splitlines())) <= width
        assert text.split() == whole.split()


def test_the_terminal_of_a_check_that_passes(snapshot):
    nothing = result(kernel(verdict=Ruling.UNCHANGED, evidence=()), outcome=Outcome.PASSED)
    snapshot(printed(show_check, nothing), "terminal-passed.txt")


def test_the_terminal_of_studies_that_cannot_be_compared(snapshot):
    reasons = ("different machine: alps in the baseline, jura here; measure the baseline again",)
    snapshot(
        printed(show_check, result(kernel(), outcome=Outcome.INCONCLUSIVE, reasons=reasons)),
        "terminal-incomparable.txt",
    )


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("check.md", check_markdown),
        ("junit.xml", junit_xml),
        ("github.txt", lambda found: "\n".join(github_annotations(found, "/src")) + "\n"),
        (
            "gitlab.json",
            lambda found: json.dumps(gitlab_code_quality(found, "/src", "pipeline.toml"), indent=1) + "\n",
        ),
    ],
)
def test_ci_servers(every_kind, snapshot, name, made):
    snapshot(made(every_kind.result), name)


def test_a_comparison_in_the_terminal(every_kind, snapshot):
    snapshot(printed(show_comparison, every_kind, limit=15), "comparison.txt")


def test_a_comparison_as_a_page(snapshot):
    one = result(kernel(), kernel("g", Ruling.IMPROVEMENT), kernel("h", Ruling.UNCHANGED, evidence=()))
    page = comparison_html(compared(one, names=("results-gcc", "results-llvm")), studies())
    # its styles and modules
    report = r"<style>.*?</style>|<script.*?</script>|(script|style)-src (&#39;sha256-\S+?&#39; ?)+;"
    page = re.sub(report, "", page, flags=re.DOTALL)
    snapshot(page, "comparison.html")


def test_check_json_of_one_kernel(snapshot):
    snapshot(json.dumps(check_document(result(kernel())), indent=1) + "\n", "check.json")

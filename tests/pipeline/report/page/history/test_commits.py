from dataclasses import replace

import pytest

from ingest.errors import UsageError
from pipeline.report.page.history.history_words import HistoryWords, checked_template, short_label
from tests.pipeline.report.page.history.histories import digest, history

TEMPLATE = "https://example.org/{commit}?x={commit}"


def test_a_stored_commit_is_linked():
    commits = HistoryWords(history(2), TEMPLATE)
    assert (commits.name(1), commits.commit(1)) == ("c1", digest("1"))
    assert commits.address(1) == f"https://example.org/{digest('1')}?x={digest('1')}"
    assert HistoryWords(history(2)).address(1) == ""


def test_a_label_is_linked_if_it_is_a_digest():
    entries = replace(history(3), commits=("", "", ""), labels=("0a1b2c3", "release 1", "v2 0a1b2c3"))
    commits = HistoryWords(entries, TEMPLATE)
    assert commits.address(0) == "https://example.org/0a1b2c3?x=0a1b2c3"
    assert commits.address(1) == commits.address(2) == ""


def test_whatever_a_commit_is_called_it_stays_within_the_address():
    entries = replace(history(1), commits=("../a b\"'<>#?&",))
    assert (
        HistoryWords(entries, "https://a/{commit}").address(0) == "https://a/..%2Fa%20b%22%27%3C%3E%23%3F%26"
    )


def test_labels_are_shown_in_one_line():
    assert short_label(digest("x")) == digest("x")[:10]
    assert short_label("release\n1") == "release 1"
    assert len(short_label("a long label of forty characters or more")) == 24
    assert short_label("\u202eabc") == "\\u202eabc"


def test_addresses_of_the_web_with_a_place_for_the_commit():
    for template in ("https://example.org/c/{commit}", "http://git/{commit}.html"):
        assert checked_template(template) == template


@pytest.mark.parametrize(
    "template",
    [
        "https://example.org/",
        "javascript:alert({commit})",
        "{commit}",
        "https://a/{commit} b",
        'https://a/"{commit}',
    ],
)
def test_other_templates_are_refused(template):
    with pytest.raises(UsageError, match=r"--commit-url: .* is not an address with \{commit\}"):
        checked_template(template)

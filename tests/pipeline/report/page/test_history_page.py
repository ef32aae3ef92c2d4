import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.report.page.history_page import checked_template, history_page, history_view, pull_request
from pipeline.wording.escaping import markdown
from tests.pipeline.report.page.histories import HOSTILE, KERNELS, digest, history
from tests.pipeline.report.page.studies import carried, floats

TEMPLATE = "https://example.org/commit/{commit}"


def page(entries, template=TEMPLATE):
    return history_page(history_view(entries, template))


def text_of(page):
    """What a page shows, on one line."""

    class Texts(HTMLParser):
        def __init__(self):
            super().__init__()
            self.texts, self.hidden = [], 0

        def handle_starttag(self, tag, attrs):
            self.hidden += tag in ("script", "style")

        def handle_endtag(self, tag):
            self.hidden -= tag in ("script", "style")

        def handle_data(self, text):
            if not self.hidden:
                self.texts.append(text)

    parser = Texts()
    parser.feed(page)
    return " ".join(" ".join(parser.texts).split())


def test_the_page_loads_nothing_and_runs_only_its_own_script():
    text = page(history())
    policy = html.unescape(re.search(r'Security-Policy" content="([^"]*)"', text)[1])
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert not re.search(r"(?:src|srcset|action)=[\"']?http", text)
    assert " style=" not in text.split("<script", 1)[0]
    assert "unsafe" not in policy


def test_hostile_names_are_text():
    kernels = (KERNELS[0], KERNELS[3], *KERNELS[1:3])  # the hostile one changes, too
    text = page(history(kernels=kernels))
    assert "<img" not in text and "&lt;img" in text
    assert HOSTILE in carried(text)["columns"][0]["texts"]


def test_the_page_says_what_changed_and_where():
    text = page(history(60))
    shown = text_of(text)
    assert f'<a class="commit" href="https://example.org/commit/{digest("40")}">c40</a>' in text
    assert re.search(
        r"Time at p = 512 is 5\d\d ms; since c40 \(2025-07-25\) its median is .*, up from 39", shown
    )
    assert re.search(
        r"solve also whole program c40 2025-07-25 Time at p = 512 ▲ × 1\.[45]\d 1\.\d+ \.\.", shown
    )
    assert "60 from 2025-06-15 on" in shown and "cluster" in shown
    assert re.search(r"6 of 20 series have a change point; if nothing changed, about 0.20 of", shown)


def test_a_row_per_kernel_has_the_newest_figures_and_changes():
    data = carried(page(history(60)))
    assert [column["key"] for column in data["columns"]] == [
        *("kernel", "share", "target", "measured", "growth", "efficiency", "change", "model")
    ]
    whole = " ".join(column["texts"][0] for column in data["columns"])
    assert re.fullmatch(r"whole program 100.0 % \d+ ms 1\d\d core-s × 1.4\d 5\d.\d % c40 p\^\(1/2\)", whole)
    assert (data["levels"][3:], data["places"][3:]) == (
        ["callpath", "region"],
        ["main", "region, all its call paths"],
    )
    (change,) = data["changes"][1]
    assert change.pop("factor")[:6] == "▲ × 1." and change.pop("interval")[:2] == "1."
    assert change.pop("before") < change.pop("after")
    assert change == {
        "name": "c40",
        "address": f"https://example.org/commit/{digest('40')}",
        "date": "2025-07-25",
        "between": "",
        "what": "Time at p = 512",
        "direction": "worse",
    }
    assert data["changes"][2] == []


def test_charts_have_values_levels_and_change_points():
    entries = history(60)
    data = carried(page(entries))
    assert (data["names"][40], data["dates"][40]) == ("c40", "2025-07-25")
    assert [entry for entry, _ in data["ticks"]] == [9, 19, 29, 39, 49, 59]
    assert data["ticks"][-1] == [59, "2025-08-13"]
    assert [entry for entry, _ in carried(page(history(6)))["ticks"]] == [0, 1, 2, 3, 4, 5]
    measured = data["measures"][0]
    assert (measured["title"], measured["unit"]) == ("Effort measured at p = 128", "core-s")
    values = np.array(floats(measured["values"])).reshape(5, 60)
    assert values == pytest.approx(entries.value, rel=1e-3)
    assert measured["levels"][1] == [
        [0, 40, pytest.approx(np.median(entries.value[1, :40]), rel=1e-5)],
        [40, 60, pytest.approx(np.median(entries.value[1, 40:]), rel=1e-5)],
    ]
    assert measured["changes"][:3] == [[[40, 40, 40, "worse"]], [[40, 40, 40, "worse"]], []]
    faster = carried(page(history(60, step=0.5)))["measures"]
    assert [one["changes"][1][0][3] for one in faster if one["changes"][1]] == ["better", "better", "better"]


def test_of_very_many_entries_the_charts_show_the_newest():
    text = page(history(1500, at=1400, kernels=KERNELS[:2], digests=True))
    assert "Charts show the newest 1000 of 1500 entries." in text
    data = carried(text)
    assert len(data["names"]) == 1000 and data["ticks"][-1][0] == 999
    assert [one[:2] for one in data["measures"][0]["levels"][1]] == [[0, 900], [900, 1000]]
    assert data["measures"][0]["changes"][1] == [[900, 900, 900, "worse"]]
    old = carried(page(history(1500, at=100, kernels=KERNELS[:2])))["measures"][0]
    assert old["changes"][1] == [] and [one[:2] for one in old["levels"][1]] == [[0, 1000]]


def test_the_headline_is_the_time_at_the_target_if_it_is_known():
    entries = history(20, at=99)
    assert re.search(
        r"Entries: 20 from \S+ on · cluster c19, \S+ Time at p = 512 is \d+ ms; ", text_of(page(entries))
    )
    entries.predicted[0, -1] = np.nan
    assert re.search(r"c19, \S+ Effort measured at p = 128 is [\d.]+ core-s; ", text_of(page(entries)))
    assert carried(page(entries))["opening"] == "measured"
    entries.value[0, -1] = np.nan
    assert "Nothing is known of the newest entry" in text_of(page(entries))


def test_a_history_without_change_says_so():
    text = text_of(page(history(60, at=99)))
    assert re.search(r"the median of all entries is \d+ ms, no change point ", text)
    assert "No change point." in text
    few = text_of(page(history(5, at=99)))
    assert "ms; too few entries to find drifts: 5, at least 7 are needed" in few
    assert "by chance" in text and "by chance" not in few


def test_what_the_test_against_the_entry_before_found_is_in_the_headline_and_the_table():
    entries = history(5, at=99, digests=True)
    entries.step[0, 3:], entries.step[1, 3] = 1, 1
    names = entries.labels
    tested = [
        replace(entries.totals[n], previous=names[n - 1], step="regression", said=said)
        for n, said in ((3, "2.0 times slower at p = 128"), (4, "<b>"))
    ]
    entries = replace(entries, totals=(*entries.totals[:3], *tested))
    text = page(entries)
    headline = f"; REGRESSION against {names[3][:10]}: <b>; too few entries"
    assert headline in text_of(text) and "<b>;" not in text
    earlier = f"{names[3][:10]}: REGRESSION against {names[2][:10]}: 2.0 times slower at p = 128."
    assert earlier in text_of(text)
    column = next(one for one in carried(text)["columns"] if one["title"].startswith("Against"))
    assert column["texts"][:2] == ["REGRESSION", ""]
    assert markdown(earlier) in pull_request(history_view(entries))


def test_an_uncertain_place_is_said_with_its_ends():
    text = text_of(page(history(80, step=1.06, noise=0.03, seed=3)))
    assert re.search(r"c\d+ to c\d+, \d+ entries", text)


def test_a_kernel_that_the_newest_entry_lacks_has_its_last_share():
    entries = history(20, at=99)
    for values in (entries.value, entries.predicted, entries.wall_seconds, entries.efficiency, entries.share):
        values[2, -1] = np.nan
    name, share, target, *_ = (column["texts"][2] for column in carried(page(entries))["columns"])
    assert (name, target) == ("MPI_Allreduce", "-")
    assert re.fullmatch(r"\d\d\.\d %", share), "the last one that is known"


def test_markdown_for_a_pull_request():
    entries = history(60)
    text = pull_request(history_view(entries, TEMPLATE))
    assert text.startswith(f"## Scaling at [c59](<https://example.org/commit/{digest('59')}>)\n")
    assert re.search(r"\| Time at p = 512 \| 5\d\d ms \| 5\d\d ms \| × (0\.9|1\.0)\d* \|", text)
    assert "### Changes in the last 20 entries (1)" in text
    row = r"\| solve<br><sub>main</sub><br><sub>also whole program</sub> \|"
    row += r" \[c40\]\(<\S+>\) \| Time at p = 512 \| 🔺 × 1\.[45]"
    assert re.search(row, text)
    assert "### Against" not in text
    entries.step[3, -1] = 1
    totals = (*entries.totals[:-1], replace(entries.totals[-1], previous="c58"))
    text = pull_request(history_view(replace(entries, totals=totals), TEMPLATE))
    assert re.search(r"### Against c58 \(1\)\n\n\* .*img src=x onerror.*: REGRESSION\n", text)
    assert "<img" not in text and "<script" not in text
    quiet, few = (pull_request(history_view(history(n, at=99))) for n in (60, 4))
    assert "No change point in the last 20 entries" in quiet
    assert "Too few entries to find drifts: 4, at least 7 are needed" in few


def test_commits_are_linked_if_they_are_stored_or_labels_are_digests():
    template = "https://example.org/{commit}?x={commit}"
    view = history_view(history(2), template)
    assert (view.name(1), view.address(1)) == (
        "c1",
        f"https://example.org/{digest('1')}?x={digest('1')}",
    )
    assert history_view(history(2)).address(1) == ""
    assert "example.org" not in page(history(), "")
    entries = replace(history(3), commits=("", "", ""), labels=("0a1b2c3", "release 1", "v2 0a1b2c3"))
    view = history_view(entries, "https://example.org/{commit}")
    assert view.address(0) == "https://example.org/0a1b2c3"
    assert view.address(1) == view.address(2) == ""
    hostile = history_view(replace(history(1), commits=("../a b\"'<>#?&",)), "https://a/{commit}")
    assert hostile.address(0) == "https://a/..%2Fa%20b%22%27%3C%3E%23%3F%26"


def test_labels_are_shown_in_one_line():
    labels = (digest("x"), "release\n1", "a long label of forty characters or more", "\u202eabc")
    view = history_view(replace(history(4), labels=labels))
    assert [view.name(n) for n in (0, 1, 3)] == [digest("x")[:10], "release 1", "\\u202eabc"]
    assert len(view.name(2)) == 24


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

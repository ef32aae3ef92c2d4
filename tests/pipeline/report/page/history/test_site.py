import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.page.history import site
from pipeline.report.page.history.site import page_of
from tests.pipeline.report.page.history.conftest import TEMPLATE
from tests.pipeline.report.page.history.histories import HOSTILE, KERNELS, TOTAL, digest, history
from tests.pipeline.report.page.studies import carried


def files(entries, template=TEMPLATE):
    return dict(site(entries, template))


def pages(found):
    return {path: text for path, text in found.items() if path.endswith(".html")}


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


def test_there_is_a_page_per_kernel_a_badge_and_markdown_and_the_index_comes_last():
    found = files(history())
    assert list(found)[-1] == "index.html"
    assert set(found) == {"index.html", "badge.svg", "pull-request.md", *map(page_of, KERNELS)}
    assert len(set(map(page_of, KERNELS))) == len(KERNELS)


def test_addresses_of_pages_are_stable_and_harmless():
    assert page_of(TOTAL) == "kernels/whole-program-92a123c8be.html"
    hostile = page_of(KernelId(Scope.CALLPATH, ("main", "../" + HOSTILE)))
    assert re.fullmatch(r"kernels/[a-z0-9-]+\.html", hostile)
    assert re.fullmatch(r"kernels/kernel-[0-9a-f]{10}\.html", page_of(KernelId(Scope.CALLPATH, ("演算",))))


def test_pages_load_nothing_and_run_only_their_own_script():
    for path, text in pages(files(history())).items():
        policy = html.unescape(re.search(r'Security-Policy" content="([^"]*)"', text)[1])
        assert policy.startswith("default-src 'none'; script-src 'sha256-"), path
        assert not re.search(r"(?:src|srcset|action)=[\"']?http", text), path
        assert " style=" not in text.split("<script", 1)[0], path
        assert "unsafe" not in policy


def test_hostile_names_are_text():
    for path, text in files(history()).items():
        if path.endswith((".html", ".svg")):
            assert "<img" not in text, path
    assert HOSTILE in carried(files(history())["index.html"])["columns"][0]["texts"]
    assert "&lt;img" in files(history())[page_of(KERNELS[3])]


def test_the_index_says_what_changed_and_where():
    page = files(history(60))["index.html"]
    text = text_of(page)
    commit = f'<a class="commit" href="https://example.org/commit/{digest("40")}">c40</a>'
    assert commit in page
    assert "1 change for the worse and 0 for the better in the last 20 entries" in text
    assert re.search(r"solve also whole program c40", text)
    assert "60 from 2025-06-15 on" in text and "cluster" in text
    matrix = carried(page)
    whole = " ".join(column["texts"][0] for column in matrix["columns"])
    assert re.fullmatch(r"whole program 100.0 % \d+ ms × 1.4\d 5\d.\d % c40", whole)
    assert matrix["changes"][0].pop("factor")[:7] in ("▲ × 1.4", "▲ × 1.5")
    assert matrix["changes"][0] == {
        "direction": "worse",
        "name": "c40",
        "address": f"https://example.org/commit/{digest('40')}",
        "date": "2025-07-25",
        "between": "",
    }
    assert re.search(r"6 of 20 series have a change point; if nothing changed, about 0.20 of", text)


def test_the_headline_is_the_time_at_the_target_if_it_is_known():
    entries = history(20, at=99)
    assert re.search(
        r"Scaling history c19, \S+ \d+ ms time at p = 512; ", text_of(files(entries)["index.html"])
    )
    entries.predicted[0, -1] = np.nan
    page = text_of(files(entries)["index.html"])
    assert re.search(r"Scaling history c19, \S+ [\d.]+ core-s effort measured at p = 128; ", page)
    entries.value[0, -1] = np.nan
    assert "Nothing is known of the newest entry" in text_of(files(entries)["index.html"])


def test_a_history_without_change_says_so():
    text = text_of(files(history(60, at=99))["index.html"])
    assert "0 changes for the worse and 0 for the better" in text
    assert "No change point." in text
    few = text_of(files(history(5, at=99))["index.html"])
    assert "too few entries to tell: 5, at least 7 are needed" in few


def test_a_page_has_the_newest_figures_and_the_changes_of_its_kernel():
    text = text_of(files(history(60))[page_of(KERNELS[1])])
    assert "Share" in text and "Growth of its model p^(1/2)" in text and "main › solve" in text
    assert re.search(r"90 % interval of the newest prediction \d+ ms .. \d+ ms", text)
    assert re.search(r"c40 2025-07-25 ▲ × 1.\d+ 1.\d+ .. 1.\d+ 6\d.\d core-s → 9\d.\d core-s", text)
    assert re.search(
        r"solve \d+ ms time at p = 512; \d+ ms is the median since c40 \(\S+\), \d+ ms before", text
    )
    quiet = text_of(files(history(60))[page_of(KERNELS[2])])
    assert "No change point." in quiet


def test_an_uncertain_place_is_said_with_its_ends():
    text = text_of(files(history(80, step=1.06, noise=0.03, seed=3))[page_of(KERNELS[1])])
    assert re.search(r"c\d+ to c\d+, \d+ entries", text)


def test_a_kernel_that_the_newest_entry_lacks_says_so():
    entries = history(20, at=99)
    for values in (entries.value, entries.predicted, entries.wall_seconds, entries.efficiency, entries.share):
        values[2, -1] = np.nan
    found = files(entries)
    assert "Newest entry does not have this kernel" in text_of(found[page_of(KERNELS[2])])
    name, share, target, *_ = (column["texts"][2] for column in carried(found["index.html"])["columns"])
    assert (name, target) == ("MPI_Allreduce", "-")
    assert re.fullmatch(r"\d\d\.\d %", share), "the last one that is known"


def test_without_a_template_nothing_is_linked():
    found = files(history(), "")
    assert "example.org" not in "".join(found.values())
    assert '<span class="commit">c40</span>' in found["index.html"]


def test_the_badge_says_time_efficiency_and_recent_change():
    badge = files(history(60))["badge.svg"]
    assert re.search(r"<title>at p = 512: 5\d\d ms, 5\d\.\d % efficient ▲ × 1\.[45]\d*</title>", badge)
    assert "#b03a22" in badge
    assert "#00704f" in files(history(60, step=0.5))["badge.svg"]
    calm = files(history(80))["badge.svg"]  # the change is 40 entries back
    assert "▲" not in calm and "#1c5fb8" in calm
    unknown = replace(history(3), efficiency=np.full((5, 3), np.nan))
    assert "efficient" not in files(unknown)["badge.svg"]


def test_markdown_for_a_pull_request():
    entries = history(60)
    entries.value[3, -1] *= 3
    text = files(entries)["pull-request.md"]
    assert text.startswith(f"## Scaling at [c59](<https://example.org/commit/{digest('59')}>)\n")
    assert re.search(r"\| Time at p = 512 \| 5\d\d ms \| 5\d\d ms \| × (0\.9|1\.0)\d* \|", text)
    assert "### Changes in the last 20 entries (1)" in text
    row = r"\| solve<br><sub>main</sub><br><sub>also whole program</sub> \|"
    row += r" \[c40\]\(<\S+>\) \| Time at p = 512 \| 🔺 × 1\.[45]"
    assert re.search(row, text)
    (title,) = re.findall(r"### Outside of all values since .* \((\d), by chance about ([\d.]+)\)", text)
    assert 1 <= int(title[0]) <= 2 and float(title[1]) == pytest.approx(3 * 2 / 51, abs=0.01)
    assert re.search(r"img src=x onerror.*\| [\d.]+ core\\-s \| 2\.9\d*|3\.\d* \|", text)
    assert "<img" not in text and "<script" not in text
    assert "No change point in the last 20 entries" in files(history(60, at=99))["pull-request.md"]
    assert "Too few entries to tell: 4, at least 7 are needed" in files(history(4, at=99))["pull-request.md"]


@pytest.mark.slow
def test_entries_are_carried_in_little_space():
    entries = history(300, digests=True)
    data = carried(files(entries)[page_of(KERNELS[1])])
    assert (data["commits"][7], data["names"]) == (digest("7"), [])
    named = files(replace(entries, labels=tuple(f"v{n}" for n in range(300))))[page_of(KERNELS[1])]
    assert carried(named)["names"][7] == "v7"
    unlinked = carried(files(entries, "")[page_of(KERNELS[1])])
    assert (unlinked["commits"][7], unlinked["names"][7]) == ("", digest("7")[:10])


@pytest.mark.slow
def test_thousands_of_commits_fit(large):
    assert (large / "index.html").stat().st_size < 5_000_000
    assert max(page.stat().st_size for page in (large / "kernels").iterdir()) < 200_000


def test_of_very_many_entries_the_page_carries_the_newest():
    page = files(history(2500, at=1500, kernels=KERNELS[:2], digests=True))[page_of(TOTAL)]
    assert "The newest 2000 of 2500 entries; the charts show all." in page
    assert len(page.encode()) < 200_000

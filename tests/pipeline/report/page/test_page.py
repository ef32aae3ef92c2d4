"""The page as text: whole, offline, escaped."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from pipeline.questions.pop_efficiency import MeasuredEfficiency
from pipeline.questions.question import Answers
from pipeline.report.page import report_html
from pipeline.report.page.embedding import (
    compressed,
    content_security_policy,
    packed_script,
    script,
    starter,
    style_sheet,
)
from tests.pipeline.models.made import changed
from tests.pipeline.report.page.studies import (
    EVIDENCE,
    SCRIPT,
    altered,
    answered,
    carried,
    inflated,
    outlooks,
    page_data_of,
    report_of,
    study,
    study_of,
    two_parameter_study,
    unpacked,
    with_other_metrics,
)


@pytest.fixture(scope="module")
def text() -> str:
    return report_html(report_of(study()))


def shown(text: str) -> str:
    """What a reader sees of the page without scripts, on one line."""
    body = text.split("<body>", maxsplit=1)[1].split("<noscript>", maxsplit=1)[0]
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", body))).replace("\N{NO-BREAK SPACE}", " ")


def test_names_and_notices_are_escaped(text: str) -> None:
    assert SCRIPT not in text
    assert "a &lt;i&gt;notice&lt;/i&gt;" in text
    assert "is &lt;b&gt;torn&lt;/b&gt; off" in text


def test_data_is_that_of_the_report(text: str) -> None:
    report = report_of(study())
    expected = page_data_of(report.ahead.analysis, None, EVIDENCE)
    assert carried(text) == unpacked(compressed(expected))


def test_levels_and_targets_are_not_mixed_up() -> None:
    analysis = study()
    targets = np.array([[300.0], [128.0]])
    callpaths, regions = outlooks(analysis)
    shown_outlooks = replace(callpaths, crossing=tuple), regions
    report = altered(report_of(analysis), targets=targets, outlooks=shown_outlooks)
    text = report_html(report)
    data = carried(text)
    assert data["lines"] == [[128.0]]
    shown_crossovers = {name: level["crossovers"] for name, level in data["levels"].items()}
    assert len(shown_crossovers["regions"]) == len(regions.crossovers) + 1
    assert len(shown_crossovers["callpaths"]) == 2  # those beyond the target
    assert "At p = 128 the predicted total is" in shown(text)


def test_nothing_is_loaded(text: str) -> None:
    addresses = set(re.findall(r"https?://[^\s\"'`]+", text + script()))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(
        r"""\son[a-z]+=|\sstyle=""", text.split('<script type="application/octet-stream"', maxsplit=1)[0]
    )


def test_the_policy_admits_the_scripts_and_styles_of_the_page(text: str) -> None:
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    assert unescape(policy) == content_security_policy([starter(), script()], [style_sheet()])
    assert f"<style>{style_sheet()}</style>" in text
    assert f"<script>{starter()}</script>" in text
    (carries,) = re.findall(r'id="script">([^<]*)</script>', text)
    assert inflated(carries).decode() == script()


def test_head_has_title_verdict_and_facts(text: str) -> None:
    assert "<title>app: p = 4 to 64, strong scaling – scaling report</title>" in text
    page = shown(text)
    assert page.startswith(
        " Skip to the kernels Scaling report app: p = 4 to 64, strong scaling At p = 256 the predicted total "
    )
    assert "Measurements 5 points: p = 4, 8, 16, 32, 64; up to 3 repetitions" in page
    assert "Leading kernels Efficiency Imbalance Confidence Kernels Call tree" in page


def test_sections_are_there_only_if_there_is_something_to_show(text: str) -> None:
    assert re.findall(r'<section id="([a-z]+)">', text) == [
        *("overview", "efficiency", "imbalance", "confidence", "kernels", "tree", "icicle", "filter"),
        *("warnings", "provenance"),
    ]
    other = report_html(replace(report_of(two_parameter_study()), filter_evidence=None))
    assert re.findall(r'<section id="([a-z]+)">', other) == [
        *("overview", "efficiency", "confidence", "kernels", "heatmap", "tree", "icicle"),
        *("warnings", "provenance"),
    ]
    assert 'href="#heatmap"' in other
    assert 'href="#heatmap"' not in text
    assert 'href="#imbalance"' not in other
    assert 'href="#filter"' not in other
    one = report_html(report_of(study_of({("main",): lambda p: 100 + p})))
    assert not {"overview", "tree", "icicle"} & set(re.findall(r'<section id="([a-z]+)">', one))


def test_every_link_leads_to_a_section(text: str) -> None:
    links = re.findall(r'href="#([a-z]+)"', text)
    assert set(links) <= set(re.findall(r'id="([a-z-]+)"', text))
    assert len(links) == 10


def test_efficiency_is_a_table(text: str) -> None:
    page = shown(text)
    assert "Metric p = 4 global efficiency 90.0 % parallel efficiency 90.0 % load balance 100.0 %" in page
    assert "Not available: IPC needs counters." in page
    nothing = MeasuredEfficiency(points=(), notices=("no communication",))
    unknown = report_html(altered(report_of(study()), answers=Answers({"efficiency": nothing})))
    assert 'id="efficiency"' not in unknown


def test_filter_says_what_it_keeps_and_how_it_was_chosen(text: str) -> None:
    assert (
        "Keeps 2 of 3 filterable regions. Selected by the paper rule. The filter is in app.filter"
        in shown(text)
    )


def test_what_was_skipped_is_listed_with_its_reason(text: str) -> None:
    page = shown(text)
    assert "studies/made/app.p128.r1 could not be read: is <b>torn</b> off" in page
    assert "app.p4.r1: a <i>notice</i>" in page
    assert "Other entries in the input directory, not read: 1 studies/made/README.md : is no profile" in page
    report = report_of(study())
    clean = {**report.provenance, "damaged": [], "notices": [], "beside": []}
    page = shown(report_html(replace(report, provenance=clean)))
    assert "All runs were read, and there are no warnings about the models." in page
    assert "not read:" not in page


def test_warnings_about_models_say_how_many_call_paths_they_concern() -> None:
    assert "does not depend on p: 2 of 3 call paths" in shown(report_html(report_of(two_parameter_study())))
    analysis = study()
    models = changed(analysis.callpaths.models, note=np.ones(5, dtype=np.int64))
    noted = replace(analysis, callpaths=replace(analysis.callpaths, models=models))
    assert "fewer than 5 points: all call paths" in shown(report_html(report_of(noted)))


def test_what_predictions_are_based_on_is_said(text: str) -> None:
    scales = len(carried(text)["scales"])
    assert f"those of pipeline predict, computed at {scales} scales from p = 4 to 65536, where" in shown(text)


def test_the_other_parameters_are_explained_if_there_are_any(text: str) -> None:
    hint = "Crossovers are those with the other parameters at the target that the page opens with"
    assert hint not in shown(text)
    assert hint in shown(report_html(report_of(two_parameter_study())))


def test_provenance_is_complete() -> None:
    report = report_of(study())
    made = report.ahead.analysis.experiment
    runs = tuple(replace(run, attributes={"Creator": "Score-P 8"}) for run in made.runs)
    analysis = replace(report.ahead.analysis, experiment=replace(made, runs=runs))
    page = shown(report_html(altered(report, analysis=analysis)))
    assert "Command pipeline run studies/made Software python 3.11 Seconds per stage ingest 0.1" in page
    assert " Creator Score-P 8 Configuration" in page
    assert 'Configuration at [] metric "time" filter {"top_time": 0.25}' in page
    assert f"Input files: 2 File Bytes SHA-256 studies/made/app.p4.r1/profile.cubex 9 {'0' * 64}" in page


def test_what_is_not_unicode_is_replaced() -> None:
    report = report_of(study())
    notices = {**report.provenance, "notices": ["bad \udc80 byte"]}
    text = report_html(replace(report, provenance=notices))
    assert "bad ? byte" in text


@pytest.mark.slow
def test_other_metrics_are_there_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    report = with_other_metrics(study())
    shown = carried(report_html(report))["others"]
    assert [(one["metric"], one["additive"]) for one in shown] == [
        ("visits", True),
        ("time_per_visit", False),
    ]
    answer, others = answered(study()), report.ahead.others
    with_one = carried(report_html(altered(answer, others={"visits": others["visits"]})))
    room = sum(map(len, (compressed(with_one), packed_script(), style_sheet()))) + 1500
    monkeypatch.setattr("pipeline.report.page.page.MOST_CHARACTERS", room)
    monkeypatch.setattr(
        "pipeline.report.page.page_data.most_shown", lambda *_: {"regions": 5, "callpaths": 5}
    )
    text = report_html(altered(answer, others=others))
    assert [one["metric"] for one in carried(text)["others"]] == ["visits"]

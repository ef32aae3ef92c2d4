"""The section of the report with the roofline of the machine measured on."""

import re
from dataclasses import replace

import pytest

from pipeline.projection.rooflines.rooflines import StudyRoofline, study_roofline
from pipeline.report.page import report_html
from pipeline.report.page.page_data import roofline_data
from tests.pipeline.projection.rooflines.test_rooflines import NODE
from tests.pipeline.projection.rooflines.test_rooflines import study as counted_study
from tests.pipeline.report.page.browser import OpenPage
from tests.pipeline.report.page.studies import as_carried, report_of, study


@pytest.fixture(scope="module")
def found() -> StudyRoofline:
    return study_roofline(counted_study(), NODE, 1)


def test_the_data_of_the_page(found: StudyRoofline) -> None:
    data = as_carried(roofline_data(found))
    assert data["machine"] == "node"
    assert data["bandwidths"] == [["bw_node", 100e9], ["bw_core", 10e9]]
    assert data["peaks"] == [["peak_dp", 800e9]]
    assert (data["runs"], data["judged"], data["levels"]) == (["p = 8", "p = 32"], 1, ["DRAM"])
    assert ["dgemm", "DRAM", 400.0, 640e9, 1] in data["points"]
    assert len(data["points"]) == 4
    assert data["names"] == ["stream", "dgemm"]
    assert {column["key"]: column["values"] for column in data["columns"]} == {
        "region": ["stream", "dgemm"],
        "share": [0.55525, 0.27762],
        "limit": ["memory bandwidth", "arithmetic"],
        "figures": [verdict.sentence for verdict in found.verdicts],
    }
    assert roofline_data(None) is None


def test_what_is_doubtful_is_said_beside_the_verdict(found: StudyRoofline) -> None:
    doubtful = replace(found.verdicts[0], proportional=True)
    data = roofline_data(replace(found, verdicts=(doubtful, found.verdicts[1])))
    assert data is not None
    assert data.columns[3].texts[0] == f"{found.verdicts[0].sentence}; {doubtful.doubts[0]}"


def test_the_section_is_there_only_with_a_machine(found: StudyRoofline) -> None:
    report = report_of(study())
    without, with_it = report_html(report), report_html(replace(report, roofline=found))
    assert '<section id="roofline">' not in without
    assert 'href="#roofline"' not in without
    assert '<section id="roofline">' in with_it
    assert 'href="#roofline"' in with_it
    assert "under the ceilings of a node of node" in re.sub(r"\s+", " ", with_it)


def test_the_section_in_a_browser(open_page: OpenPage, found: StudyRoofline) -> None:
    watched = open_page(replace(report_of(study()), roofline=found), viewport={"width": 1400, "height": 4000})
    section = watched.page.locator("#roofline")
    titles = section.locator("circle title").all_text_contents()
    assert sorted(titles) == [
        "dgemm, p = 32: 640 Gflop/s, 400 flop/B",
        "dgemm, p = 8: 320 Gflop/s, 400 flop/B",
        "stream, p = 32: 1.60 Gflop/s, 0.0250 flop/B",
        "stream, p = 8: 0.800 Gflop/s, 0.0250 flop/B",
    ]
    assert section.locator("#roofline-legend li").all_text_contents() == ["p = 8", "p = 32"]
    notes = section.locator("text.note").all_text_contents()
    assert {"bw_node 100 GB/s", "peak_dp 800 Gflop/s", "dgemm", "stream"} <= set(notes)
    rows = section.locator("#roofline-table tbody tr").all_text_contents()
    assert rows[0].startswith("stream55.5 %memory bandwidth")

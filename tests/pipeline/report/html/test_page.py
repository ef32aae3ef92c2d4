"""The page as text: whole, offline, escaped."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from pipeline.report.html import report_html
from pipeline.report.html.assets import script, style_sheet
from tests.pipeline.report.html.studies import SCRIPT, report_of, study, two_parameter_study


@pytest.fixture(scope="module")
def text() -> str:
    return report_html(report_of(study()))


def test_names_and_notices_are_escaped(text: str) -> None:
    assert SCRIPT not in text
    assert "a &lt;i&gt;notice&lt;/i&gt;" in text
    assert "is &lt;b&gt;torn&lt;/b&gt; off" in text


def test_data_is_json(text: str) -> None:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data = json.loads(found.group(1))
    assert data["parameters"] == ["p"]
    assert SCRIPT in [region["name"] for region in data["regions"]]


def test_nothing_is_loaded(text: str) -> None:
    addresses = set(re.findall(r"https?://[^\s\"']+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in unescape(text)
    assert not re.search(
        r"""\son[a-z]+=|\sstyle=""", text.split('<script type="application/json"', maxsplit=1)[0]
    )


def test_scripts_and_styles_cannot_end_their_elements() -> None:
    assert "</script" not in script()
    assert "</style" not in style_sheet()
    assert "@dark@" not in style_sheet()


def test_sections_are_there_only_where_there_is_something_to_show(text: str) -> None:
    assert 'id="imbalance"' in text
    assert 'id="efficiency"' in text
    assert 'id="heatmap"' not in text
    other = report_html(replace(report_of(two_parameter_study()), filter_evidence=None, efficiency=None))
    assert 'id="heatmap"' in other
    assert 'id="imbalance"' not in other
    assert 'id="efficiency"' not in other


def test_what_is_not_unicode_is_replaced() -> None:
    report = report_of(study())
    notices = {**report.provenance, "notices": ["bad \udc80 byte"]}
    text = report_html(replace(report, provenance=notices))
    assert "bad ? byte" in text

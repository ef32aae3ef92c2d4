import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from pipeline.gate.trends import Measure, MeasureTrend, trends
from pipeline.report.page.history.trend_drawing import chart, date_text, sparkline
from tests.pipeline.report.page.history.histories import HOSTILE, history


def classes(svg):
    return [node.get("class") for node in ET.fromstring(str(svg)).iter() if node.get("class")]


def measured(entries, row=1):
    return trends(entries)[row].measures[Measure.MEASURED]


def test_a_sparkline_has_a_line_and_a_mark_per_change_and_says_it_in_words():
    drawn = sparkline(measured(history(60)), 'rises "a lot" ' + HOSTILE)
    assert classes(drawn) == ["spark", "line", "worse"]
    assert ET.fromstring(str(drawn)).get("aria-label") == 'rises "a lot" ' + HOSTILE
    assert classes(sparkline(measured(history(60, step=0.6)), "")) == ["spark", "line", "better"]
    assert classes(sparkline(measured(history(300, at=200)), "")) == ["spark", "band", "line", "worse"]
    assert sparkline(MeasureTrend(measure=Measure.GROWTH, values=np.full(5, np.nan), changes=()), "") == ""


def test_the_mark_is_where_the_change_is():
    drawn = ET.fromstring(str(sparkline(measured(history(61, at=40)), "")))
    (mark,) = drawn.iter("circle")
    assert float(mark.get("cx")) == pytest.approx(3 + 40 / 60 * 126, abs=0.1)
    line = next(node for node in drawn.iter("path") if node.get("class") == "line").get("d")
    heights = [float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", line)]
    assert min(heights[:40]) > max(heights[40:])
    assert float(mark.get("cy")) == pytest.approx(np.median(heights[40:]), abs=0.3)


def test_a_chart_has_axes_levels_places_and_marks():
    entries = history(60)
    drawn = chart(measured(entries), entries, "words")
    found = classes(drawn.svg)
    assert found.count("level") == found.count("place") == found.count("worse") == 1
    assert found.count("entry") == 60
    texts = [node.text for node in ET.fromstring(str(drawn.svg)).iter("text")]
    assert {"2025-06-15", "2025-08-13"} <= set(texts)
    assert any(re.fullmatch(r"[\d.]+ core-s", text) for text in texts)
    assert not drawn.axis.logarithmic
    assert chart(replace(measured(entries), values=np.full(60, np.nan)), entries, "") is None


def test_wide_ranges_are_logarithmic_and_entries_of_one_day_have_labels():
    entries = history(60, step=20.0)
    entries = replace(entries, added=entries.added[:1] + np.arange(60))
    drawn = chart(measured(entries), entries, "")
    assert drawn.axis.logarithmic
    texts = [node.text for node in ET.fromstring(str(drawn.svg)).iter("text")]
    assert {"c0", "c59"} <= set(texts)


def test_a_gap_interrupts_the_line():
    entries = history(30, at=99)
    entries.value[1, 10:12] = np.nan
    drawn = ET.fromstring(str(sparkline(measured(entries), "")))
    line = next(node for node in drawn.iter("path") if node.get("class") == "line").get("d")
    assert line.count("M") == 2 and line.count("L") == 26


def test_a_single_entry_is_drawn():
    entries = history(1, at=99)
    assert classes(chart(measured(entries), entries, "").svg).count("entry") == 1


def test_dates():
    assert date_text(0) == "1970-01-01"

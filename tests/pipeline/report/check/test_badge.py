import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from pipeline.report.check.history import history_badge
from tests.pipeline.report.page.histories import history, total

GOOD, FAIR, POOR, UNKNOWN = "#009e73", "#b57900", "#c4452a", "#6b7280"


def badge(now, step="", before=10.0, efficiency=0.9, point=None):
    rows = (
        total("c0", 0, 999.0),
        total("c1", 1, 640.0, wall_seconds=before),
        total("c2", 2, 64 * now, wall_seconds=now, efficiency=efficiency, previous="c1", step=step),
    )
    return history_badge(replace(history(3), totals=rows, at=point or {"p": 32.0}))


@pytest.mark.parametrize(
    ("now", "step", "message"),
    [
        (11.2, "regression", "11.2 s ↑ 12 %"),
        (150.0, "regression", "2.50 min ↑ 15 times"),
        (8.8, "improvement", "8.80 s ↓ 12 %"),
        (4.0, "improvement", "4.00 s ↓ 2.5 times"),
        (10.2, "unchanged", "10.2 s →"),
        (150.0, "inconclusive", "2.50 min ↑ 15 times unclear"),
        (11.2, "", "11.2 s"),
    ],
)
def test_a_badge_has_number_and_arrow(now, step, message):
    found = badge(now, step)
    assert (found.label, found.message) == ("p = 32", message)


def test_the_colour_is_that_of_the_efficiency_and_a_regression_is_poor():
    assert [badge(9.0, "unchanged", efficiency=one).color for one in (0.8, 0.79, 0.6, 0.59)] == [
        GOOD, FAIR, FAIR, POOR,
    ]  # fmt: skip
    assert badge(20.0, "regression").color == POOR
    assert badge(9.0, efficiency=float("nan")).color == UNKNOWN


def test_without_wall_times_the_value_counts_and_a_missing_entry_before_is_no_change():
    rows = total("c1", 1, 500.0), total("c2", 2, 750.0, previous="c1", step="regression")
    entries = replace(history(2), totals=rows)
    assert history_badge(entries).message == "750 core-s ↑ 50 %"
    assert history_badge(replace(entries, totals=rows[1:])).message == "750 core-s"


def test_the_image_is_well_formed_and_as_wide_as_its_text():
    short, hostile = badge(9.0), badge(9.0, point={'"<p>&': 32.0})
    widths = [int(ET.fromstring(one.svg).get("width")) for one in (short, hostile)]
    assert widths[0] < widths[1] and '"<p>&amp;' not in hostile.svg
    texts = [one.text for one in ET.fromstring(hostile.svg).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ['"<p>& = 32', "9.00 s"]

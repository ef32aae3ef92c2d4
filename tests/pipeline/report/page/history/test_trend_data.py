from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gate.trends import Measure, trends
from pipeline.report.page.history.history_words import date_text
from pipeline.report.page.history.trend_data import domain_of, in_parts, trends_data
from tests.pipeline.report.page.history.histories import history
from tests.pipeline.report.page.studies import floats


def test_few_entries_are_parts_of_their_own():
    found = in_parts(np.array([1.0, np.nan, 3.0]), 10)
    assert found.place.tolist() == [0, 1, 2]
    for row in (found.low, found.middle, found.high):
        assert np.array_equal(row, [1, np.nan, 3], equal_nan=True)


def test_many_entries_are_put_together():
    values = np.arange(1.0, 101)
    values[10:15] = np.nan
    found = in_parts(values, 10)
    assert found.place.tolist() == [4.5 + 10 * n for n in range(10)]
    assert found.middle[[0, 1, 9]].tolist() == [5.5, 18, 95.5]
    assert [found.low[0], found.high[0]] == pytest.approx([1.9, 9.1])
    assert [found.low[1], found.high[1]] == pytest.approx([16.4, 19.6])


def test_parts_of_several_entries_have_five_at_least():
    assert len(in_parts(np.ones(11), 10).place) == 3
    assert len(in_parts(np.ones(10), 10).place) == 10


@given(st.integers(1, 500), st.integers(1, 60))
def test_there_are_never_more_parts_than_asked_for_and_all_entries_count(count, most):
    values = np.ones(count)
    values[-1] = 5.0
    found = in_parts(values, most)
    assert len(found.place) <= most
    assert np.isfinite(found.middle).all()
    assert found.place.max() <= count - 1


def test_an_axis_holds_the_middle_of_the_values_and_shows_noise_as_noise():
    values = np.where(np.arange(200) == 7, 50.0, 1.0)
    low, high = domain_of(in_parts(values, 200), [1.0])
    assert high < 2
    assert high / low >= 1.2
    assert domain_of(in_parts(values, 200), [3.0])[1] > 3


def measured(entries, row=1):
    return trends(entries)[row].measures[Measure.MEASURED]


def test_a_trend_has_levels_places_and_directions():
    entries = history(60)
    trend = measured(entries)
    data = trends_data([trend, measured(entries, 3)], 240)
    assert (data["count"], data["places"]) == (60, list(range(60)))
    for end in ("low", "middle", "high"):
        assert floats(data[end], 60)[0] == pytest.approx(trend.values, rel=1e-3)
    known, quiet = data["trends"]
    before, after = (np.median(part) for part in (trend.values[:40], trend.values[40:]))
    assert known["levels"] == [[0, 40, pytest.approx(before)], [40, 60, pytest.approx(after)]]
    assert known["domain"] == pytest.approx(domain_of(in_parts(trend.values, 240), [before, after]), rel=1e-5)
    (change,) = known["changes"]
    assert change.pop("first") <= 40 <= change.pop("last")
    assert change == {"at": 40, "level": pytest.approx(after), "direction": "worse", "rises": True}
    assert (len(quiet["levels"]), quiet["changes"], quiet["log"]) == (1, [], False)


def test_falling_times_are_better_and_wide_ranges_logarithmic():
    (found,) = trends_data([measured(history(60, step=0.05))], 60)["trends"]
    assert found["log"]
    assert (found["changes"][0]["direction"], found["changes"][0]["rises"]) == ("better", False)


def test_nothing_is_said_of_what_is_not_known():
    unknown = replace(measured(history(60)), values=np.full(60, np.nan), changes=())
    assert trends_data([unknown], 60)["trends"] == [None]


def test_many_entries_become_parts():
    data = trends_data([measured(history(300, at=200))], 66)
    low, middle, high = (floats(data[end]) for end in ("low", "middle", "high"))
    assert len(data["places"]) == len(middle) == 60
    assert (low < middle).all() and (middle < high).all()


def test_dates():
    assert date_text(0) == "1970-01-01"

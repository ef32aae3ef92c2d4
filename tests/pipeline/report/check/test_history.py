import datetime
import json
from dataclasses import replace

import numpy as np
import pytest

from ingest.record_codec import document as as_data
from pipeline.gate.change_points import change_points_of_each
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import HistoryRow, development
from pipeline.report.check.history import kernel_history, show_history
from tests.terminal_output import printed as on_terminal

K = KernelId(Scope.CALLPATH, ("main", "sum"))
ADDED = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC)


def entry(label, value, at=8.0, **given):
    row = {"label": label, "added": ADDED, "level": "callpath", "callpath": K.callpath, "metric": "effort"}
    row |= {"value": value, "share": 0.25, "growth": "p", "unit": "core-s", "at": json.dumps({"p": at})}
    return HistoryRow(**(row | {"target": "", "predicted": 2 * value, "verdict": ""} | given))


def series(values, **given):
    return [entry(f"c{n}", value, **given) for n, value in enumerate(values)]


STEP = [1.0, 1.01, 0.99, 1.02, 1.0, 0.98, 2.0, 2.02, 1.98, 2.01, 2.03, 1.99]


def printed(rows, limit=30, width=80):
    return on_terminal(show_history, kernel_history(K, rows), limit, width=width)


def test_a_series_as_data():
    document = as_data(kernel_history(K, series(STEP)))
    assert (document["level"], document["callpath"]) == ("callpath", ["main", "sum"])
    assert (document["unit"], document["at"]) == ("core-s", {"p": 8.0})
    assert document["entries"][6] == {
        "label": "c6",
        "added": "2026-11-21T00:00:00+00:00",
        "value": 2,
        "share": 0.25,
        "growth": "p",
        "predicted": 4,
        "verdict": "",
        "previous": "",
        "step": "",
        "said": "",
    }
    (expected,) = change_points_of_each(np.array([STEP]))[0]
    (found,) = document["change_points"]
    assert (found["label"], found["factor"]) == ("c6", pytest.approx(expected.factor))
    assert (found["first_label"], found["last_label"]) == ("c6", "c6")
    names = ("lower", "upper", "p")
    assert [found[name] for name in names] == pytest.approx([getattr(expected, name) for name in names])
    assert document["drift"] is None


def test_only_positive_entries_at_the_last_point_are_compared():
    rows = [entry("old", 5.0, at=4.0), *series(STEP), entry("nothing", 0.0)]
    assert [e.label for e in kernel_history(K, rows).entries] == [f"c{n}" for n in range(12)]
    assert kernel_history(K, rows[:2]).entries[0].label == "c0"
    assert kernel_history(K, series([1.0] * 9)).drift is None


def test_entries_of_other_machines_are_left_out_and_of_unknown_ones_are_not():
    rows = [entry("c0", 1.0), entry("c1", 9.0, machine="a"), entry("c2", 1.0, machine="b")]
    assert [e.label for e in kernel_history(K, rows).entries] == ["c0", "c2"]


def test_a_series_in_the_terminal(snapshot):
    rows = series(STEP)
    rows[3] = replace(rows[3], verdict="improvement", growth="1")
    snapshot(printed(rows), "history.txt")


def test_entries_with_other_functions_are_named():
    recorded = ("a", "a", "", "b", "b", "", "a")
    rows = [entry(f"c{n}", value, recorded=recorded[n]) for n, value in enumerate(STEP[:7])]
    assert kernel_history(K, rows).other_functions == ["c3", "c6"]
    assert "Note: other functions were recorded from c3, c6 on" in printed(rows)
    assert "other functions" not in printed(series(STEP))


def test_the_newest_entries_are_shown_and_all_count():
    text = printed(series(STEP), limit=3)
    assert "c9" in text and "c8" not in text
    assert "1 change point (level 0.01)" in text


@pytest.mark.parametrize(
    ("values", "conclusion"),
    [
        (STEP[:6], "too few entries to find drifts: 6, at least 7 are needed"),
        ([1.0] * 10, "no change (level 0.01)"),
        (STEP, "1 change point (level 0.01)"),
        ([1.03, 1, 1.01, 1.02, 1.01, 1.03, 1, 1.02, 1.04, 1.01], "no change (level 0.01)"),
    ],
)
def test_conclusions(values, conclusion):
    said = " ".join(printed(series(values)).split("\nlabel")[0].split())
    assert said == f"main › sum (call path) at p = 8: {conclusion}."


def test_the_test_of_the_newest_entry_is_said_first_and_earlier_ones_while_entries_are_few():
    rows = series(STEP[4:8])
    rows[2] = replace(rows[2], previous="c1", step="regression", said="2 times slower at p = 8")
    rows[3] = replace(rows[3], previous="c2", step="unchanged")
    lines = printed(rows, width=300).splitlines()
    assert lines[0] == "main › sum (call path) at p = 8: no change against c2."
    assert [line.split()[-1] for line in lines[4:6]] == ["REGRESSION", "p"]
    assert lines[6:] == [
        "c2: REGRESSION against c1: 2 times slower at p = 8.",
        "too few entries to find drifts: 4, at least 7 are needed.",
    ]
    later = printed([*rows, *series(STEP[:6])], width=300).splitlines()[0]
    assert "REGRESSION" not in later and "to find drifts" not in later


def test_a_drift_is_one_drift_with_its_ends():
    values = [1.1**n for n in range(12)]
    rising = printed(series(values), width=200).splitlines()[0].partition(": ")[2]
    assert rising == "drift by a factor of 2.85 from c0 to c11 (Mann-Kendall test, p = 4.2e-09)."
    found = development(np.array(values)).drift
    document = as_data(kernel_history(K, series(values)))
    assert document["change_points"] == []
    assert document["drift"] == {
        "first_label": "c0",
        "last_label": "c11",
        "factor": pytest.approx(found.factor),
        "p": pytest.approx(found.p),
    }
    assert "drift" not in printed(series([1.0, 1.2] * 6))


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_terminal_of_any_width_cuts_nothing_and_labels_are_short(width):
    lines = printed([*series(STEP), entry("0123456789abcdef" * 2, 2.0)], width=width).splitlines()
    assert max(map(len, lines)) <= width and "…" not in "".join(lines)
    assert "0123456789" in " ".join(lines).split() and "2.00 × before" in "".join(lines)


def test_bars_are_relative_to_the_largest_value_and_never_empty():
    for unit in ("core-s", ""):
        lines = printed(series([1.0, 10.0, 1e-9], unit=unit), width=120).splitlines()
        assert [line.count("█") for line in lines[2:5]] == [2, 20, 1]
        assert len({line.index("█") for line in lines[2:5]}) == 1


def test_a_series_of_nothing_has_a_title_and_no_bars():
    text = printed([entry("c0", 0.0, unit="")])
    assert "to find drifts: 0," in " ".join(text.split()) and "█" not in text

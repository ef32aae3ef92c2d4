"""Sentences on targets: the total there, and what nodes cost that are not full."""

import pytest

from pipeline.columns.target_sentences import target_totals
from tests.documents import as_summary

AT = {"p": 16.0}


def summary(runtime):
    predictions = [{"at": AT, "value": 36000.0, "lower": 30000.0, "upper": 43200.0}]
    total = {"unit": "core-s", "predictions": predictions}
    return as_summary({"points": [AT], "total": total, "runtime": runtime})


def at(point, effort, hours):
    return {"point": point, "effort": {"value": effort}, "core_hours": {"value": hours}}


@pytest.mark.parametrize(
    ("runtime", "more"),
    [
        (None, ""),
        ({"at": [at(AT, 36000.0, 10.0)]}, ""),
        ({"at": [at({"p": 8.0}, 36000.0, 70.0), at(AT, 36000.0, 40.0)]}, "; its nodes cost 40.0 core-hours"),
        ({"at": [{"point": AT, "effort": None, "core_hours": None}]}, ""),
    ],
)
def test_nodes_that_hold_more_cores_than_a_run_uses_are_said(runtime, more):
    ((text, style),) = target_totals(summary(runtime))
    assert (text, style) == (f"p = 16: 10.0 core-hours (8.3 to 12 core-hours){more}", "")

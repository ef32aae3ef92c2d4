"""What developers expect of growth, and what the models say about it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.columns.cells import DataTable
from pipeline.columns.column import ESTIMATE, FIGURE, PROBABILITY, Column, filled
from pipeline.questions.expected_growth import JudgedExpectation, Judgement
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import counted, estimate_json, figure, number, point_text, probability_text

Row = Mapping[str, Any]


def expectations_json(found: Sequence[JudgedExpectation]) -> list[dict[str, Any]]:
    """Return the ``expectations`` of summary.json and check.json."""
    return [
        {
            "region": one.expectation.region,
            "metric": one.expectation.metric,
            "at_most": one.expectation.growth,
            "judgement": one.judgement.value,
            "probability_met": None if one.probability is None else number(one.probability),
            "allowed_factor": None if one.allowed is None else number(one.allowed),
            "predicted_factor": None if one.growth is None else estimate_json(*one.growth),
            "from": None if one.start is None else dict(one.start),
            "at": None if one.target is None else dict(one.target),
            "reason": one.reason,
            "place": one.expectation.place,
        }
        for one in found
    ]


def expectation_sentences(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Name the expectations that are exceeded or cannot be told, with styles; else say that all are met."""
    open_ones = [row for row in rows if row["judgement"] != Judgement.MET.value]
    if rows and not open_ones:
        return [(f"{len(rows)} of {counted(len(rows), 'expectation')} met.", "")]
    exceeded = Judgement.EXCEEDED.value
    return [
        (expectation_sentence(row), "red" if row["judgement"] == exceeded else "yellow") for row in open_ones
    ]


def expectation_sentence(row: Row) -> str:
    """Say what the models say about one that is not met."""
    what = f"Expectation on {_subject(row)}, at most {row['at_most']}"
    if row["reason"]:
        return f"{what}: cannot be told, since {row['reason']}."
    judged = f"exceeded with {probability_text(1 - row['probability_met'])}"
    if row["judgement"] == Judgement.UNKNOWN.value:
        judged = f"cannot be told, met with {probability_text(row['probability_met'])}"
    grows, allowed = figure(row["predicted_factor"]["value"]), figure(row["allowed_factor"])
    return f"{what}: {judged} ({grows} times from {_range(row)}, {allowed} expected)."


def _subject(row: Row) -> str:
    metric = "" if row["metric"] == "time" else f" ({row['metric']})"
    return f"{shown_name(row['region']) or 'the total'}{metric}"


def _range(row: Row) -> str:
    return f"{point_text(row['from'])} to {point_text(row['at'])}" if row["from"] else row["reason"]


def expectations_table(rows: Sequence[Row]) -> DataTable:
    """Return one row per expectation."""
    columns: list[Column[Any]] = [
        Column(key="region", heading="expected", each=_subject),
        Column(key="at_most", heading="at most"),
        Column(key="judgement", heading="is"),
        Column(key="probability_met", kind=PROBABILITY, heading="met with"),
        Column(key="allowed_factor", kind=FIGURE, heading="may grow"),
        Column(key="predicted_factor", kind=ESTIMATE, heading="grows"),
        Column(key="range", heading="from", each=_range, dispensable=1),
    ]
    return filled(columns, rows)

"""What developers expect of growth, and what the models say about it."""

from collections.abc import Sequence
from typing import Any

from pipeline.columns.cells import DataTable
from pipeline.columns.column import ESTIMATE, FIGURE, PROBABILITY, Column, filled
from pipeline.questions.expected_growth import JudgedExpectation


def expectations_table(found: Sequence[JudgedExpectation]) -> DataTable:
    """Return one row per expectation."""
    columns: list[Column[Any]] = [
        Column(key="region", heading="expected", each=lambda one: one.subject),
        Column(key="at_most", heading="at most"),
        Column(key="judgement", heading="is", each=lambda one: one.judgement.value),
        Column(key="probability_met", kind=PROBABILITY, heading="met with"),
        Column(key="allowed_factor", kind=FIGURE, heading="may grow"),
        Column(key="predicted_factor", kind=ESTIMATE, heading="grows"),
        Column(key="range", heading="from", each=lambda one: one.between, dispensable=1),
    ]
    return filled(columns, found)

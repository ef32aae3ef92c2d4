"""Table of a study on two machines."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.summary import leading_rows
from pipeline.report.tables.data_table import (
    DataTable,
    answers,
    estimates,
    for_programs,
    kernels,
    parameters,
    shares,
    words,
)
from pipeline.report.terminal.targets import far_target_sentences


def study_projection_table(document: Mapping[str, Any], *, by: str, limit: int) -> DataTable:
    """Return one row per kernel at the last target, the largest on the other machine first.

    Args:
        document: what `pipeline.report.study_projection` returns.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most kernels; start-up and shut-down are beside them.
    """
    here, there = (document[side]["summary"] for side in ("from", "on"))
    rows = [row for row in leading_rows(there[by], limit) if row["predictions"]]
    before = {tuple(row["callpath"]): row for row in here[by]}
    ways = {tuple(row["callpath"]): row for row in document[by]}
    old = [before[tuple(row["callpath"])] for row in rows]
    way = [ways[tuple(row["callpath"])] for row in rows]
    unit = rows[0]["unit"] if rows else ""
    columns = [
        kernels(row["callpath"] for row in rows),
        *parameters(there["parameters"], [row["predictions"][-1]["at"] for row in rows]),
        shares(f"share_on_{document['from']['machine']}", (row["share_at_target"] for row in old)),
        *map(
            for_programs,
            estimates(
                [row["predictions"][-1] for row in old],
                unit,
                names=("value_here", "lower_here", "upper_here"),
            ),
        ),
        shares(f"share_on_{document['on']['machine']}", (row["share_at_target"] for row in rows)),
        *estimates([row["predictions"][-1] for row in rows], unit),
        words("goes_over", (one["way"] for one in way)),
        for_programs(answers("tested", (one["tested"] for one in way))),
    ]
    return DataTable(columns=columns, notes=[*document["assumptions"], *far_target_sentences(there)])

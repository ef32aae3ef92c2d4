"""Table of a study on two machines."""

from collections.abc import Mapping
from typing import Any

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
from pipeline.report.two_machines import leading_kernels


def study_projection_table(document: Mapping[str, Any], *, by: str, limit: int) -> DataTable:
    """Return one row per kernel at the last target, the largest on the other machine first.

    Args:
        document: what `pipeline.report.study_projection` returns.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most kernels; start-up and shut-down are beside them.
    """
    leading = leading_kernels(document, by=by, limit=limit)
    there = document["on"]["summary"]
    unit = leading[0].there["unit"] if leading else ""
    here = [one.here["predictions"][-1] for one in leading]
    names = ("value_here", "lower_here", "upper_here")
    columns = [
        kernels(one.there["callpath"] for one in leading),
        *parameters(there["parameters"], [one.prediction["at"] for one in leading]),
        shares(f"share_on_{document['from']['machine']}", (o.here["share_at_target"] for o in leading)),
        *map(for_programs, estimates(here, unit, names=names)),
        shares(f"share_on_{document['on']['machine']}", (o.there["share_at_target"] for o in leading)),
        *estimates([one.prediction for one in leading], unit),
        words("goes_over", (one.way["way"] for one in leading)),
        for_programs(answers("tested", (one.way["tested"] for one in leading))),
    ]
    return DataTable(columns=columns, notes=[*document["assumptions"], *far_target_sentences(there)])

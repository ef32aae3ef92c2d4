"""Kernels of a study on two machines, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.report.summary import leading_rows

SIDES = ("from", "on")
"""Keys of the machine measured on, and of the other one."""


@dataclass(frozen=True)
class KernelOnBoth:
    """A kernel at the last target: its rows of both summaries, and how it went over."""

    here: Mapping[str, Any]
    there: Mapping[str, Any]
    way: Mapping[str, Any]

    @property
    def prediction(self) -> Mapping[str, Any]:
        """What it takes on the other machine."""
        prediction: Mapping[str, Any] = self.there["predictions"][-1]
        return prediction


def leading_kernels(document: Mapping[str, Any], *, by: str, limit: int) -> list[KernelOnBoth]:
    """Return the kernels that are largest on the other machine; none if nothing is predicted.

    Args:
        document: what `pipeline.report.study_projection.study_projection_json` returns.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most kernels; start-up and shut-down are beside them.
    """
    here, there = (document[side]["summary"][by] for side in SIDES)
    before, ways = ({tuple(row["callpath"]): row for row in rows} for rows in (here, document[by]))
    return [
        KernelOnBoth(before[path], row, ways[path])
        for row in leading_rows(there, limit)
        if row["predictions"] and (path := tuple(row["callpath"]))
    ]

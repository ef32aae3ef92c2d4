"""What the instrumentation filter keeps and drops, from the evidence that lies beside it."""

from collections.abc import Mapping
from typing import Any

from ingest.cpp_names import short_name


def filter_data(evidence: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the decided regions as rows [name, short name, kept, index of the reason, visits, time].

    Args:
        evidence: the content of ``app.filter.json``; None where no filter was made.
    """
    if evidence is None or not evidence["regions"]:
        return None
    reasons: dict[str, int] = {}
    rows = [
        [
            row["region"],
            short_name(row["region"]),
            row["kept"],
            reasons.setdefault(row["why"], len(reasons)),
            float(f"{row['visits']:.5g}"),
            float(f"{row['time']:.5g}"),
        ]
        for row in evidence["regions"]
    ]
    return {"method": evidence["method"], "reasons": list(reasons), "rows": rows}

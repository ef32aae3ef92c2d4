"""The last results of a history as a baseline: every entry counts as one repetition.

What differs from entry to entry, days and machines included, is the noise that a new result is held against.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ingest.errors import InputError
from pipeline.gate.baseline import SMALLEST_SHARE
from pipeline.gate.measurements import NO_LINE, KernelId, KernelValues, Scope

FEWEST = 3  # entries that say how much results differ
Rows = Mapping[KernelId, Sequence[Mapping[str, Any]]]


def against_history(candidate: KernelValues, rows: Rows, last: int) -> tuple[KernelValues, KernelValues]:
    """Return the last entries as a baseline of one point, and the candidate's mean there as one repetition.

    Args:
        candidate: the study to check; its largest scale is compared.
        rows: per kernel the entries in the order they were added: label, point (JSON), value, metric, unit.
        last: number of entries that count.

    Raises:
        InputError: fewer than `FEWEST` entries have that point.
    """
    at = int(np.argmax(candidate.scale))
    (point,) = candidate.named(candidate.points[[at]])
    total = rows.get(KernelId(Scope.TOTAL, ("total",)), ())
    same = [row for row in total if json.loads(row["at"]) == point and row["metric"] == candidate.metric]
    labels = {row["label"]: n for n, row in enumerate(same[-last:])}
    if len(labels) < FEWEST:
        raise InputError(
            f"{len(labels)} entries of the history have this point, {FEWEST} are needed",
            hint="add results with `pipeline history add`, measured at the same largest scale",
        )
    kernels = tuple(sorted(rows, key=lambda kernel: kernel.level is not Scope.TOTAL))
    values = np.full((len(kernels), 1, len(labels)), np.nan)
    for k, kernel in enumerate(kernels):
        for row in rows[kernel]:
            if row["label"] in labels and json.loads(row["at"]) == point:
                values[k, 0, labels[row["label"]]] = row["value"]
    seen = np.isfinite(values).any(axis=(1, 2))
    now = replace(
        candidate,
        points=candidate.points[[at]],
        parallel_efficiency=candidate.parallel_efficiency[[at]],
        values=candidate.mean[:, [at], None],
        repetitions=None,
    )
    baseline = replace(
        now,
        kernels=tuple(kernel for kernel, known in zip(kernels, seen.tolist(), strict=True) if known),
        values=values[seen],
        files=("",) * int(seen.sum()),
        lines=np.full(int(seen.sum()), NO_LINE),
        smallest_share=SMALLEST_SHARE,
    )
    return baseline, now

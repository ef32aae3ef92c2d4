"""Two studies laid side by side: the same points, the same kernels, and what only one of them has."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError
from pipeline.gate.log_ratios import common_points
from pipeline.gate.snapshot import KernelId, Level, Snapshot, lone_callpaths


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """The kernels that both studies have, in the order of the candidate.

    Attributes:
        baseline, candidate: all their points; row i of both is the same kernel, row 0 the total.
        points: float64[P, D], the common points.
        base_at, candidate_at: int64[P], where they stand in either study.
        new: the kernels only the candidate has.
        vanished: the kernels only the baseline has.
    """

    baseline: Snapshot
    candidate: Snapshot
    points: FloatArray
    base_at: IntArray
    candidate_at: IntArray
    new: Snapshot
    vanished: Snapshot

    @property
    def scale(self) -> FloatArray:
        """Values of the parameter that scales at the common points, float64[P]."""
        return self.baseline.scale[self.base_at]

    @property
    def is_callpath(self) -> BoolArray:
        """bool[K], the kernels that are no sums of others."""
        return np.array([k.level is Level.CALLPATH for k in self.candidate.kernels], dtype=bool)


def pair(baseline: Snapshot, candidate: Snapshot) -> Pair:
    """Match points and kernels.

    A kernel whose values are zero at all points counts as not there: the union of call trees has such rows.

    Raises:
        InputError: where parameters, metric or scaling differ, so that no kernel can be compared.
    """
    for what in ("parameters", "metric", "unit", "scaling"):
        one, two = getattr(baseline, what), getattr(candidate, what)
        if one != two:
            raise InputError(
                f"the {what} differ: {_shown(one)} in the baseline, {_shown(two)} here",
                hint="compare studies of the same kind, or write a new baseline",
            )
    base_at, candidate_at = common_points(baseline.points, candidate.points)
    there = {k: i for i, k in enumerate(baseline.kernels) if baseline.mean[i].any() or i == 0}
    here = {k: i for i, k in enumerate(candidate.kernels) if candidate.mean[i].any() or i == 0}
    both = _without_doubles(baseline, candidate, there, here)
    return Pair(
        baseline=baseline.take([there[k] for k in both]),
        candidate=candidate.take([here[k] for k in both]),
        points=baseline.points[base_at],
        base_at=base_at,
        candidate_at=candidate_at,
        new=candidate.take([i for k, i in here.items() if k not in there]),
        vanished=baseline.take([i for k, i in there.items() if k not in here]),
    )


def _without_doubles(
    baseline: Snapshot, candidate: Snapshot, there: Mapping[KernelId, int], here: Mapping[KernelId, int]
) -> list[KernelId]:
    """Common kernels without the regions that are one and the same call path in both studies."""
    one, two = lone_callpaths(baseline), lone_callpaths(candidate)
    doubled = {name for name, callpath in one.items() if two.get(name) == callpath}
    both = [k for k in here if k in there]
    return [k for k in both if k.level is not Level.REGION or k.callpath[-1] not in doubled]


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def incomparable(baseline: Snapshot, candidate: Snapshot) -> tuple[str, ...]:
    """Say why the two studies must not be compared kernel by kernel, with what would settle it."""
    reasons = []
    for what, consequence in (
        ("machine", "times of different machines say nothing about the code"),
        ("filter", "time of filtered regions moves to their callers"),
    ):
        one, two = getattr(baseline.origin, what), getattr(candidate.origin, what)
        if one and two and one != two:
            reasons.append(
                f"another {what}: {one} in the baseline, {two} here; {consequence}: "
                f"measure the baseline again with this {what}"
            )
    return tuple(reasons)

"""Two studies beside each other: common points, common kernels, and what has no counterpart."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError
from ingest.run_settings import same_processor
from pipeline.gate.kernel_values import KernelId, KernelValues, Scope
from pipeline.wording.quantities import value_text

SAME_POINT = 1e-9  # relative difference of parameter values of the same point
_TREATED = {"corrected": "are corrected for overhead", "measured": "are as measured"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Matched:
    """The kernels that both studies have, in the order of the candidate, and those of one study only.

    Attributes:
        baseline, candidate: all their points; row i of both is the same kernel, row 0 the total.
        points: float64[P, D], the common points.
        base_at, candidate_at: int64[P], the indices of the common points in either study.
        new: the kernels only the candidate has.
        vanished: the kernels only the baseline has.
    """

    baseline: KernelValues
    candidate: KernelValues
    points: FloatArray
    base_at: IntArray
    candidate_at: IntArray
    new: KernelValues
    vanished: KernelValues

    @property
    def scale(self) -> FloatArray:
        """Values of the parameter that scales at the common points, float64[P]."""
        return self.baseline.scale[self.base_at]

    @property
    def largest(self) -> tuple[int, int]:
        """Index of the largest common scale in either study; of the largest of each if none is common."""
        if len(self.points):
            largest = int(np.argmax(self.scale))
            return int(self.base_at[largest]), int(self.candidate_at[largest])
        return int(np.argmax(self.baseline.scale)), int(np.argmax(self.candidate.scale))

    @property
    def is_callpath(self) -> BoolArray:
        """bool[K], the kernels that are not sums of others."""
        return np.array([k.level is Scope.CALLPATH for k in self.candidate.kernels], dtype=bool)


def over_the_same(baseline: KernelValues, candidate: KernelValues) -> tuple[KernelValues, KernelValues]:
    """Return two studies over the same parameters, if each has left out what only the other has.

    Raises:
        InputError: they have left out a parameter that is not the same in both.
    """
    both = baseline.over(candidate.parameters), candidate.over(baseline.parameters)
    for name in baseline.left_out.values.keys() & candidate.left_out.values.keys():
        before, now = (dict(zip(one.scale.tolist(), one.left_out.values[name], strict=True)) for one in both)
        for one, other in ((value, now[scale]) for scale, value in before.items() if scale in now):
            if one != other:
                what = f"different {name}: {value_text(one)} in the baseline, {value_text(other)} here"
                raise InputError(what, hint="compare runs of the same size")
    return both


def match(baseline: KernelValues, candidate: KernelValues) -> Matched:
    """Match points and kernels.

    A kernel that is zero at all points counts as missing: the union of call trees has such rows.

    Raises:
        InputError: if parameters, metric or scaling differ, so that no kernel can be compared.
    """
    for what in ("parameters", "metric", "unit", "scaling"):
        one, two = getattr(baseline, what), getattr(candidate, what)
        if one != two:
            raise InputError(
                f"different {what}: {_shown(one)} in the baseline, {_shown(two)} here",
                hint="compare studies of the same kind, or write a new baseline",
            )
    treated = {study.origin.overhead for study in (baseline, candidate)} - {""}
    if len(treated) > 1:
        raise InputError(
            f"times {_TREATED[baseline.origin.overhead]} in the baseline, "
            f"{_TREATED[candidate.origin.overhead]} here",
            hint="give --overhead correct or --overhead keep to both",
        )
    base_at, candidate_at = _common_points(baseline.points, candidate.points)
    old, now = _occurring(baseline), _occurring(candidate)
    both = _without_duplicates(baseline, candidate, [kernel for kernel in now if kernel in old])
    return Matched(
        baseline=baseline.take([old[k] for k in both]),
        candidate=candidate.take([now[k] for k in both]),
        points=baseline.points[base_at],
        base_at=base_at,
        candidate_at=candidate_at,
        new=candidate.take([i for k, i in now.items() if k not in old]),
        vanished=baseline.take([i for k, i in old.items() if k not in now]),
    )


def _common_points(baseline: FloatArray, candidate: FloatArray) -> tuple[IntArray, IntArray]:
    """Indices of the points, float64[P, D], that occur in both, in the order of the baseline."""
    difference = np.abs(baseline[:, None, :] - candidate[None, :, :])
    same = (difference <= SAME_POINT * np.abs(baseline)[:, None, :]).all(axis=2)
    first, second = np.nonzero(same)
    return first, second


def _occurring(study: KernelValues) -> dict[KernelId, int]:
    """Kernels with any value above zero, and the total, with their rows."""
    return {k: i for i, k in enumerate(study.kernels) if study.mean[i].any() or i == 0}


def _without_duplicates(
    baseline: KernelValues, candidate: KernelValues, common: list[KernelId]
) -> list[KernelId]:
    """Drop the regions that are one and the same call path in both studies."""
    one, two = baseline.only_callpaths(), candidate.only_callpaths()
    duplicates = {name for name, callpath in one.items() if two.get(name) == callpath}
    return [k for k in common if k.level is not Scope.REGION or k.region not in duplicates]


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def incomparable(baseline: KernelValues, candidate: KernelValues) -> tuple[str, ...]:
    """Return why the two studies must not be compared kernel by kernel, and what to do about it."""
    reasons = []
    for what, consequence, means in (
        ("machine", "times of different machines say nothing about the code", "on this machine"),
        (
            "processor",
            "times of another say nothing about the code",
            "on this one, or give both one --machine",
        ),
        ("filter", "the time of filtered regions moves to their callers", "with this filter"),
    ):
        one, two = getattr(baseline.origin, what), getattr(candidate.origin, what)
        if one and two and one != two and not (what == "processor" and same_processor(one, two)):
            reasons.append(
                f"different {what}: {one} in the baseline, {two} here; {consequence}: "
                f"measure the baseline again {means}"
            )
    before, now = (study.origin.projected or "as measured" for study in (baseline, candidate))
    if before != now:
        reasons.append(
            f"different machines: the baseline's times are {before}, these {now}: "
            "use the same --from and --on for both"
        )
    return tuple(reasons)

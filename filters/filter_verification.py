"""What a profile would look like under a filter, compared with a measurement under it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from filters.evidence import by_hand, evidence_from_profile
from filters.instrumentation import FILTER_ATTRIBUTE, digest
from filters.rejected_visits import Folding, fold
from filters.scorep_format.rule_files import FilterRules, kept
from ingest.alignment import CallTreeUnion
from ingest.arrays import BoolArray, FloatArray
from ingest.calltree import CallTree
from ingest.cpp_names import short_list
from ingest.experiment import TIME
from ingest.number_text import figure, percent
from ingest.profile import Block, Metric, MetricKind, Profile, RegionTable, exclusive_values
from ingest.record_codec import NO_ENTRY


def simulate(profile: Profile, rules: FilterRules, *, at_compile_time: bool = False) -> Profile:
    """Apply a filter to a measurement that was made without it.

    Filtered regions vanish from the call tree, with their visits. What they call moves to their nearest
    recorded caller, where calls of the same region become one call path. What was measured in them is
    attributed to that caller: time, with the overhead that filtering would have saved
    (`filters.filter_effect` predicts how much), counters, bytes. Minima and maxima stay those of the recorded
    visits. Metrics that belong to no place in the call tree are left out. A filter at compile time leaves
    regions instrumented by hand.
    """
    recorded = kept(rules, profile.regions, at_compile_time=at_compile_time)
    folding = fold(profile.tree, profile.regions, recorded)
    metrics = tuple(metric for metric in profile.metrics if metric.kind is not MetricKind.SIMPLE)
    return replace(
        profile,
        tree=folding.tree,
        metrics=metrics,
        load=FoldedValues(profile, folding),
        attributes={**profile.attributes, FILTER_ATTRIBUTE: digest(rules)},
        notices=(*profile.notices, *_lost(profile, folding)),
    )


@dataclass(frozen=True, eq=False)
class FoldedValues:
    """Reads the values of a profile and folds them."""

    profile: Profile
    folding: Folding

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the folded values of a metric, as stored."""
        return self.folding.values(metric, self.profile.load(metric))

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield all exclusive values at once."""
        yield np.arange(len(self.folding.tree)), exclusive_values(self.folding.tree, metric, self(metric))


def _lost(profile: Profile, folding: Folding) -> tuple[str, ...]:
    outside = folding.place < 0
    if not outside.any():
        return ()
    timed = TIME in {metric.name for metric in profile.metrics}
    time = f" ({figure(profile.values(TIME)[outside].sum())} s)" if timed else ""
    return (f"{int(outside.sum())} call paths{time} have no recorded caller and are not measured at all",)


TOLERANCE = 0.01


@dataclass(frozen=True, kw_only=True)
class CallPathDifference:
    """A call path that was not measured as predicted."""

    document_name: ClassVar[str] = "difference"
    callpath: tuple[str, ...]
    kind: str  # not dropped though filtered, missing, extra (not predicted), or visits
    predicted: float
    measured: float
    # the difference as a share of all visits, predicted or measured, whichever are more
    share: Annotated[float, "of the visits"]


@dataclass(frozen=True, kw_only=True)
class PredictedAndMeasured:
    """A count."""

    predicted: float
    measured: float


@dataclass(frozen=True, kw_only=True)
class Verification:
    """A profile measured under a filter, compared with what was predicted."""

    document_name: ClassVar[str] = "verified_point"
    full: str  # the profile measured without a filter
    reduced: str  # the profile measured under the filter
    agrees: bool  # whether the visits agree within `TOLERANCE`
    deviation: float  # the sum of all differences of visits, as a share of the larger sum of visits
    # why the second profile cannot have been measured under the filter; empty if it agrees
    reasons: tuple[str, ...]
    # the profile whose measurement seems to have lost visits, though the filter was applied; empty if neither
    incomplete: str
    # those that the filter leaves of the full profile, by simulation, and those of the reduced one
    visits: PredictedAndMeasured
    callpaths: PredictedAndMeasured  # with visits
    differences: tuple[CallPathDifference, ...]  # the call paths that differ, the largest difference first
    # whether the filter was applied at compile time, as regions instrumented by hand show; None if the filter
    # drops none of them
    at_compile_time: bool | None = field(metadata=NO_ENTRY)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Visits:
    """Predicted and measured visits of n call paths, the union of both profiles."""

    tree: CallTree
    regions: RegionTable
    predicted: FloatArray  # float64[n], visits that the filter leaves of the full profile
    measured: FloatArray  # float64[n], visits of the reduced profile
    filtered: BoolArray  # bool[n], call paths of regions that the filter drops

    @cached_property
    def deviation(self) -> float:
        return self._share(np.abs(self.measured - self.predicted))

    @cached_property
    def differences(self) -> tuple[CallPathDifference, ...]:
        size = np.abs(self.measured - self.predicted)
        different = np.flatnonzero(size > 0)
        names = self.regions.name
        return tuple(
            CallPathDifference(
                callpath=tuple(names[self.tree.region[step]] for step in self.tree.path(i)),
                kind=self._kind(i),
                predicted=float(self.predicted[i]),
                measured=float(self.measured[i]),
                share=self._share(size[i : i + 1]),
            )
            for i in different[np.argsort(-size[different], kind="stable")].tolist()
        )

    def _kind(self, i: int) -> str:
        if self.filtered[i]:
            return "not dropped"
        if self.measured[i] == 0:
            return "missing"
        return "extra" if self.predicted[i] == 0 else "visits"

    def reasons(self, incomplete: str) -> tuple[str, ...]:
        """Say why the second profile cannot have been measured under the filter, or which one lost visits."""
        if incomplete:
            of = int(np.maximum(self.predicted > 0, self.measured > 0).sum())
            return (
                f"{percent(self.deviation)} of the visits are missing in {len(self.differences)} of {of} "
                f"call paths of {incomplete}, and all others agree to the visit: the measurement system lost "
                "them, as Score-P does if its memory is full (measure again with a larger "
                "SCOREP_TOTAL_MEMORY), or the input differs",
            )
        dropped = self._regions(self.filtered & (self.measured > 0))
        lost, new = self._only_in(self.predicted, self.measured), self._only_in(self.measured, self.predicted)
        found = []
        if dropped:
            found.append(
                f"{percent(self._share(self.measured * self.filtered))} of the visits are in regions that "
                f"the filter drops ({short_list(dropped)})"
            )
        if lost:
            found.append(
                f"regions that the filter keeps were not recorded ({short_list(lost)}), because of another "
                "filter or of the compiler (GCC's plug-in skips inline functions unless a rule includes them "
                "by name)"
            )
        if new and not dropped:
            found.append(
                f"regions were recorded that are not in the profile without the filter ({short_list(new)}): "
                "another build, or GCC's plug-in, which records inline functions that a rule includes by name"
            )
        if not found:
            found.append(
                f"the same regions were recorded, but {percent(self.deviation)} of the visits differ: "
                "another input, number of steps or number of processes"
            )
        return tuple(found)

    def _share(self, visits: FloatArray) -> float:
        largest = max(float(self.predicted.sum()), float(self.measured.sum()))
        return float(visits.sum()) / largest if largest > 0 else 0.0

    def lost_by(self, full: str, reduced: str) -> str:
        """Return the profile that has fewer visits in the smaller part of the call paths, all else equal."""
        more = self.measured - self.predicted
        if 2 * int((more != 0).sum()) >= int(np.maximum(self.predicted > 0, self.measured > 0).sum()):
            return ""
        if (more >= 0).all() and not self._only_in(self.measured, self.predicted):
            return full
        return reduced if (more <= 0).all() and not self._only_in(self.predicted, self.measured) else ""

    def _only_in(self, one: FloatArray, other: FloatArray) -> list[str]:
        recorded = set(self._regions(other > 0))
        return [name for name in self._regions(one > 0) if name not in recorded]

    def _regions(self, chosen: BoolArray) -> list[str]:
        visits = np.maximum(self.predicted, self.measured) * chosen
        by_region = np.bincount(self.tree.region, visits, len(self.regions))
        largest = np.argsort(-by_region, kind="stable")
        return [self.regions.name[i] for i in largest[by_region[largest] > 0].tolist()]


def verify(full: Profile, reduced: Profile, rules: FilterRules) -> Verification:
    """Compare a measurement made under a filter with the simulation of that filter.

    Call paths are the same if their displayed names are. Visits are summed over CPU locations. If the filter
    drops regions instrumented by hand, and the second profile has visits of them, the filter was applied at
    compile time, which leaves them.
    """
    at_compile_time = _at_compile_time(full, reduced, rules)
    simulated = evidence_from_profile(simulate(full, rules, at_compile_time=bool(at_compile_time)))
    seen = evidence_from_profile(reduced)
    union = CallTreeUnion()
    numbers = [union.add(run.tree, run.regions) for run in (simulated, seen)]
    place, tree, regions = union.finish()
    predicted, measured = (
        np.bincount(place[number], run.visits, len(tree)).astype(np.float64)
        for number, run in zip(numbers, (simulated, seen), strict=True)
    )
    passed = kept(rules, regions, at_compile_time=bool(at_compile_time))
    visits = _Visits(
        tree=tree, regions=regions, predicted=predicted, measured=measured, filtered=~passed[tree.region]
    )
    agrees = visits.deviation <= TOLERANCE
    incomplete = "" if agrees else visits.lost_by(full.source, reduced.source)
    return Verification(
        full=full.source,
        reduced=reduced.source,
        agrees=agrees,
        deviation=visits.deviation,
        reasons=() if agrees else visits.reasons(incomplete),
        incomplete=incomplete,
        visits=PredictedAndMeasured(predicted=float(predicted.sum()), measured=float(measured.sum())),
        callpaths=PredictedAndMeasured(
            predicted=int((predicted > 0).sum()), measured=int((measured > 0).sum())
        ),
        differences=visits.differences,
        at_compile_time=at_compile_time,
    )


def _at_compile_time(full: Profile, reduced: Profile, rules: FilterRules) -> bool | None:
    """Infer where a filter was applied from dropped regions instrumented by hand; None without any."""
    visits = []
    for profile in (full, reduced):
        dropped, run = (
            by_hand(profile.regions) & ~kept(rules, profile.regions),
            evidence_from_profile(profile),
        )
        visits.append(float(run.visits[dropped[run.tree.region]].sum()))
    return visits[1] > 0 if visits[0] > 0 else None

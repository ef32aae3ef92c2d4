"""What a profile would look like under a filter."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from filters.evidence import TIME, VISITS
from filters.instrumentation import FILTER_ATTRIBUTE, digest
from filters.scorep_format.rule_files import FilterRules, kept
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.profile import Block, Metric, MetricKind, Profile, exclusive_values


def simulate(profile: Profile, rules: FilterRules, *, at_compile_time: bool = False) -> Profile:
    """Apply a filter to a measurement that was made without it.

    Filtered regions vanish from the call tree, with their visits. What they call moves to their nearest
    recorded caller, where calls of the same region become one call path. What was measured in them is
    attributed to that caller: time, with the overhead that filtering would have saved
    (`filters.filter_effect` predicts how much), counters, bytes. Minima and maxima stay those of the recorded
    visits. Metrics that belong to no place in the call tree are left out. A filter at compile time leaves
    regions instrumented by hand.

    Raises:
        InputError: later, when damaged values are read.
    """
    folding = fold(profile, kept(rules, profile.regions, at_compile_time=at_compile_time))
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
class Folding:
    """How the n call paths of a profile fold into the m of the filtered one.

    Attributes:
        tree: the m call paths.
        place: int64[n], the call path that gets what was measured: itself or its nearest recorded caller; -1
            if there is none.
        recorded: bool[n], the call paths that are measured themselves.
    """

    tree: CallTree
    place: IntArray
    recorded: BoolArray

    def values(self, metric: Metric, stored: FloatArray) -> FloatArray:
        """Fold the stored values of a metric, float64[n, location] to float64[m, location]."""
        if metric.kind in (MetricKind.MINIMUM, MetricKind.MAXIMUM):
            low = metric.kind is MetricKind.MINIMUM
            extreme = np.full((len(self.tree), stored.shape[1]), np.inf if low else -np.inf)
            merge = np.minimum if low else np.maximum
            merge.at(extreme, self.place[self.recorded], stored[self.recorded])
            return extreme
        moves = metric.kind is MetricKind.EXCLUSIVE and metric.name != VISITS
        source = np.flatnonzero(self.place >= 0 if moves else self.recorded)
        folded = np.zeros((len(self.tree), stored.shape[1]))
        np.add.at(folded, self.place[source], stored[source])
        return folded


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


def fold(profile: Profile, recorded_regions: BoolArray) -> Folding:
    """Find the call tree under a filter.

    Args:
        profile: n call paths.
        recorded_regions: bool[region], which regions are measured.
    """
    tree = profile.tree
    recorded = recorded_regions[tree.region]
    nodes = np.flatnonzero(recorded)
    home = tree.nearest(recorded)
    number = np.full(len(tree) + 1, -1)
    number[nodes] = np.arange(len(nodes))
    caller = np.where(tree.parent[nodes] >= 0, home[tree.parent[nodes]], -1)
    merged, folded = CallTree(number[caller], tree.region[nodes]).merge_siblings(profile.regions.mangled)
    place = np.append(merged, -1)[number[home]]
    return Folding(folded, place, recorded)


def _lost(profile: Profile, folding: Folding) -> tuple[str, ...]:
    outside = folding.place < 0
    if not outside.any():
        return ()
    time = f" ({profile.values(TIME)[outside].sum():.4g} s)" if _has_time(profile) else ""
    return (f"{int(outside.sum())} call paths{time} have no recorded caller and are not measured at all",)


def _has_time(profile: Profile) -> bool:
    return any(metric.name == TIME for metric in profile.metrics)

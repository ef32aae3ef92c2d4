"""How a call tree folds under a filter: what is not recorded belongs to the nearest recorded caller."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.experiment import VISITS
from ingest.profile import Metric, MetricKind, RegionTable


@dataclass(frozen=True, eq=False)
class Folding:
    """How the n call paths of a profile fold into the m of the filtered one."""

    tree: CallTree  # the m call paths
    # int64[n], the call path that gets what was measured: itself or its nearest recorded caller; -1 if there
    # is none
    place: IntArray
    recorded: BoolArray  # bool[n], the call paths that are measured themselves

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


def fold(tree: CallTree, regions: RegionTable, recorded_regions: BoolArray) -> Folding:
    """Find the call tree under a filter that measures `recorded_regions`, bool[region]."""
    recorded = recorded_regions[tree.region]
    nodes = np.flatnonzero(recorded)
    home = tree.nearest(recorded)
    number = np.full(len(tree) + 1, -1)
    number[nodes] = np.arange(len(nodes))
    caller = np.where(tree.parent[nodes] >= 0, home[tree.parent[nodes]], -1)
    merged, folded = CallTree(number[caller], tree.region[nodes]).merge_siblings(regions.mangled)
    place = np.append(merged, -1)[number[home]]
    return Folding(folded, place, recorded)

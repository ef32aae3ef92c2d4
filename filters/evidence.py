"""Evidence: the visits and the time of every call path of a run, from which a filter is decided."""

from dataclasses import dataclass

import numpy as np

from filters.scorep_format.matcher import filterable
from ingest.arrays import FloatArray
from ingest.calltree import CallTree
from ingest.profile import Profile, RegionTable
from ingest.region_class import USEFUL, regions_in

VISITS, TIME, LONGEST = "visits", "time", "max_time"
OFTEN = 100  # visits, from which one of them can be an outlier
LEAST_INTERRUPTION, OUTLYING = 1e-3, 20.0  # seconds, and times the mean of the other visits


@dataclass(frozen=True, eq=False, kw_only=True)
class RunEvidence:
    """One run, summed over its CPU locations.

    Attributes:
        source: the file it was read from.
        tree: its n call paths; siblings that a filter cannot distinguish are merged.
        regions: what the call paths are made of.
        visits: float64[n], how often each call path was entered.
        time: float64[n], exclusive time in core-seconds, with the measurement's own overhead in it but
            without interruptions.
        interrupted: core-seconds of interruptions, which belong to no call path (see `interruptions`).
        busiest: the most visits of a single CPU location.
        wall: the longest time of a CPU location in seconds: how long the run took.
    """

    source: str
    tree: CallTree
    regions: RegionTable
    visits: FloatArray
    time: FloatArray
    interrupted: float
    busiest: float
    wall: float


def evidence_from_profile(profile: Profile) -> RunEvidence:
    """Sum a profile's visits and exclusive time over its CPU locations.

    Raises:
        InputError: if the profile has no visits or no time, or their values are damaged.
    """
    node, tree = profile.tree.merge_siblings(profile.regions.mangled)
    visits, busiest = _sums(profile, VISITS)
    time, wall = _sums(profile, TIME)
    lost = np.minimum(interruptions(profile), time)
    return RunEvidence(
        source=profile.source,
        tree=tree,
        regions=profile.regions,
        visits=np.bincount(node, visits, len(tree)).astype(np.float64),
        time=np.bincount(node, time - lost, len(tree)).astype(np.float64),
        interrupted=float(lost.sum()),
        busiest=busiest,
        wall=wall,
    )


def interruptions(profile: Profile) -> FloatArray:
    """Find what single interruptions by the operating system added, float64[call path] in core-seconds.

    A call path that is visited often has one visit that took very much longer than all others: its longest
    inclusive time, which Score-P keeps for every call path. A callee with such a visit explains that of its
    callers. At most one visit of a call path and location is recognised, in computing regions that the
    compiler instrumented.
    """
    if LONGEST not in {metric.name for metric in profile.metrics}:
        return np.zeros(len(profile.tree))
    cpu = profile.locations.cpu
    longest = profile.values(LONGEST)[:, cpu]
    visits = profile.values(VISITS)[:, cpu]
    others = (profile.values(TIME, inclusive=True)[:, cpu] - longest) / np.maximum(visits - 1, 1)
    trivial = (filterable(profile.regions) & regions_in(profile.regions, USEFUL))[profile.tree.region]
    odd = (visits >= OFTEN) & (longest >= LEAST_INTERRUPTION) & (longest >= OUTLYING * others)
    excess = np.where(odd & trivial[:, None], longest - others, 0.0)
    explained = excess.copy()
    below = np.zeros(excess.shape)
    for nodes, starts, parents in profile.tree.levels:
        below[parents] = np.maximum.reduceat(explained[nodes], starts, axis=0)
        explained[parents] = np.maximum(explained[parents], below[parents])
    own: FloatArray = np.maximum(excess - below, 0.0).sum(axis=1)
    return own


def _sums(profile: Profile, metric: str) -> tuple[FloatArray, float]:
    """Sum values over CPU locations, float64[call path], and find the largest sum of a location."""
    cpu = profile.locations.cpu
    by_callpath, by_location = np.zeros(len(profile.tree)), np.zeros(int(cpu.sum()))
    for nodes, values in profile.exclusive_blocks(metric, cpu):
        counted = np.maximum(values, 0.0)
        by_callpath[nodes] = counted.sum(axis=1)
        by_location += counted.sum(axis=0)
    return by_callpath, float(by_location.max(initial=0.0))

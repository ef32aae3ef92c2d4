"""Evidence: the visits and the time of every call path of a run, from which a filter is decided."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import CallTree
from ingest.profile import Profile, RegionTable

VISITS = "visits"
TIME = "time"


@dataclass(frozen=True, eq=False, kw_only=True)
class RunEvidence:
    """One run, summed over its CPU locations.

    Attributes:
        source: the file it was read from.
        tree: its n call paths; siblings that a filter cannot distinguish are merged.
        regions: what the call paths are made of.
        visits: float64[n], how often each call path was entered.
        time: float64[n], exclusive time in core-seconds, with the measurement's own overhead in it.
        busiest: the most visits of a single CPU location.
        wall: the longest time of a CPU location in seconds: how long the run took.
    """

    source: str
    tree: CallTree
    regions: RegionTable
    visits: FloatArray
    time: FloatArray
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
    return RunEvidence(
        source=profile.source,
        tree=tree,
        regions=profile.regions,
        visits=np.bincount(node, visits, len(tree)).astype(np.float64),
        time=np.bincount(node, time, len(tree)).astype(np.float64),
        busiest=busiest,
        wall=wall,
    )


def _sums(profile: Profile, metric: str) -> tuple[FloatArray, float]:
    """Sum values over CPU locations, float64[call path], and find the largest sum of a location."""
    cpu = profile.locations.cpu
    by_callpath, by_location = np.zeros(len(profile.tree)), np.zeros(int(cpu.sum()))
    for nodes, values in profile.exclusive_blocks(metric, cpu):
        counted = np.maximum(values, 0.0)
        by_callpath[nodes] = counted.sum(axis=1)
        by_location += counted.sum(axis=0)
    return by_callpath, float(by_location.max(initial=0.0))

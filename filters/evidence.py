"""What a filter is decided from: visits and time of every call path of a run."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import CallTree
from ingest.merging import merge_siblings
from ingest.profile import Profile, RegionTable

VISITS = "visits"
TIME = "time"


@dataclass(frozen=True, eq=False)
class RunEvidence:
    """One run, summed over its CPU locations.

    Attributes:
        source: the file it was read from.
        tree: its n call paths; siblings that no filter can tell apart are one.
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
    """Sum a profile's visits and exclusive time over its CPU locations; the profile is not needed afterwards.

    Raises:
        InputError: where the profile has no visits or no time, or their values are damaged.
    """
    cpu = profile.locations.cpu
    node, tree = merge_siblings(profile.tree, profile.regions.mangled)
    visits = profile.values(VISITS)[:, cpu]
    time = np.maximum(profile.values(TIME)[:, cpu], 0.0)
    return RunEvidence(
        profile.source,
        tree,
        profile.regions,
        np.bincount(node, visits.sum(axis=1), len(tree)).astype(np.float64),
        np.bincount(node, time.sum(axis=1), len(tree)).astype(np.float64),
        float(visits.sum(axis=0).max(initial=0.0)),
        float(time.sum(axis=0).max(initial=0.0)),
    )

"""Interruptions by the operating system: single visits that took very much longer than all others."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.profile import Profile
from ingest.region_class import USEFUL_WORK, regions_in

_LONGEST = "max_time"
_NEEDED = ("time", "visits", _LONGEST)
_PARADIGMS = ("compiler", "user")
_SEVERAL, _OFTEN = 2, 100  # visits, from which other runs, and from which the run alone tells
LEAST_INTERRUPTION, OUTLYING = 1e-3, 20.0  # seconds, and times what is usual


@dataclass(frozen=True, eq=False, kw_only=True)
class LongVisits(Rows):
    """The call paths of a run that have a visit which took far longer than their others."""

    node: IntArray  # int64[k]
    often: BoolArray  # bool[k], whether there were so many visits that the run itself tells
    added: FloatArray  # float64[k, CPU location], seconds beyond a usual visit
    low: FloatArray  # float64[k], the smallest time of a location without them
    high: FloatArray  # float64[k], the largest

    @classmethod
    def of(cls, profile: Profile, node: IntArray, size: int) -> "LongVisits":
        """Find them in the `size` call paths that those of a profile are merged into, by `node`, int64[n]."""
        cpu = profile.locations.cpu
        added = np.zeros((size, int(cpu.sum())))
        time, seldom = np.zeros(added.shape), np.zeros(size, dtype=np.bool_)
        found = interruptions(profile, _SEVERAL)
        if found.any():
            np.add.at(added, node, found)
            np.add.at(time, node, profile.values("time")[:, cpu])
            seldom[node[((found > 0) & (profile.values("visits")[:, cpu] < _OFTEN)).any(axis=1)]] = True
        some = np.flatnonzero(added.any(axis=1))
        left = (time - added)[some]
        low, high = left.min(axis=1, initial=np.inf), left.max(axis=1, initial=0.0)
        return cls(node=some, often=~seldom[some], added=added[some], low=low, high=high)


def interruptions(profile: Profile, fewest: int = _OFTEN) -> FloatArray:
    """Return what single interruptions added, float64[call path, CPU location] in seconds.

    A call path with at least `fewest` visits has one that took very much longer than all others: its longest
    inclusive time, which Score-P keeps for every call path. Callees with such visits explain that of their
    caller, and so do those that were not called in each of its visits. At most one visit of a call path and
    location is recognised, in computing regions that the compiler instrumented.
    """
    cpu, tree = profile.locations.cpu, profile.tree
    if not has_longest_visits(profile):
        return np.zeros((len(tree), int(cpu.sum())))
    time, visits, longest = (profile.values(name)[:, cpu] for name in _NEEDED)
    others = np.maximum(tree.inclusive(time) - longest, 0.0) / np.maximum(visits - 1, 1)
    beyond = np.maximum(longest - others, 0.0)
    own = np.array([paradigm in _PARADIGMS for paradigm in profile.regions.paradigm], dtype=np.bool_)
    own &= regions_in(profile.regions, USEFUL_WORK)
    odd = (
        (visits >= fewest)
        & (longest >= np.maximum(OUTLYING * others, LEAST_INTERRUPTION))
        & own[tree.region, None]
    )
    below = np.zeros(time.shape)
    for nodes, starts, parents in tree.levels if odd.any() else ():
        explained = np.maximum(beyond, below)[nodes]
        rare = np.where(visits[nodes] < visits[tree.parent[nodes]], explained, 0.0)
        together = np.add.reduceat(rare, starts, axis=0)
        below[parents] = np.maximum(np.maximum.reduceat(explained, starts, axis=0), together)
    excess = np.where(odd, np.maximum(beyond - below, 0.0), 0.0)
    return np.where(excess < time, excess, np.where(odd, np.maximum(time - others * visits, 0.0), 0.0))


def has_longest_visits(profile: Profile) -> bool:
    """Whether a profile has what tells interruptions."""
    return {metric.name for metric in profile.metrics}.issuperset(_NEEDED)

"""Interruptions by the operating system: single visits that took very much longer than all others."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows, distinct
from ingest.profile import Profile
from ingest.region_class import USEFUL_WORK, regions_in

_LONGEST = "max_time"
_NEEDED = ("time", "visits", _LONGEST)
INSTRUMENTED = ("compiler", "user")  # paradigms of regions that the compiler or the user instrumented
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
        found = interruptions(profile, _SEVERAL)
        some = distinct(node[found.any(axis=1)])
        place = np.full(size, -1)
        place[some] = np.arange(len(some))
        rows = np.flatnonzero(place[node] >= 0)  # siblings of one name among them
        added, left = (np.zeros((len(some), found.shape[1])) for _ in range(2))
        seldom = np.zeros(len(some), dtype=np.bool_)
        if len(some):
            time, visits = (profile.values(name)[rows][:, cpu] for name in ("time", "visits"))
            np.add.at(added, place[node[rows]], found[rows])
            np.add.at(left, place[node[rows]], time - found[rows])
            seldom[place[node[rows[((found[rows] > 0) & (visits < _OFTEN)).any(axis=1)]]]] = True
        low, high = left.min(axis=1, initial=np.inf), left.max(axis=1, initial=0.0)
        return cls(node=some, often=~seldom, added=added, low=low, high=high)


def interruptions(profile: Profile, fewest: int = _OFTEN) -> FloatArray:
    """Return what single interruptions added, float64[call path, CPU location] in seconds.

    A call path with at least `fewest` visits has one that took very much longer than all others: its longest
    inclusive time, which Score-P keeps for every call path. Callees with such visits explain that of their
    caller, and so do those that were not called in each of its visits. At most one visit of a call path and
    location is recognised, in computing regions that the compiler instrumented.
    """
    cpu, tree = profile.locations.cpu, profile.tree
    nothing = np.zeros((len(tree), int(cpu.sum())))
    if not has_longest_visits(profile):
        return nothing
    visits, longest = (profile.values(name)[:, cpu] for name in ("visits", _LONGEST))
    own = np.array([paradigm in INSTRUMENTED for paradigm in profile.regions.paradigm], dtype=np.bool_)
    own &= regions_in(profile.regions, USEFUL_WORK)
    odd = (visits >= fewest) & (longest >= LEAST_INTERRUPTION) & own[tree.region, None]
    if not odd.any():
        return nothing
    time, whole = (profile.values("time", inclusive=within)[:, cpu] for within in (False, True))
    others = np.maximum(whole - longest, 0.0) / np.maximum(visits - 1, 1)
    odd &= longest >= OUTLYING * others
    if not odd.any():
        return nothing
    beyond, below = np.maximum(longest - others, 0.0), np.zeros(time.shape)
    for nodes, starts, parents in tree.levels:
        explained = np.maximum(beyond, below)[nodes]
        rare = np.where(visits[nodes] < visits[tree.parent[nodes]], explained, 0.0)
        together = np.add.reduceat(rare, starts, axis=0)
        below[parents] = np.maximum(np.maximum.reduceat(explained, starts, axis=0), together)
    excess = np.where(odd, np.maximum(beyond - below, 0.0), 0.0)
    return np.where(excess < time, excess, np.where(odd, np.maximum(time - others * visits, 0.0), 0.0))


def has_longest_visits(profile: Profile) -> bool:
    """Whether a profile has what tells interruptions."""
    return {metric.name for metric in profile.metrics}.issuperset(_NEEDED)

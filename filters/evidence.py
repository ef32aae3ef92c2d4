"""Evidence: the visits and the time of every call path of a run, and the regions that filters name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.experiment import TIME, VISITS
from ingest.interruptions import INSTRUMENTED, interruptions
from ingest.profile import Profile, RegionTable

_USER = "user"
_INTERNAL = "MEASUREMENT OFF"  # Score-P's own, though its paradigm is user
_ENTRY_POINTS = ("main", "MAIN__")


@dataclass(frozen=True, eq=False, kw_only=True)
class RunEvidence:
    """One run, summed over its CPU locations."""

    source: str
    tree: CallTree  # its n call paths; siblings that a filter cannot distinguish are merged
    regions: RegionTable
    visits: FloatArray  # float64[n], how often each call path was entered
    # float64[n], exclusive time in core-seconds, with the measurement's own overhead in it but without
    # interruptions
    time: FloatArray
    interrupted: float  # core-seconds of interruptions, which belong to no call path (see `interruptions`)
    busiest: float  # the most visits of a single CPU location
    wall: float  # the longest time of a CPU location in seconds: how long the run took


def evidence_from_profile(profile: Profile) -> RunEvidence:
    """Sum a profile's visits and exclusive time over its CPU locations."""
    node, tree = profile.tree.merge_siblings(profile.regions.mangled)
    visits, busiest = sums_on_cpus(profile, VISITS)
    time, wall = sums_on_cpus(profile, TIME)
    lost = np.minimum(interruptions(profile).sum(axis=1), time)
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


def sums_on_cpus(profile: Profile, metric: str) -> tuple[FloatArray, float]:
    """Sum values over CPU locations, float64[call path], and find the largest sum of a single location."""
    cpu = profile.locations.cpu
    by_callpath, by_location = np.zeros(len(profile.tree)), np.zeros(int(cpu.sum()))
    for nodes, values in profile.exclusive_blocks(metric, cpu):
        counted = np.maximum(values, 0.0)
        by_callpath[nodes] = counted.sum(axis=1)
        by_location += counted.sum(axis=0)
    return by_callpath, float(by_location.max(initial=0.0)) / profile.summed.count


class _Facts(NamedTuple):
    name: str
    paradigm: str
    file: str
    line: int

    def joined(self, other: "_Facts") -> "_Facts":
        """Join two regions of one mangled name: a user region if one is, without a file if these differ."""
        paradigm = other.paradigm if other.paradigm == _USER else self.paradigm
        return self._replace(paradigm=paradigm, file=self.file if self.file == other.file else "")


@dataclass(frozen=True, eq=False)
class FilterRegions:
    """R filterable regions in the order of their displayed names, so that files made from them are stable.

    A rule on mangled names cannot distinguish regions that share one (equally named static functions in two
    files): they are one entry and one decision here.
    """

    table: RegionTable  # names, mangled names, paradigms, files and lines; no file if several share the name
    # per run, int64[regions of the run], the entry of each of its regions; -1 if it cannot be filtered
    of_run: tuple[IntArray, ...]
    called: BoolArray  # bool[R], whether a call path of any run leads to it
    pinned: BoolArray  # bool[R], user regions and the entry point of the program: they are always kept

    def __len__(self) -> int:
        return len(self.table)

    def of_callpaths(self, run: int, evidence: RunEvidence) -> IntArray:
        """Return the entry of every call path of a run, int64[call path]; -1 if it cannot be filtered."""
        return self.of_run[run][evidence.tree.region]

    def total(self, run: int, evidence: RunEvidence, values: FloatArray) -> FloatArray:
        """Sum values over the call paths of each entry: float64[call path] of a run to float64[R]."""
        entry = self.of_callpaths(run, evidence)
        touched = entry >= 0
        return np.bincount(entry[touched], values[touched], len(self)).astype(np.float64)


def unite_regions(runs: Sequence[RunEvidence]) -> FilterRegions:
    """Collect the filterable regions of several runs."""
    facts: dict[str, _Facts] = {}
    for run in runs:
        table = run.regions
        for i in np.flatnonzero(filterable(table)).tolist():
            found = _Facts(table.name[i], table.paradigm[i], table.file[i], int(table.line[i]))
            facts[table.mangled[i]] = facts.get(table.mangled[i], found).joined(found)
    mangled = sorted(facts, key=lambda key: (facts[key].name, key))
    number = {key: i for i, key in enumerate(mangled)}
    of_run = tuple(_entries(run.regions, number) for run in runs)
    rows = [facts[key] for key in mangled]
    places = [(row.file, row.line) for row in rows]
    table = RegionTable.named([row.name for row in rows], [row.paradigm for row in rows], places, mangled)
    called = np.zeros(len(mangled), dtype=np.bool_)
    for run, entry in zip(runs, of_run, strict=True):
        seen = entry[run.tree.region]
        called[seen[seen >= 0]] = True
    pinned = by_hand(table) | np.array([name in _ENTRY_POINTS for name in table.mangled], dtype=np.bool_)
    return FilterRegions(table, of_run, called, pinned)


def _entries(table: RegionTable, number: dict[str, int]) -> IntArray:
    able = filterable(table)
    entries = [number[m] if ok else -1 for m, ok in zip(table.mangled, able, strict=True)]
    return np.array(entries, dtype=np.int64)


def filterable(regions: RegionTable) -> BoolArray:
    """Return which regions a filter can decide on at all, bool[region].

    Score-P asks its filter for regions that the compiler instrumented and for user regions; MPI, OpenMP and
    all others are always recorded. A region without a name cannot be written down.
    """
    pairs = zip(regions.paradigm, regions.mangled, strict=True)
    able = [paradigm in INSTRUMENTED and name not in ("", _INTERNAL) for paradigm, name in pairs]
    return np.array(able, dtype=np.bool_)


def by_hand(regions: RegionTable) -> BoolArray:
    """Return which regions the user instrumented by hand, bool[region].

    Their instrumentation is in the source code: a filter that the compiler applies leaves them. At run time
    they are filtered as others are.
    """
    return np.array([paradigm == _USER for paradigm in regions.paradigm], dtype=np.bool_)

"""The regions that filters name, united over runs: one entry for all that share a mangled name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from filters.evidence import RunEvidence
from filters.scorep_format.matcher import USER, filterable
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.profile import RegionTable

ENTRY_POINTS = ("main", "MAIN__")


class _Facts(NamedTuple):
    name: str
    paradigm: str
    file: str
    line: int

    def joined(self, other: "_Facts") -> "_Facts":
        """Join two regions of one mangled name: a user region if one is, without a file if these differ."""
        paradigm = other.paradigm if other.paradigm == USER else self.paradigm
        return self._replace(paradigm=paradigm, file=self.file if self.file == other.file else "")


@dataclass(frozen=True, eq=False)
class FilterRegions:
    """R filterable regions in the order of their displayed names, so that files made from them are stable.

    A rule on mangled names cannot distinguish regions that share one (equally named static functions in two
    files): they are one entry and one decision here.

    Attributes:
        table: names, mangled names, paradigms, files and lines; no file if several share the name.
        of_run: per run, int64[regions of the run], the entry of each of its regions; -1 if it cannot be
            filtered.
        called: bool[R], whether a call path of any run leads to it.
        pinned: bool[R], user regions and the entry point of the program: they are always kept.
    """

    table: RegionTable
    of_run: tuple[IntArray, ...]
    called: BoolArray
    pinned: BoolArray

    def __len__(self) -> int:
        """Return the number of entries R."""
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
    table = _table(mangled, facts)
    called = np.zeros(len(mangled), dtype=np.bool_)
    for run, entry in zip(runs, of_run, strict=True):
        seen = entry[run.tree.region]
        called[seen[seen >= 0]] = True
    return FilterRegions(table, of_run, called, _pinned(table))


def _entries(table: RegionTable, number: dict[str, int]) -> IntArray:
    able = filterable(table)
    entries = [number[m] if ok else -1 for m, ok in zip(table.mangled, able, strict=True)]
    return np.array(entries, dtype=np.int64)


def _table(mangled: Sequence[str], facts: dict[str, _Facts]) -> RegionTable:
    rows = [facts[key] for key in mangled]
    return RegionTable(
        name=tuple(row.name for row in rows),
        mangled=tuple(mangled),
        paradigm=tuple(row.paradigm for row in rows),
        file=tuple(row.file for row in rows),
        line=np.array([row.line for row in rows], dtype=np.int64),
    )


def _pinned(table: RegionTable) -> BoolArray:
    user = [paradigm == USER for paradigm in table.paradigm]
    entry = [mangled in ENTRY_POINTS for mangled in table.mangled]
    return np.array(user, dtype=np.bool_) | np.array(entry, dtype=np.bool_)

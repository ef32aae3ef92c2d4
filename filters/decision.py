"""Decisions: which regions are measured, and why. Rules decide on call paths, filters name regions."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from filters.evidence import FilterRegions, RunEvidence, by_hand
from filters.filter_options import Overrides
from filters.scorep_format.patterns import PatternSet
from ingest.arrays import BoolArray, IntArray
from ingest.cpp_names import short_list, short_name
from ingest.errors import UsageError, nearest_hint


class Motive(IntEnum):
    """Why a call path or region is kept or dropped; the largest of a region's call paths counts for it."""

    sentence: str  # what it means, for users

    def __new__(cls, value: int, sentence: str = "") -> "Motive":
        """Attach a sentence to the number."""
        motive = int.__new__(cls, value)
        motive._value_ = value
        motive.sentence = sentence
        return motive

    DROPPED = 0, "no rule keeps it"
    NEVER_CALLED = 1, "it is not called in the profile"
    TOO_COSTLY = 2, "it costs more than the budget leaves, or its visits are too short to measure"
    OUT_OF_PROPORTION = 3, "the rule keeps it, but recording all its visits costs more than they show"
    ASKED_TO_DROP = 4, "dropped on request"
    PREFIX = 5, "it leads to a call path that is kept"
    STRUCTURE = 6, "the time spent below it is worth its cost"
    TOTAL_TIME = 7, "it represents call paths with much total time, at or below it"
    TIME_PER_VISIT = 8, "its time per visit is among the longest"
    TIME = 9, "its own time is worth its cost"
    GROWING = 10, "its time grows with the scale"
    PROTECTED = 11, "it is protected"
    USER_REGION = 12, "it was instrumented by hand"
    ENTRY_POINT = 13, "it is the entry point of the program"

    @property
    def keeps(self) -> bool:
        """Whether this is a reason to keep."""
        return self >= Motive.PREFIX


@dataclass(frozen=True, eq=False, kw_only=True)
class Decision:
    """Which regions are measured, and why."""

    regions: FilterRegions  # the R regions that a filter can name
    runs: tuple[RunEvidence, ...]  # what it was decided from
    callpaths: tuple[IntArray, ...]  # per run, int64[call path], the `Motive` of every call path by itself
    reason: IntArray  # int64[R], the `Motive` of every region
    method: str  # the rule and its numbers, in one line
    notices: tuple[str, ...] = ()

    @property
    def kept(self) -> BoolArray:
        """bool[R], the regions that are measured."""
        return self.reason >= Motive.PREFIX

    def recorded_regions(self, run: int) -> BoolArray:
        """Return the regions of a run's own table that are recorded; MPI, OpenMP and others always are."""
        return np.append(self.kept, True)[self.regions.of_run[run]]

    def recorded(self, run: int) -> BoolArray:
        """Return the call paths of a run that are recorded, bool[call path]."""
        return self.recorded_regions(run)[self.runs[run].tree.region]

    def overlapped(self, run: int) -> BoolArray:
        """Return the call paths that are recorded only because their region is kept elsewhere."""
        filterable = self.regions.of_callpaths(run, self.runs[run]) >= 0
        return filterable & self.recorded(run) & (self.callpaths[run] < Motive.PREFIX)


def override(regions: FilterRegions, reason: IntArray, overrides: Overrides) -> IntArray:
    """Return reasons int64[R] with overrides and what is always kept; UsageError if a pattern fits none."""
    for option in ("protect", "drop"):
        for pattern in getattr(overrides, option):
            if not _matching(regions, (pattern,)).any():
                what, where = "matches no region that a filter can name", f"--{option} '{pattern}'"
                otherwise = "a pattern must match the whole name, with or without parameters"
                hint = nearest_hint(pattern, set(map(short_name, regions.table.name)), otherwise)
                raise UsageError(what, where=where, hint=hint)
    final = reason.copy()
    final[np.isin(regions.table.name, overrides.growing) & regions.called] = Motive.GROWING
    user = by_hand(regions.table)
    final[user] = Motive.USER_REGION
    final[_matching(regions, overrides.drop)] = Motive.ASKED_TO_DROP
    final[_matching(regions, overrides.protect)] = Motive.PROTECTED
    final[regions.pinned & ~user] = Motive.ENTRY_POINT
    return final


def _matching(regions: FilterRegions, patterns: Sequence[str]) -> BoolArray:
    """Return which regions one of the patterns names, as displayed, as printed or mangled, bool[R]."""
    wanted = PatternSet.of(patterns)
    named = zip(regions.table.name, map(short_name, regions.table.name), regions.table.mangled, strict=True)
    return np.array([any(map(wanted.matches, names)) for names in named], dtype=np.bool_)


def region_reasons(
    regions: FilterRegions, runs: Sequence[RunEvidence], callpaths: Sequence[IntArray]
) -> IntArray:
    """Give each region the strongest reason of its call paths in all runs, int64[R]."""
    reason = np.full(len(regions), int(Motive.NEVER_CALLED))
    reason[regions.called] = Motive.DROPPED
    for i, (run, found) in enumerate(zip(runs, callpaths, strict=True)):
        entry = regions.of_callpaths(i, run)
        touched = entry >= 0
        np.maximum.at(reason, entry[touched], found[touched])
    return reason


def decision_notices(regions: FilterRegions, reason: IntArray) -> tuple[str, ...]:
    """Say if a decision filters nothing, and why."""
    found = []
    if not (regions.called & ~regions.pinned).any():
        found.append(
            "no region of this profile was instrumented by the compiler, so there is nothing to filter: "
            "MPI, OpenMP and user regions are always measured"
        )
    elif (reason[regions.called] >= Motive.PREFIX).all():
        found.append("every filterable region is kept, so the filter excludes nothing")
    return tuple(found)


def override_notices(decision: Decision, overrides: Overrides) -> tuple[str, ...]:
    """Name the regions that are kept or dropped on request, and which request wins.

    ``--protect`` wins over ``--drop``, and both over every rule, the budget and automatic protection. The
    entry point of the program cannot be dropped.
    """
    reason, drop = decision.reason, _matching(decision.regions, overrides.drop)
    protected = reason == Motive.PROTECTED
    sentences = (
        ("kept on request (--protect)", protected & ~drop),
        ("kept on request: --protect and --drop both match, and --protect wins", protected & drop),
        ("dropped on request (--drop)", reason == Motive.ASKED_TO_DROP),
        ("kept in spite of --drop, as the entry point of the program", drop & (reason == Motive.ENTRY_POINT)),
    )
    called, names = decision.regions.called, decision.regions.table.name
    named = [
        f"{text}: {short_list([names[i] for i in np.flatnonzero(which & called).tolist()])}"
        for text, which in sentences
        if (which & called).any()
    ]
    if (reason[by_hand(decision.regions.table) & called] == Motive.ASKED_TO_DROP).any():
        named.append(
            "regions instrumented by hand are dropped at run time only; a filter at compile time leaves them"
        )
    return tuple(named)

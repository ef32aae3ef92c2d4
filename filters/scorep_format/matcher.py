"""Which regions a filter lets through."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from filters.scorep_format.parser import FilterRule, FilterRules
from filters.scorep_format.patterns import PatternSet
from ingest.arrays import BoolArray, IntArray
from ingest.profile import RegionTable

USER = "user"
FILTERABLE = ("compiler", USER)
_INTERNAL = "MEASUREMENT OFF"  # Score-P's own, though its paradigm is user


def filterable(regions: RegionTable) -> BoolArray:
    """Return which regions a filter can decide on at all, bool[region].

    Score-P asks its filter for regions that the compiler instrumented and for user regions; MPI, OpenMP and
    all others are always recorded. A region without a name cannot be written down.
    """
    pairs = zip(regions.paradigm, regions.mangled, strict=True)
    able = [paradigm in FILTERABLE and name not in ("", _INTERNAL) for paradigm, name in pairs]
    return np.array(able, dtype=np.bool_)


def by_hand(regions: RegionTable) -> BoolArray:
    """Return which regions the user instrumented by hand, bool[region].

    Their instrumentation is in the source code: a filter that the compiler applies leaves them. At run time
    they are filtered as others are.
    """
    return np.array([paradigm == USER for paradigm in regions.paradigm], dtype=np.bool_)


def kept(rules: FilterRules, regions: RegionTable, *, at_compile_time: bool = False) -> BoolArray:
    """Return which regions are measured under a filter, bool[region].

    File rules come first and region rules cannot undo them; regions that cannot be filtered are always
    measured, those instrumented by hand if the filter is applied at compile time.
    """
    by_file = last_match(rules.files, regions.file, regions.file)
    by_name = last_match(rules.regions, regions.name, regions.mangled)
    unnamed_file = np.array([file == "" for file in regions.file], dtype=np.bool_)
    passed = ((by_file != EXCLUDED) | unnamed_file) & (by_name != EXCLUDED)
    untouched = ~filterable(regions) | (by_hand(regions) & at_compile_time)
    return np.asarray(passed | untouched)


UNTOUCHED, INCLUDED, EXCLUDED = 0, 1, 2


def last_match(rules: Sequence[FilterRule], names: Sequence[str], mangled: Sequence[str]) -> IntArray:
    """Return what the last matching rule says of every name: UNTOUCHED (none matches), INCLUDED or EXCLUDED.

    Args:
        rules: in the order of the file.
        names: displayed names.
        mangled: as many mangled names.
    """
    verdict = np.full(len(names), UNTOUCHED)
    pending = list(range(len(names)))
    for (include, by_mangled), group in groupby(reversed(rules), key=lambda r: (r.include, r.mangled)):
        matcher = PatternSet.of(rule.pattern for rule in group)
        subject = mangled if by_mangled else names
        hits = [matcher.matches(subject[i]) for i in pending]
        verdict[[i for i, hit in zip(pending, hits, strict=True) if hit]] = INCLUDED if include else EXCLUDED
        pending = [i for i, hit in zip(pending, hits, strict=True) if not hit]
    return verdict

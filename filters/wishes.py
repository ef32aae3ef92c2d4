"""What the user or the models ask for, whatever a rule says."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.matching import USER
from filters.patterns import PatternSet
from filters.reasons import Reason
from filters.regions import FilterRegions
from ingest.arrays import BoolArray, IntArray


@dataclass(frozen=True)
class Wishes:
    """Patterns in the language of Score-P's filters, matched against displayed and mangled names.

    Names that are meant as they are go through `filters.patterns.escape` first.

    Attributes:
        protect: regions to keep, such as those whose models grow.
        drop: regions to leave out; user regions may be named here, what is protected wins.
    """

    protect: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


def wished(regions: FilterRegions, reason: IntArray, wishes: Wishes) -> IntArray:
    """Return the reasons, int64[R], with the wishes and what is always kept put over them."""
    final = reason.copy()
    user = np.array([paradigm == USER for paradigm in regions.table.paradigm], dtype=np.bool_)
    final[user] = Reason.USER_REGION
    final[matching(regions, wishes.drop)] = Reason.ASKED_TO_DROP
    final[matching(regions, wishes.protect)] = Reason.PROTECTED
    final[regions.pinned & ~user] = Reason.ENTRY_POINT
    return final


def matching(regions: FilterRegions, patterns: Sequence[str]) -> BoolArray:
    """Return which regions one of the patterns names, bool[R]."""
    wanted = PatternSet.of(patterns)
    pairs = zip(regions.table.name, regions.table.mangled, strict=True)
    return np.array(
        [wanted.matches(name) or wanted.matches(mangled) for name, mangled in pairs], dtype=np.bool_
    )

"""Kernels that seem to have been renamed: gone on one side, new on the other, alike in place and size."""

from difflib import SequenceMatcher

import numpy as np

from ingest.cpp_names import short_name
from pipeline.gate.pairing import Pair
from pipeline.gate.snapshot import KernelId, Level, Snapshot

ALIKE = 0.5  # similarity of names from which one may be the other
SIMILAR_SIZE = 1.5  # largest ratio of the measured values
MOST = 200  # candidates on either side: beyond it the program is another one


def possible_renames(both: Pair, floor: float) -> tuple[tuple[KernelId, KernelId], ...]:
    """Pair vanished with new call paths under the same caller, the most similar names first.

    Args:
        both: the two studies.
        floor: share of the total below which nothing is looked at.
    """
    old = _candidates(both.vanished, both.baseline, floor)
    new = _candidates(both.new, both.candidate, floor)
    scored = []
    for i in old:
        for j in new:
            one, two = both.vanished.kernels[i], both.new.kernels[j]
            alike = _similarity(one.callpath, two.callpath)
            if alike >= ALIKE and _same_size(both, i, j):
                scored.append((alike, one, two))
    taken: set[KernelId] = set()
    found = []
    for _, one, two in sorted(scored, key=lambda s: (-s[0], s[1].callpath, s[2].callpath)):
        if one not in taken and two not in taken:
            taken |= {one, two}
            found.append((one, two))
    return tuple(found)


def _candidates(study: Snapshot, whole: Snapshot, floor: float) -> list[int]:
    total = max(float(whole.mean[0].max()), 1e-300)
    large = [
        i
        for i, kernel in enumerate(study.kernels)
        if kernel.level is Level.CALLPATH and float(study.mean[i].max()) >= floor * total
    ]
    return large[:MOST]


def _similarity(one: tuple[str, ...], two: tuple[str, ...]) -> float:
    """Similarity of names, 0 to 1; a call path of the same name below a renamed caller counts as alike."""
    if len(one) != len(two):
        return 0.0
    differ = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    if len(differ) != 1:
        return 0.0
    return SequenceMatcher(None, short_name(differ[0][0]), short_name(differ[0][1])).ratio()


def _same_size(both: Pair, i: int, j: int) -> bool:
    before = both.vanished.mean[i, both.base_at]
    after = both.new.mean[j, both.candidate_at]
    known = (before > 0) & (after > 0)
    if not known.any():
        return False
    return bool(np.median(np.abs(np.log(after[known] / before[known]))) <= np.log(SIMILAR_SIZE))

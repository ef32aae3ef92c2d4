"""Functions with another name, and functions split off or merged: the same work under other call paths.

A call path is the same function under another name if callers, callees and time agree. A function was split
off (or merged) if it is called by one that takes that much less (or more) time. Both are compared as one;
without that, the new name would be a new kernel and the old one would have vanished.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.cpp_names import short_name
from pipeline.gate.check_result import Rename
from pipeline.gate.kernel_values import NO_LINE, KernelId, KernelValues, Scope
from pipeline.gate.matching import Matched, match

Path = tuple[str, ...]
SIMILAR_NAME = 0.5  # least similarity of the names of a renamed kernel
SIMILAR_SIZE = 1.5  # largest ratio of its measured values
SAME_TIME = 1.25  # largest ratio of the times of one function under two unlike names, and of its parts
LEAST_MOVED = 0.1  # of a function's time that must have moved, so that its change explains the other kernel
MOST = 200  # functions considered in either study: with more it is another program


@dataclass(frozen=True, eq=False)
class Recognised:
    """Two studies in which the same functions have the same call paths.

    Attributes:
        baseline: with the names of the candidate, and what is now part of another function added to it.
        candidate: with what was split off added to the function that it came from.
        renames: what was recognised.
    """

    baseline: KernelValues
    candidate: KernelValues
    renames: tuple[Rename, ...]


def recognise(baseline: KernelValues, candidate: KernelValues, floor: float) -> Recognised:
    """Find renamed, extracted and inlined functions.

    Args:
        baseline, candidate: the two studies.
        floor: share of the total below which functions are ignored.
    """
    pairs = _renamed(_Pair.of(baseline, candidate, floor))
    renames = [Rename("renamed", old, new) for old, new in pairs.items()]
    baseline = _moved(baseline, lambda path: _with_prefix(path, pairs))
    extracted = _split_off(_Pair.of(baseline, candidate, floor))
    renames += [Rename("extracted", path[:-1], path) for path in extracted]
    candidate = _moved(candidate, lambda path: _without(path, extracted))
    inlined = _split_off(_Pair.of(candidate, baseline, floor))
    renames += [Rename("inlined", path, path[:-1]) for path in inlined]
    baseline = _moved(baseline, lambda path: _without(path, inlined))
    return Recognised(baseline, candidate, tuple(renames))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Side:
    """The call paths of one study at the common points.

    Attributes:
        time: exclusive value per call path, float64[P].
        alone: topmost call paths that only this study has, the largest first.
    """

    time: dict[Path, FloatArray]
    alone: list[Path]

    def whole(self, prefix: Path) -> FloatArray:
        """Inclusive value of a call path, float64[P]."""
        depth, zero = len(prefix), np.zeros_like(next(iter(self.time.values())))
        return sum((v for path, v in self.time.items() if path[:depth] == prefix), zero)

    def callees(self, prefix: Path) -> frozenset[str]:
        """Names of the functions that a call path calls."""
        depth = len(prefix)
        return frozenset(p[depth] for p in self.time if len(p) > depth and p[:depth] == prefix)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two studies beside each other."""

    before: _Side
    now: _Side

    @classmethod
    def of(cls, before: KernelValues, now: KernelValues, floor: float) -> "_Pair":
        matched = match(before, now)
        return cls(
            _side(before, matched.vanished, matched.base_at, floor),
            _side(now, matched.new, matched.candidate_at, floor),
        )


def _side(study: KernelValues, alone: KernelValues, at: IntArray, floor: float) -> _Side:
    rows = {k.callpath: i for i, k in enumerate(study.kernels) if k.level is Scope.CALLPATH}
    time = {path: study.mean[i, at] for path, i in rows.items() if study.mean[i].any()}
    side = _Side(time=time, alone=[])
    if not len(at) or not time:
        return side
    only = {k.callpath for k in alone.kernels if k.level is Scope.CALLPATH}
    total = np.maximum(study.mean[0, at], 1e-300)
    size = {p: float((side.whole(p) / total).max()) for p in _topmost(only)}
    large = sorted((p for p, share in size.items() if share >= floor), key=lambda p: -size[p])
    return _Side(time=time, alone=large[:MOST])


def _topmost(paths: set[Path]) -> list[Path]:
    """The first call path of every branch that consists of such paths."""
    return sorted({next(p[:n] for n in range(1, len(p) + 1) if p[:n] in paths) for p in paths})


def _renamed(pair: _Pair) -> dict[Path, Path]:
    """Pair call paths with the same caller, callees and time; the most similar names first."""
    scored = []
    for old in pair.before.alone:
        for new in pair.now.alone:
            if old[:-1] != new[:-1] or pair.before.callees(old) != pair.now.callees(new):
                continue
            similar = _similarity(old[-1], new[-1])
            most = SIMILAR_SIZE if similar >= SIMILAR_NAME else SAME_TIME
            if _same_size(pair.before.whole(old), pair.now.whole(new), most):
                scored.append((-similar, old, new))
    return _best_pairs(scored)


def _best_pairs(scored: Iterable[tuple[float, Path, Path]]) -> dict[Path, Path]:
    """Pair every call path once, the most similar ones (least numbers) first."""
    found: dict[Path, Path] = {}
    for _, old, new in sorted(scored):
        if old not in found and new not in found.values():
            found[old] = new
    return found


def _split_off(pair: _Pair) -> list[Path]:
    """Find new call paths whose caller takes that much less time than before."""
    found = []
    for new in pair.now.alone:
        caller = new[:-1]
        if caller not in pair.before.time or caller not in pair.now.time:
            continue
        moved = [p for p in pair.before.alone if p[:-1] == caller and p[-1] in pair.now.callees(new)]
        none = np.zeros_like(pair.now.time[caller])
        before = pair.before.time[caller] + sum((pair.before.whole(p) for p in moved), none)
        now = pair.now.time[caller] + pair.now.whole(new)
        less = pair.now.time[caller] < (1 - LEAST_MOVED) * pair.before.time[caller]
        if (np.median(less) > 0 or moved) and _same_size(before, now, SAME_TIME):
            found.append(new)
    return found


def _same_size(one: FloatArray, two: FloatArray, most: float) -> bool:
    """Say whether two values, float64[P], are typically within a factor of each other."""
    known = (one > 0) & (two > 0)
    if not known.any():
        return False
    return bool(np.median(np.abs(np.log(one[known] / two[known]))) <= np.log(most))


def _with_prefix(path: Path, pairs: dict[Path, Path]) -> Path:
    for old, new in pairs.items():
        if path[: len(old)] == old:
            return new + path[len(old) :]
    return path


def _without(path: Path, dropped: Iterable[Path]) -> Path:
    """Leave out a function from the call paths through it."""
    for one in dropped:
        if path[: len(one)] == one:
            return one[:-1] + path[len(one) :]
    return path


def _moved(study: KernelValues, move: Callable[[Path], Path]) -> KernelValues:
    """Give call paths another place; values that meet are added, and regions follow their call paths."""
    values: dict[KernelId, FloatArray] = {}
    place: dict[KernelId, tuple[str, int]] = {}

    def add(kernel: KernelId, row: int, sign: float = 1.0) -> None:
        values[kernel] = values[kernel] + sign * study.values[row] if kernel in values else study.values[row]
        place.setdefault(kernel, (study.files[row], int(study.lines[row])))

    goal = [move(k.callpath) if k.level is Scope.CALLPATH else k.callpath for k in study.kernels]
    if all(path == kernel.callpath for path, kernel in zip(goal, study.kernels, strict=True)):
        return study
    for row, (kernel, path) in enumerate(zip(study.kernels, goal, strict=True)):
        add(KernelId(kernel.level, path), row)
    for row, (kernel, path) in enumerate(zip(study.kernels, goal, strict=True)):
        old, new = (KernelId(Scope.REGION, (name,)) for name in (kernel.callpath[-1], path[-1]))
        if kernel.level is Scope.CALLPATH and old != new:
            add(new, row)
            if old in values:
                add(old, row, -1.0)
    kept = [kernel for kernel, v in values.items() if kernel.level is not Scope.REGION or _remains(v)]
    files, lines = zip(*(place.get(kernel, ("", NO_LINE)) for kernel in kept), strict=True)
    return replace(
        study,
        kernels=tuple(kept),
        values=np.stack([np.maximum(values[kernel], 0.0) for kernel in kept]),
        files=files,
        lines=np.array(lines, dtype=np.int64),
    )


def _remains(values: FloatArray) -> bool:
    """Say whether anything of a region is left after its call paths moved."""
    return bool(np.nanmax(np.abs(values), initial=0.0) > 1e-9)


def possible_renames(matched: Matched, smallest_share: float) -> tuple[tuple[KernelId, KernelId], ...]:
    """Pair vanished with new call paths under the same caller, the most similar names first.

    Args:
        matched: the two studies.
        smallest_share: share of the largest total below which a call path is ignored.
    """
    scored = []
    for i in _large_callpaths(matched.vanished, matched.baseline, smallest_share):
        for j in _large_callpaths(matched.new, matched.candidate, smallest_share):
            old, new = matched.vanished.kernels[i].callpath, matched.new.kernels[j].callpath
            similarity = _name_similarity(old, new)
            before, now = matched.vanished.mean[i, matched.base_at], matched.new.mean[j, matched.candidate_at]
            if similarity >= SIMILAR_NAME and _same_size(before, now, SIMILAR_SIZE):
                scored.append((-similarity, old, new))
    pairs = _best_pairs(scored).items()
    return tuple((KernelId(Scope.CALLPATH, old), KernelId(Scope.CALLPATH, new)) for old, new in pairs)


def _large_callpaths(part: KernelValues, whole: KernelValues, smallest_share: float) -> list[int]:
    total = float(whole.mean[0].max())
    large = [
        i
        for i, kernel in enumerate(part.kernels)
        if kernel.level is Scope.CALLPATH and float(part.mean[i].max()) >= smallest_share * total
    ]
    return large[:MOST]


def _name_similarity(old: tuple[str, ...], new: tuple[str, ...]) -> float:
    """Similarity of the one name in which two call paths differ, 0 to 1; 0 if they differ in more."""
    if len(old) != len(new):
        return 0.0
    differing = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return _similarity(*differing[0]) if len(differing) == 1 else 0.0


def _similarity(old: str, new: str) -> float:
    return SequenceMatcher(None, short_name(old), short_name(new)).ratio()

"""Two studies in which the same functions have the same call paths, and what either predicts."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from hashlib import sha256

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.cpp_names import short_name
from pipeline.gate.check_result import (
    CheckResult,
    Finding,
    Ground,
    KernelResult,
    Rename,
    Ruling,
    StudySide,
    result_of,
)
from pipeline.gate.kernel_values import (
    NO_LINE,
    KernelId,
    KernelValues,
    Matched,
    Origin,
    Scope,
    match,
    wall_times,
)
from pipeline.gate.target_forecast import Forecasts, forecast_recognised, predicted_ratio
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import Prediction
from pipeline.wording.distinct_names import distinct_names

_LEAST_FUNCTIONS, _LEAST_PART = 5, 0.2  # differ at least if two unknown filters differ
_DIGITS = 8
_INHERITS = "has the time of functions that only one study recorded separately"
_TOTAL = "the studies recorded different functions, so the overhead of measuring differs"


def recorded_digests(functions: Iterable[str]) -> frozenset[str]:
    """Return 8 hexadecimal digits for each function: enough to compare, and short in a baseline."""
    return frozenset(map(_digest, functions))


def _digest(function: str) -> str:
    return sha256(function.encode(errors="surrogateescape")).hexdigest()[:_DIGITS]


def set_digest(recorded: Collection[str]) -> str:
    """Return 16 hexadecimal digits for a set of recorded functions; empty if it is unknown."""
    return sha256("\n".join(sorted(recorded)).encode()).hexdigest()[: 2 * _DIGITS] if recorded else ""


def different_functions(baseline: Origin, candidate: Origin) -> frozenset[str]:
    """Return the digests of the functions that only one study recorded; none if the filters were the same.

    If both filters are known, they decide. If not, a few functions may be a change of the program: the
    filters differ if `_LEAST_FUNCTIONS` functions and the part `_LEAST_PART` of all of them do.
    """
    one, two = baseline.recorded, candidate.recorded
    if not (one and two):
        return frozenset()
    different = one ^ two
    if baseline.filter and candidate.filter:
        return different if baseline.filter != candidate.filter else frozenset()
    many = len(different) >= max(_LEAST_FUNCTIONS, _LEAST_PART * len(one | two))
    return different if many else frozenset()


def recording_reason(baseline: Origin, candidate: Origin) -> tuple[str, ...]:
    """Return one sentence if the studies recorded different functions, and what to do about it."""
    different = different_functions(baseline, candidate)
    if not different:
        return ()
    before, now = len(different & baseline.recorded), len(different & candidate.recorded)
    return (
        f"different functions recorded: {before} in the baseline only, {now} here only; the time of a "
        "function that was not recorded is in its caller: measure both with the same filter",
    )


@dataclass(frozen=True)
class Recording:
    """The kernels concerned if two studies recorded different functions."""

    partial: frozenset[KernelId]  # kernels with a function in their call path that only one study recorded
    # kernels that hold the time of such a function in the study that did not record it
    heirs: frozenset[KernelId]

    def comparable(self, matched: Matched) -> Matched:
        """Return the studies without the kernels that inherit time; the total stays, since shares need it."""
        rows = np.array([kernel not in self.heirs for kernel in matched.candidate.kernels], dtype=np.bool_)
        return replace(matched, baseline=matched.baseline.take(rows), candidate=matched.candidate.take(rows))

    def marked(self, result: KernelResult) -> KernelResult:
        """Return a result with another verdict if its kernel cannot be compared."""
        if result.kernel in self.partial:
            side = "baseline" if result.candidate is None else "candidate"
            text = (
                f"recorded in the {side} only; in the other study its time is in its nearest recorded caller"
            )
            return _replaced(result, Ruling.NOT_RECORDED, text)
        if result.kernel in self.heirs:
            return _replaced(result, Ruling.NOT_COMPARABLE, _INHERITS)
        if self.partial and result.kernel.level is Scope.TOTAL:
            return _replaced(result, Ruling.NOT_COMPARABLE, _TOTAL)
        return result


def _replaced(result: KernelResult, verdict: Ruling, text: str) -> KernelResult:
    return replace(result, verdict=verdict, evidence=(Finding(Ground.RECORDING, text),), advice="")


def recording(matched: Matched) -> Recording:
    """Find the kernels that two studies recorded differently; none if they recorded the same functions."""
    different = different_functions(matched.baseline.origin, matched.candidate.origin)
    partial, heirs = set(), set()
    studies = (matched.candidate, matched.new, matched.vanished) if different else ()
    for kernel in (kernel for study in studies for kernel in study.kernels):
        recorded = tuple(name for name in kernel.callpath if _digest(name) not in different)
        if kernel.level is Scope.TOTAL or len(recorded) == len(kernel.callpath):
            continue
        partial.add(kernel)
        if kernel.level is Scope.CALLPATH and recorded:
            heirs.add(KernelId(Scope.CALLPATH, recorded))
            if recorded[-1] != kernel.region:
                heirs.add(KernelId(Scope.REGION, recorded[-1:]))
    return Recording(frozenset(partial), frozenset(heirs))


def heir_results(matched: Matched, found: Recording, share_floor: float) -> list[KernelResult]:
    """Return the results of the kernels of both studies, above a share, that cannot be compared."""
    results = []
    for row, kernel in enumerate(matched.candidate.kernels):
        before, now = (
            StudySide(value=float(study.mean[row, at]), share=float(study.share[row, at]))
            for study, at in zip((matched.baseline, matched.candidate), matched.largest, strict=True)
        )
        if kernel in found.heirs and max(before.share, now.share) >= share_floor:
            result = replace(result_of(matched.candidate, row), baseline=before, candidate=now)
            results.append(found.marked(result))
    return results


_Path = tuple[str, ...]
_SIMILAR_NAME = 0.5  # least similarity of the names of a renamed kernel
_SIMILAR_SIZE = 1.5  # largest ratio of its measured values
_SAME_TIME = 1.25  # largest ratio of the times of one function under two unlike names, and of its parts
_LEAST_MOVED = 0.1  # of a function's time that must have moved, so that its change explains the other kernel
_MOST = 200  # functions considered in either study: with more it is another program


@dataclass(frozen=True, eq=False, kw_only=True)
class _Side:
    """The call paths of one study at the common points."""

    time: dict[_Path, FloatArray]  # exclusive value per call path, float64[P]
    alone: list[_Path]  # topmost call paths that only this study has, the largest first

    def whole(self, prefix: _Path) -> FloatArray:
        """Inclusive value of a call path, float64[P]."""
        depth, zero = len(prefix), np.zeros_like(next(iter(self.time.values())))
        return sum((v for path, v in self.time.items() if path[:depth] == prefix), zero)

    def callees(self, prefix: _Path) -> frozenset[str]:
        """Names of the functions that a call path calls."""
        depth = len(prefix)
        return frozenset(p[depth] for p in self.time if len(p) > depth and p[:depth] == prefix)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Both studies at the common points."""

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
    return _Side(time=time, alone=large[:_MOST])


def _topmost(paths: set[_Path]) -> list[_Path]:
    """The first call path of every branch that consists of such paths."""
    return sorted({next(p[:n] for n in range(1, len(p) + 1) if p[:n] in paths) for p in paths})


def _renamed(pair: _Pair) -> dict[_Path, _Path]:
    """Pair call paths with the same caller, callees and time; the most similar names first."""
    scored = []
    for old in pair.before.alone:
        for new in pair.now.alone:
            if old[:-1] != new[:-1] or pair.before.callees(old) != pair.now.callees(new):
                continue
            similar = _similarity(old[-1], new[-1])
            most = _SIMILAR_SIZE if similar >= _SIMILAR_NAME else _SAME_TIME
            if _same_size(pair.before.whole(old), pair.now.whole(new), most):
                scored.append((-similar, old, new))
    return _best_pairs(scored)


def _best_pairs(scored: Iterable[tuple[float, _Path, _Path]]) -> dict[_Path, _Path]:
    """Pair every call path once, the most similar ones (least numbers) first."""
    found: dict[_Path, _Path] = {}
    for _, old, new in sorted(scored):
        if old not in found and new not in found.values():
            found[old] = new
    return found


def _split_off(pair: _Pair) -> list[_Path]:
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
        less = pair.now.time[caller] < (1 - _LEAST_MOVED) * pair.before.time[caller]
        if (np.median(less) > 0 or moved) and _same_size(before, now, _SAME_TIME):
            found.append(new)
    return found


def _same_size(one: FloatArray, two: FloatArray, most: float) -> bool:
    """Say whether two values, float64[P], are typically within a factor of each other."""
    known = (one > 0) & (two > 0)
    if not known.any():
        return False
    return bool(np.median(np.abs(np.log(one[known] / two[known]))) <= np.log(most))


def _with_prefix(path: _Path, pairs: dict[_Path, _Path]) -> _Path:
    for old, new in pairs.items():
        if path[: len(old)] == old:
            return new + path[len(old) :]
    return path


def _without(path: _Path, dropped: Iterable[_Path]) -> _Path:
    """Leave out a function from the call paths through it."""
    for one in dropped:
        if path[: len(one)] == one:
            return one[:-1] + path[len(one) :]
    return path


def _moved(study: KernelValues, move: Callable[[_Path], _Path]) -> KernelValues:
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
        uneven=None,
        files=files,
        lines=np.array(lines, dtype=np.int64),
    )


def _remains(values: FloatArray) -> bool:
    """Say whether anything of a region is left after its call paths moved."""
    return bool(np.nanmax(np.abs(values), initial=0.0) > 1e-9)


def possible_renames(matched: Matched, smallest_share: float) -> tuple[tuple[KernelId, KernelId], ...]:
    """Pair vanished with new call paths, above a share of the largest total, by the similarity of names."""
    scored = []
    for i in _large_callpaths(matched.vanished, matched.baseline, smallest_share):
        for j in _large_callpaths(matched.new, matched.candidate, smallest_share):
            old, new = matched.vanished.kernels[i].callpath, matched.new.kernels[j].callpath
            similarity = _name_similarity(old, new)
            before, now = matched.vanished.mean[i, matched.base_at], matched.new.mean[j, matched.candidate_at]
            if similarity >= _SIMILAR_NAME and _same_size(before, now, _SIMILAR_SIZE):
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
    return large[:_MOST]


def _name_similarity(old: tuple[str, ...], new: tuple[str, ...]) -> float:
    """Similarity of the one name in which two call paths differ, 0 to 1; 0 if they differ in more."""
    if len(old) != len(new):
        return 0.0
    differing = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return _similarity(*differing[0]) if len(differing) == 1 else 0.0


def _similarity(old: str, new: str) -> float:
    return SequenceMatcher(None, short_name(old), short_name(new)).ratio()


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedCurves:
    """K kernels of A and B at S points, NaN where a study lacks a kernel or predicts nothing."""

    points: FloatArray  # float64[S, D]
    a: Prediction  # and `b`: predictions float64[K, S] with 90 % intervals, as `pipeline predict` says them
    b: Prediction
    ratio: Prediction  # B over A, value and ends of its 90 % interval float64[K, S]
    # wall time per unit of the metric of A and of B, float64[2, S]; NaN if unknown or no time
    seconds: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedStudies:
    """Two studies, A as the baseline of B, in which the same functions have the same call paths."""

    baseline: KernelValues  # A with the names of B, and what is now part of another function added to it
    candidate: KernelValues  # B with what was split off added to the function that it came from
    renames: tuple[Rename, ...] = ()  # what was recognised
    measured: tuple[KernelValues, KernelValues]  # A and B as they were measured
    models: ModelOptions  # how both are fitted

    @classmethod
    def of(
        cls, baseline: KernelValues, candidate: KernelValues, models: ModelOptions, floor: float
    ) -> "ComparedStudies":
        """Find renamed, extracted and inlined functions above a share of the total.

        There are none if the studies recorded different functions: what was not recorded was not inlined.
        """
        measured, renames = (baseline, candidate), list[Rename]()
        if not recording(match(baseline, candidate)).partial:
            pairs = _renamed(_Pair.of(baseline, candidate, floor))
            renames += [Rename("renamed", old, new) for old, new in pairs.items()]
            baseline = _moved(baseline, lambda path: _with_prefix(path, pairs))
            extracted = _split_off(_Pair.of(baseline, candidate, floor))
            renames += [Rename("extracted", path[:-1], path) for path in extracted]
            candidate = _moved(candidate, lambda path: _without(path, extracted))
            inlined = _split_off(_Pair.of(candidate, baseline, floor))
            renames += [Rename("inlined", path, path[:-1]) for path in inlined]
            baseline = _moved(baseline, lambda path: _without(path, inlined))
        return cls(
            baseline=baseline, candidate=candidate, renames=tuple(renames), measured=measured, models=models
        )

    @property
    def sides(self) -> tuple[KernelValues, KernelValues]:
        """A and B with the call paths of B."""
        return self.baseline, self.candidate

    @property
    def matched(self) -> Matched:
        """The kernels and points that both have."""
        return match(*self.sides)

    def predictions(self, points: FloatArray) -> Forecasts:
        """Predict all kernels of either study at points float64[S, D]; they are not matched."""
        a, b = (
            forecast_recognised(side, own, points, self.models)
            for side, own in zip(self.sides, self.measured, strict=True)
        )
        return Forecasts(baseline=a, candidate=b, targets=points)

    def curves(self, kernels: Sequence[KernelId], points: FloatArray) -> ComparedCurves:
        """Predict kernels of either study at points float64[S, D]."""
        ahead = self.predictions(points)
        known = [set(side.kernels) for side in (ahead.baseline, ahead.candidate)]
        both = [row for row, kernel in enumerate(kernels) if all(kernel in some for some in known)]
        ratio = np.full((3, len(kernels), len(points)), np.nan)
        found = predicted_ratio(ahead.of([kernels[row] for row in both]))
        ratio[:, both] = np.stack([found.value, found.lower, found.upper])
        a, b = (_of(kernels, side.kernels, side.prediction) for side in (ahead.baseline, ahead.candidate))
        seconds = np.array([[_seconds(side, point) for point in points] for side in self.measured])
        return ComparedCurves(points=points, a=a, b=b, ratio=Prediction(*ratio), seconds=seconds)


def _seconds(study: KernelValues, point: FloatArray) -> float:
    return float(wall_times(study, np.ones(len(study.kernels)), point).seconds[0])


def _of(kernels: Sequence[KernelId], known: Sequence[KernelId], prediction: Prediction) -> Prediction:
    """Take the predictions of kernels, NaN for those that are not known."""
    row_of = {kernel: row for row, kernel in enumerate(known)}
    rows = np.array([row_of.get(kernel, -1) for kernel in kernels], dtype=np.int64)
    ends = (prediction.value, prediction.lower, prediction.upper)
    return Prediction(*(np.where(rows[:, None] >= 0, of_all[rows], np.nan) for of_all in ends))


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoStudies:
    """What comparing two studies found."""

    names: tuple[str, str]  # of both, as the user gives them
    result: CheckResult  # the second checked against the first
    renamed: Sequence[tuple[KernelId, KernelId]] = ()  # kernels that are perhaps one
    totals: ComparedCurves | None = None  # curves of both totals at the targets; None if they are not known

    @property
    def titles(self) -> tuple[str, str]:
        """Their names in short, and different."""
        return distinct_names(*self.names)


CallPath = tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedTrees:
    """The call paths of two studies."""

    callpaths: tuple[CallPath, ...]  # of either study, callers before their callees
    parent: IntArray  # int64[K], index of the caller, -1 for a root
    rows: tuple[IntArray, IntArray]  # int64[K], which kernels of A and of B they are, -1 for none


def compare_trees(studies: ComparedStudies) -> ComparedTrees:
    """Put the call paths of two studies into one tree; call paths that took nothing in either are left out.

    What has another name in B stands where B has it.
    """
    a, b = map(_rows, studies.sides)
    callpaths, parent = _tree([*a, *b])
    rows_a, rows_b = np.array([[row.get(path, -1) for path in callpaths] for row in (a, b)], dtype=np.int64)
    return ComparedTrees(callpaths=callpaths, parent=parent, rows=(rows_a, rows_b))


def _rows(study: KernelValues) -> dict[CallPath, int]:
    """Rows of the call paths of a study that took anything."""
    took = (study.mean > 0).sum(axis=1) > 0
    return {k.callpath: i for i, k in enumerate(study.kernels) if k.level is Scope.CALLPATH and took[i]}


def _tree(paths: Sequence[CallPath]) -> tuple[tuple[CallPath, ...], IntArray]:
    """Order call paths so that callers stand before their callees: the nearest that are among them."""
    known = dict.fromkeys(paths)
    callees: dict[CallPath, list[CallPath]] = {path: [] for path in known}
    roots: list[CallPath] = []
    for path in known:
        caller = next((path[:n] for n in range(len(path) - 1, 0, -1) if path[:n] in known), None)
        (roots if caller is None else callees[caller]).append(path)
    ordered: list[CallPath] = []
    parent: list[int] = []
    pending = [(path, -1) for path in reversed(roots)]
    while pending:
        path, caller_number = pending.pop()
        pending += [(callee, len(ordered)) for callee in reversed(callees[path])]
        ordered.append(path)
        parent.append(caller_number)
    return tuple(ordered), np.array(parent, dtype=np.int64)

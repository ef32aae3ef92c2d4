"""What two studies recorded: kernels that only one could record, and those that inherit their time.

Under a filter the time of a dropped function is in its nearest recorded caller. So if two studies were
measured under different filters, a missing kernel is neither new nor vanished, and its caller not slower or
faster.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256

from pipeline.gate.check_result import Finding, Ground, KernelResult, Ruling, StudySide, result_of
from pipeline.gate.kernel_values import KernelId, Origin, Scope
from pipeline.gate.matching import Matched

LEAST_FUNCTIONS, LEAST_PART = 5, 0.2  # differ at least if two unknown filters differ
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
    filters differ if `LEAST_FUNCTIONS` functions and the part `LEAST_PART` of all of them do.
    """
    one, two = baseline.recorded, candidate.recorded
    if not (one and two):
        return frozenset()
    different = one ^ two
    if baseline.filter and candidate.filter:
        return different if baseline.filter != candidate.filter else frozenset()
    many = len(different) >= max(LEAST_FUNCTIONS, LEAST_PART * len(one | two))
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
    """The kernels concerned if two studies recorded different functions.

    Attributes:
        partial: kernels with a function in their call path that only one study recorded.
        heirs: kernels that hold the time of such a function in the study that did not record it.
    """

    partial: frozenset[KernelId]
    heirs: frozenset[KernelId]

    def comparable(self, matched: Matched) -> Matched:
        """Return the studies without the kernels that inherit time; the total stays, since shares need it."""
        rows = [i for i, kernel in enumerate(matched.candidate.kernels) if kernel not in self.heirs]
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
    """Return the results of the kernels of both studies that cannot be compared.

    Args:
        matched: the two studies.
        found: what they recorded.
        share_floor: smallest share of the total of a kernel that is reported.
    """
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

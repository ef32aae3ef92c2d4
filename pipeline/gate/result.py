"""The result of a check: per kernel a verdict with its evidence, and one outcome for the whole."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum

from pipeline.gate.measurements import KernelId


class Verdict(Enum):
    """What is decided about a kernel, the most important first."""

    REGRESSION = "regression"
    WAIVED = "waived"
    INCONCLUSIVE = "inconclusive"
    NEW = "new"
    VANISHED = "vanished"
    IMPROVEMENT = "improvement"
    NOT_COMPARABLE = "not comparable"
    NOT_RECORDED = "not recorded"
    UNCHANGED = "unchanged"


class Outcome(IntEnum):
    """What is decided about the whole; the value is the exit code."""

    PASSED = 0
    REGRESSED = 1
    INCONCLUSIVE = 3


class Ground(Enum):
    """What a piece of evidence rests on."""

    MEASURED = "measured"
    GROWTH = "growth"
    TARGET = "target"
    MODELS = "models"
    NEW = "new kernel"
    RECORDING = "recorded functions"
    GROWTH_RULE = "growth rule"
    SHARE_RULE = "share rule"
    EFFICIENCY_RULE = "efficiency rule"
    TOTAL_RULE = "total rule"


def plain_number(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits and without an exponent: ``1,230``, ``0.0625``."""
    if 0 < abs(value) < 1e-4:
        return "under 0.0001"
    if 1e15 <= abs(value) < math.inf:
        return "over 10^15"
    return f"{float(f'{value:.{digits}g}'):,.15g}"


def point_text(point: Mapping[str, float]) -> str:
    """Return ``p = 8, n = 32``."""
    return ", ".join(f"{name} = {value:g}" for name, value in point.items())


def growth_text(growth: str) -> str:
    """Return the growth of a model in words."""
    return "constant" if growth == "1" else growth


@dataclass(frozen=True)
class Evidence:
    """One reason for a verdict.

    Attributes:
        ground: what it rests on.
        text: one sentence.
        p: p-value adjusted for all tests of the check; None if no test was made.
    """

    ground: Ground
    text: str
    p: float | None = None


@dataclass(frozen=True, kw_only=True)
class Side:
    """One kernel in one of the two studies.

    Attributes:
        value: at the largest common scale, in the unit of the metric.
        share: of the total there.
        growth: leading growth of its model, such as ``p^(1/2)``; empty if it was not modelled.
        formula: the model.
        predicted: per target value, lower and upper end of the 90 % interval.
    """

    value: float
    share: float
    growth: str = ""
    formula: str = ""
    predicted: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True)
class Change:
    """The ratio candidate over baseline with its simultaneous interval.

    Attributes:
        at: the point.
        ratio, lower, upper: the interval holds for all kernels of the check at once.
    """

    at: Mapping[str, float]
    ratio: float
    lower: float
    upper: float


@dataclass(frozen=True, kw_only=True)
class KernelResult:
    """What is decided about one kernel and why.

    Attributes:
        kernel: which.
        verdict: what.
        evidence: why, the strongest first.
        baseline, candidate: both sides; None if the study does not have the kernel.
        measured: the ratio at every common point.
        target: the ratio extrapolated to every target; empty if it cannot be.
        file, line: where it is in the source; empty and -1 if unknown.
        detectable: the smallest factor that a test at the largest common scale finds in 9 of 10 cases.
        located: for a region or the total, the call paths that the change comes from, the largest first.
        advice: what to do next.
    """

    kernel: KernelId
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    baseline: Side | None = None
    candidate: Side | None = None
    measured: tuple[Change, ...] = ()
    target: tuple[Change, ...] = ()
    file: str = ""
    line: int = -1
    detectable: float | None = None
    located: tuple[tuple[str, ...], ...] = ()
    advice: str = ""

    @property
    def share(self) -> float:
        """Share of the total now, or before if the kernel vanished."""
        side = self.candidate or self.baseline
        assert side is not None  # every kernel is in at least one study
        return side.share

    @property
    def importance(self) -> tuple[int, float, str]:
        """Sort key: by verdict, then by what the change costs at the last target or where it is largest."""
        size = max((s.value for s in (self.baseline, self.candidate) if s is not None), default=0.0)
        changes = (*self.target[-1:], *self.measured)
        change = max((abs(c.ratio - 1.0) for c in changes), default=0.0)
        return list(Verdict).index(self.verdict), -size * min(change, 1e9), self.kernel.text


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """The result of a check.

    Attributes:
        outcome: what the exit code says.
        kernels: one per kernel compared, sorted by importance.
        reasons: why the studies cannot be compared and what to do about it; empty if they can.
        notices: what else should be known.
        points: the common points.
        targets: the target points.
        unit: of all values.
        tests: the number of tests that share the false-alarm level.
        below_share_floor: the number of kernels ignored because of their small share.
    """

    outcome: Outcome
    kernels: tuple[KernelResult, ...]
    reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    points: tuple[Mapping[str, float], ...] = ()
    targets: tuple[Mapping[str, float], ...] = ()
    unit: str = ""
    tests: int = 0
    below_share_floor: int = 0

    def of(self, *verdicts: Verdict) -> tuple[KernelResult, ...]:
        """Return the kernels with one of these verdicts, in order."""
        return tuple(kernel for kernel in self.kernels if kernel.verdict in verdicts)

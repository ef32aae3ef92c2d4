"""What a check says: per kernel a verdict with its evidence, and one for the whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum

from pipeline.gate.snapshot import KernelId


class Verdict(Enum):
    """What is said about a kernel."""

    REGRESSION = "regression"
    WAIVED = "waived"
    INCONCLUSIVE = "inconclusive"
    IMPROVEMENT = "improvement"
    NEW = "new"
    VANISHED = "vanished"
    UNCHANGED = "unchanged"


class Outcome(IntEnum):
    """What is said about the whole; the value is the exit code."""

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
    GROWTH_RULE = "growth rule"
    SHARE_RULE = "share rule"
    EFFICIENCY_RULE = "efficiency rule"
    TOTAL_RULE = "total rule"


@dataclass(frozen=True)
class Evidence:
    """One reason for a verdict.

    Attributes:
        ground: what it rests on.
        text: one sentence.
        p: p-value adjusted for all tests of the check; None where no test was made.
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
        growth: leading growth of its model, such as ``p^(1/2)``; empty where it was not modelled.
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
class Decision:
    """What is said about one kernel and why.

    Attributes:
        kernel: which.
        verdict: what.
        evidence: why, the strongest first.
        baseline, candidate: both sides; None where it is not there.
        measured: the ratio at every common point.
        target: the ratio carried on to every target; empty where it cannot be.
        file, line: where it is in the source; empty and -1 where unknown.
        detectable: the smallest factor that a test at the largest common scale finds in 9 of 10 cases.
        located: for a region, its call paths that the change comes from, the largest first.
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


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """The outcome of a check.

    Attributes:
        outcome: what the exit code says.
        decisions: one a kernel looked at, regressions first, then by the change they make.
        reasons: why the whole is inconclusive, with what would settle it; empty where it is not.
        notices: what else should be known.
        points: the common points.
        targets: the target points.
        unit: of all values.
        tests: how many tests the false-alarm level was shared among.
        small: kernels below the share floor, which were left alone.
    """

    outcome: Outcome
    decisions: tuple[Decision, ...]
    reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    points: tuple[Mapping[str, float], ...] = ()
    targets: tuple[Mapping[str, float], ...] = ()
    unit: str = ""
    tests: int = 0
    small: int = 0

    def of(self, *verdicts: Verdict) -> tuple[Decision, ...]:
        """Return the decisions with one of these verdicts, in order."""
        return tuple(d for d in self.decisions if d.verdict in verdicts)

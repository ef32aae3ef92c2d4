"""The result of a check: per kernel a verdict with its evidence, and one outcome for the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from math import inf, isfinite

from ingest.record_codec import NO_ENTRY, entry
from pipeline.gate.kernel_values import KernelId, KernelValues
from pipeline.questions.expected_growth import JudgedExpectation
from pipeline.wording.exit_codes import ExitCode


class Ruling(Enum):
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

    PASSED = ExitCode.FINE
    REGRESSED = ExitCode.REGRESSION
    INCONCLUSIVE = ExitCode.INCONCLUSIVE
    EXCEEDED = ExitCode.EXCEEDED


class Ground(Enum):
    """What a piece of evidence rests on."""

    MEASURED = "measured"
    EVERYWHERE = "all points"
    GROWTH = "growth"
    MODELS = "models"
    COMMON = "all kernels"
    NEW = "new kernel"
    RECORDING = "recorded functions"
    GROWTH_RULE = "growth rule"
    SHARE_RULE = "share rule"
    EFFICIENCY_RULE = "efficiency rule"
    TOTAL_RULE = "total rule"


class Cause(Enum):
    """Why a check as a whole is inconclusive."""

    INCOMPARABLE = "incomparable"
    MISSING = "missing points"
    SKIPPED = "skipped input"
    COMMON = "all kernels"
    POWER = "power"
    NOISE = "noise"


@dataclass(frozen=True)
class PointRatio:
    """The ratio candidate over baseline with its interval."""

    at: Mapping[str, float]  # the point; empty if it is over all common points
    # `ratio`, `lower` and `upper`: of measured kernels the interval holds for all kernels of the check at
    # once; of predictions it is a 90 % interval
    ratio: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Finding:
    """One reason for a verdict."""

    ground: Ground  # what it rests on
    text: str  # one sentence
    p: float | None = None  # p-value adjusted for all tests of the check; None if no test was made
    # the measured ratio that it rests on; None if it rests on something else
    change: PointRatio | None = field(default=None, metadata=NO_ENTRY)


def _named_ends(predicted: Sequence[tuple[float, float, float]]) -> list[Mapping[str, float]]:
    return [dict(zip(("value", "lower", "upper"), ends, strict=True)) for ends in predicted]


@dataclass(frozen=True, kw_only=True)
class StudySide:
    """One kernel in one of the two studies."""

    value: float  # at the largest common scale, in the unit of the metric
    share: float  # of the total there
    growth: str = ""  # leading growth of its model, such as ``p^(1/2)``; empty if it was not modelled
    formula: str = ""  # the model
    # per target value, lower and upper end of the 90 % interval
    predicted: tuple[tuple[float, float, float], ...] = field(default=(), metadata=entry(made=_named_ends))


@dataclass(frozen=True, kw_only=True)
class KernelResult:
    """What is decided about one kernel and why."""

    kernel: KernelId = field(metadata=NO_ENTRY)
    verdict: Ruling
    evidence: tuple[Finding, ...] = ()  # why, the strongest first
    # `baseline` and `candidate`: both sides; None if the study does not have the kernel
    baseline: StudySide | None = None
    candidate: StudySide | None = None
    measured: tuple[PointRatio, ...] = ()  # the ratio at every common point
    # the ratio of the two predictions at every target; empty without predictions
    target: tuple[PointRatio, ...] = ()
    file: str = ""  # and `line`: where it is in the source; empty and -1 if unknown
    line: int = -1
    # smallest factor beyond what all share that a test at the largest common scale finds in 9 of 10 cases
    detectable: float | None = None
    # for a region or the total, the call paths that the change comes from, the largest first
    located: tuple[tuple[str, ...], ...] = ()
    advice: str = ""  # what to do next
    # whether it got slower only relative to the other kernels, which all got faster
    masked: bool = field(default=False, metadata=NO_ENTRY)

    @property
    def share(self) -> float:
        """Share of the total now, or before if the kernel vanished."""
        side = self.candidate or self.baseline
        assert side is not None  # every kernel is in at least one study
        return side.share

    @property
    def stated(self) -> PointRatio | None:
        """The measured ratio to show: the one the verdict rests on, else that at the largest point."""
        rests_on = (one.change for one in self.evidence if one.change is not None)
        return next(rests_on, self.measured[-1] if self.measured else None)

    def failed_by(self, *evidence: Finding) -> "KernelResult":
        """Return a regression for these reasons, and for those that it is a regression for already."""
        others = self.evidence if self.verdict is Ruling.REGRESSION else ()
        return replace(self, verdict=Ruling.REGRESSION, evidence=(*evidence, *others), advice="")

    @property
    def importance(self) -> tuple[int, float, str]:
        """Sort key: by verdict, then by what the change costs at the last target or where it is largest."""
        size = max((s.value for s in (self.baseline, self.candidate) if s is not None), default=0.0)
        changes = (*self.target[-1:], *self.measured)
        change = max((abs(c.ratio - 1.0) for c in changes), default=0.0)
        return list(Ruling).index(self.verdict), -size * min(change, 1e9), self.kernel.text


def result_of(
    study: KernelValues, row: int, verdict: Ruling = Ruling.UNCHANGED, *evidence: Finding
) -> KernelResult:
    """Return the result of a kernel, named and located as in a study that has it."""
    return KernelResult(
        kernel=study.kernels[row],
        verdict=verdict,
        evidence=evidence,
        file=study.files[row],
        line=int(study.lines[row]),
    )


@dataclass(frozen=True)
class Caveat:
    """One reason why a check as a whole is inconclusive, and what to do about it."""

    cause: Cause  # its kind
    text: str  # one sentence
    headline: str = ""  # the same in short, if more is to say than its kind does


@dataclass(frozen=True, kw_only=True)
class Common:
    """The change that all kernels share."""

    verdict: Ruling  # regression if slower, improvement if faster, else unchanged
    mean: PointRatio | None  # over the points, with its 90 % interval; None if it is not known
    points: tuple[PointRatio, ...]  # at every common point with its 90 % interval
    paired: bool = False  # whether runs were compared in pairs, so that the machine is no explanation
    text: str = ""  # one sentence; empty if unchanged
    headline: str = field(default="", metadata=NO_ENTRY)  # what is slower, if it is not all kernels

    def is_doubt(self, policy: str) -> bool:
        """Say whether it makes the check inconclusive: all are slower, and the machine may be the cause."""
        slower = self.verdict is Ruling.REGRESSION and not self.paired
        return slower and policy == "inconclusive"

    def fails(self, policy: str) -> bool:
        """Say whether it is a regression: of the program, or of whatever the cause may be."""
        return self.verdict is Ruling.REGRESSION and (self.paired or policy == "fail")


@dataclass(frozen=True, kw_only=True)
class Power:
    """Smallest factors found in 9 of 10 cases; None if they are not known, as without repetitions."""

    at: Mapping[str, float]  # the largest common point
    points: int  # number of common points
    kernels: int  # number of the largest kernels, which take most of the total there, without the noisy ones
    share: float  # of the total that they take
    kernel_factor: float | None  # and `total_factor`: for a change at `at` alone
    # `kernel_everywhere` and `total_everywhere`: for a change at all points; None if there is one
    kernel_everywhere: float | None
    total_factor: float | None
    total_everywhere: float | None
    common_factor: float | None  # for a change of all kernels together at all points
    # whether there are enough kernels to know what they have in common
    has_common: bool = field(default=True, metadata=NO_ENTRY)
    noisy: int = 0  # number of the largest kernels that are too noisy to judge
    noisy_factor: float | None = None  # smallest factor found in each of them
    asked: float = field(default=inf, metadata=NO_ENTRY)  # the factor that should be found


@dataclass(frozen=True)
class Rename:
    """A function that is called something else, or became part of another one."""

    kind: str  # ``renamed``, ``extracted`` or ``inlined``
    before: tuple[str, ...]  # and `now`: the call path in the baseline and in the candidate
    now: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """The result of a check."""

    outcome: Outcome = field(metadata=NO_ENTRY)  # what the exit code says
    # one per kernel compared, sorted by importance
    kernels: tuple[KernelResult, ...] = field(metadata=NO_ENTRY)
    # why it is inconclusive as a whole, and what to do about it; empty if it is not
    reasons: tuple[Caveat, ...] = field(default=(), metadata=NO_ENTRY)
    notices: tuple[str, ...] = ()  # what else should be known
    points: tuple[Mapping[str, float], ...] = ()  # the common points
    targets: tuple[Mapping[str, float], ...] = ()  # the target points
    unit: str = ""  # of all values
    tests: int = 0  # the number of tests that share the false-alarm level
    below_share_floor: int = 0  # the number of kernels ignored because of their small share
    missing: tuple[Mapping[str, float], ...] = ()  # points of the baseline that were not measured
    common: Common | None = None  # what all kernels have in common; None if nothing was compared
    power: Power | None = None  # what would have been seen; None if nothing was compared
    renames: tuple[Rename, ...] = ()  # what was compared under another name
    # how some of it is expected to grow, and what the models say
    expectations: tuple[JudgedExpectation, ...] = ()

    @property
    def predicts(self) -> bool:
        """Whether any kernel is compared at a target; studies of too few scales predict nothing."""
        return any(isfinite(change.ratio) for one in self.kernels for change in one.target)

    def of(self, *verdicts: Ruling) -> tuple[KernelResult, ...]:
        """Return the kernels with one of these verdicts, in order."""
        return tuple(kernel for kernel in self.kernels if kernel.verdict in verdicts)

"""What a user may decide about a check; the configuration file fills it in."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.models.normal_form import Exponent


@dataclass(frozen=True)
class KernelRule:
    """What holds for the kernels that a pattern names.

    Attributes:
        match: pattern of `pipeline.models.kernels.matches`.
        growth: expected growth: (i, j) of p^i * log2(p)^j that the kernel may not exceed; None: no rule.
        share: largest share of the total that is allowed at the largest scale; None: no rule.
        factor: replaces `CheckOptions.factor`; None keeps it.
        place: ``file:line`` of the rule, for reports.
    """

    match: str
    growth: Exponent | None = None
    share: float | None = None
    factor: float | None = None
    place: str = ""


@dataclass(frozen=True)
class Waiver:
    """A known regression that does not fail the check until a date.

    Attributes:
        match: pattern of `pipeline.models.kernels.matches`.
        reason: why it is accepted.
        until: last day on which it counts.
        place: ``file:line`` of the waiver, for reports.
    """

    match: str
    reason: str
    until: datetime.date
    place: str = ""


@dataclass(frozen=True)
class CheckOptions:
    """The numbers of a check.

    Attributes:
        targets: target points; empty takes 4 times the largest measured scale.
        factor: a kernel is worse where its effort is more than this many times the baseline's.
        false_alarms: probability that a check fails although nothing changed, over all kernels together.
        share_floor: kernels below this share of the total, measured and predicted, are left alone.
        new_share: a kernel that the baseline does not know fails the check from this share on.
        resolution: a check that could miss a factor above this is inconclusive.
        parallel_efficiency: smallest parallel efficiency allowed at any measured point; None: no rule.
        total: largest total allowed at the last target, in the unit of the metric; None: no rule.
        kernels: rules per kernel.
        waivers: known regressions.
    """

    targets: tuple[Mapping[str, float], ...] = ()
    factor: float = 1.1
    false_alarms: float = 0.05
    share_floor: float = 0.01
    new_share: float = 0.05
    resolution: float = 2.0
    parallel_efficiency: float | None = None
    total: float | None = None
    kernels: tuple[KernelRule, ...] = ()
    waivers: tuple[Waiver, ...] = ()

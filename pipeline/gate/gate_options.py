"""What a user may decide about a check; read from ``[check]`` in pipeline.toml."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ingest.options import option
from pipeline.models.options import Exponent

_CHECK = ("check",)


@dataclass(frozen=True, kw_only=True)
class KernelRule:
    """Rules for the kernels that a pattern matches."""

    match: str  # pattern of `pipeline.models.kernels.matches`
    growth: Exponent | None = None  # ceiling on the growth; None: no ceiling
    share: float | None = None  # ceiling on the share of the total at the largest scale; None: no ceiling
    factor: float | None = None  # replaces `CheckOptions.factor`; None: keeps it
    place: str = ""  # ``file:line`` of the rule, for reports


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """A known regression that does not fail the check up to a date."""

    match: str  # pattern of `pipeline.models.kernels.matches`
    reason: str  # why it is accepted
    until: datetime.date  # last day on which it holds
    place: str = ""  # ``file:line`` of the waiver, for reports


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The numbers of a check."""

    factor: float = option(1.1, "Largest factor by which a kernel may exceed the baseline.", least=1)
    false_alarms: float = option(
        0.05, "Probability that a check fails although nothing changed.", least=1e-6, most=0.5
    )
    share_floor: float = option(
        0.01, "Kernels below this share of the total, measured and predicted, are ignored.", least=0, most=1
    )
    new_share: float = option(0.05, "A new kernel fails the check from this share on.", least=0, most=1)
    common: Literal["inconclusive", "fail", "warn"] = option(
        "inconclusive",
        "What to do if all kernels are slower together, by the machine or by the build.",
        commands=_CHECK,
    )
    common_factor: float = option(
        1.05, "Largest factor by which all kernels together may exceed the baseline.", least=1
    )
    allow_missing: bool = option(
        False, "Pass although points of the baseline were not measured; they are named.", commands=_CHECK
    )
    detect: float | None = option(
        None,
        "Exit with code 3 if a change by this factor could have been missed.",
        commands=_CHECK,
        metavar="FACTOR",
        least=1,
    )
    most_noisy: float = option(
        0.5,
        "A check is inconclusive if kernels too noisy to judge take more than this share of the total.",
        least=0,
        most=1,
    )
    resolution: float = option(
        2.0, "A kernel in which a larger factor could be missed is too noisy to judge.", least=1
    )
    expect: bool = option(
        False,
        "Exit with code 4 if an expectation of [[expect]] is exceeded with more than 90 %.",
        commands=_CHECK,
    )
    parallel_efficiency: float | None = option(
        None, "Smallest parallel efficiency allowed at any measured point.", least=0, most=1
    )
    total: float | None = option(
        None, "Largest total allowed at the last target, in the unit of the metric.", least=0
    )
    targets: tuple[Mapping[str, float], ...] = ()  # target points; empty: 4 times the largest measured scale
    # rules per kernel; the last one that matches and has a factor decides about it
    kernels: tuple[KernelRule, ...] = ()
    waivers: tuple[Waiver, ...] = ()  # known regressions

    @property
    def has_rules(self) -> bool:
        """Whether anything is checked without a baseline."""
        return bool(self.kernels) or self.parallel_efficiency is not None or self.total is not None

"""What a user may decide about a check; read from ``[check]`` in pipeline.toml."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ingest.options import option


@dataclass(frozen=True, kw_only=True)
class KernelRule:
    """Rules for the kernels that a pattern matches.

    Attributes:
        match: pattern of `pipeline.models.kernels.matches`.
        growth: ceiling on the growth: (i, j) of p^i * log2(p)^j; None: no ceiling.
        share: ceiling on the share of the total at the largest scale; None: no ceiling.
        factor: replaces `CheckOptions.factor`; None: keeps it.
        place: ``file:line`` of the rule, for reports.
    """

    match: str
    growth: tuple[Fraction, int] | None = None
    share: float | None = None
    factor: float | None = None
    place: str = ""


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """A known regression that does not fail the check up to a date.

    Attributes:
        match: pattern of `pipeline.models.kernels.matches`.
        reason: why it is accepted.
        until: last day on which it holds.
        place: ``file:line`` of the waiver, for reports.
    """

    match: str
    reason: str
    until: datetime.date
    place: str = ""


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The numbers of a check.

    Attributes:
        targets: target points; empty: 4 times the largest measured scale.
        kernels: rules per kernel; the last one that matches and has a factor decides about it.
        waivers: known regressions.
    """

    factor: float = option(1.1, "Largest factor by which a kernel may exceed the baseline.", least=1)
    false_alarms: float = option(
        0.05,
        "Probability that a check fails although nothing changed.",
        least=1e-6,
        most=0.5,
    )
    share_floor: float = option(
        0.01, "Kernels below this share of the total, measured and predicted, are ignored.", least=0, most=1
    )
    new_share: float = option(0.05, "A new kernel fails the check from this share on.", least=0, most=1)
    resolution: float = option(2.0, "A check that could miss a larger factor is inconclusive.", least=1)
    parallel_efficiency: float | None = option(
        None, "Smallest parallel efficiency allowed at any measured point.", least=0, most=1
    )
    total: float | None = option(
        None, "Largest total allowed at the last target, in the unit of the metric.", least=0
    )
    targets: tuple[Mapping[str, float], ...] = ()
    kernels: tuple[KernelRule, ...] = ()
    waivers: tuple[Waiver, ...] = ()

"""How models are to be fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ingest.options import option
from pipeline.models.exponents import Exponent

MIN_EFFICIENCY = 0.75  # what computing centres ask of proposals

Prior: TypeAlias = Literal["learned", "uniform", "simple"] | Mapping[Exponent, float]
"""How plausible each exponent is before any data: all alike, those of common
algorithms and collectives more so, a mixture of both that the kernels decide, or by a weight each; exponents
without a weight are not tried."""


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """What a user may decide about fitting; the defaults suit effort and times.

    Attributes:
        exponents: the exponents to try; None lets the space follow the data, starting from Extra-P's.
        nonnegative: the quantity cannot be negative, so neither may a coefficient or a prediction.
    """

    method: Literal["evidence", "extra-p"] = option(
        "evidence",
        "Weigh all hypotheses, or take Extra-P's method: one term, chosen by cross-validation.",
        commands=("run", "model", "check"),
    )
    prior: Prior = option(
        "learned",
        "Prior over exponents: learned, uniform, simple, or a TOML file with a weight per exponent.",
        commands=("run", "model"),
        metavar="PRIOR",
        given=str,
    )
    rivals: int = option(8, "Models kept per kernel at most.", least=1)
    exponents: tuple[Exponent, ...] | None = None
    nonnegative: bool = True

"""How models are to be fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pipeline.models.normal_form import Exponent


@dataclass(frozen=True)
class ModelOptions:
    """What a user may decide about fitting; the defaults suit effort and times.

    Attributes:
        method: ``evidence`` weighs all hypotheses, ``leave-one-out`` picks one term by cross-validation.
        prior: how plausible each exponent is before any data: ``uniform``, ``simple`` (prefers the exponents
            of common algorithms and collectives), or a weight per exponent; those without one are not tried.
        exponents: the exponents to try; None lets the space follow the data, starting from Extra-P's.
        nonnegative: the quantity cannot be negative, so neither may a coefficient or a prediction.
        rivals: how many models are kept per kernel at most.
    """

    method: Literal["evidence", "leave-one-out"] = "evidence"
    prior: Literal["uniform", "simple"] | Mapping[Exponent, float] = "uniform"
    exponents: tuple[Exponent, ...] | None = None
    nonnegative: bool = True
    rivals: int = 8

"""What a developer expects of how something grows. Options name some, so nothing heavy is imported here."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.models.exponents import Exponent


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """That something grows like a function at most: ``[[expect]]`` of pipeline.toml.

    Attributes:
        region: a region, a group or a pattern, whose kernels are added up; empty for the total.
        metric: by the name that `pipeline inspect` shows; times are of all locations together.
        growth: the function as it was written.
        exponents: of its parameters, by name; empty for a constant.
        place: ``file:line``, for errors and reports.
    """

    region: str = ""
    metric: str = "time"
    growth: str
    exponents: Mapping[str, Exponent]
    place: str = ""

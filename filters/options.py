"""The numbers of the filter rule that a user may change."""

from dataclasses import dataclass

from ingest.errors import UsageError
from ingest.options import option


@dataclass(frozen=True, kw_only=True)
class PaperRule:
    """The numbers of the rule, with the paper's values as defaults."""

    per_visit: float = option(
        0.25, "Share of call paths with the longest time per visit that is kept.", least=0, most=1
    )
    total: float = option(
        0.25, "Share of call paths with the most total time that must be represented.", least=0, most=1
    )
    visits: float = option(
        0.5,
        "Quantile of visits above which a call path does not represent itself; 0.5 is the median.",
        least=0,
        most=1,
    )

    def __post_init__(self) -> None:
        """Refuse shares outside 0..1."""
        for name in ("per_visit", "total", "visits"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(f"{name} is {getattr(self, name):g}", hint="it is a share between 0 and 1")

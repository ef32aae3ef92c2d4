"""What a job must hold."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

EFFICIENCY = "efficiency"  # the limit that is a least value


@dataclass(frozen=True, kw_only=True)
class JobLimits:
    """What a job must hold; None for what is not asked for.

    Attributes:
        deadline: seconds of wall time, at most.
        budget: core-hours, at most.
        efficiency: parallel or weak efficiency, at least.
        memory: bytes of a node, at most.
        energy: joules, at most.
    """

    deadline: float | None = None
    budget: float | None = None
    efficiency: float | None = None
    memory: float | None = None
    energy: float | None = None

    @property
    def given(self) -> Mapping[str, float]:
        """Those that are asked for, by name."""
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in values if value is not None}

    def relaxed(self, factors: Mapping[str, float]) -> "JobLimits":
        """Return limits that leave more room by these factors, from 1 on, by name."""
        given = self.given
        return replace(
            self,
            **{
                name: given[name] / factor if name == EFFICIENCY else given[name] * factor
                for name, factor in factors.items()
            },
        )

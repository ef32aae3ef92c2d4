"""Which metrics of a profile are kept when it is reduced."""

from collections.abc import Container
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ingest.hardware_counters import event

EVERY = "*"


@dataclass(frozen=True, kw_only=True)
class MetricChoice(Container[str]):
    """A container of the names of the metrics to keep.

    Attributes:
        required: names that are always kept; counts of instructions and cycles are, too.
        every: whether all others are kept, too.
        excluded: patterns with ``*`` and ``?`` of others that are not.
        on_locations: the metric whose values on each location are kept, of the largest kernels.
    """

    required: tuple[str, ...]
    every: bool = False
    excluded: tuple[str, ...] = ()
    on_locations: str = "time"

    def __contains__(self, name: object) -> bool:
        """Return whether a metric is kept."""
        if name in self.required or event(str(name)):
            return True
        return self.every and not any(fnmatchcase(str(name), pattern) for pattern in self.excluded)

    @property
    def key(self) -> tuple[str, ...]:
        """What distinguishes this choice from others, for caches."""
        others = (EVERY, *(f"!{name}" for name in self.excluded)) if self.every else ()
        return (*self.required, *others, f"@{self.on_locations}")

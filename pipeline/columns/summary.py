"""What ``summary.json`` is: a record per part (docs/reference/schemas/summary.schema.json).

Kernels are rows of the columns `pipeline.columns.kernels.KERNELS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from ingest.record_codec import NO_ENTRY, PLAIN, SPREAD
from pipeline.questions.crossovers import NamedCrossover
from pipeline.questions.question import Answers
from pipeline.questions.runtime_summary import QUESTION, RuntimeSummary, Scale

Point: TypeAlias = Mapping[str, float]
Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Annotated[Sequence[Row], PLAIN]

_CROSSOVERS = {"regions": "region_crossovers", "kernels": "crossovers", "groups": "group_crossovers"}


@dataclass(frozen=True, kw_only=True)
class Target:
    """A point that is predicted, and how far it lies beyond the measured ones."""

    at: Point
    extrapolation: float
    reach: str


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The content of ``summary.json``."""

    parameters: Sequence[str]
    points: Sequence[Point]
    targets: tuple[Target, ...]
    per: str | None
    visits_per_run: float | None
    scaling: str
    scaling_reason: str
    kernels: Rows
    regions: Rows
    crossovers: tuple[NamedCrossover, ...]
    region_crossovers: tuple[NamedCrossover, ...]
    not_listed: Mapping[str, int]
    total: Row | None
    notices: Sequence[str]
    groups: Rows = ()
    group_crossovers: tuple[NamedCrossover, ...] = ()
    answers: Answers = field(default_factory=Answers, metadata=SPREAD)
    metrics: Annotated[Mapping[str, Row], PLAIN] = field(default_factory=dict)
    scales_alone: tuple[Scale, ...] | None = field(default=None, metadata=NO_ENTRY)  # all of the runtime

    @property
    def runtime(self) -> RuntimeSummary | None:
        """Wall time, speed-up, limits and losses; None if the models are not of time."""
        return self.answers.of(QUESTION)

    @property
    def scales(self) -> Sequence[Scale]:
        """The figures of measured points and targets; none if the models are not of time."""
        if self.scales_alone is not None:
            return self.scales_alone
        return self.runtime.at if self.runtime else ()

    @property
    def observed(self) -> str:
        """What values at measured points are: measured, or projected from another machine."""
        return self.runtime.observed if self.runtime else "measured"

    def rows(self, by: str) -> Rows:
        """Return the ``regions``, the ``kernels`` (call paths) or the ``groups``."""
        rows: Rows = getattr(self, by)
        return rows

    def beyond(self, by: str) -> int:
        """Return how many of these are not listed."""
        return self.not_listed.get(by, 0)

    def crossovers_of(self, by: str) -> tuple[NamedCrossover, ...]:
        """Return who overtakes whom among these."""
        found: tuple[NamedCrossover, ...] = getattr(self, _CROSSOVERS[by])
        return found

    def horizon(self, parameter: str) -> Point:
        """Return up to where crossovers were looked for: the last target, at least what was measured."""
        points = [*self.points, *(target.at for target in self.targets[-1:])]
        return {parameter: max(point[parameter] for point in points)}

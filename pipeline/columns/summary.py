"""What ``summary.json`` is: a record per part (docs/reference/schemas/summary.schema.json).

Kernels are rows of the columns `pipeline.columns.kernels.KERNELS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from ingest.record_codec import PLAIN, SPREAD
from pipeline.questions.crossovers import NamedCrossover
from pipeline.questions.question import Answers
from pipeline.questions.runtime.losses import LossCause
from pipeline.wording.quantities import FigureJson

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
class Scale:
    """The figures of a measured point or a target; None for what is not available."""

    point: Point
    measured: bool
    reference: Point
    locations: float | None
    extrapolation: float
    reach: str
    longest_seconds: float | None
    wall_seconds: FigureJson | None
    effort: FigureJson | None
    core_hours: FigureJson | None
    speedup: FigureJson | None
    efficiency: FigureJson | None
    weak_efficiency: FigureJson | None
    work_rate: FigureJson | None
    rate: FigureJson | None
    gpu_hours: FigureJson | None
    gpu_busy: FigureJson | None
    without_start_up: Mapping[str, FigureJson | None] | None
    pop: Mapping[str, float | None] | None


@dataclass(frozen=True, kw_only=True)
class EfficientUpTo:
    """The largest scale of the efficiency asked for; None for what there is not."""

    threshold: float
    point: Point | None = None
    measured: bool | None = None
    efficiency: float | None = None
    at_the_end: bool | None = None
    interval: Mapping[str, float | None] | None = None


@dataclass(frozen=True, kw_only=True)
class LossAt:
    """What is lost at a point, and why."""

    at: Point
    measured: bool
    core_seconds: float
    causes: tuple[LossCause, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RegionLoss:
    """What a region loses at a point."""

    region: str
    kind: str
    at: Point
    measured: bool
    core_seconds: float


@dataclass(frozen=True, kw_only=True)
class HeldOutScale:
    """The total at the largest scale, predicted from the smaller ones."""

    at: Point
    extrapolation: float
    predicted: Mapping[str, float]
    measured: float
    judged_by: str
    relative_error: float
    inside: bool


@dataclass(frozen=True, kw_only=True)
class TrustReason:
    """A reason for the trust in predictions, and what it alone allows."""

    name: str
    value: float | None
    trust: str
    text: str


@dataclass(frozen=True, kw_only=True)
class TrustSummary:
    """How far predictions can be trusted: ``low``, ``medium`` or ``high``."""

    verdict: str
    reasons: tuple[TrustReason, ...]


@dataclass(frozen=True, kw_only=True)
class RuntimeSummary:
    """Wall time, speed-up, limits and losses, and how far to trust them."""

    verdict: str
    parameter: str
    compared_by: str
    effort_unit: str
    rate_unit: str
    at: tuple[Scale, ...]
    fastest: Point | None
    fastest_measured: bool | None
    fastest_wall_seconds: float | None
    efficient_up_to: EfficientUpTo
    lost: tuple[LossAt, ...]
    losses: tuple[RegionLoss, ...]
    back_test: HeldOutScale | None
    trust: TrustSummary
    notices: Sequence[str]


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
    runtime: RuntimeSummary | None = None
    metrics: Annotated[Mapping[str, Row], PLAIN] = field(default_factory=dict)

    def rows(self, by: str) -> Rows:
        """Return the ``regions``, the ``kernels`` (call paths) or the ``groups``."""
        rows: Rows = getattr(self, by)
        return rows

    def crossovers_of(self, by: str) -> tuple[NamedCrossover, ...]:
        """Return who overtakes whom among these."""
        found: tuple[NamedCrossover, ...] = getattr(self, _CROSSOVERS[by])
        return found

    def horizon(self, parameter: str) -> Point:
        """Return up to where crossovers were looked for: the last target, at least what was measured."""
        points = [*self.points, *(target.at for target in self.targets[-1:])]
        return {parameter: max(point[parameter] for point in points)}

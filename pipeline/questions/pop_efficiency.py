"""How efficient are the measured points by the metrics of the POP model?"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.experiment import Experiment
from pipeline.questions.question import Question, TargetForecast
from pipeline.questions.runtime.pop import Efficiencies, PopParts, efficiencies
from pipeline.wording.quantities import point_json

EFFICIENCY_METRICS = {
    "overall": "global efficiency",
    "parallel": "parallel efficiency",
    "load_balance": "load balance",
    "communication": "communication efficiency",
    "computation": "computation scalability",
    "ipc": "IPC scalability",
    "instructions": "instruction scalability",
    "frequency": "frequency scalability",
}
GOOD, FAIR = 0.8, 0.6  # efficiencies from here on are called so
_NO_COMMUNICATION = "efficiencies, since no region is marked as communication"


@dataclass(frozen=True, kw_only=True)
class PopEfficiency:
    """The `EFFICIENCY_METRICS` of a point; None for what is not available."""

    at: Mapping[str, float]
    overall: float | None = None
    parallel: float | None = None
    load_balance: float | None = None
    communication: float | None = None
    computation: float | None = None
    ipc: float | None = None
    instructions: float | None = None
    frequency: float | None = None

    @property
    def known(self) -> dict[str, float]:
        """The metrics that are available."""
        return {key: value for key in EFFICIENCY_METRICS if (value := getattr(self, key)) is not None}


@dataclass(frozen=True, kw_only=True)
class MeasuredEfficiency:
    """The efficiencies of the measured points, and why some are not available."""

    points: tuple[PopEfficiency, ...]
    notices: tuple[str, ...]


def measured_efficiency(experiment: Experiment, found: Efficiencies | None) -> MeasuredEfficiency:
    """Return the efficiencies of every point; none at all if communication was not measured."""
    if found is None:
        return MeasuredEfficiency(points=(), notices=(_NO_COMMUNICATION,))
    points = (
        pop_efficiency(point_json(experiment.parameters, point), found, row)
        for row, point in enumerate(experiment.points)
    )
    return MeasuredEfficiency(points=tuple(points), notices=found.notices)


def pop_efficiency(at: Mapping[str, float], found: Efficiencies | PopParts, row: int) -> PopEfficiency:
    """Return the efficiencies of a point from those of several."""
    values = {key: float(vars(found)[key][row]) for key in EFFICIENCY_METRICS if key in vars(found)}
    return PopEfficiency(at=at, **{key: value for key, value in values.items() if math.isfinite(value)})


def _efficiency(asked: TargetForecast) -> MeasuredEfficiency:
    experiment = asked.analysis.experiment
    return measured_efficiency(experiment, efficiencies(experiment, asked.analysis.decision))


QUESTION = Question(key="efficiency", order=90, ask=_efficiency)

"""What a filter saves: visits, overhead and dilation before and after, at run time and at compile time."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from filters.cost import EventCost
from filters.evidence import RunEvidence
from filters.plain_time import PlainTime, estimate_plain_time
from ingest.arrays import BoolArray


class Application(Enum):
    """Where a filter is applied."""

    RUN_TIME = "run time"
    COMPILE_TIME = "compile time"


@dataclass(frozen=True)
class Dilation:
    """Measured over plain computing time, with the range that the uncertainty of the plain time leaves."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Prediction:
    """The effect of a filter on one run.

    Attributes:
        source: the profile it was made from.
        visits: recorded without the filter, all CPU locations.
        recorded: recorded under the filter.
        coverage: the share of the plain computing time that is told of the region it is spent in (or of the
            caller, where its visits are too short); the rest is told of the nearest recorded callers.
        whole: the share that is told with its whole call path, all of whose regions are recorded.
        plain: the time without measurement.
        filtered_cost: seconds a visit that is filtered at run time.
    """

    source: str
    visits: float
    recorded: float
    coverage: float
    whole: float
    plain: PlainTime
    filtered_cost: float

    def overhead(self, applied: Application | None) -> float:
        """Return the core-seconds that measuring takes; None stands for no filter."""
        return self._overhead(applied, self.plain.cost[0])

    def dilation(self, applied: Application | None) -> Dilation:
        """Return measured over plain computing time; None stands for no filter."""
        plain = self.plain
        pairs = zip((plain.total, plain.low, plain.high), plain.cost, strict=True)
        value, high, low = (
            1.0 + (self._overhead(applied, cost) / time if time > 0 else 0.0) for time, cost in pairs
        )
        return Dilation(value, low, high)

    def _overhead(self, applied: Application | None, cost: float) -> float:
        if applied is None:
            return cost * self.visits
        at_hooks = self.filtered_cost * (self.visits - self.recorded)
        return cost * self.recorded + (at_hooks if applied is Application.RUN_TIME else 0.0)


def predict(
    run: RunEvidence, recorded: BoolArray, cost: EventCost | None = None, baseline: float | None = None
) -> Prediction:
    """Predict what a filter does to a run.

    Args:
        run: measured without a filter.
        recorded: bool[call path], what is recorded under the filter.
        cost: the cost of a visit; the default where not given.
        baseline: the duration of the run in seconds without instrumentation, where known.

    Raises:
        UsageError: where the baseline cannot be.
    """
    cost = cost or EventCost()
    plain = estimate_plain_time(run, cost, baseline)
    counted = plain.told * plain.computing
    total = float(counted.sum())
    gapless = run.tree.nearest(~recorded) < 0
    coverage, whole = (
        min(1.0, float(counted[part].sum()) / total) if total > 0 else 1.0 for part in (recorded, gapless)
    )
    visits, left = float(run.visits.sum()), float(run.visits[recorded].sum())
    at_hooks = min(cost.filtered, plain.cost[0])
    return Prediction(
        source=run.source,
        visits=visits,
        recorded=left,
        coverage=coverage,
        whole=whole,
        plain=plain,
        filtered_cost=at_hooks,
    )


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction as plain data: visits, core-seconds, and dilations with their ranges."""
    plain = prediction.plain
    stages = {"unfiltered": None, "run_time": Application.RUN_TIME, "compile_time": Application.COMPILE_TIME}
    return {
        "source": prediction.source,
        "visits": {"unfiltered": prediction.visits, "filtered": prediction.recorded},
        "coverage": prediction.coverage,
        "whole_callpaths": prediction.whole,
        "event_cost": {"recorded": plain.cost[0], "filtered_at_run_time": prediction.filtered_cost},
        "plain_computing_time": {"value": plain.total, "low": plain.low, "high": plain.high},
        "overhead": {name: prediction.overhead(applied) for name, applied in stages.items()},
        "dilation": {name: vars(prediction.dilation(applied)) for name, applied in stages.items()},
    }

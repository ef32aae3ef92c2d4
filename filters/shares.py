"""What each region costs and tells in each run, as shares of the run's plain computing time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.cost import EventCost
from filters.evidence import RunEvidence
from filters.plain_time import PlainTime
from filters.prediction import Application
from filters.regions import FilterRegions
from ingest.arrays import BoolArray, FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Shares:
    """Of R regions in J runs; every number is a share of the run's plain computing time.

    Attributes:
        own: float64[R, J], plain time in the region, with that of callees too short to be told.
        below: float64[R, J], plain time below it, with communication; recursion counts once.
        recording: float64[R, J], cost of recording its visits.
        hooks: float64[R, J], cost of its visits where they are filtered at run time.
        fixed: float64[J], cost of what no filter touches.
    """

    own: FloatArray
    below: FloatArray
    recording: FloatArray
    hooks: FloatArray
    fixed: FloatArray

    def weight(self, applied: Application) -> FloatArray:
        """Return what recording a region adds to the overhead, float64[R, J]."""
        return self.recording - self.hooks if applied is Application.RUN_TIME else self.recording

    def overhead(self, kept: BoolArray, applied: Application) -> FloatArray:
        """Return the overhead of recording the kept regions, float64[J]."""
        hooks = self.hooks.sum(axis=0) if applied is Application.RUN_TIME else 0.0
        return np.asarray(self.fixed + hooks + self.weight(applied)[kept].sum(axis=0))


def shares_of(
    regions: FilterRegions, runs: Sequence[RunEvidence], plains: Sequence[PlainTime], cost: EventCost
) -> Shares:
    """Collect the shares.

    Args:
        regions: the regions of the runs.
        runs: measured without a filter.
        plains: the estimate of each run's plain time.
        cost: the cost of a visit; that of a recorded one is taken from `plains`.
    """
    own, below, recording, hooks, fixed = [], [], [], [], []
    for i, (run, plain) in enumerate(zip(runs, plains, strict=True)):
        share = 1.0 / plain.total if plain.total > 0 else 0.0
        entry = regions.of_callpaths(i, run)
        visits = regions.total(i, run, run.visits)
        told = regions.total(i, run, plain.told)
        inclusive = run.tree.inclusive(plain.told[:, None])[:, 0]
        whole = regions.total(i, run, inclusive * run.tree.outermost(entry))
        own.append(told * share)
        below.append(np.maximum(whole - told, 0.0) * share)
        recording.append(visits * plain.cost[0] * share)
        hooks.append(visits * min(cost.filtered, plain.cost[0]) * share)
        fixed.append(float(run.visits[entry < 0].sum()) * plain.cost[0] * share)
    own_, below_, recording_, hooks_ = (np.stack(rows, axis=1) for rows in (own, below, recording, hooks))
    return Shares(own=own_, below=below_, recording=recording_, hooks=hooks_, fixed=np.array(fixed))

"""What a filter gives up: the dropped regions with the most time, and where their time is told instead."""

from dataclasses import dataclass

import numpy as np

from filters.decision import Decision
from filters.prediction import Prediction


@dataclass(frozen=True)
class GivenUp:
    """A dropped region.

    Attributes:
        region: displayed name.
        share: of the plain computing time.
        visits: that are no longer recorded.
        told_of: displayed name of the recorded region that gets most of its time; None where none does.
    """

    region: str
    share: float
    visits: float
    told_of: str | None


def given_up(decision: Decision, prediction: Prediction, count: int = 10) -> tuple[GivenUp, ...]:
    """Return the dropped regions of the last run with the most plain time, the largest first.

    Args:
        decision: what is kept.
        prediction: the effect on the last run.
        count: how many at most.
    """
    last = len(decision.runs) - 1
    run, regions = decision.runs[last], decision.regions
    time = regions.total(last, run, prediction.plain.told)
    visits = regions.total(last, run, run.visits)
    dropped = np.flatnonzero(regions.called & ~decision.kept & (time > 0))
    largest = dropped[np.argsort(-time[dropped], kind="stable")][:count]
    home = run.tree.nearest(decision.recorded(last))
    entry = regions.of_callpaths(last, run)
    found = []
    for i in largest.tolist():
        nodes = np.flatnonzero(entry == i)
        heirs, place = np.unique(
            np.where(home[nodes] >= 0, run.tree.region[home[nodes]], -1), return_inverse=True
        )
        heir = int(heirs[np.bincount(place, prediction.plain.told[nodes]).argmax()])
        told_of = run.regions.name[heir] if heir >= 0 else None
        share = float(time[i]) / prediction.plain.total if prediction.plain.total > 0 else 0.0
        found.append(GivenUp(regions.table.name[i], share, float(visits[i]), told_of))
    return tuple(found)

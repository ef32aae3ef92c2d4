"""Whether a decision from several scales holds at the largest."""

import numpy as np

from filters.decision import Decision
from filters.prediction import Prediction
from filters.reasons import Reason

NOTABLE = 0.01


def costly_at_largest_scale(decision: Decision, prediction: Prediction) -> tuple[str, ...]:
    """Return a sentence for every region that is kept for smaller runs only and costs much in the last one.

    Args:
        decision: from several runs, the largest scale last.
        prediction: its effect on the last run; much is from `NOTABLE` of the plain computing time.
    """
    last = len(decision.runs) - 1
    run, regions, plain = decision.runs[last], decision.regions, prediction.plain
    by_itself = decision.callpaths[last] >= Reason.PREFIX
    wanted = regions.total(last, run, by_itself.astype(np.float64)) > 0
    ruled = decision.kept & (decision.reason < Reason.PROTECTED) & ~wanted
    cost = regions.total(last, run, run.visits) * plain.cost[0]
    share = cost / plain.total if plain.total > 0 else np.zeros(len(regions))
    return tuple(
        f"'{regions.table.name[i]}' is kept for smaller runs only, but at the largest scale recording it "
        f"takes {share[i]:.1%} of the plain computing time"
        for i in np.flatnonzero(ruled & (share >= NOTABLE)).tolist()
    )

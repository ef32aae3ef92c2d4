"""Runs that took much more or less time than the others at their scale."""

from collections.abc import Collection, Iterable

import numpy as np

from ingest.arrays import FloatArray
from pipeline.campaign.campaign_design import PlannedRun
from pipeline.campaign.cost import States, Values, values_of

FEWEST = 3
"""Runs at a scale from which one of them can be called outlying."""

_DEVIATIONS = 6.0  # robust standard deviations from the median of the scale
_LEAST = 0.1  # relative deviation that counts at all
_OF_NORMAL = 1.4826  # standard deviation of normal values over their median absolute deviation


def outlying(
    runs: Iterable[PlannedRun], states: States, before: Collection[str]
) -> tuple[list[PlannedRun], list[PlannedRun]]:
    """Return runs to be set aside and made again, and runs beside which another one is needed to tell.

    A run is outlying if the logarithm of its time is six robust standard deviations from the median of its
    scale and at least 10 % (Hampel, "The influence curve and its role in robust estimation", 1974); the
    deviation is that of all scales together. Of two runs nobody can tell which one is outlying, so a third is
    needed. At most one run of a scale is ever set aside: taking away one after the other would make any
    noise look small.

    Args:
        runs: those whose profiles are used.
        states: of all.
        before: names of runs that were set aside before.
    """
    scales: dict[Values, list[PlannedRun]] = {}
    spoilt = set()
    for run in runs:
        if run.name in before:
            spoilt.add(values_of(run.point))
        elif states[run.name].status == "done" and states[run.name].seconds:
            scales.setdefault(values_of(run.point), []).append(run)
    deviations = {values: _deviations(same, states) for values, same in scales.items() if len(same) > 1}
    limit = max(_DEVIATIONS * _spread(list(deviations.values())), np.log1p(_LEAST))
    aside: list[PlannedRun] = []
    unclear: list[PlannedRun] = []
    for values, deviation in deviations.items():
        worst = int(np.abs(deviation).argmax())
        if values in spoilt or abs(deviation[worst]) <= limit:
            continue
        enough = len(deviation) >= FEWEST
        (aside if enough else unclear).append(scales[values][worst])
    return aside, unclear


def _deviations(runs: list[PlannedRun], states: States) -> FloatArray:
    logs = np.log([states[run.name].seconds or np.nan for run in runs])
    deviation: FloatArray = logs - np.median(logs)
    return deviation


def _spread(deviations: list[FloatArray]) -> float:
    """Return the robust standard deviation of a run, with the degrees of freedom that medians took."""
    if not deviations:
        return 0.0
    every = np.concatenate(deviations)
    lost = len(every) / max(len(every) - len(deviations), 1)
    return float(_OF_NORMAL * np.median(np.abs(every)) * np.sqrt(lost))

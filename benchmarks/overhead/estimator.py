"""The estimator under test: one function, so that another can take its place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.event_cost import Visited, usual_cost
from filters.evidence import RunEvidence
from filters.plain_time import estimate_plain_times


@dataclass(frozen=True)
class Estimate:
    """Plain computing time in core-seconds, and the interval that holds it with a probability of 90 %."""

    value: float
    low: float
    high: float


def estimate(series: Sequence[Sequence[RunEvidence]]) -> list[Estimate]:
    """Estimate the plain time of every scale of a series, from its fully instrumented runs alone.

    Args:
        series: the repetitions of each scale.
    """
    runs = joint([run for repetitions in series for run in repetitions])
    plain = estimate_plain_times(runs, usual_cost(runs))
    scale = np.repeat(np.arange(len(series)), [len(repetitions) for repetitions in series])
    ends = (plain.total, plain.low, plain.high)
    return [Estimate(*(float(np.median(values[scale == s])) for values in ends)) for s in range(len(series))]


def joint(runs: Sequence[RunEvidence]) -> Visited:
    """Bring runs with different call trees to the union of them."""
    paths = [run.tree.paths(run.regions.mangled) for run in runs]
    first = runs[int(np.argmax([len(found) for found in paths]))]
    union = first.tree.paths(first.regions.mangled)
    place = {path: i for i, path in enumerate(union)}
    visits, time = (np.zeros((len(union), len(runs))) for _ in range(2))
    for r, (run, found) in enumerate(zip(runs, paths, strict=True)):
        known = [(place[path], i) for i, path in enumerate(found) if path in place]
        rows, columns = (list(part) for part in zip(*known, strict=True))
        visits[rows, r], time[rows, r] = run.visits[columns], run.time[columns]
    return Visited(tree=first.tree, regions=first.regions, visits=visits, time=time)

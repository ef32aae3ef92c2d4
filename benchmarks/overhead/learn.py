"""The numbers that `filters` takes from measured programs, each judged on programs left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.overhead.estimator import joint
from benchmarks.overhead.series import Series, read_all
from filters.event_cost import Visited, usual_cost
from filters.plain_time import RUN_SPREAD, TRIVIAL, Beliefs, read_times, total_times
from ingest.arrays import FloatArray

LEVELS, CORES, SAVED = (0.5, 0.58, 0.66, 0.74), (0.15, 0.2, 0.25), (0.08, 0.12, 0.16)
TAIL = 1.645  # standard deviations to either end of a 90 % interval
MISSED = 20.0  # what missing an interval's end counts for, as interval scores of 90 % have it
LEAST = 0.05  # of the plain time, what is left for doubtful call paths if clear ones take more than all of it


@dataclass(frozen=True, eq=False)
class Truth:
    """The R runs of a program with their plain seconds, float64[R]."""

    name: str
    runs: Visited
    plain: FloatArray


def learn(out: Path, lulesh: Path | None) -> None:
    """Print costs and plain seconds per trivial visit, and how intervals do whose numbers others chose."""
    programs = [_truth(series) for series in read_all(out, lulesh)]
    trivial = []
    for one in programs:
        cost = usual_cost(one.runs).recorded
        true = np.median((one.runs.measured - one.plain) / one.runs.events_computing)
        visits, log = _trivial(one)
        print(f"{one.name}: a visit costs {1e9 * true:.1f} ns, shown {1e9 * cost:.1f} ns", end="")
        print(f"; {np.exp(log) * 1e9:.2f} ns per doubtful visit" if visits else "")
        trivial += [log] if visits else []
    print(f"TRIVIAL: {np.exp(np.mean(trivial)) * 1e9:.2f} ns, today {TRIVIAL * 1e9:.2f} ns")
    settings = list(product(LEVELS, CORES, SAVED))
    scores, held, widths = (np.empty((len(settings), len(programs))) for _ in range(3))
    for s, setting in enumerate(settings):
        for p, one in enumerate(programs):
            scores[s, p], held[s, p], widths[s, p] = _judged(one, *setting)
    chosen = [int(np.delete(scores, p, axis=1).mean(axis=1).argmin()) for p in range(len(programs))]
    places = chosen, range(len(programs))
    print("LEVEL_SPREAD, CORE_SPREAD, SAVED without each program:", sorted({settings[s] for s in chosen}))
    print(f"of the programs left out {100 * held[places].mean():.0f} % of the intervals hold the plain time,")
    print(f"their width is {np.median(widths[places]):.1f} in the median of the programs")


def _truth(series: Series) -> Truth:
    runs = joint([run for scale in series.scales for run in scale.runs])
    counts = [len(scale.runs) for scale in series.scales]
    return Truth(series.name, runs, np.repeat([scale.truth for scale in series.scales], counts))


def _trivial(one: Truth) -> tuple[float, float]:
    """Visits of doubtful call paths where these are nearly all there is, and ln of their plain seconds."""
    reading = read_times(one.runs, usual_cost(one.runs))[-1]
    doubtful = one.runs.computing & ~reading.clear
    visits = one.runs.visits[doubtful].sum(axis=0)
    if one.runs.time[doubtful].sum() < 0.9 * one.runs.measured.sum():
        return 0.0, 0.0
    left = one.plain - reading.callpath[one.runs.computing & reading.clear].sum(axis=0)
    return float(visits.sum()), float(np.log(np.maximum(left, LEAST * one.plain) / visits).mean())


def _judged(one: Truth, level: float, core: float, saved: float) -> tuple[float, float, float]:
    """Interval score in logarithms, share of the intervals that hold, and their median width."""
    cost = usual_cost(one.runs)
    readings = read_times(one.runs, cost)
    beliefs = [Beliefs(cost=cost, level_spread=level, core_spread=core, saved=saved)] * len(readings)
    logs = [np.log(times) for times in total_times(one.runs, readings, beliefs, None)]
    return _scored(logs, np.log(one.plain))


def _scored(logs: Sequence[FloatArray], truth: FloatArray) -> tuple[float, float, float]:
    total, low, high = logs
    low = total - np.hypot(total - low, TAIL * RUN_SPREAD)
    high = total + np.hypot(high - total, TAIL * RUN_SPREAD)
    off = np.maximum(low - truth, 0.0) + np.maximum(truth - high, 0.0)
    score = float((high - low + MISSED * off).mean())
    return score, float((off == 0).mean()), float(np.exp(np.median(high - low)))

"""The numbers that `filters` takes from measured programs, each judged on programs left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.overhead.estimator import joint
from benchmarks.overhead.series import LULESH, Series, read_all
from filters.event_cost import EventCost, Visited, usual_cost
from filters.known_plain import KNOWN_SPREAD, KnownPlain
from filters.plain_time import TRIVIAL, Beliefs, posterior, read_times
from ingest.arrays import FloatArray, IntArray

LEVELS, WORKS, SCALES, CORES = (0.5, 0.6, 0.7), (0.6, 0.8, 1.0), (0.18, 0.22, 0.26), (0.05,)
MISSED = 20.0  # what missing an interval's end counts for, as interval scores of 90 % have it
SHOWN = 0.48, 0.5  # of the cost, what the cheapest leaves and callers take with this benchmark's profiler
LEAST = 0.05  # of the plain time, what is left for doubtful call paths if clear ones take more than all of it
CLOSE = np.log(1.15)


@dataclass(frozen=True, eq=False)
class Truth:
    """The R runs of a program with their plain seconds, float64[R]."""

    name: str
    runs: Visited
    plain: FloatArray
    scale: IntArray  # int64[R]


def learn(out: Path, lulesh: Path | None) -> None:
    """Print costs and plain seconds per trivial visit, and how intervals do whose numbers others chose."""
    programs = [_truth(series) for series in read_all(out, lulesh)]
    trivial = []
    for one in programs:
        cost = _cost(one).recorded
        true = np.median((one.runs.measured - one.plain) / one.runs.events_computing)
        visits, log = _trivial(one)
        print(f"{one.name}: a visit costs {1e9 * true:.1f} ns, shown {1e9 * cost:.1f} ns", end="")
        print(f"; {np.exp(log) * 1e9:.2f} ns per doubtful visit" if visits else "")
        trivial += [log] if visits else []
    print(f"TRIVIAL: {np.exp(np.mean(trivial)) * 1e9:.2f} ns, today {TRIVIAL * 1e9:.2f} ns")
    settings = list(product(LEVELS, WORKS, SCALES, CORES))
    judged = np.array([[_judged(one, *setting) for one in programs] for setting in settings])
    scores = judged[..., 0]  # [setting, program, evidence]
    chosen = [int(np.delete(scores, p, axis=1).mean(axis=(1, 2)).argmin()) for p in range(len(programs))]
    print("LEVEL, WORK, SCALE, CORE without each program:", sorted({settings[s] for s in chosen}))
    for evidence, told in enumerate(("profiles alone", "and a plain time elsewhere", "and all other ones")):
        _, held, width, close = judged[chosen, range(len(programs)), :, :].transpose(2, 1, 0)[:, evidence]
        print(
            f"{told}: {100 * held.mean():.0f} % hold, width {np.median(width):.2f} (median of programs), "
            f"{100 * close.mean():.0f} % within 15 %"
        )


def _cost(one: Truth) -> EventCost:
    return usual_cost(one.runs) if one.name == LULESH else usual_cost(one.runs, SHOWN)


def _truth(series: Series) -> Truth:
    runs = joint([run for scale in series.scales for run in scale.runs])
    counts = [len(scale.runs) for scale in series.scales]
    plain = np.repeat([scale.truth for scale in series.scales], counts)
    return Truth(series.name, runs, plain, np.repeat(np.arange(len(counts)), counts))


def _trivial(one: Truth) -> tuple[float, float]:
    """Visits of doubtful call paths where these are nearly all there is, and ln of their plain seconds."""
    reading = read_times(one.runs, _cost(one))[-1]
    doubtful = one.runs.computing & ~reading.clear
    visits = one.runs.visits[doubtful].sum(axis=0)
    if one.runs.time[doubtful].sum() < 0.9 * one.runs.measured.sum():
        return 0.0, 0.0
    left = one.plain - reading.callpath[one.runs.computing & reading.clear].sum(axis=0)
    return float(visits.sum()), float(np.log(np.maximum(left, LEAST * one.plain) / visits).mean())


def _judged(one: Truth, *setting: float) -> FloatArray:
    """Interval score in logarithms, share that hold, median width, share that are close; by evidence."""
    level, work, scale, core = setting
    cost = _cost(one)
    readings = [reading.times(one.runs) for reading in read_times(one.runs, cost)]
    beliefs = Beliefs(cost=cost, level_spread=level, work_spread=work, scale_spread=scale, core_spread=core)
    scales = np.unique(one.scale)
    found = []
    for told in ([scales[:0]], [scales[s : s + 1] for s in scales], [np.delete(scales, s) for s in scales]):
        parts = [
            _scored(one, posterior(readings, beliefs, _known(one, some)).times(0.05, 0.5, 0.95), some)
            for some in told
        ]
        found.append(np.mean(parts, axis=0))
    return np.array(found).T


def _known(one: Truth, told: IntArray) -> KnownPlain | None:
    if not len(told):
        return None
    total = np.where(np.isin(one.scale, told), one.plain, np.nan)
    nothing = np.full(len(total), np.nan)
    spread, stated = np.full(len(total), KNOWN_SPREAD), np.zeros(len(total), dtype=np.bool_)
    return KnownPlain(point=one.scale, total=total, spread=spread, whole=nothing, stated=stated)


def _scored(one: Truth, ends: Sequence[FloatArray], told: IntArray) -> tuple[float, ...]:
    others = ~np.isin(one.scale, told)
    low, middle, high = (np.log(np.minimum(end, one.runs.measured))[others] for end in ends)
    truth = np.log(one.plain)[others]
    off = np.maximum(low - truth, 0.0) + np.maximum(truth - high, 0.0)
    close = np.abs(middle - truth) < CLOSE
    score = float((high - low + MISSED * off).mean())
    return score, float((off == 0).mean()), float(np.exp(np.median(high - low))), float(close.mean())

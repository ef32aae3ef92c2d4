"""The numbers that `filters.plain_time` takes from measured programs, each judged on programs left out."""

from pathlib import Path

import numpy as np

from benchmarks.overhead.estimator import joint
from benchmarks.overhead.series import Series, read_all
from filters.plain_time import TRIVIAL, doubts
from filters.usual_cost import usual_cost
from ingest.arrays import FloatArray

TRUSTS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
LEAST = 0.05  # of the plain time, what is left for doubtful call paths if clear ones take more than all of it


def learn(out: Path, lulesh: Path | None) -> None:
    """Print plain seconds per trivial visit, and the error for every weight of what callers show."""
    found = {series.name: _shown(series) for series in read_all(out, lulesh)}
    trivial = {
        name: float(np.log(np.maximum(truth - clear, LEAST * truth) / visits).mean())
        for name, (clear, _, visits, truth) in found.items()
    }
    for name, log in trivial.items():
        print(f"{name}: {np.exp(log) * 1e9:.2f} ns per doubtful visit")
    print(f"TRIVIAL: {np.exp(np.mean(list(trivial.values()))) * 1e9:.2f} ns, today {TRIVIAL * 1e9:.2f} ns")
    print("TRUST: root mean square of ln(estimate / plain), every program judged by the others")
    for trust in TRUSTS:
        errors = [_error(found[name], trust, _without(trivial, name)) for name in found]
        print(f"  {trust:.1f}: {np.sqrt(np.mean(np.square(errors))):.2f}")
    scales = [np.log(_guess(one, 0.6, TRIVIAL) / one[3]).std() for one in found.values()]
    print(f"SCALE_SPREAD: {np.median(scales):.2f} (median over programs), {np.max(scales):.2f} at most")


def _shown(series: Series) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """By run: seconds in clear call paths, excess of doubtful ones, visits of these, and plain seconds."""
    runs = joint([run for scale in series.scales for run in scale.runs])
    found = doubts(runs, usual_cost(runs))
    clear = runs.computing & ~found.doubtful
    truth = np.repeat([scale.truth for scale in series.scales], [len(s.runs) for s in series.scales])
    return (
        np.maximum(runs.time - found.taken, 0.0)[clear].sum(axis=0),
        found.excess.sum(axis=0),
        np.maximum(runs.visits[found.doubtful].sum(axis=0), 1.0),
        truth,
    )


def _without(trivial: dict[str, float], name: str) -> float:
    return float(np.exp(np.mean([log for other, log in trivial.items() if other != name])))


def _guess(shown: tuple[FloatArray, ...], trust: float, trivial: float) -> FloatArray:
    clear, excess, visits, _ = shown
    doubtful: FloatArray = np.maximum(excess, 1e-12) ** trust * (trivial * visits) ** (1 - trust)
    return clear + doubtful


def _error(shown: tuple[FloatArray, ...], trust: float, trivial: float) -> float:
    return float(np.log(_guess(shown, trust, trivial) / shown[3]).mean())

"""Histories of simulated programs in which one kernel changes, and which commits are named for it."""

import numpy as np

from benchmarks.history.nightly import LEAST, MOST, nights
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import Entries, findings, trends

KERNELS = 8
COUNT = 40  # entries
DAY = 86_400
SHARED = 0.005  # noise that all kernels of a night have in common


def program(rng: np.random.Generator, kind: str) -> tuple[Entries, int]:
    """Return a history in which a kernel of 10 to 60 % gets slower by 10 to 60 %, and since which entry."""
    at = int(rng.integers(12, COUNT - 5))
    share = rng.uniform(0.1, 0.6)
    shares = np.array([share, *((1 - share) * rng.dirichlet(np.ones(KERNELS - 1)))])[:, None]
    logs = nights(rng, kind, KERNELS, COUNT) + SHARED * rng.normal(size=COUNT)
    logs[0, at:] += np.log(rng.uniform(1.1, 1.6))
    kernels = 100 * shares * np.exp(logs)
    value = np.vstack([kernels.sum(axis=0), kernels])
    predicted = 2 * value * np.exp(rng.uniform(LEAST, MOST) * rng.normal(size=value.shape))
    names = (
        KernelId(Scope.TOTAL, ("total",)),
        *(KernelId(Scope.CALLPATH, ("main", f"f{k}")) for k in range(KERNELS)),
    )
    unknown = np.full(value.shape, -1)
    entries = Entries(
        labels=tuple(f"c{n}" for n in range(COUNT)),
        commits=("",) * COUNT,
        added=DAY * np.arange(COUNT),
        machine="",
        metric="effort",
        unit="core-s",
        at={"p": 128.0},
        target={"p": 512.0},
        kernels=names,
        value=value,
        share=value / value[:1],
        predicted=predicted,
        lower=0.9 * predicted,
        upper=1.1 * predicted,
        wall_seconds=predicted / 512,
        efficiency=100 * np.vstack([np.ones((1, 1)), shares]) / predicted,
        growths=(),
        growth=unknown,
        verdicts=(),
        verdict=unknown,
        steps=(),
        step=unknown,
        totals=(),
        notices=(),
    )
    return entries, at


def named(entries: Entries) -> set[int]:
    """Return the entries that are named as changes."""
    return {one.at for one in findings(trends(entries))}

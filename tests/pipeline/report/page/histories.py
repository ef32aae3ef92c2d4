"""Histories made in code: entries of kernels with levels that change, and noise from a fixed seed."""

import datetime
import hashlib

import numpy as np

from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import Entries, HistoryRow

START = 1_750_000_000  # 2025-06-15
HOSTILE = "</script><img src=x onerror=alert(1)>"
TOTAL = KernelId(Scope.TOTAL, ("total",))
NAMES = ("solve", "MPI_Allreduce(void const*, int)", HOSTILE)
KERNELS = (
    TOTAL,
    *(KernelId(Scope.CALLPATH, ("main", name)) for name in NAMES),
    KernelId(Scope.REGION, ("MPI_Allreduce(void const*, int)",)),
)


def digest(text):
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def total(label, n, value, **given):
    """The row of the total in an entry."""
    row = {"added": datetime.datetime.fromtimestamp(START + 86_400 * n, tz=datetime.UTC), "level": "total"}
    row |= {"callpath": ("total",), "metric": "effort", "unit": "core-s", "at": '{"p": 128}', "share": 1.0}
    row |= {"growth": "1", "target": '{"p": 512}', "predicted": 2 * value, "verdict": ""}
    return HistoryRow(label=label, value=value, **row, **given)


def history(count=60, *, step=1.5, at=40, noise=0.02, kernels=KERNELS, digests=False, seed=1):
    """Entries in which the kernel `solve` and the total change by a factor from the entry `at` on."""
    rng = np.random.default_rng(seed)
    shape = len(kernels), count
    level = np.ones(shape)
    level[:2, at:] *= step
    base = np.array([100.0, *(60.0 / 2.0**k for k in range(len(kernels) - 1))])[:, None]
    value = base * level * np.exp(noise * rng.normal(size=shape))
    predicted = 2 * value * np.exp(noise * rng.normal(size=shape))
    return Entries(
        labels=tuple(digest(str(n)) if digests else f"c{n}" for n in range(count)),
        commits=tuple(digest(str(n)) for n in range(count)),
        added=START + 86_400 * np.arange(count),
        machine="cluster",
        metric="effort",
        unit="core-s",
        at={"p": 128.0},
        target={"p": 512.0},
        kernels=kernels,
        value=value,
        share=value / value[:1],
        predicted=predicted,
        lower=0.9 * predicted,
        upper=1.2 * predicted,
        wall_seconds=predicted / 512,
        efficiency=0.8 * 2 * base / predicted,
        growths=("1", "p^(1/2)"),
        growth=np.ones(shape, dtype=np.int64),
        verdicts=("", "regression"),
        verdict=np.where(np.arange(count) == at, 1, -1) * np.ones(shape, dtype=np.int64),
        steps=("", "regression"),
        step=np.full(shape, -1),
        totals=tuple(total(f"c{n}", n, value[0, n]) for n in range(count)),
        notices=(),
    )

"""Does a mini-app stress the hardware like the code that it represents? (paper 000, section 5 and Figure 4)

For both codes, every hardware counter is correlated with the loss of parallel efficiency over thread counts.
Counters that correlate with the loss in one code but not in the other show where the mini-app differs.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from pipeline.projection.csv_columns import Columns
from pipeline.projection.units import NONE, TIME

STRONG = 0.8
ALIKE = 0.1
_FEWEST = 3


@dataclass(frozen=True, eq=False)
class CounterRuns:
    """Runs of one code over thread counts, each measured once or more.

    Attributes:
        threads: int64[n].
        seconds: float64[n], run time of the kernel.
        names: the counters.
        values: float64[counter, n].
    """

    threads: IntArray
    seconds: FloatArray
    names: tuple[str, ...]
    values: FloatArray


@dataclass(frozen=True)
class CounterPair:
    """The correlation of a counter with efficiency loss in two codes; NaN if it does not vary."""

    name: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        """Correlation in the first code minus that in the second."""
        return self.first - self.second

    @property
    def alike(self) -> bool:
        """Whether the two differ by less than 0.1, the paper's mark of the same characteristic."""
        return abs(self.difference) < ALIKE

    @property
    def strong(self) -> bool:
        """Whether both exceed 0.8, the paper's mark of a strong influence on scaling."""
        return min(self.first, self.second) > STRONG


def efficiency_loss(threads: IntArray, seconds: FloatArray) -> FloatArray:
    """Return float64[n], 1 - t_0 T_0 / (t T) with t_0 the fewest threads: 0 is ideal strong scaling."""
    cost = threads * seconds
    least = cost[threads == threads.min()].mean()
    loss: FloatArray = 1.0 - least / cost
    return loss


def counter_correlations(runs: CounterRuns) -> FloatArray:
    """Return float64[counter], Pearson's correlation with efficiency loss, repetitions averaged first.

    Raises:
        InputError: there are fewer than three thread counts.
    """
    counts, place = np.unique(runs.threads, return_inverse=True)
    if len(counts) < _FEWEST:
        what = f"counters at {len(counts)} thread counts cannot be correlated"
        raise InputError(what, hint=f"measure at least {_FEWEST}")
    repetitions = np.bincount(place)
    seconds = np.bincount(place, runs.seconds) / repetitions
    means = np.stack([np.bincount(place, row) / repetitions for row in runs.values])
    loss = efficiency_loss(counts, seconds)
    return _pearson(means, loss)


def _pearson(rows: FloatArray, other: FloatArray) -> FloatArray:
    left = rows - rows.mean(axis=1, keepdims=True)
    right = other - other.mean()
    size = np.sqrt(np.sum(left**2, axis=1) * np.sum(right**2))
    flat = size <= 1e-12 * np.abs(rows).max(axis=1) * max(float(np.abs(other).max()), 1e-300)
    correlation: FloatArray = np.where(flat, np.nan, left @ right / np.where(flat, 1.0, size))
    return correlation


def compare_counters(first: CounterRuns, second: CounterRuns) -> tuple[CounterPair, ...]:
    """Return the counters that both codes have, those that differ most first (Figure 4, side by side).

    Raises:
        InputError: the codes have no counter in common.
    """
    common = [name for name in first.names if name in second.names]
    if not common:
        raise InputError("the two codes have no counter in common", hint="measure the same events")
    a = dict(zip(first.names, counter_correlations(first).tolist(), strict=True))
    b = dict(zip(second.names, counter_correlations(second).tolist(), strict=True))
    pairs = [CounterPair(name, a[name], b[name]) for name in common]
    return tuple(sorted(pairs, key=lambda p: (np.isnan(p.difference), -abs(p.difference), p.name)))


def counter_runs_in(columns: Columns) -> CounterRuns:
    """Return the runs in a table with ``threads``, ``time [s]`` and one column per counter; one row per run.

    Raises:
        InputError: a column is missing, or there is no counter.
    """
    threads = columns.numbers("threads", NONE)
    names = tuple(name for name in columns.cells if name not in ("threads", "time", "repetition"))
    if not names:
        raise InputError("no counter columns", where=columns.where, hint="add one column per counter")
    values = np.stack([columns.numbers(name, NONE) for name in names])
    return CounterRuns(threads.astype(np.int64), columns.numbers("time", TIME), names, values)

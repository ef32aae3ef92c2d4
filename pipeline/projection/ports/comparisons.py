"""Comparisons of paper 000: four models of one kernel from another (Table 3), and a mini-app with its code.

Counters that correlate with the loss of parallel efficiency over thread counts in one code but not in the
other show where the mini-app differs (section 5 and Figure 4).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from pipeline.projection.expressions.units import NONE, TIME
from pipeline.projection.fitting.measured_columns import MeasuredColumns
from pipeline.projection.ports.port_estimate import estimate_cpi
from pipeline.projection.ports.port_map import PortMap, Variants, superscalar
from pipeline.projection.ports.schedule import cycles

MODELS = ("constant ratio", "equal IPC", "superscalar", "contention")


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Predictions of m targets by the four models.

    Attributes:
        targets: group and variant of every target.
        measured: float64[m], cycles per iteration.
        predicted: float64[4, m], in the order of `MODELS`; NaN if a model has no prediction.
    """

    targets: tuple[tuple[str, str], ...]
    measured: FloatArray
    predicted: FloatArray

    def summary(self, group: str | None = None) -> dict[str, tuple[float, float, float]]:
        """Return mean, standard deviation (of the sample itself) and worst |relative error| of each model."""
        chosen = [group is None or target[0] == group for target in self.targets]
        errors = np.abs(self.predicted[:, chosen] / self.measured[chosen] - 1)
        known = [row[np.isfinite(row)] for row in errors]
        return {
            model: (float(e.mean()), float(e.std()), float(e.max()))
            for model, e in zip(MODELS, known, strict=True)
            if len(e)
        }


def by_difference(
    portmap: PortMap, mini: float, counts_target: FloatArray, counts_mini: FloatArray, cpi: FloatArray
) -> float:
    """Return C_target = C_mini + C(n_target) - C(n_mini) (Eq. 7 with Eq. 9).

    The paper writes the change as the model of the difference in counts, which means nothing if the target
    has more of one class and less of another; the difference of the modelled cycles always means something.
    """
    modelled = cycles(portmap, np.stack([counts_target, counts_mini]), cpi)
    return mini + float(modelled[0] - modelled[1])


def compare_models(portmap: PortMap, groups: Mapping[str, Variants], reference: str) -> ModelComparison:
    """Return the predictions of every variant from the reference and all variants but itself.

    Args:
        groups: variants by machine and instruction set. The constant ratio is measured in the first, which
            has to be there, and assumed in the others, as in the paper.

    Raises:
        InputError: a group has no such variant.
        ModelError: too few variants are left.
    """
    calibration = next(iter(groups.values()))
    relative = calibration.cycles / calibration.cycles[calibration.index(reference)]
    ratios = dict(zip(calibration.names, relative.tolist(), strict=True))
    targets, measured, predicted = [], [], []
    for group, variants in groups.items():
        mini = variants.index(reference)
        for k, name in enumerate(variants.names):
            if k == mini:
                continue
            targets.append((group, name))
            measured.append(variants.cycles[k])
            ratio = np.nan if variants is calibration else ratios.get(name, np.nan)
            predicted.append(_predicted(portmap, variants, k, mini, ratio))
    return ModelComparison(tuple(targets), np.array(measured), np.array(predicted).T)


def _predicted(
    portmap: PortMap, variants: Variants, target: int, mini: int, ratio: float
) -> tuple[float, ...]:
    known = np.arange(len(variants.names)) != target
    at = float(variants.cycles[mini])
    simple, membership = superscalar(portmap)
    grouped = variants.counts @ membership
    apart = estimate_cpi(simple, grouped[known], variants.cycles[known])
    shared = estimate_cpi(portmap, variants.counts[known], variants.cycles[known])
    return (
        ratio * at,  # Eq. 4
        at * variants.instructions[target] / variants.instructions[mini],  # Eq. 5
        by_difference(simple, at, grouped[target], grouped[mini], apart.cpi),
        by_difference(portmap, at, variants.counts[target], variants.counts[mini], shared.cpi),
    )


STRONG = 0.8
ALIKE = 0.1
_FEWEST = 3


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
    return np.asarray(1.0 - least / cost)


def counter_correlations(runs: pd.DataFrame) -> "pd.Series[float]":
    """Return Pearson's correlation of every counter with efficiency loss, repetitions averaged first.

    Args:
        runs: by threads, seconds as ``time`` and the counters, as of `counter_runs_in`.

    Raises:
        InputError: there are fewer than three thread counts.
    """
    means = runs.groupby(level=0).mean()
    if len(means) < _FEWEST:
        what = f"counters at {len(means)} thread counts cannot be correlated"
        raise InputError(what, hint=f"measure at least {_FEWEST}")
    counters = means.drop(columns="time")
    loss = efficiency_loss(means.index.to_numpy(), means["time"].to_numpy())
    left, right = counters - counters.mean(), loss - loss.mean()
    size = np.sqrt((left**2).sum() * np.sum(right**2))
    flat = size <= 1e-12 * counters.abs().max() * max(float(np.abs(loss).max()), 1e-300)
    found: pd.Series[float] = (left.T @ right / size).mask(flat)
    return found


def compare_counters(first: pd.DataFrame, second: pd.DataFrame) -> tuple[CounterPair, ...]:
    """Return the counters that both codes have, those that differ most first (Figure 4, side by side).

    Raises:
        InputError: the codes have no counter in common.
    """
    a, b = counter_correlations(first), counter_correlations(second)
    pairs = [CounterPair(str(name), float(a[name]), float(b[name])) for name in a.index.intersection(b.index)]
    if not pairs:
        raise InputError("the two codes have no counter in common", hint="measure the same events")
    return tuple(sorted(pairs, key=lambda p: (np.isnan(p.difference), -abs(p.difference), p.name)))


def counter_runs_in(columns: MeasuredColumns) -> pd.DataFrame:
    """Return the runs in a table with ``threads``, ``time [s]`` and one column per counter; one row per run.

    Raises:
        InputError: a column is missing, or there is no counter.
    """
    stated = {"threads": columns.numbers("threads", NONE), "time": columns.numbers("time", TIME)}
    names = [name for name in columns.cells if name not in (*stated, "repetition")]
    if not names:
        raise InputError("no counter columns", where=columns.where, hint="add one column per counter")
    counters = {name: columns.numbers(name, NONE) for name in names}
    return pd.DataFrame({**stated, **counters}).set_index("threads")

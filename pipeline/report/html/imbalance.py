"""How unevenly a metric is spread over locations."""

from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.analysis import Analysis
from pipeline.report.html.averages import over_repetitions
from pipeline.report.html.packing import integers, packed

SHOWN = 100


def modelled_metric(analysis: Analysis) -> str:
    """Return the measured metric that was modelled; effort is summed time."""
    metric = analysis.callpaths.kernels.metric
    return "time" if metric == "effort" else metric


def imbalance_data(analysis: Analysis) -> dict[str, Any] | None:
    """Return smallest, mean and largest value of a location for the call paths with the largest excess.

    The excess is (largest - mean) x locations: what the other locations may wait for at the next
    synchronisation. None where no point has more than one location.
    """
    locations = over_repetitions(analysis.experiment.locations())
    if not (np.nan_to_num(locations) > 1).any():
        return None
    kernels = analysis.callpaths.kernels
    reduction = analysis.experiment.values[modelled_metric(analysis)]
    low, mean, high = (
        over_repetitions(a[kernels.node]) for a in (reduction.min, reduction.mean, reduction.max)
    )
    leading = _most_uneven((high - mean) * locations)
    return {
        "unit": analysis.experiment.metric(modelled_metric(analysis)).unit,
        "locations": [float(n) if np.isfinite(n) else 0.0 for n in locations],
        "kernels": integers(leading),
        "low": packed(low[leading]),
        "mean": packed(mean[leading]),
        "high": packed(high[leading]),
    }


def _most_uneven(excess: FloatArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the rows of float64[K, P] with the largest excess relative to that of their point."""
    known = np.nan_to_num(excess)
    total = known.sum(axis=0)
    worst = np.divide(known, total, out=np.zeros(known.shape), where=total > 0).max(axis=1)
    order = np.argsort(-worst, kind="stable")[:SHOWN]
    return np.asarray(order[worst[order] > 0], dtype=np.int64)

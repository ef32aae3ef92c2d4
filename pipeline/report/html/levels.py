"""Everything the page knows about the kernels of one level: measurements, models, intervals, crossovers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.analysis import Level, Outlook, sum_of
from pipeline.models.bottlenecks import Crossover, crossovers
from pipeline.models.scaling_models import Prediction
from pipeline.report.html.model_data import model_data
from pipeline.report.html.packing import integers, packed
from pipeline.report.html.scales import Scales

REPETITION_VALUES = 250_000  # single repetitions are shipped up to this many, for the largest kernels


def level_data(level: Level, outlook: Outlook, region: Mapping[str, int], scales: Scales) -> dict[str, Any]:
    """Put a level into the form that ``levels.js`` reads.

    Args:
        level: call paths or regions.
        outlook: what they do at the target.
        region: index of every region name in the page's table of regions.
        scales: where intervals are computed.
    """
    kernels, models = level.kernels, level.models
    prediction = models.predict(scales.grid)
    return {
        "region": [region[path[-1]] for path in kernels.callpaths],
        "parent": integers(kernels.parent),
        "mean": packed(kernels.mean),
        "repetitions": _repetitions(kernels.values, outlook),
        "models": model_data(models),
        "value": packed(prediction.value),
        "lower": packed(prediction.lower),
        "upper": packed(prediction.upper),
        "total": _interval(sum_of(models, prediction)),
        "growing": packed(models.probability_growing),
        "smape": packed(models.smape),
        "cvSmape": packed(models.cv_smape),
        "crossovers": [
            [c.overtakes, c.overtaken, float(f"{c.at:.6g}"), c.measured]
            for c in all_crossovers(level, outlook, scales)
        ],
    }


def _repetitions(values: FloatArray, outlook: Outlook) -> dict[str, Any]:
    """Single measurements of as many kernels as the page can carry, the largest at the target first."""
    _, points, repetitions = values.shape
    kept = np.sort(outlook.order[: REPETITION_VALUES // max(points * repetitions, 1)])
    return {"count": repetitions, "kernels": integers(kept), "values": packed(values[kept])}


def _interval(total: Prediction) -> dict[str, str]:
    return {"lower": packed(total.lower[0]), "upper": packed(total.upper[0])}


def all_crossovers(level: Level, outlook: Outlook, scales: Scales) -> tuple[Crossover, ...]:
    """Return the crossovers up to the target as every other report has them, then those up to the reach."""
    models, column = level.models, scales.column
    target, reach = float(scales.target[column]), float(scales.reach[column])
    found = crossovers(
        lambda values: models.values(scales.along(values)),
        float(models.first[column]),
        float(models.last[column]),
        reach,
    )
    return (*outlook.crossovers, *(c for c in found if c.at > target))

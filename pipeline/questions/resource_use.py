"""What a run will take beside time: memory of the largest process and node, and energy, with intervals."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from ingest.resource_use import ENERGY, MEMORY, MEMORY_SOURCE, NODE_MEMORY, energy_metric
from pipeline.models.prediction import Prediction
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, too_few_scales

RESOURCES = (MEMORY, NODE_MEMORY, ENERGY)


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictedResource:
    """One of `RESOURCES` at Q points.

    Attributes:
        unit: ``B`` or ``J``.
        source: the metric, or the words of a log, that the runs state it by; empty if they differ. It tells
            estimates of programs from what was measured.
        prediction: float64[1, Q], of the whole run for energy, else of the process or node that takes most.
    """

    name: str
    unit: str
    source: str
    prediction: Prediction


def resource_metrics(experiment: Experiment) -> set[str]:
    """Return the names of the metrics that `resource_at` predicts, measured or not."""
    return {MEMORY, NODE_MEMORY, energy_metric(experiment.metrics) or ENERGY}


def resource_at(name: str, models: Mapping[str, Analysis], targets: FloatArray) -> PredictedResource | None:
    """Predict memory or energy at targets, float64[Q, D]; None if it was not measured at enough scales.

    Args:
        name: one of `RESOURCES`.
        models: those of all metrics of a study, by name.
    """
    experiment = next(iter(models.values())).experiment
    metric = name if name != ENERGY else energy_metric(experiment.metrics)
    analysis = models.get(metric or "")
    if metric is None or analysis is None or analysis.additive != (name == ENERGY):
        return None
    kernels, of = analysis.callpaths.kernels, analysis.callpaths.models
    if too_few_scales(experiment.points[np.isfinite(kernels.mean).any(axis=0)]):
        return None
    sources = (
        {metric} if name == ENERGY else {run.attributes.get(MEMORY_SOURCE, "") for run in experiment.runs}
    )
    return PredictedResource(
        name=name,
        unit=kernels.unit,
        source=sources.pop() if len(sources) == 1 else "",
        prediction=predict_total(of, targets) if kernels.additive else of.predict(targets),
    )

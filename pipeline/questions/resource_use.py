"""What a run will take beside time: memory of the largest process and node, and energy, with intervals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from ingest.resource_use import ENERGY, MEMORY, MEMORY_SOURCE, NODE_MEMORY, energy_metric
from pipeline.models.prediction import Prediction
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, too_few_scales
from pipeline.questions.question import Question, TargetForecast
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import Figure, estimate_of, point_json, point_text

_RESOURCES = {MEMORY: "Memory of a process", NODE_MEMORY: "Memory of a node", ENERGY: "Energy"}


@dataclass(frozen=True, kw_only=True)
class PredictedResource:
    """One of `_RESOURCES` at targets."""

    name: str
    unit: str  # ``B`` or ``J``
    # the metric, or the words of a log, that the runs state it by; empty if they differ. It tells estimates
    # of programs from what was measured
    source: str
    # of the whole run for energy, else of the process or node that takes most
    predictions: tuple[Mapping[str, Any], ...]

    @property
    def sentence(self) -> str:
        """What runs take there."""
        source = f" ({visible(self.source)})" if self.source else ""
        texts = (f"{point_text(one['at'])}: {estimate_of(one, self.unit)}" for one in self.predictions)
        return f"{_RESOURCES[self.name]} at {', '.join(texts)}{source}."


def resource_metrics(experiment: Experiment) -> set[str]:
    """Return the names of the metrics that `resource_at` predicts, measured or not."""
    return {MEMORY, NODE_MEMORY, energy_metric(experiment.metrics) or ENERGY}


def _resource_use(asked: TargetForecast) -> tuple[PredictedResource, ...]:
    return tuple(_predicted(asked.all_metrics, asked.targets))


def _predicted(models: Mapping[str, Analysis], targets: FloatArray) -> Iterator[PredictedResource]:
    """Yield what runs take at targets, as far as `resource_at` can predict it."""
    experiment = next(iter(models.values())).experiment
    for name in _RESOURCES:
        found = resource_at(name, models, targets)
        if found is None:
            continue
        metric = _metric(name, experiment)
        sources = {run.attributes.get(MEMORY_SOURCE, "") for run in experiment.runs}
        source = metric if name == ENERGY else "".join(sources if len(sources) == 1 else ())
        ends = zip(found.value[0].tolist(), found.lower[0].tolist(), found.upper[0].tolist(), strict=True)
        yield PredictedResource(
            name=name,
            unit=models[metric].callpaths.kernels.unit,
            source=source,
            predictions=tuple(
                {"at": point_json(experiment.parameters, target), **vars(Figure.of(*of))}
                for target, of in zip(targets, ends, strict=True)
            ),
        )


def resource_at(name: str, models: Mapping[str, Analysis], targets: FloatArray) -> Prediction | None:
    """Predict one of `_RESOURCES` at targets, float64[1, Q]; None if it was not measured at enough scales.

    Models are those of all metrics of a study, by name.
    """
    experiment = next(iter(models.values())).experiment
    analysis = models.get(_metric(name, experiment))
    if analysis is None or analysis.additive != (name == ENERGY):
        return None
    kernels, of = analysis.callpaths.kernels, analysis.callpaths.models
    if too_few_scales(experiment.points[np.isfinite(kernels.mean).any(axis=0)]):
        return None
    return predict_total(of, targets) if kernels.additive else of.predict(targets)


def _metric(name: str, experiment: Experiment) -> str:
    return name if name != ENERGY else energy_metric(experiment.metrics) or ""


QUESTION = Question(
    key="resource_use",
    order=10,
    page_order=45,
    ask=_resource_use,
    sentences=lambda found: [(one.sentence, "") for one in found],
    detail=True,
    heading="What else",
)

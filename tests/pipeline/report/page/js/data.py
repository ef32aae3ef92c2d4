"""The page's data of a study, as its scripts get it."""

from dataclasses import replace
from typing import Any

from ingest.arrays import FloatArray
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis, Level, default_target, look_ahead
from pipeline.report.page.payload import page_data, shown_levels


def data_of(analysis: Analysis, targets: FloatArray | None = None) -> dict[str, Any]:
    targets = default_target(analysis) if targets is None else targets
    ahead = (look_ahead(analysis, level, targets) for level in (analysis.callpaths, analysis.regions))
    return page_data(analysis, shown_levels(analysis, *ahead, targets), targets, None)


def without_predictors(data: dict[str, Any]) -> dict[str, Any]:
    """The same as if other models predicted it, as for a study on another machine."""
    for level in data["levels"].values():
        level["predictor"] = None
    return data


def with_models(analysis: Analysis, models: ScalingModels) -> Analysis:
    return replace(analysis, callpaths=Level(analysis.callpaths.kernels, models))

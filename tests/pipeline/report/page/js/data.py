"""The page's data of a study, as its scripts get it."""

from dataclasses import replace

from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis, Level
from tests.pipeline.report.page.studies import page_data_of as data_of

__all__ = ["data_of", "with_models"]


def with_models(analysis: Analysis, models: ScalingModels) -> Analysis:
    return replace(analysis, callpaths=Level(analysis.callpaths.kernels, models))

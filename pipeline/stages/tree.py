"""The values that the call tree is shown with: measured at the largest scale, or predicted."""

from collections.abc import Mapping, Sequence

import numpy as np

from ingest.arrays import FloatArray
from pipeline.questions.analysis import Analysis
from pipeline.stages.model import require_additive, target_points
from pipeline.wording.quantities import point_text


def tree_values(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> tuple[FloatArray, str]:
    """Return exclusive values of the call paths, float64[call path], and where they come from.

    They are predicted at the last target point, or measured at the largest scale if there is no target.
    """
    require_additive(analysis)
    point = tree_point(analysis, at)
    if at:
        values = analysis.callpaths.models.predict(np.array([*point.values()])).value[:, 0]
        origin = "predicted"
    else:
        values, origin = analysis.callpaths.kernels.mean[:, analysis.largest], "measured"
    per = analysis.experiment.per
    return values, f"{origin} at {point_text(point)}" + (f", {per.text}" if per else "")


def tree_point(analysis: Analysis, at: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the point that `tree_values` are of."""
    experiment = analysis.experiment
    point = target_points(analysis, at)[-1] if at else experiment.points[analysis.largest]
    return dict(zip(experiment.parameters, point.tolist(), strict=True))

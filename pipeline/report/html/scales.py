"""The scales that the page can be asked about, and those at which its predictions are exact."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.analysis import Analysis, along_parameter

BEYOND_TARGET = 4.0  # the slider reaches this many times past the largest target
GRID_POINTS = 14
MEASURED_KEPT = 8  # the grid has all measured scales up to this many, else the first and the last


@dataclass(frozen=True, eq=False, kw_only=True)
class Scales:
    """Where the page evaluates the models.

    Attributes:
        column: index of the parameter that scales.
        target: float64[D], the target scale the page opens with.
        first: float64[D], lower ends of the sliders: the smallest measured values.
        reach: float64[D], their upper ends.
        grid: float64[G, D], points along the scaled parameter, the others at the target, at which the
            intervals are computed; in between the page interpolates.
    """

    column: int
    target: FloatArray
    first: FloatArray
    reach: FloatArray
    grid: FloatArray

    def along(self, scales: FloatArray) -> FloatArray:
        """Return the target with other values of the scaled parameter, float64[len(scales), D]."""
        return along_parameter(self.target, self.column, scales)


def scales_of(analysis: Analysis, targets: FloatArray) -> Scales:
    """Choose the scales for targets float64[Q, D]; the last is the one the page opens with."""
    points = analysis.experiment.points
    column = analysis.experiment.parameters.index(analysis.parameter)
    everything = np.vstack([points, targets])
    reach = everything.max(axis=0)
    if not analysis.is_profile or len(np.unique(points[:, column])) == 1:  # a slider needs a range
        reach[column] = BEYOND_TARGET * max(targets[:, column].max(), points[:, column].max())
    first = everything.min(axis=0)
    measured = np.unique(points[:, column])
    kept = measured if len(measured) <= MEASURED_KEPT else measured[[0, -1]]
    required = np.unique([*kept, *targets[:, column], reach[column]])
    grid = np.repeat(targets[-1:], max(GRID_POINTS, len(required)), axis=0)
    grid[:, column] = filled(required, len(grid))
    return Scales(column=column, target=targets[-1], first=first, reach=reach, grid=grid)


def filled(required: FloatArray, count: int) -> FloatArray:
    """Halve the widest gaps, by ratio, between two or more scales until there are `count`: float64[count]."""
    scales = np.sort(required)
    while len(scales) < count:
        widest = int(np.argmax(scales[1:] / scales[:-1]))
        scales = np.insert(scales, widest + 1, np.sqrt(scales[widest] * scales[widest + 1]))
    return scales

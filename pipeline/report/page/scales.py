"""The scales that the page can be asked about, and those at which its predictions are exact."""

from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray
from pipeline.questions.analysis import Analysis, along_parameter

BEYOND_TARGET = 4.0  # the slider reaches this many times past the largest target
FARTHEST = 1024.0  # times the largest measured scale, up to where the page has predictions
BELOW = 4.0  # times below the smallest measured scale, from where on it has them
STEP = 4.0  # between scales beyond the slider
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
        grid: float64[G, D], points along the scaled parameter, the others at the target, ascending, at which
            predictions and intervals are computed; in between the page interpolates.
    """

    column: int
    target: FloatArray
    first: FloatArray
    reach: FloatArray
    grid: FloatArray

    def along(self, scales: FloatArray) -> FloatArray:
        """Return the target with other values of the scaled parameter, float64[len(scales), D]."""
        return along_parameter(self.target, self.column, scales)

    def on(self, scales: FloatArray) -> "Scales":
        """Return the same with another grid, of scales float64[G] in any order."""
        return replace(self, grid=self.along(np.unique(scales)))


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
    near = filled(required, max(GRID_POINTS, len(required)))
    far = [] if analysis.is_profile else _far(measured, near)
    grid = along_parameter(targets[-1], column, np.unique([*near, *far]))
    return Scales(column=column, target=targets[-1], first=first, reach=reach, grid=grid)


def _far(measured: FloatArray, near: FloatArray) -> list[float]:
    """Return scales below and beyond the slider; nothing below 1 if all measured scales are at least 1."""
    lowest, highest = float(measured[0]) / BELOW, float(measured[-1]) * FARTHEST
    if measured[0] >= 1:
        lowest = max(lowest, 1.0)
    below = [lowest] if lowest < near[0] else []
    steps = int(np.ceil(np.log(max(highest / near[-1], 1.0)) / np.log(STEP)))
    return [*below, *np.geomspace(near[-1], max(highest, near[-1]), steps + 1)[1:].tolist()]


def filled(required: FloatArray, count: int) -> FloatArray:
    """Halve the widest gaps, by ratio, between two or more scales until there are `count`: float64[count]."""
    scales = np.sort(required)
    while len(scales) < count:
        widest = int(np.argmax(scales[1:] / scales[:-1]))
        scales = np.insert(scales, widest + 1, np.sqrt(scales[widest] * scales[widest + 1]))
    return scales

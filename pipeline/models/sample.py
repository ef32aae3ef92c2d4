"""Measurements of one parameter, scaled so that kernels of all sizes can be judged together."""

from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.error_structure import ErrorStructure
from pipeline.models.observations import Observations
from pipeline.models.precision import Precision

SMALLEST = 1e-150  # a kernel that never exceeds it is zero
FALLS = 1.2  # the first value over the smallest later one, from which a kernel is tried as falling


@dataclass(frozen=True, eq=False)
class Sample:
    """Means of K kernels, each divided by its largest.

    Attributes:
        points: float64[P], ascending.
        largest: float64[K], what the means were divided by, in the unit of the data.
        level: float64[K, P], the scaled means, 0 where nothing was measured.
        count: int64[K, P], repetitions.
        squares: float64[K, P], scaled sums of squared deviations of the repetitions.
        falls: bool[K], whether the kernel's values fall at first.
    """

    points: FloatArray
    largest: FloatArray
    level: FloatArray
    count: IntArray
    squares: FloatArray
    falls: BoolArray

    def __len__(self) -> int:
        """Return the number of kernels K."""
        return len(self.level)

    @property
    def measured(self) -> BoolArray:
        """bool[K, P]."""
        return self.count > 0

    def take(self, kernels: IntArray) -> "Sample":
        """Return some of the kernels."""
        return Sample(
            self.points,
            self.largest[kernels],
            self.level[kernels],
            self.count[kernels],
            self.squares[kernels],
            self.falls[kernels],
        )

    def between(self, first: int, last: int) -> "Sample":
        """Return some points only, still relative to the largest of all means."""
        return replace(
            self,
            points=self.points[first:last],
            level=self.level[:, first:last],
            count=self.count[:, first:last],
            squares=self.squares[:, first:last],
        )

    def heaviest(self, count: int) -> "Sample":
        """Return the kernels of most effort."""
        if len(self) <= count:
            return self
        return self.take(np.sort(np.argpartition(-self.largest, count)[:count]))

    def precision(self, structure: ErrorStructure) -> Precision:
        """Return the inverse covariance of the errors at unit variance."""
        return structure.precision(self.points, structure.scale(self.level), self.measured)

    def repetition_noise(self, structure: ErrorStructure) -> tuple[FloatArray, FloatArray]:
        """Return the repetitions' sum of squares in units of the errors, and its degrees, float64[K] each."""
        degrees = np.maximum(self.count - 1, 0).sum(axis=1).astype(np.float64)
        return (self.squares / structure.scale(self.level) ** 2).sum(axis=1), degrees


def sample_of(data: Observations) -> Sample:
    """Scale each kernel to a largest mean of 1; those that are zero throughout stay so."""
    largest = np.abs(data.mean).max(axis=1)
    largest = np.where(largest > SMALLEST, largest, 0.0)
    size = np.where(largest > 0, largest, 1.0)[:, None]
    level = np.where(largest[:, None] > 0, data.mean, 0.0) / size
    later = np.where(data.measured, level, np.inf)[:, 1:].min(axis=1, initial=np.inf)
    falls = (level[:, 0] > FALLS * later) & data.measured[:, 0]
    squares = np.where(largest[:, None] > 0, data.squares, 0.0) / size**2
    return Sample(data.points[:, 0], largest, level, data.count, squares, falls)

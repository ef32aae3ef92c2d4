"""How the errors of one kernel's means are thought to hang together."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.precision import Precision, walking_precision


@dataclass(frozen=True)
class ErrorStructure:
    """The shape of the errors; their size is estimated.

    The error at a point is ``s * sqrt(y^2 + floor^2)``, y relative to the kernel's largest mean, times a
    standard normal variable plus ``walk`` times a random walk over the doublings from the last point back.
    Without the walk, points err independently of each other. With it, behaviour drifts away from any formula
    as the scale changes: the last points count most, and doubt grows beyond them.

    Attributes:
        floor: the share of a kernel's largest value below which values need not be explained.
        walk: standard deviation of the walk per square root of a doubling, in units of the independent part.
    """

    floor: float = 1e-3
    walk: float = 0.0

    def scale(self, level: FloatArray) -> FloatArray:
        """Return the size of an error of unit variance at values relative to the largest, any shape."""
        size: FloatArray = np.sqrt((level**2 + self.floor**2) / (1 + self.floor**2))
        return size

    def precision(self, points: FloatArray, scale: FloatArray, measured: BoolArray) -> Precision:
        """Return the inverse covariance of the errors at unit variance.

        Args:
            points: float64[P], ascending.
            scale: float64[K, P], above 0.
            measured: bool[K, P].
        """
        doublings = np.diff(np.log2(points), append=np.log2(points[-1]))
        return walking_precision(self.walk**2 * doublings, scale, measured)

"""The inverse covariance of one kernel's errors, never written out: its products cost what the points do.

A random walk seen through independent errors is the simplest state space model. Filtering it from the last
point back turns the errors into independent ones (Kalman, "A new approach to linear filtering and prediction
problems", 1960), and going forth again gives what the inverse covariance makes of any values (de Jong,
"Smoothing and interpolation with the state-space model", 1989).
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Precision:
    """The inverse covariances G of the errors of K kernels at P points.

    The first axis of what does not depend on the kernel is 1.

    Attributes:
        size: float64[K, P], one over the size of the errors, 0 where nothing was measured.
        gain: float64[1 or K, P], what share of a surprise moves the walk; 0 where errors are independent.
        certainty: float64[1 or K, P], one over the variance of a surprise, 0 where nothing was measured.
    """

    size: FloatArray
    gain: FloatArray
    certainty: FloatArray

    @property
    def diagonal(self) -> FloatArray:
        """float64[K, P], the diagonals of G."""
        alone = self.certainty.copy()
        later = np.zeros(len(alone))
        for p in range(alone.shape[1]):
            alone[:, p] += self.gain[:, p] ** 2 * later
            later = self.certainty[:, p] + (1 - self.gain[:, p]) ** 2 * later
        return alone * self.size**2

    def times(self, values: FloatArray) -> FloatArray:
        """Return G v, float64[..., K, P] as the values are."""
        if not self.gain.any():
            return values * self.size**2
        surprise = values * self.size
        walk = np.zeros(surprise.shape[:-1])
        for p in reversed(range(surprise.shape[-1])):
            ahead = surprise[..., p] - walk
            surprise[..., p] = ahead * self.certainty[:, p]
            walk += ahead * self.gain[:, p]
        later = np.zeros(surprise.shape[:-1])
        for p in range(surprise.shape[-1]):
            seen = surprise[..., p].copy()
            surprise[..., p] -= self.gain[:, p] * later
            later = seen + (1 - self.gain[:, p]) * later
        return surprise * self.size

    def gram(self, basis: FloatArray) -> dict[tuple[int, int], FloatArray]:
        """Return the products a' G b of a design's columns, float64[K, h] for all a >= b.

        Args:
            basis: float64[h, P, c], the designs.
        """
        hypotheses, points, count = basis.shape
        pairs = [(a, b) for a in range(count) for b in range(a + 1)]
        if not self.gain.any():
            weight = self.size**2
            return {(a, b): weight @ (basis[:, :, a] * basis[:, :, b]).T for a, b in pairs}
        gram = {pair: np.zeros((len(self.size), hypotheses)) for pair in pairs}
        walk, root = np.zeros((count, len(self.size), hypotheses)), np.sqrt(self.certainty)
        ahead = np.empty(walk.shape)  # used again for every point: new memory costs more than the sums
        for p in reversed(range(points)):
            np.multiply(basis[:, p].T[:, None], self.size[:, p, None], out=ahead)
            ahead -= walk
            walk += ahead * self.gain[:, p, None]
            ahead *= root[:, p, None]
            for a, b in pairs:
                gram[a, b] += ahead[a] * ahead[b]
        return gram


def walking_precision(steps: FloatArray, scale: FloatArray, measured: BoolArray) -> Precision:
    """Return the precision of errors that are independent ones plus a random walk, both times a scale.

    Args:
        steps: float64[P], variance that the walk gains from the next point back to this one, in units of the
            independent part; at the last point, from where it starts.
        scale: float64[K, P], above 0.
        measured: bool[K, P].
    """
    there = measured[:1] if measured.all() else measured
    gain, certainty = np.zeros(there.shape), np.zeros(there.shape)
    doubt = np.zeros(len(there))
    for p in reversed(range(len(steps))):
        doubt = doubt + steps[p]
        certainty[:, p] = there[:, p] / (doubt + 1)
        gain[:, p] = doubt * certainty[:, p]
        doubt = doubt * (1 - gain[:, p])
    return Precision(measured / scale, gain, certainty)


@dataclass(frozen=True)
class ErrorModel:
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

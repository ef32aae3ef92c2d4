"""`SummedOver`: what is known of single locations whose values a file holds only as sums."""

import math
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray

MAX_LOCATIONS = 1 << 21  # more than any run has


@dataclass(frozen=True, eq=False, kw_only=True)
class SummedOver:
    """Over what the values of a profile were summed before they were stored.

    Attributes:
        count: how many locations each location of the profile stands for.
        longest: seconds of the one that took longest, at most their sum; NaN if the file does not say.
        least: float64[call path], the smallest exclusive time of a single one; None if the file does not say.
        most: the largest, likewise.
    """

    count: int = 1
    longest: float = math.nan
    least: FloatArray | None = None
    most: FloatArray | None = None

    def processes(self, process: IntArray) -> IntArray:
        """Return the process of every single location, int64[L x count], from those of the profile, int64[L].

        The threads of a process follow each other.
        """
        if self.count == 1:
            return process
        found, number = np.unique(process, return_inverse=True)
        return (np.arange(self.count)[:, None] * len(found) + number.reshape(-1)).reshape(-1)

    def spread(self, times: FloatArray) -> FloatArray:
        """Return times of every single location, float64[class, L x count], from sums, float64[class, L].

        All have the same, but for the longest if it is known: it has more of everything, the others less.
        """
        if self.count == 1:
            return times
        single = np.tile(times / self.count, self.count)
        mean = float(single[:, 0].sum()) if single.shape[1] == self.count else 0.0
        if 0 < mean < self.longest:
            others = (self.count * mean - self.longest) / (self.count - 1)
            single[:, 0] *= self.longest / mean
            single[:, 1:] *= max(others, 0.0) / mean
        return single

"""What of a program's time is lost to running on many nodes, if nothing tells communication from computing.

Where no timer shows communication, such as in a table of run times, scaling does: core-seconds that grow with
the nodes under strong scaling, or seconds under weak scaling, are messages and waiting.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.scaling import Scaling

_FALLS = -0.5  # slope of the logarithm of the wall time over that of the locations, from which work is shared


@dataclass(frozen=True, eq=False)
class ParallelLoss:
    """The costs of the measured scales, those that no loss would change.

    Attributes:
        locations: float64[P], ascending.
        cost: float64[P], core-seconds under strong scaling, seconds under weak scaling.
        strong: whether costs are core-seconds.
    """

    locations: FloatArray
    cost: FloatArray
    node: float
    strong: bool

    def share(self, locations: FloatArray, wall: FloatArray) -> FloatArray:
        """Return which part of the wall time is lost, float64[Q], 0 on one node.

        Args:
            locations: float64[Q].
            wall: float64[Q], seconds.
        """
        cost = wall * locations if self.strong else wall
        least = np.minimum.accumulate(self.cost)
        place = np.searchsorted(self.locations, locations, side="right") - 1
        usual = np.where(place >= 0, least[place], cost)
        lost = 1.0 - np.divide(usual, cost, out=np.ones(len(cost)), where=cost > 0)
        return np.where(locations > self.node, np.clip(lost, 0.0, 1.0), 0.0)


def parallel_loss(
    scaling: Scaling, locations: FloatArray, wall: FloatArray, node: float
) -> ParallelLoss | None:
    """Return what measured scales say, from the smallest one of at least a node on; None for fewer than two.

    Args:
        scaling: if it is not known, work is shared where the wall time falls.
        locations: float64[P].
        wall: float64[P], measured seconds.
    """
    used = (wall > 0) & (locations >= node)
    order = np.argsort(locations[used])
    locations, wall = locations[used][order], wall[used][order]
    if len(np.unique(locations)) < 2:
        return None
    strong = scaling is Scaling.STRONG
    if scaling is Scaling.NONE:
        strong = bool(np.log(wall.min() / wall[0]) < _FALLS * np.log(locations[wall.argmin()] / locations[0]))
    return ParallelLoss(locations, wall * locations if strong else wall, node, strong)

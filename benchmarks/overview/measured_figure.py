"""A figure that was measured some times, of ours or of a peer."""

import statistics
from dataclasses import dataclass

OURS = "ours"


@dataclass(frozen=True, kw_only=True)
class MeasuredFigure:
    """What one side took for one thing.

    Attributes:
        name: what was measured, the same for all sides and all entries.
        side: `OURS`, or the name of a peer.
        unit: ``processor s``, ``wall s``, ``MiB`` or ``MB``; less is better.
        median, least, most: of the rounds.
        rounds: how many.
    """

    name: str
    side: str
    unit: str
    median: float
    least: float
    most: float
    rounds: int

    @property
    def text(self) -> str:
        """The median with its range, if there were several rounds."""
        if self.rounds == 1:
            return f"{self.median:.3g}"
        return f"{self.median:.3g} ({self.least:.3g} .. {self.most:.3g})"

    def overlaps(self, other: "MeasuredFigure") -> bool:
        """Tell whether the ranges of two figures have values in common."""
        return self.least <= other.most and other.least <= self.most


def of_rounds(name: str, side: str, unit: str, values: list[float]) -> MeasuredFigure:
    """Return the figure of values that were measured round by round."""
    return MeasuredFigure(
        name=name,
        side=side,
        unit=unit,
        median=statistics.median(values),
        least=min(values),
        most=max(values),
        rounds=len(values),
    )

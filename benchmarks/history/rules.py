"""What is compared: which changes a rule reports in series that are looked at after every entry."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.history.energy_divisive import steps
from pipeline.gate.trends import development_of_each


@dataclass(frozen=True)
class Reported:
    """Of one series: per step the first, likeliest and last entry it may be at, and how many drifts."""

    steps: Sequence[tuple[int, int, int]]
    drifts: int

    @property
    def count(self) -> int:
        return len(self.steps) + self.drifts

    def names(self, at: int) -> bool:
        """Tell whether a step is reported at an entry, beside it, or with an interval that holds it."""
        return any(first <= at <= last or abs(middle - at) <= 1 for first, middle, last in self.steps)


Rule = Callable[[np.ndarray], list[Reported]]


def pipeline(logs: np.ndarray) -> list[Reported]:
    return [
        Reported([(c.first, c.at, c.last) for c in one.steps], int(one.drift is not None))
        for one in development_of_each(np.exp(logs))
    ]


def otava(logs: np.ndarray) -> list[Reported]:
    return [Reported([(at, at, at) for at in steps(np.exp(row))], 0) for row in logs]


RULES: dict[str, Rule] = {"pipeline": pipeline, "otava": otava}

"""What a campaign is to answer: a figure at a target, and how narrow its interval has to be."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from pipeline.questions.analysis import Analysis
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import RuntimeStudy

Quantity: TypeAlias = Literal["efficiency", "speedup", "time", "core-hours"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """A figure at a target scale.

    Attributes:
        at: float64[D], the target.
        quantity: efficiency (parallel or weak) and speed-up relative to the smallest measured scale, wall
            time, or core-hours.
        width: wanted width of its 90 % interval, relative to the value: 0.2 is +-10 %.
    """

    at: FloatArray
    quantity: Quantity = "efficiency"
    width: float = 0.2


def answer(analysis: Analysis, question: Question) -> Estimate:
    """Predict the figure that is asked for with its 90 % interval; times in seconds.

    Value and ends are NaN if models or data do not give the figure: no efficiency without a parameter that
    counts processes, no interval of a ratio if nothing was repeated.
    """
    at = np.asarray(question.at, dtype=np.float64)[None]
    figures = RuntimeStudy(analysis).figures(at, np.zeros(1, dtype=np.bool_))
    match question.quantity:
        case "efficiency":
            return figures.of_scaling
        case "speedup":
            return figures.speedup
        case "time":
            return figures.wall
        case "core-hours":
            return figures.core_hours


def relative_width(estimate: Estimate) -> float:
    """Return the width of a figure's interval relative to its value; infinite if it is unknown."""
    width = float((estimate.upper - estimate.lower)[0] / estimate.value[0])
    return width if np.isfinite(width) else float("inf")

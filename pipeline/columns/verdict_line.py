"""The verdict on a study at one point in a line: how long, against what, and what to do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.columns.limit_intervals import interval_behind
from pipeline.questions.analysis import largest_point
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.figures import Figures
from pipeline.questions.runtime.limits import Limit
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.wording.quantities import (
    WIDEST,
    estimate_text,
    given_percent,
    percent,
    point_json,
    point_text,
    quantity,
    times,
)


@dataclass(frozen=True, kw_only=True)
class VerdictLine:
    """What terminal, page, proposal and ``summary.json`` say first.

    Attributes:
        text: ``10.9 s [6.43 .. 47.0] at p = 32, slower than 5.15 s at p = 2: do not go beyond p = 2``.
        trust: ``low``, ``medium`` or ``high``.
    """

    text: str
    trust: str

    @property
    def sentence(self) -> str:
        """The text, and how far to trust it."""
        return f"{self.text} (trust: {self.trust})"


def verdict_line(found: Runtime, parameters: Sequence[str]) -> VerdictLine:
    """Judge the last target, measured if it was; the largest measured point if nothing is predicted."""
    figures = found.figures
    predicts = not figures.measured.all()
    here = figures.take(np.array([_judged(figures, list(parameters).index(found.parameter))]))
    measured = bool(here.measured[0])
    wall = bool(np.isfinite(here.wall.value[0]))
    shown, unit = (here.wall, "s") if wall else (here.effort, found.effort_unit)
    value, lower, upper = (float(end[0]) for end in (shown.value, shown.lower, shown.upper))
    place = _at(parameters, here.points[0])
    if upper > WIDEST * lower:
        said = f"the time at {place} cannot be predicted from these scales"
        return VerdictLine(text=said, trust=found.trust.trust.word)
    text = f"{estimate_text(value, lower, upper, unit)} {f'{found.per} ' if found.per else ''}"
    text += f"{'measured ' if measured else ''}at {place}"
    said, advice = _compared(found, here, parameters)
    if predicts and extrapolation_text(float(here.extrapolation[0])) == "very far":
        advice = "too far beyond the measurements to decide on"
    text += f"{said}{advice and ': '}{advice}" + ("" if predicts else "; too few scales to predict from")
    return VerdictLine(text=text, trust=found.trust.trust.word)


def _judged(figures: Figures, scaled: int) -> int:
    """Return the row of the point that is judged."""
    if figures.measured[-1]:
        return largest_point(figures.points, scaled)
    there = figures.measured & (figures.points == figures.points[-1]).all(axis=1)
    return int(there.argmax()) if there.any() else len(figures.points) - 1


def _compared(found: Runtime, here: Figures, parameters: Sequence[str]) -> tuple[str, str]:
    """Return what the time at a point is beside others, after a comma, and what to do; either may lack."""
    if found.comparison is Comparison.SIZE:
        return _grown(found, here, parameters), ""
    if found.comparison is Comparison.UNKNOWN:
        return "", "whether it scales is unknown, state --scaling"
    if found.fastest is not None and not _is_at(found.fastest, here):
        return _slower(found.fastest, here, parameters)
    return _efficient(found, here, parameters)


def _slower(fastest: Limit, here: Figures, parameters: Sequence[str]) -> tuple[str, str]:
    place = _at(parameters, fastest.point)
    origin = "" if fastest.measured else " (predicted)"
    than = f"slower than {quantity(fastest.value, 's')} at {place}{origin}"
    if fastest.point.sum() > here.points[0].sum():  # they differ in one parameter
        return f", {than}", f"go on to {place}"
    if here.wall.lower[0] > fastest.value:
        return f", {than}", f"do not go beyond {place}"
    return f", probably {than}", f"little to gain beyond {place}"


def _efficient(found: Runtime, here: Figures, parameters: Sequence[str]) -> tuple[str, str]:
    limit, asked = found.efficient_up_to, given_percent(found.threshold)
    share = float(here.of_scaling.value[0])
    text = f", {percent(share)} efficient" if np.isfinite(share) else ""
    if limit is None:
        return text, f"below {asked} at every scale"
    if _is_at(limit, here):
        unsure = here.of_scaling.lower[0] < found.threshold
        return text, f"{'probably ' if unsure else ''}worth it, at least {asked}"
    there = f"{_at(parameters, limit.point)}{interval_behind(limit, found.parameter)}"
    return text, f"at least {asked} only up to {there}"


def _grown(found: Runtime, here: Figures, parameters: Sequence[str]) -> str:
    """Compare a size with the largest measured one."""
    known = found.figures.take(np.flatnonzero(found.figures.measured))
    largest = largest_point(known.points, list(parameters).index(found.parameter))
    factor = float(here.wall.value[0] / known.wall.value[largest])
    if (known.points[largest] == here.points[0]).all() or not np.isfinite(factor):
        return ""
    return f", {times(float(f'{factor:.2g}'))} that measured at {_at(parameters, known.points[largest])}"


def _is_at(limit: Limit, here: Figures) -> bool:
    return bool((limit.point == here.points[0]).all())


def _at(parameters: Sequence[str], point: FloatArray) -> str:
    return point_text(point_json(parameters, point))

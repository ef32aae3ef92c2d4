"""What a measurement campaign measures next: a pilot, a series, then what narrows the answer most."""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.analysis import Analysis
from pipeline.models.options import ModelOptions
from pipeline.models.planning.advice import advise, repetition_noise
from pipeline.models.planning.foresight import expected_width
from pipeline.models.planning.question import Question, answer, relative_width

PILOT_VALUES = 3  # of each parameter: the fewest that a model can be made from
SERIES_VALUES = 5  # of each parameter, that trust in a model asks for
REPEATED = 2  # runs of the smallest scales in a series, so that the noise is known
EXTRA_SHARE = 0.25  # of what was spent so far, that one round of extra runs may cost


class Purpose(Enum):
    """What a round is for."""

    PILOT = "pilot"  # a first model, and what larger scales cost
    SERIES = "series"  # a model over the whole range
    EXTRA = "extra"  # a narrower answer


class End(Enum):
    """Why nothing more is measured."""

    ANSWERED = "answered"  # the interval is as narrow as wanted
    MEASURED = "measured"  # no question is asked, and everything planned is measured
    BUDGET = "budget"  # what would help costs more than is left
    NOTHING_HELPS = "nothing helps"  # no run at the candidates would narrow the interval noticeably


@dataclass(frozen=True, eq=False, kw_only=True)
class Progress:
    """What a campaign may measure, has measured and may spend.

    Attributes:
        points: float64[Q, D], the candidates, distinct and positive.
        done: int64[Q], usable runs so far at each, those under way included.
        cost: float64[Q], core-seconds of a run, measured or predicted; NaN if unknown.
        repetitions: runs at a scale at most, before the question asks for more.
        budget: core-seconds left.
    """

    points: FloatArray
    done: IntArray
    cost: FloatArray
    repetitions: int = 5
    budget: float = float("inf")


@dataclass(frozen=True, eq=False, kw_only=True)
class Round:
    """The next round, or why there is none.

    Attributes:
        repetitions: int64[Q], further runs at each candidate; all 0 at the end.
        purpose: what the round is for; None at the end.
        end: why nothing more is measured; None if there is a round.
        cost: core-seconds of the round; NaN if that of some run is unknown, 0 at the end.
        width: of the answer now, relative to its value; NaN without a question or a model, infinite if its
            interval is unknown.
        expected: the same after the round; NaN if it cannot be predicted yet.
    """

    repetitions: IntArray
    purpose: Purpose | None = None
    end: End | None = None
    cost: float = 0.0
    width: float = float("nan")
    expected: float = float("nan")


def next_round(
    progress: Progress,
    question: Question | None = None,
    analysis: Analysis | None = None,
    options: ModelOptions | None = None,
) -> Round:
    """Decide what is measured next.

    Args:
        progress: what may be measured, was measured and may be spent.
        question: what the campaign is to answer; without one all candidates are measured.
        analysis: the modelled experiment; None before the pilot is done.
        options: how it was modelled.
    """
    every = np.full(len(progress.points), progress.repetitions)
    pilot = _pilot(progress.points)
    if question is None:
        if analysis is None and (wanted := _missing(progress, pilot.astype(np.int64))).any():
            return _affordable(progress, wanted, Purpose.PILOT)
        wanted = _missing(progress, every)
        return (
            _affordable(progress, wanted, Purpose.SERIES) if wanted.any() else _ended(progress, End.MEASURED)
        )
    if analysis is None:
        wanted = _missing(progress, pilot.astype(np.int64))
        return _affordable(progress, wanted, Purpose.PILOT)
    width = relative_width(answer(analysis, question))
    wanted = _missing(progress, _series(progress))
    if wanted.any():
        return _expecting(
            _affordable(progress, wanted, Purpose.SERIES, width), progress, question, analysis, options
        )
    if width <= question.width:
        return _ended(progress, End.ANSWERED, width)
    return _expecting(_extra(progress, question, analysis, width), progress, question, analysis, options)


def _ended(progress: Progress, end: End, width: float = float("nan")) -> Round:
    return Round(repetitions=np.zeros(len(progress.points), dtype=np.int64), end=end, width=width)


def _missing(progress: Progress, wanted: IntArray) -> IntArray:
    """Return which of the wanted runs, int64[Q], are not done."""
    return np.asarray(np.maximum(wanted - progress.done, 0), dtype=np.int64)


def _affordable(progress: Progress, wanted: IntArray, purpose: Purpose, width: float = float("nan")) -> Round:
    """Keep the runs that the budget allows, the cheapest first."""
    cost = np.where(np.isfinite(progress.cost), progress.cost, 0.0)
    order = np.lexsort((progress.points.prod(axis=1), cost))
    left = progress.budget
    kept = np.zeros(len(wanted), dtype=np.int64)
    for place in order.tolist():
        kept[place] = wanted[place]
        if kept[place] * cost[place] > left:
            kept[place] = int(left / cost[place])
        left -= kept[place] * cost[place]
    if not kept.any():
        return _ended(progress, End.BUDGET, width)
    return Round(
        repetitions=kept,
        purpose=purpose,
        cost=float((kept * np.where(kept > 0, progress.cost, 0.0)).sum()),
        width=width,
    )


def _expecting(
    found: Round, progress: Progress, question: Question, analysis: Analysis, options: ModelOptions | None
) -> Round:
    if found.end is not None:
        return found
    expected = expected_width(analysis, question, progress.points, found.repetitions, options)
    return replace(found, expected=expected)


def _spread(values: FloatArray, count: int) -> FloatArray:
    """Choose values spread evenly in the logarithm, the first and the last among them."""
    if len(values) <= count:
        return values
    ideal = np.geomspace(values[0], values[-1], count)
    nearest = np.abs(np.log(values)[None] - np.log(ideal)[:, None]).argmin(axis=1)
    return np.asarray(values[np.unique(nearest)])


def _on_lines(points: FloatArray, count: int, first: int) -> BoolArray:
    """Tell which points have the smallest value of all parameters but one, bool[Q].

    Of that one, the `first` of `count` values that are spread over its range. Lines through the cheapest corner
    are the cheapest design that shows every parameter (Ritter and others, "Learning cost-effective sampling
    strategies for empirical performance modeling", 2020).
    """
    corner = points == points.min(axis=0)
    chosen = np.stack(
        [np.isin(column, _spread(np.unique(column), count)[:first]) for column in points.T], axis=1
    )
    off = (~corner).sum(axis=1)
    return np.asarray((off == 0) | ((off == 1) & (chosen | corner).all(axis=1)))


def _pilot(points: FloatArray) -> BoolArray:
    return _on_lines(points, SERIES_VALUES, PILOT_VALUES)


def _series(progress: Progress) -> IntArray:
    """Runs at each candidate that a model over the whole range needs, int64[Q]."""
    points = progress.points
    wanted = _on_lines(points, SERIES_VALUES, SERIES_VALUES).astype(np.int64)
    if points.shape[1] > 1:  # one place where all are large shows whether the parameters interact
        wanted[int(np.log(points).sum(axis=1).argmax())] = 1
    return np.where(wanted > 0, np.where(_pilot(points), min(REPEATED, progress.repetitions), 1), 0)


def _extra(progress: Progress, question: Question, analysis: Analysis, width: float) -> Round:
    kernels = analysis.callpaths.kernels
    spent = float(np.nansum(progress.done * progress.cost))
    known = np.isfinite(progress.cost)
    budget = min(progress.budget, max(EXTRA_SHARE * spent, float(np.nanmin(progress.cost, initial=np.inf))))
    if not (known.any() and budget > 0):
        return _ended(progress, End.BUDGET, width)
    steps = advise(
        analysis.callpaths.models,
        analysis.experiment.points,
        question.at,
        budget,
        noise=repetition_noise(kernels.values),
        candidates=progress.points[known],
        cost=progress.cost[known],
    )
    if not steps:
        return _ended(progress, End.NOTHING_HELPS, width)
    repetitions = np.zeros(len(progress.points), dtype=np.int64)
    for step in steps:
        repetitions[(progress.points == step.point).all(axis=1)] += step.repetitions
    return Round(
        repetitions=repetitions,
        purpose=Purpose.EXTRA,
        cost=float((repetitions * np.where(repetitions > 0, progress.cost, 0.0)).sum()),
        width=width,
    )

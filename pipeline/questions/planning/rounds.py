"""What a measurement campaign measures next: a pilot, a series, then what narrows the answer most.

Repetitions are few from the start. What a forecast leaves open is mostly where the program goes beyond the
measured scales, and repetitions say nothing about that: two runs at each scale show the noise and a slow run
(`python -m benchmarks.adaptive` compares designs). Every further round is one whose outcome the widths of
continued experiments (`foresight`) make likely to help.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Annotated, Literal

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import Analysis
from pipeline.questions.planning.advice import (
    SERIES_REPETITIONS,
    Cost,
    larger_points,
    pilot_design,
    series_design,
)
from pipeline.questions.planning.plan import (
    Places,
    WantedFigure,
    answer,
    doubt_about_total,
    foreseen_widths,
    measured_already,
    plan,
    relative_width,
    repetition_noise,
)
from pipeline.statistics import normal_below

_HELPS = 0.9  # of the width now, that all runs at once must be expected to leave at most to be worth it
_LEAST_CHANCE = 0.1  # that all runs at once narrow it enough
_LEAST_COST = 1e-9  # core-seconds of a round
_UNKNOWN = 1e9  # what an unknown width counts as
_IN_VAIN = 4  # extra rounds in a row after which their foreseen and their real effect are compared
_KEPT = 0.25  # of the foreseen narrowing, as logarithms, below which further rounds are not believed
_MANY = 5  # further runs at every measured point: as much as repetitions can do


class Purpose(Enum):
    """What a round is for."""

    PILOT = "pilot"  # a first model, and what larger scales cost
    SERIES = "series"  # a model over the whole range
    EXTRA = "extra"  # a narrower answer


class End(Enum):
    """Why nothing more is measured."""

    ANSWERED = "answered"  # the interval is as narrow as wanted
    MEASURED = "measured"  # everything planned is measured, and no question or no model decides on more
    BUDGET = "budget"  # what would help costs more than is left
    NOTHING_HELPS = "nothing helps"  # no runs at the candidates would narrow the interval noticeably


@dataclass(frozen=True, kw_only=True)
class MadeRound:
    """A round: whether it was an extra one, and the width of the answer after it, foreseen and real."""

    extra: bool
    foreseen: float = float("nan")
    width: float = float("nan")


@dataclass(frozen=True, eq=False, kw_only=True)
class Progress:
    """What a campaign may measure, has measured and may spend."""

    # float64[Q, D], the candidates, distinct and positive: all measured points, and no point where runs fail
    points: FloatArray
    done: IntArray  # int64[Q], usable runs so far at each, those under way included
    cost: FloatArray  # float64[Q], core-seconds of a run, measured or predicted; NaN if unknown
    repetitions: int = 5  # runs at a scale at most, before the question asks for more
    budget: float = float("inf")  # core-seconds left
    rounds: Sequence[MadeRound] = ()  # those that were made for the question as it is asked now, in order

    def cost_of(self, repetitions: IntArray) -> float:
        """Return the core-seconds of further runs, int64[Q]; NaN if that of one is unknown."""
        made = repetitions > 0
        return float((repetitions[made] * self.cost[made]).sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class Round:
    """The next round, or why there is none."""

    repetitions: IntArray  # int64[Q], further runs at each candidate; all 0 at the end
    purpose: Purpose | None = None  # what the round is for; None at the end
    end: End | None = None  # why nothing more is measured; None if there is a round
    cost: float = 0.0  # core-seconds of the round; NaN if that of some run is unknown, 0 at the end
    # of the answer now, relative to its value; NaN without a question or a model, infinite if its interval is
    # unknown
    width: float = float("nan")
    # the same after the round; NaN if it cannot be predicted yet. If nothing helps, that after all runs that
    # might
    expected: float = float("nan")


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a campaign is to answer, of an experiment as it was modelled."""

    question: WantedFigure
    analysis: Analysis
    options: ModelOptions | None

    def widths(self, points: FloatArray, repetitions: IntArray) -> FloatArray:
        """Return the widths that the answer may have after further runs, int64[Q] at float64[Q, D]."""
        return foreseen_widths(self.analysis, self.question, points, repetitions, self.options)

    def width(self, points: FloatArray, repetitions: IntArray) -> float:
        """Return the middle of these."""
        return float(np.median(self.widths(points, repetitions)))


def next_round(
    progress: Progress,
    question: WantedFigure | None = None,
    analysis: Analysis | None = None,
    options: ModelOptions | None = None,
) -> Round:
    """Decide what is measured next, so that the campaign answers a question; without one, all candidates are.

    Without an analysis, before the pilot is done or if nothing can be modelled, the series is made without
    looking.
    """
    if analysis is None and (missing := _missing(progress, pilot_design(progress.points))).any():
        return _affordable(progress, missing, Purpose.PILOT)
    if question is None:
        every = np.full(len(progress.points), progress.repetitions)
        return _measured(progress, _missing(progress, every))
    series = series_design(
        progress.points, progress.done, progress.cost, progress.repetitions, progress.budget
    )
    missing = _missing(progress, series)
    if analysis is None:
        return _measured(progress, missing)
    width = relative_width(answer(analysis, question))
    if missing.any():
        found = _series(progress, missing, _Asked(question, analysis, options))
    elif width <= question.width:
        found = _ended(progress, End.ANSWERED)
    else:
        found = _extra(progress, _Asked(question, analysis, options), width)
    return replace(found, width=width)


def _measured(progress: Progress, missing: IntArray) -> Round:
    """Make all missing runs, whatever they say."""
    if not missing.any():
        return _ended(progress, End.MEASURED)
    return _affordable(progress, missing, Purpose.SERIES)


def _series(progress: Progress, missing: IntArray, asked: _Asked) -> Round:
    """Run new scales once, then all of them again; if the budget is short, reach comes before repetitions.

    The first run of a scale tells its cost. From the few scales of a pilot the width after the series cannot
    be predicted within a factor that is worth stating.
    """
    new = (progress.done == 0) & (missing > 0)
    wanted = np.where(new, 1, missing)
    if new.any() and progress.cost_of(wanted) > progress.budget:
        wanted = new.astype(np.int64)
    found = _affordable(progress, wanted, Purpose.SERIES)
    if found.end is not None or new.any():
        return found
    return replace(found, expected=asked.width(progress.points, found.repetitions))


def _ended(progress: Progress, end: End) -> Round:
    return Round(repetitions=np.zeros(len(progress.points), dtype=np.int64), end=end)


def _missing(progress: Progress, wanted: IntArray) -> IntArray:
    """Return which of the wanted runs, int64[Q], are not done."""
    return np.asarray(np.maximum(wanted - progress.done, 0), dtype=np.int64)


def _affordable(progress: Progress, wanted: IntArray, purpose: Purpose) -> Round:
    """Keep the runs that the budget allows, the cheapest first; those of unknown cost count as free."""
    cost = np.where(np.isfinite(progress.cost), progress.cost, 0.0)
    left = max(progress.budget, 0.0)
    kept = np.zeros(len(wanted), dtype=np.int64)
    for place in np.lexsort((progress.points.prod(axis=1), cost)).tolist():
        kept[place] = wanted[place]
        if kept[place] * cost[place] > left:
            kept[place] = int(left / cost[place])
        left -= kept[place] * cost[place]
    if not kept.any():
        return _ended(progress, End.BUDGET)
    return Round(repetitions=kept, purpose=purpose, cost=progress.cost_of(kept))


def _extra(progress: Progress, asked: _Asked, width: float) -> Round:
    """Choose the runs that most likely make the answer narrow enough per core-second."""
    if _in_vain(progress.rounds):
        return replace(_ended(progress, End.NOTHING_HELPS), expected=width)
    combinations = int(progress.points.shape[1] > 1)  # of one parameter, scales between others tell little
    wanted = asked.question.width
    best = asked.widths(progress.points, np.where(progress.done > 0, _MANY, combinations))
    helps = min(float(np.median(best)), _UNKNOWN) <= _HELPS * min(width, _UNKNOWN)
    if not helps and _chance(best, wanted) < _LEAST_CHANCE:
        return replace(_ended(progress, End.NOTHING_HELPS), expected=float(np.median(best)))
    found: list[tuple[float, float, Round]] = []
    for repetitions in _choices(progress, asked):
        cost = max(progress.cost_of(repetitions), _LEAST_COST)
        if cost <= progress.budget:
            widths = asked.widths(progress.points, repetitions)
            made = Round(
                repetitions=repetitions, purpose=Purpose.EXTRA, cost=cost, expected=float(np.median(widths))
            )
            narrower = float(np.log(min(width, _UNKNOWN) / min(made.expected, _UNKNOWN)))
            found.append((_chance(widths, wanted) / cost, narrower / cost, made))
    if not found:
        return _ended(progress, End.BUDGET)
    return max(found, key=lambda one: one[:2])[2]


def _in_vain(rounds: Sequence[MadeRound]) -> bool:
    """Whether the latest extra rounds left the answer wider than foreseen, or foresaw no narrower one.

    A program that follows no law does that, and what no run shows.
    """
    latest = rounds[-_IN_VAIN:]
    if len(rounds) <= _IN_VAIN or not all(one.extra for one in latest):
        return False
    widths = np.minimum([one.width for one in rounds[-_IN_VAIN - 1 :]], _UNKNOWN)
    foreseen = np.minimum([one.foreseen for one in latest], _UNKNOWN)
    narrower, promised = np.log(widths[0] / widths[-1]), np.log(widths[:-1] / foreseen).sum()
    in_vain = promised <= 0 or narrower < _KEPT * promised  # neither if one is unknown
    return bool(narrower < -np.log(_HELPS) and in_vain)


def _chance(widths: FloatArray, wanted: float) -> float:
    """Return how probable a width is that is narrow enough, if their logarithms are normal."""
    logs = np.log(np.minimum(widths, _UNKNOWN))
    return float(normal_below((np.log(wanted) - logs.mean()) / max(float(logs.std(ddof=1)), 1e-9)))


def _choices(progress: Progress, asked: _Asked) -> list[IntArray]:
    """Return what a round may consist of: runs int64[Q] at every candidate.

    One more at all measured points, which stays balanced; one at the largest; and what `plan` says for what
    the first costs.
    """
    block = (progress.done > 0).astype(np.int64)
    largest = np.zeros(len(block), dtype=np.int64)
    largest[np.where(progress.done > 0, np.log(progress.points).sum(axis=1), -np.inf).argmax()] = 1
    choices = [block, largest, _planned(progress, asked, progress.cost_of(block))]
    distinct = {choice.tobytes(): choice for choice in choices if choice.any()}
    return [choice for choice in distinct.values() if np.isfinite(progress.cost_of(choice))]


def _planned(progress: Progress, asked: _Asked, budget: float) -> IntArray:
    """Return the runs that the covariances of the models say are worth most within a budget, int64[Q]."""
    runs = np.zeros(len(progress.points), dtype=np.int64)
    known = np.flatnonzero(np.isfinite(progress.cost))
    if budget > 0:
        analysis = asked.analysis
        points, cost = progress.points[known], np.maximum(progress.cost[known], 1e-300)
        places = Places(points, cost, measured_already(points, analysis.experiment.points))
        noise = repetition_noise(analysis.callpaths.kernels.values)
        doubt, _ = doubt_about_total(analysis.callpaths.models, places, asked.question.at, noise)
        for step in plan(doubt, places, budget):
            runs[known[step.place]] += step.repetitions
    return runs


_MOST_SCALES = 6
"""Larger scales that are looked at: each is modelled some times."""


@dataclass(frozen=True, kw_only=True)
class LiftedLimit:
    """A limit, and what would follow if it was lifted.

    That is the scales that are allowed, the budget or, if neither would help, the wanted width.
    """

    limit: Literal["scales", "budget", "width", "plain"]  # plain: that no run is without instrumentation
    point: Annotated[Mapping[str, float], "of further runs; empty if at several points"] = field(
        default_factory=dict
    )
    runs: int = 0
    cost: Annotated[float, "core-s"] = 0.0
    width: Annotated[float | None, "expected afterwards, relative to the value"] = None


def limit_to_lift(
    progress: Progress,
    question: WantedFigure,
    analysis: Analysis,
    cost: Cost,
    options: ModelOptions | None = None,
) -> LiftedLimit:
    """Return the limit whose lifting gives the wanted width for the least cost.

    If none does, that after which the answer is narrowest; if none narrows it noticeably, the width. The cost
    is that of runs at scales that are not allowed so far, too.
    """
    now = relative_width(answer(analysis, question))
    asked = _Asked(question, analysis, options)
    found = [*_larger_scales(asked, cost, progress), *_beyond_budget(asked, progress)]
    worth = [(one.width, one) for one in found if one.width is not None and one.width <= _HELPS * now]
    enough = [one for width, one in worth if width <= question.width]
    if enough:
        return min(enough, key=lambda one: one.cost)
    if worth:
        return min(worth, key=lambda pair: pair[0])[1]
    return LiftedLimit(limit="width", width=now)


def _larger_scales(asked: _Asked, cost: Cost, progress: Progress) -> Iterator[LiftedLimit]:
    """Yield what each scale on the way to the target that is not allowed would leave."""
    points = larger_points(progress.points, asked.question.at)
    if not len(points):
        return
    price = cost(points) * SERIES_REPETITIONS
    for place in np.argsort(price, kind="stable")[:_MOST_SCALES].tolist():
        yield LiftedLimit(
            limit="scales",
            point=_named(asked.analysis, points[place]),
            runs=SERIES_REPETITIONS,
            cost=float(price[place]),
            width=asked.width(points[[place]], np.array([SERIES_REPETITIONS])),
        )


def _beyond_budget(asked: _Asked, progress: Progress) -> Iterator[LiftedLimit]:
    """Yield what runs at allowed scales would leave that cost more than the budget has."""
    points, analysis = progress.points, asked.analysis
    beyond = np.flatnonzero((points > analysis.experiment.points.max(axis=0)).any(axis=1))[:_MOST_SCALES]
    alone = (np.eye(len(points), dtype=np.int64)[place] for place in beyond)
    for runs in (*_choices(progress, asked), *alone):
        price = progress.cost_of(runs)
        if price > progress.budget:
            places = np.flatnonzero(runs)
            yield LiftedLimit(
                limit="budget",
                point=_named(analysis, points[places[0]]) if len(places) == 1 else {},
                runs=int(runs.sum()),
                cost=price,
                width=asked.width(points, runs),
            )


def _named(analysis: Analysis, point: FloatArray) -> dict[str, float]:
    return dict(zip(analysis.experiment.parameters, point.tolist(), strict=True))

"""Which limit of a campaign to lift once nothing that it allows helps: how much that gains, at which price.

A campaign may end because the scales that it allows lie too far from the target, or because its budget is too
small for the rest. What larger scales or further runs would leave of the interval is foreseen as for every
round (`foresight`), with costs as models predict them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import Analysis
from pipeline.questions.planning.advice import Cost
from pipeline.questions.planning.designs import SERIES_REPETITIONS, larger_points
from pipeline.questions.planning.foresight import Question, answer, foreseen_widths, relative_width
from pipeline.questions.planning.rounds import HELPS, Progress, choices

MOST_SCALES = 6
"""Larger scales that are looked at: each is modelled some times."""


@dataclass(frozen=True, kw_only=True)
class LiftedLimit:
    """A limit of a campaign, and what would follow if it was lifted.

    Attributes:
        limit: the scales that are allowed, the budget, or the wanted width, if neither of these would help.
        point: where further runs would be made; empty if at several points, or if only the width helps.
        runs: how many.
        cost: their core-seconds.
        width: expected width of the answer afterwards, relative to its value; None if it cannot be predicted.
    """

    limit: Literal["scales", "budget", "width"]
    point: Mapping[str, float] = field(default_factory=dict)
    runs: int = 0
    cost: float = 0.0
    width: float | None = None


def limit_to_lift(
    progress: Progress,
    question: Question,
    analysis: Analysis,
    cost: Cost,
    options: ModelOptions | None = None,
) -> LiftedLimit:
    """Return the limit whose lifting gives the wanted width for the least cost.

    If none does, that after which the answer is narrowest; if none narrows it noticeably, the width.

    Args:
        progress: what may be measured, was measured and may be spent.
        question: what the campaign is to answer.
        analysis: the modelled experiment.
        cost: gives the core-seconds of a run at scales that are not allowed so far.
        options: how it was modelled.
    """
    now = relative_width(answer(analysis, question))
    found = [*_larger_scales(question, analysis, cost, options, progress)]
    found += _beyond_budget(question, analysis, options, progress)
    worth = [(one.width, one) for one in found if one.width is not None and one.width <= HELPS * now]
    enough = [one for width, one in worth if width <= question.width]
    if enough:
        return min(enough, key=lambda one: one.cost)
    if worth:
        return min(worth, key=lambda pair: pair[0])[1]
    return LiftedLimit(limit="width", width=now)


def _larger_scales(
    question: Question, analysis: Analysis, cost: Cost, options: ModelOptions | None, progress: Progress
) -> Iterator[LiftedLimit]:
    """Yield what each scale on the way to the target that is not allowed would leave."""
    points = larger_points(progress.points, question.at)
    if not len(points):
        return
    price = cost(points) * SERIES_REPETITIONS
    for place in np.argsort(price, kind="stable")[:MOST_SCALES].tolist():
        runs = np.array([SERIES_REPETITIONS])
        yield LiftedLimit(
            limit="scales",
            point=_named(analysis, points[place]),
            runs=SERIES_REPETITIONS,
            cost=float(price[place]),
            width=_expected(analysis, question, points[[place]], runs, options),
        )


def _beyond_budget(
    question: Question, analysis: Analysis, options: ModelOptions | None, progress: Progress
) -> Iterator[LiftedLimit]:
    """Yield what runs at allowed scales would leave that cost more than the budget has."""
    points = progress.points
    beyond = np.flatnonzero((points > analysis.experiment.points.max(axis=0)).any(axis=1))[:MOST_SCALES]
    alone = (np.eye(len(points), dtype=np.int64)[place] for place in beyond)
    for runs in (*choices(progress, question, analysis), *alone):
        price = progress.cost_of(runs)
        if price > progress.budget:
            places = np.flatnonzero(runs)
            yield LiftedLimit(
                limit="budget",
                point=_named(analysis, points[places[0]]) if len(places) == 1 else {},
                runs=int(runs.sum()),
                cost=price,
                width=_expected(analysis, question, points, runs, options),
            )


def _named(analysis: Analysis, point: FloatArray) -> dict[str, float]:
    return dict(zip(analysis.experiment.parameters, point.tolist(), strict=True))


def _expected(
    analysis: Analysis,
    question: Question,
    points: FloatArray,
    runs: IntArray,
    options: ModelOptions | None,
) -> float:
    return float(np.median(foreseen_widths(analysis, question, points, runs, options)))

"""The columns of jobs at several scales, and what is said about the best of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import numpy as np
from scipy.special import ndtr

from ingest.arrays import FloatArray, IntArray
from ingest.number_text import given_percent
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import (
    ANSWER,
    ESTIMATE,
    EXACT_KIND,
    FIGURE,
    PROBABILITY,
    TEXT,
    Column,
    filled,
    json_rows,
    parameters,
)
from pipeline.columns.json_schema import RowsOf
from pipeline.columns.scales import estimates_json, known
from pipeline.questions.choice import EFFICIENCY, SURELY_HOLDS, JobChoice, Jobs, Relaxed
from pipeline.questions.runtime.estimate import Estimate
from pipeline.wording.quantities import (
    FigureJson,
    counted,
    figure,
    number,
    percent,
    point_json,
    point_text,
    probability_text,
    quantity,
)

_WORTH_NAMING = 0.01  # a chance below it is none

_UNITS = {"deadline": "s", "budget": "core-hours", "memory": "B", "energy": "J"}
"""Of the limits but for the efficiency, which is a share."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownJobs:
    """Some of the jobs of a choice.

    Attributes:
        choice: all of them.
        names: of the parameters.
        places: int64[n], those shown.
        price: of a core-hour; None if it is not given.
    """

    choice: JobChoice
    names: Sequence[str]
    places: IntArray
    price: float | None

    @property
    def points(self) -> list[dict[str, float]]:
        """The points of those shown."""
        return [point_json(self.names, point) for point in self.choice.jobs.figures.points[self.places]]

    def estimates(self, found: Estimate) -> list[FigureJson | None]:
        """Return the figures of those shown, of all."""
        return estimates_json(found.take(self.places))

    def numbers(self, found: FloatArray) -> list[float | int | None]:
        """Return the numbers of those shown, of all; None for NaN."""
        return [known(value) for value in found[self.places].tolist()]


def _seconds(value: float) -> str:
    return quantity(value, "s")


def _estimate(
    key: str,
    heading: str,
    of: Callable[[Jobs], Estimate],
    write: Callable[[float], str] = figure,
    interval_for: Audience = Audience.FILES,
) -> Column[ShownJobs]:
    return Column(
        key=key,
        kind=ESTIMATE,
        heading=heading,
        values=lambda shown: shown.estimates(of(shown.choice.jobs)),
        write=write,
        interval_for=interval_for,
    )


_JOBS: tuple[Column[ShownJobs], ...] = (
    Column(
        key="nodes",
        kind=EXACT_KIND,
        values=lambda shown: shown.numbers(shown.choice.jobs.nodes),
        dispensable=1,
    ),
    Column(
        key="measured",
        kind=ANSWER,
        values=lambda shown: shown.choice.measured[shown.places].tolist(),
        dispensable=2,
    ),
    _estimate("wall_seconds", "wall time", lambda jobs: jobs.figures.wall, _seconds, Audience.ALL),
    _estimate("core_hours", "core-hours", lambda jobs: jobs.figures.core_hours),
    _estimate("efficiency", "efficiency", lambda jobs: jobs.figures.of_scaling, percent),
    _estimate(
        "memory_per_node", "memory per node", lambda jobs: jobs.memory, lambda value: quantity(value, "B")
    ),
    _estimate("energy", "energy", lambda jobs: jobs.energy, lambda value: quantity(value, "J")),
    Column(
        key="price",
        kind=FIGURE,
        values=lambda shown: shown.numbers(
            shown.choice.jobs.figures.core_hours.value * (shown.price or np.nan)
        ),
    ),
    Column(
        key="probability",
        kind=PROBABILITY,
        heading="holds",
        values=lambda shown: shown.numbers(_probability(shown.choice.jobs)),
    ),
    Column(
        key="fails_first",
        heading="fails first",
        values=lambda shown: [shown.choice.jobs.tightest[place] or None for place in shown.places.tolist()],
    ),
)
"""What is said of a job. The probability is that of holding all limits; without any there is none."""


def _probability(jobs: Jobs) -> FloatArray:
    return jobs.probability if jobs.limits.given else np.full(len(jobs.nodes), np.nan)


def jobs_table(shown: ShownJobs) -> DataTable:
    """Return one row per scale with what a job takes there, and in what it is the best."""
    best: Column[ShownJobs] = Column(
        key="best", kind=TEXT, values=_best, texts=_best, audience=Audience.FILES
    )
    given = [column for column in _JOBS if any(value is not None for value in column.of(shown))]
    columns = [*parameters(shown.names, shown.points), *given, best]
    return filled(columns, shown, notes=list(job_sentences(shown)))


def _best(shown: ShownJobs) -> list[str]:
    of = shown.choice.best.items()
    return [", ".join(name for name, best in of if best == place) for place in shown.places.tolist()]


class JobBeside(TypedDict):
    """What is said of a job beside its columns."""

    point: dict[str, float]
    holds: Annotated[bool, "whether it holds all limits, each with a probability of 90 % or more"]
    probabilities: Annotated[dict[str, float | None], "of holding each limit"]


class RelaxedJson(TypedDict):
    """Limits that would have to be relaxed for a scale to hold all."""

    limits: dict[str, float]
    point: dict[str, float]


class ChoiceJson(TypedDict):
    """Jobs at several scales, and the best of those that hold the limits."""

    parameter: Annotated[str, "that scales"]
    limits: Annotated[dict[str, float], "seconds, core-hours, a share, bytes, joules"]
    jobs: Annotated[list[dict[str, Any]], RowsOf(columns=_JOBS, beside=JobBeside)]
    best: Annotated[dict[str, dict[str, float]], "the point of the job that is best in it"]
    relaxed: list[RelaxedJson]


def choice_json(shown: ShownJobs) -> ChoiceJson:
    """Return limits, jobs and the best of them as plain data."""
    choice = shown.choice
    rows = json_rows(_JOBS, shown)
    chances = {name: ndtr(scores) for name, scores in choice.jobs.scores.items()}
    return {
        "parameter": choice.parameter,
        "limits": {name: number(value) for name, value in choice.jobs.limits.given.items()},
        "jobs": [
            {
                "point": point,
                **row,
                "holds": bool(choice.holds[place]),
                "probabilities": {name: known(float(chance[place])) for name, chance in chances.items()},
            }
            for point, row, place in zip(shown.points, rows, shown.places.tolist(), strict=True)
        ],
        "best": {name: _point(shown, place) for name, place in choice.best.items()},
        "relaxed": [
            {
                "limits": {name: number(one.limits.given[name]) for name in one.names},
                "point": _point(shown, one.place),
            }
            for one in choice.relaxed
        ],
    }


def _point(shown: ShownJobs, place: int) -> dict[str, float]:
    return point_json(shown.names, shown.choice.jobs.figures.points[place])


def job_sentences(shown: ShownJobs) -> Iterator[str]:
    """Say which jobs are the best, or which limits to relax since none holds."""
    choice = shown.choice
    for place in dict.fromkeys(choice.best.values()):
        names = [name for name, best in choice.best.items() if best == place]
        yield f"{_listed(names).capitalize()}: {_job(shown, place)}."
    if choice.best or not choice.jobs.limits.given:
        return
    chances = np.nan_to_num(choice.jobs.probability)
    closest = int(chances.argmax())
    likely = chances[closest] >= _WORTH_NAMING
    best = f"{point_text(_point(shown, closest))} with {probability_text(chances[closest])}"
    none = f"No scale holds {_all(choice)} with {probability_text(SURELY_HOLDS)}"
    yield (
        f"{none}; closest is {best}."
        if likely
        else f"{none}, nor even with {probability_text(_WORTH_NAMING)}."
    )
    for relaxed in choice.relaxed:
        yield f"It takes {_limits(relaxed)}: {_job(shown, relaxed.place, holds=False)}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _all(choice: JobChoice) -> str:
    names = list(choice.jobs.limits.given)
    return f"the {names[0]}" if len(names) == 1 else "all limits"


def _limits(relaxed: Relaxed) -> str:
    """Write limits: ``a deadline of 8.81 s and a budget of 3.00 core-hours``."""
    given = relaxed.limits.given
    return _listed([f"{_article(name)} {name} of {_limit_text(name, given[name])}" for name in relaxed.names])


def _article(name: str) -> str:
    return "an" if name[0] in "aeiou" else "a"


def _limit_text(name: str, value: float) -> str:
    """Write the value of a limit with its unit."""
    return given_percent(value) if name == EFFICIENCY else quantity(value, _UNITS[name])


def _job(shown: ShownJobs, place: int, *, holds: bool = True) -> str:
    """Write one job: ``p = 4 (1 node), 5.46 s, ...``."""
    jobs = shown.choice.jobs
    figures = jobs.figures
    parts = [point_text(_point(shown, place))]
    if np.isfinite(jobs.nodes[place]):
        parts[0] += f" ({counted(int(jobs.nodes[place]), 'node')})"
    for value, write in (
        (figures.wall, _seconds),
        (figures.core_hours, lambda hours: quantity(hours, "core-hours")),
        (figures.of_scaling, lambda share: f"{percent(share)} efficient"),
    ):
        if np.isfinite(value.value[place]):
            parts.append(write(float(value.value[place])))
    if holds and jobs.limits.given:
        parts.append(f"holds {_all(shown.choice)} with {probability_text(float(jobs.probability[place]))}")
    return ", ".join(parts)

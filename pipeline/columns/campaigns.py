"""What is said of a campaign: its record, tables of runs, scales and rounds, what it costs and answers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from ingest.number_text import figure, percent, value_text
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import QUANTITY, SHARE, WHOLE_KIND, Column, filled, stored
from pipeline.questions.planning.rounds import LiftedLimit
from pipeline.wording.quantities import counted, point_text, quantity, readable_unit, spoken_interval

RunStatus: TypeAlias = Literal["planned", "submitted", "running", "done", "failed"]


@dataclass(frozen=True, kw_only=True)
class AskedQuantity:
    """What a campaign is to answer, and how sharply."""

    document_name: ClassVar[str] = "question"
    at: Mapping[str, float]
    quantity: str
    width: Annotated[float, "of the 90 % interval, relative to the value"]


@dataclass(frozen=True, kw_only=True)
class CampaignAnswer:
    """The asked quantity with its 90 % interval."""

    document_name: ClassVar[str] = "answer"
    value: float
    lower: float
    upper: float

    @property
    def width(self) -> float:
        """Width of the interval relative to the value."""
        return (self.upper - self.lower) / self.value


@dataclass(frozen=True, kw_only=True)
class ShownRound:
    """A round: what it was to cost and to reach, and what it did."""

    document_name: ClassVar[str] = "round"
    purpose: str
    runs: int
    done: int
    expected_core_seconds: float | None
    spent_core_seconds: float
    expected_width: float | None
    width: float | None
    answer: CampaignAnswer | None


@dataclass(frozen=True, kw_only=True)
class ShownRun:
    """A run of a campaign."""

    document_name: ClassVar[str] = "run"
    name: str
    round: int
    repetition: int
    point: Mapping[str, float]
    status: RunStatus
    seconds: Annotated[float | None, "what its command took"]
    measured_seconds: Annotated[float | None, "what the program itself states"]
    expected_core_seconds: float | None
    reason: Annotated[str, "why it failed"]
    job: Annotated[str, "that it has in the queue"]
    log: Annotated[tuple[str, ...], "the last lines of one that failed"]


@dataclass(frozen=True, kw_only=True)
class ShownCampaign:
    """A campaign: its runs in order with their states, and what they cost."""

    name: Annotated[str, "of the application"]
    seed: Annotated[int, "of the order"]
    question: AskedQuantity | None
    rounds: tuple[ShownRound, ...]
    ending: Annotated[str, "why no round follows; empty if one may"]
    way_on: Annotated[LiftedLimit | None, "the limit to lift for the wanted answer"]
    request: Annotated[str, "what the user has to do before it goes on"]
    counts: Annotated[Mapping[str, int], "runs by status"]
    spent_core_seconds: float
    remaining_core_seconds: float
    runs_without_known_cost: int
    budget_core_seconds: float | None
    notices: tuple[str, ...]
    runs: tuple[ShownRun, ...]


_TIMES = {
    "seconds": "command takes",
    "measured_seconds": "program measures",
    "difference_seconds": "difference",
}
"""Headings of what `_mean_times` returns."""


def runs_table(runs: Sequence[ShownRun]) -> DataTable:
    """Return one row per run, in their order."""
    columns: list[Column[Any]] = [
        _numbered("name", heading="run"),
        Column(key="order", kind=WHOLE_KIND, each=itemgetter(0), dispensable=2),
        _numbered("round", kind=WHOLE_KIND, dispensable=1),
        _numbered("repetition", kind=WHOLE_KIND),
        _numbered("status", heading="state"),
        _numbered("expected_core_seconds", heading="cost", kind=QUANTITY, unit="core-s"),
        *(
            _numbered(key, heading=heading, kind=QUANTITY, unit="s", audience=Audience.FILES)
            for key, heading in list(_TIMES.items())[:2]
        ),
        _numbered("reason", heading="why it failed", audience=Audience.FILES),
    ]
    return filled(columns, list(enumerate(runs, start=1)))


def _numbered(key: str, **said: Any) -> Column[Any]:  # noqa: ANN401  # what a column takes
    return Column(key=key, values=lambda rows: stored(key, [row for _, row in rows]), **said)


def scales_table(summary: ShownCampaign) -> DataTable:
    """Return one row per scale: its runs by state, and the mean of their times.

    What commands take is what a campaign costs; what is modelled is what the programs measured.
    """
    by_point: dict[tuple[tuple[str, float], ...], list[ShownRun]] = {}
    for run in sorted(summary.runs, key=lambda run: tuple(run.point.values())):
        by_point.setdefault(tuple(run.point.items()), []).append(run)
    rows = [(point_text(dict(point)), runs, _mean_times(runs)) for point, runs in by_point.items()]
    columns: list[Column[Any]] = [
        Column(key="scale", each=itemgetter(0)),
        *(Column(key=state, kind=WHOLE_KIND, each=_counting(state)) for state in summary.counts),
        *(
            Column(key=key, heading=heading, kind=QUANTITY, unit="s", each=_time(place))
            for place, (key, heading) in enumerate(_TIMES.items())
        ),
    ]
    return filled(columns, rows)


def _counting(state: str) -> Callable[[Any], int | None]:
    def count(row: tuple[str, Sequence[ShownRun], Any]) -> int | None:
        return sum(run.status == state for run in row[1]) or None

    return count


def _time(place: int) -> Callable[[Any], float | None]:
    return lambda row: row[2][place]


def rounds_table(summary: ShownCampaign) -> DataTable:
    """Return one row per round: what it was to cost and to reach, and what it did."""
    rows = list(enumerate(summary.rounds, start=1))
    columns: list[Column[Any]] = [
        Column(key="round", each=lambda row: f"{row[0]} {row[1].purpose}"),
        _numbered("runs", kind=WHOLE_KIND),
        _numbered("done", kind=WHOLE_KIND),
        _numbered("expected_core_seconds", heading="cost planned", kind=QUANTITY, unit="core-s"),
        _numbered("spent_core_seconds", heading="spent", kind=QUANTITY, unit="core-s"),
        _numbered("expected_width", heading="width planned", kind=SHARE),
        _numbered("width", heading="reached", kind=SHARE),
    ]
    return filled(columns, rows)


_RESERVE = 1.1  # in a budget that is proposed: costs scatter
_ANSWER_UNITS = {"time": "s", "core-hours": "core-hours"}
_ENDINGS = {
    "": "",
    "answered": ": answered",
    "measured": "",
    "budget": "; the budget does not allow more",
    "nothing helps": "; no further run would narrow it noticeably",
}


def order_sentence(summary: ShownCampaign) -> str:
    """Say how many runs are planned at how many scales, and what their order is."""
    runs = summary.runs
    scales = len({tuple(run.point.items()) for run in runs})
    return (
        f"{counted(len(runs), 'run')} at {counted(scales, 'scale')}; order of seed {summary.seed}: "
        f"every repetition is a block, and the scales of a block are shuffled."
    )


def done_sentence(summary: ShownCampaign) -> str:
    """Say how many runs are done."""
    return f"{summary.counts['done']} of {counted(len(summary.runs), 'run')} done."


def status_sentences(summary: ShownCampaign) -> list[str]:
    """Say which runs are under way, and what must be known of the others."""
    running = [run.name for run in summary.runs if run.status == "running"]
    return [*([f"Running: {', '.join(running)}"] if running else []), *summary.notices]


def cost_sentence(summary: ShownCampaign) -> str:
    """Say what was spent, what the rest is expected to cost, and what is allowed."""
    parts = [f"Spent: {_cost_text(summary.spent_core_seconds)}"]
    known, unknown = summary.remaining_core_seconds, summary.runs_without_known_cost
    ahead = len(summary.runs) - summary.counts["done"]
    if ahead > unknown:
        parts.append(f"the rest: {_cost_text(known)} expected")
    if unknown:
        parts.append(f"{counted(unknown, 'run')} of unknown cost, until a first run at the scale is done")
    if summary.budget_core_seconds is not None:
        parts.append(f"budget: {_cost_text(summary.budget_core_seconds)}")
    return f"{'; '.join(parts)}."


def answer_sentences(summary: ShownCampaign) -> list[str]:
    """Say what is answered, what beside that a command takes, and which limit to lift."""
    if summary.question is None:
        return []
    said = [_answer_sentence(summary.question, summary), _beside_sentence(summary)]
    if summary.way_on is not None:
        said.append(_way_on_sentence(summary.way_on, summary))
    return list(filter(None, said))


def _answer_sentence(question: AskedQuantity, summary: ShownCampaign) -> str:
    """Say what the question is answered with, how sharp that is, and why no round follows."""
    asked = f"{question.quantity.capitalize()} at {point_text(question.at)}"
    answers = [one.answer for one in summary.rounds if one.answer is not None]
    if not answers:
        return f"{asked}: no answer yet"
    *_, answer = answers
    write = partial(_answer_text, question.quantity)
    interval = spoken_interval(answer.lower, answer.upper, write)
    return (
        f"{asked}: {write(answer.value)}, 90 % interval {interval}. "
        f"Its width is {percent(answer.width)}, {percent(question.width)} is wanted"
        f"{_ENDINGS[summary.ending]}."
    )


def _answer_text(asked: str, value: float) -> str:
    """Write a value of the quantity that is asked for."""
    if asked == "efficiency":
        return percent(value)
    return figure(value) if asked == "speedup" else quantity(value, _ANSWER_UNITS[asked])


def _cost_text(core_seconds: float | None) -> str:
    """Write what runs cost; ``-`` if it is not known."""
    return "-" if core_seconds is None else quantity(core_seconds, "core-s")


def _mean_times(runs: Sequence[ShownRun]) -> tuple[float | None, float | None, float | None]:
    """Return the mean seconds of the commands that are done, of what they measured, and the difference."""
    done = [run for run in runs if run.status == "done"]
    took = _mean([run.seconds for run in done])
    measured = _mean([run.measured_seconds for run in done])
    return took, measured, None if took is None or measured is None else took - measured


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of values that are all known; None without them."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _beside_sentence(summary: ShownCampaign) -> str:
    """Say what an answer is about, and what commands take beside it at the largest scale; else nothing."""
    by_size = sorted(summary.runs, key=lambda run: math.prod(run.point.values()))
    known = [run for run in by_size if run.status == "done" and run.measured_seconds is not None]
    if not known or not any(one.answer for one in summary.rounds):
        return ""
    point = known[-1].point
    times = _mean_times([run for run in known if run.point == point])
    took, measured, beside = ("-" if time is None else quantity(time, "s") for time in times)
    return (
        f"Answers are about what the program measures: {measured} at {point_text(point)}. "
        f"Costs are about its command: {took} there, a difference of {beside}."
    )


def _way_on_sentence(found: LiftedLimit, summary: ShownCampaign) -> str:
    """Say which limit to lift, how much that would gain, and at which price."""
    budget = summary.budget_core_seconds
    width = found.width
    if found.limit == "width" and width is not None:
        best = math.ceil(width * 100) / 100
        return (
            f"Neither larger scales nor further runs would narrow it noticeably: write width = {best:g} in "
            "[question], or ask for a target nearer to the measured scales."
        )
    if found.limit == "plain":
        runs, cost = counted(found.runs, "run"), _cost_text(found.cost)
        return (
            "Most of its width is what the overhead of measuring leaves uncertain, and further instrumented "
            f"runs do not tell. {runs} without instrumentation, about {cost}, would: name such a build as "
            "plain in [measurement], then call `pipeline campaign loop`."
        )
    if not found.runs:
        return "A first model needs more runs than the budget pays for: raise budget in [campaign]."
    where = f" at {point_text(found.point)}" if found.point else ""
    effect = "come next" if width is None else f"would narrow it to about {percent(width)}"
    gain = f"{counted(found.runs, 'further run')}{where}, about {_cost_text(found.cost)}, {effect}"
    needed = summary.spent_core_seconds + found.cost
    raise_budget = f'write budget = "{_budget(needed)}" in [campaign]'
    if found.limit == "budget":
        return f"{gain}: {raise_budget}."
    more = f", and {raise_budget}" if budget is not None and needed > budget else ""
    return f"Larger scales are not allowed: {gain}; add {point_text(found.point)} to [scales]{more}."


def _budget(seconds: float) -> str:
    """Write a budget that is enough for core-seconds, as `campaign.toml` takes it."""
    factor, unit = readable_unit(_RESERVE * seconds, "core-s")
    return f"{value_text(float(f'{_RESERVE * seconds * factor:.2g}'))} {unit}"

"""The tables of answers to questions: what was held out, expectations, gains, jobs, kept efficiencies."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pipeline.columns.cells import Audience, Cells, DataTable
from pipeline.columns.column import (
    ABSENT,
    ANSWER,
    ESTIMATE,
    EXACT_KIND,
    FIGURE,
    INTERVAL,
    PATH,
    PROBABILITY,
    QUANTITY,
    SHARE,
    TEXT,
    Column,
    filled,
    parameters,
)
from pipeline.columns.kernel_tables import kernel_names, left_out
from pipeline.questions.choice import JobAtScale, JobChoice
from pipeline.questions.expected_growth import JudgedExpectation
from pipeline.questions.held_out import HeldOutComparison
from pipeline.questions.isoefficiency import Isoefficiency
from pipeline.questions.pop_efficiency import EFFICIENCY_METRICS, FAIR, GOOD, PopEfficiency
from pipeline.questions.what_if import WAYS, PotentialAt
from pipeline.wording.quantities import (
    counted,
    figure,
    percent,
    point_text,
    quantity,
    signed_percent,
    value_text,
)


def held_out_table(found: HeldOutComparison) -> DataTable:
    """Return a row per point of the total, and what it comes to."""
    rows, unit = found.points, found.unit
    columns: list[Column[Any]] = [
        *parameters(rows[0].at, [row.at for row in rows]),
        Column(key="measured", kind=QUANTITY, unit=unit),
        Column(key="predicted", kind=ESTIMATE, unit=unit),
        Column(key="relative_error", heading="error", kind=FIGURE, write=signed_percent),
        Column(key="inside", kind=ANSWER),
    ]
    places = counted(len(rows), "scale" if len(rows[0].at) == 1 else "point")
    error = percent(sum(abs(row.relative_error) for row in rows) / len(rows))
    inside = sum(row.inside for row in rows)
    notes = [
        f"held out at {places}: mean error {error}, {inside} of {len(rows)} inside",
        "intervals are those of the expected values, beside which single runs scatter",
    ]
    return filled(columns, rows, notes=notes, title=f"Held out: {' or '.join(found.conditions)}")


def held_out_tables(found: HeldOutComparison | None, parts: str = "region") -> list[DataTable]:
    """Return that table and one of the largest kernels, or what they are; none without anything held out."""
    if found is None:
        return []
    columns: list[Column[Any]] = [
        Column(key="callpath", heading=parts, kind=PATH),
        Column(key="mean_error", heading="mean error", kind=FIGURE, write=percent),
        Column(key="inside", each=lambda row: f"{row.inside} of {row.points}"),
    ]
    whole = [held_out_table(found)] if found.points else []
    return [*whole, filled(columns, found.kernels)]


def expectations_table(found: Sequence[JudgedExpectation]) -> DataTable:
    """Return one row per expectation."""
    columns: list[Column[Any]] = [
        Column(key="region", heading="expected", each=lambda one: one.subject),
        Column(key="at_most", heading="at most"),
        Column(key="judgement", heading="is", each=lambda one: one.judgement.value),
        Column(key="probability_met", kind=PROBABILITY, heading="met with"),
        Column(key="allowed_factor", kind=FIGURE, heading="may grow"),
        Column(key="predicted_factor", kind=ESTIMATE, heading="grows"),
        Column(key="range", heading="from", each=lambda one: one.between, dispensable=1),
    ]
    return filled(columns, found)


def potential_table(found: PotentialAt, *, by: str, limit: int) -> DataTable:
    """Return the kernels with the largest gains; `by` is ``regions`` or ``kernels`` (call paths)."""
    kept = found.kernels[:limit]

    def seconds(value: float) -> str:
        return quantity(value, "s")

    columns: list[Column[Any]] = [
        *kernel_names(by),
        Column(key="gain", kind=ESTIMATE, write=seconds),
        Column(key="share", kind=SHARE, heading="of wall time"),
        Column(key="by"),
    ]
    columns += [
        Column(key=way.replace(" ", "_"), kind=ESTIMATE, write=seconds, audience=Audience.FILES)
        for way in WAYS
    ]
    title = f"Gains in wall time at {point_text(found.at)} ({seconds(found.wall_seconds)})"
    return filled(columns, kept, notes=left_out(found.kernels, kept), title=title)


def _estimate(
    key: str,
    write: Callable[[float], str] = figure,
    heading: str = "",
    interval_for: Audience = Audience.FILES,
) -> Column[Any]:
    return Column(key=key, kind=ESTIMATE, heading=heading, write=write, interval_for=interval_for)


_JOBS: tuple[Column[Any], ...] = (
    Column(key="nodes", kind=EXACT_KIND, dispensable=1),
    Column(key="measured", kind=ANSWER, dispensable=2),
    _estimate("wall_seconds", lambda value: quantity(value, "s"), "wall time", Audience.ALL),
    _estimate("core_hours", heading="core-hours"),
    _estimate("efficiency", percent),
    _estimate("memory_per_node", lambda value: quantity(value, "B")),
    _estimate("energy", lambda value: quantity(value, "J")),
    Column(key="price", kind=FIGURE),
    Column(key="probability", kind=PROBABILITY, heading="holds"),
    Column(key="fails_first"),
)


def jobs_table(found: JobChoice, shown: Sequence[JobAtScale] = ()) -> DataTable:
    """Return one row per scale, or job that is shown, with what it takes there and in what it is the best."""
    rows = shown or found.jobs

    def best(rows: Sequence[JobAtScale]) -> list[str]:
        return [", ".join(name for name, best in found.best.items() if best is job) for job in rows]

    given = [column for column in _JOBS if any(value not in (None, False) for value in column.of(rows))]
    columns: list[Column[Any]] = [
        *parameters(rows[0].point, [job.point for job in rows]),
        *given,
        Column(key="best", kind=TEXT, values=best, texts=best, audience=Audience.FILES),
    ]
    return filled(columns, rows, notes=list(found.sentences))


_PLACES: tuple[Column[Any], ...] = (
    Column(key="sought", audience=Audience.FILES),
    Column(key="given", audience=Audience.FILES),
    Column(
        key="at", kind=FIGURE, texts=lambda found: (f"{one.given} = {value_text(one.at)}" for one in found)
    ),
    Column(key="value", kind=FIGURE, heading="keeps it", texts=lambda found: (one.text for one in found)),
    Column(key="lower", kind=FIGURE, audience=Audience.FILES),
    Column(key="upper", kind=FIGURE, heading=INTERVAL, texts=lambda found: (one.interval for one in found)),
    Column(key="wall_seconds", kind=FIGURE, heading="wall time", write=lambda value: quantity(value, "s")),
)


def isoefficiency_table(found: Isoefficiency) -> DataTable:
    """Return the least size at every scale, and the largest scale for every size."""
    return filled(_PLACES, found.kept, notes=list(found.sentences))


def efficiency_columns(
    points: Sequence[PopEfficiency], predicted: Sequence[PopEfficiency] = ()
) -> list[Cells]:
    """Return the POP metrics that are known at some point, and a column per point; none without any.

    Of points that are predicted, too, the measured ones count.
    """
    measured = [row.at for row in points]
    rows = [*points, *(row for row in predicted if row.at not in measured)]
    known = {key: name for key, name in EFFICIENCY_METRICS.items() if any(key in row.known for row in rows)}
    texts = list(known.values())
    names = Cells(name="metric", heading="Metric", values=list(known), texts=texts, is_number=False)
    every = [names, *(_efficiencies(row, known, n >= len(points)) for n, row in enumerate(rows))]
    return every if known else []


def _efficiencies(row: PopEfficiency, known: Iterable[str], predicted: bool) -> Cells:
    values = [row.known.get(key) for key in known]
    return Cells(
        name="efficiency",
        heading=point_text(row.at) + (" (predicted)" if predicted else ""),
        values=values,
        texts=[ABSENT if value is None else percent(value) for value in values],
        styles=list(map(_style, values)),
    )


def _style(efficiency: float | None) -> str:
    if efficiency is None:
        return "dim"
    return "green" if efficiency >= GOOD else "yellow" if efficiency >= FAIR else "red"

"""The columns of scales: wall time, speed-up, efficiency and cost, of the ``runtime`` of ``summary.json``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from pipeline.columns.answers import held_out_table
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ANSWER, ESTIMATE, EXACT_KIND, FIGURE, Column, filled, parameters
from pipeline.columns.kernel_tables import ranking_table
from pipeline.columns.summary import Summary
from pipeline.columns.target_sentences import far_targets
from pipeline.questions import held_out
from pipeline.questions.runtime.figures import Figures
from pipeline.wording.quantities import percent

Entry: TypeAlias = Mapping[str, Any]
Entries: TypeAlias = Sequence[Entry]


def _figure(
    key: str, heading: str, write: Callable[[float], str] | None = None, audience: Audience = Audience.ALL
) -> Column[Figures]:
    """Return the column of the figure that is called so, or so but for ``_seconds``."""
    return Column(
        key=key,
        kind=ESTIMATE,
        heading=heading,
        values=lambda figures: getattr(figures, key.removesuffix("_seconds")).known,
        write=write,
        audience=audience,
    )


def per_second(size: str) -> str:
    """Say what `Figures.work_rate` is for the parameter that is a size: compared with the reference's."""
    return f"{size} per second, relative"


SCALES: tuple[Column[Figures], ...] = (
    _figure("wall_seconds", "wall time [s]"),
    _figure("effort", "effort", audience=Audience.PROGRAMS),
    _figure("core_hours", "core-hours", audience=Audience.PROGRAMS),
    _figure("speedup", "speed-up"),
    _figure("efficiency", "efficiency", percent),
    _figure("weak_efficiency", "weak efficiency", percent),
    _figure("work_rate", per_second("size")),
)
"""What is known of a scale: people read the wall time instead of efforts."""

WHERE_MEASURED: tuple[Column[Figures], ...] = (
    _figure("rate", "rate"),
    _figure("gpu_hours", "GPU-hours", audience=Audience.PROGRAMS),
    _figure("gpu_busy", "GPUs busy", percent),
)
"""What is known besides of runs that state a rate, and of accelerators."""


def scale_columns(*keys: str, parameter: str = "size") -> list[Column[Any]]:
    """Return columns of scales by their keys, for entries of a summary whose `parameter` scales."""
    found = {column.key: column.as_stored for column in (*SCALES, *WHERE_MEASURED)}
    found["work_rate"] = replace(found["work_rate"], heading=per_second(parameter))
    return [found[key] for key in keys]


def answer_table(summary: Summary, *, by: str, limit: int) -> DataTable:
    """Return what was held out, else the scales if the models are of time, else `ranking_table`."""
    if found := summary.answers.of(held_out.QUESTION):
        return held_out_table(found)
    if summary.runtime is None:
        return ranking_table(summary, by=by, limit=limit)
    return scales_table(summary)


def scales_table(summary: Summary) -> DataTable:
    """Return wall time, speed-up and efficiency of every measured point and every target.

    Figures that are available nowhere are left out. The summary has a ``runtime``.
    """
    runtime = summary.runtime
    assert runtime is not None
    entries = runtime.at
    known_keys = [column.key for column in (*SCALES, *WHERE_MEASURED)]
    shown = [
        replace(column, audience=Audience.ALL) if not any(e.wall_seconds for e in entries) else column
        for column in scale_columns(*known_keys, parameter=runtime.parameter)
        if any(getattr(entry, column.key) is not None for entry in entries)
    ]
    units = {"effort": runtime.effort_unit, "rate": runtime.rate_unit}
    columns: list[Column[Any]] = [
        *parameters(summary.parameters, [entry.point for entry in entries]),
        Column(key="measured", kind=ANSWER),
        Column(key="locations", kind=EXACT_KIND),
        Column(key="extrapolation", kind=FIGURE),
        *(replace(column, unit=units.get(column.key, column.unit)) for column in shown),
    ]
    return filled(columns, entries, notes=[text for text, _ in far_targets(summary)])


def groups_table(name: str, summaries: Mapping[str, Summary]) -> DataTable:
    """Return studies side by side, one row per value of what runs are grouped by and scale."""
    scales = [
        {"group": value, **vars(scale)}
        for value, summary in summaries.items()
        for scale in (summary.runtime.at if summary.runtime else ())
    ]
    names = dict.fromkeys(key for scale in scales for key in scale["point"])
    wall, speedup, efficiency = scale_columns("wall_seconds", "speedup", "efficiency")
    columns: list[Column[Any]] = [
        Column(key="group", name=name, heading=name),
        *parameters(names, [scale["point"] for scale in scales]),
        Column(key="measured", kind=ANSWER),
        replace(wall, name="wall", heading="wall time", unit="s"),
        *(
            Column(
                key=f"{column.key}.value",
                name=column.key,
                kind=FIGURE,
                heading=column.heading,
                write=column.write,
            )
            for column in (speedup, efficiency)
        ),
    ]
    without = [value for value, summary in summaries.items() if not summary.runtime]
    return filled(columns, scales, notes=[f"{value}: no wall time is known" for value in without])

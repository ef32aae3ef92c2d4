"""A study on two machines, side by side: its record, tables of wall times and kernels, sentences."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import folded
from ingest.number_text import percent
from ingest.record_codec import entry
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import (
    ANSWER,
    ENDS,
    ESTIMATE,
    FIGURE,
    MOST_SPAN,
    PATH,
    SHARE,
    Column,
    Row,
    filled,
    parameters,
)
from pipeline.columns.kernel_tables import kernel_names, leading_rows
from pipeline.columns.published import Published
from pipeline.columns.summary import Summary
from pipeline.columns.target_sentences import far_targets
from pipeline.models.prediction import LEVEL, Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.projection.rooflines.region_verdicts import RESOURCES
from pipeline.projection.study.kernel_table import PROJECTION_WAYS, TYPICAL_MIX, Way
from pipeline.projection.study.projected_study import StudyProjection
from pipeline.projection.study.study_machine import StudyMachine, slowdowns
from pipeline.projection.study.transfer import Transfer
from pipeline.questions.analysis import Level
from pipeline.questions.runtime_summary import QUESTION, RuntimeSummary, Scale
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import Figure, estimate_text, point_text, predicted_interval, quantity, times

_ALIKE = 0.1  # from 1, of a factor that is one within its interval
_NAME_WIDTH = 32
_VAGUE = f"over a factor of {MOST_SPAN:.0f}"
_WORDS = {
    Way.COMPUTES: "computes",
    Way.CALLS: "network",
    Way.MESSAGES: "network, waits",
    Way.WAITS: "waits",
    Way.ACCELERATES: "accelerator",
    Way.STAYS: "as measured",
}


@dataclass(frozen=True, kw_only=True)
class KernelWay:
    """How a kernel went over; the probabilities of what limits one that computes."""

    document_name: ClassVar[str] = "way"
    callpath: tuple[str, ...]
    way: Way
    limits: Mapping[str, float] | None
    limits_here: Mapping[str, float] | None
    limits_there: Mapping[str, float] | None
    tested: Annotated[bool, "whether counters say what limits it"]
    sign: Annotated[str | None, "what of the study its limits follow without counters, if anything"]


@dataclass(frozen=True, kw_only=True)
class Faster:
    """By which factor the other machine is faster at a point, and each resource alone."""

    value: float
    lower: float
    upper: float
    by: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class StudyOnMachine:
    """A study on a machine."""

    machine: str
    name: str
    cores: float
    summary: Annotated[Summary, Published(name="summary")]


@dataclass(frozen=True, kw_only=True)
class StudyOnTwoMachines:
    """A study on two machines: both summaries, how kernels went over, what is assumed."""

    here: StudyOnMachine = field(metadata=entry("from"))
    there: StudyOnMachine = field(metadata=entry("on"))
    faster_by: tuple[Faster, ...]
    kernels: tuple[KernelWay, ...]
    regions: tuple[KernelWay, ...]
    assumptions: tuple[str, ...]

    @property
    def sides(self) -> tuple[StudyOnMachine, StudyOnMachine]:
        """The machine measured on, and the other one."""
        return self.here, self.there

    @property
    def summaries(self) -> tuple[Summary, Summary]:
        """What is known of the study on both."""
        return self.here.summary, self.there.summary


def on_two_machines(
    projection: StudyProjection, here: Summary, there: Summary, target: FloatArray
) -> StudyOnTwoMachines:
    """Return what is said of a projection of a study, given its summaries on both machines.

    Of what limits kernels, at the target float64[D].
    """
    there = _once(there)
    points = np.array([list(entry.point.values()) for entry in _scales(there)], dtype=np.float64)
    return StudyOnTwoMachines(
        here=_machine(projection.source, _once(here)),
        there=_machine(projection.target, there),
        faster_by=tuple(_gains(projection.here.callpaths.models, projection.callpaths, points)),
        kernels=_ways(projection.here.callpaths, projection.callpaths, target),
        regions=_ways(projection.here.regions, projection.regions, target),
        assumptions=tuple(projection.assumptions),
    )


def _once(summary: Summary) -> Summary:
    """Return a summary whose figures name every scale once: measured, or else predicted."""
    if summary.runtime is None:
        return summary
    figures = summary.runtime.at
    measured = [entry.point for entry in figures if entry.measured]
    at = tuple(entry for entry in figures if entry.measured or entry.point not in measured)
    answers = summary.answers.but(QUESTION, replace(summary.runtime, at=at))
    return replace(summary, answers=answers)


def _scales(summary: Summary) -> Sequence[Scale]:
    return summary.runtime.at if summary.runtime else ()


def _machine(place: StudyMachine, summary: Summary) -> StudyOnMachine:
    return StudyOnMachine(
        machine=place.machine.path.stem, name=place.name, cores=place.cores, summary=summary
    )


def _ways(level: Level, transfer: Transfer, target: FloatArray) -> tuple[KernelWay, ...]:
    """Return how each kernel went over, and the probabilities of what limits one that computes."""
    table, computes = transfer.table, PROJECTION_WAYS.index(Way.COMPUTES)
    # the mix at a machine halfway: what is scarcer on one of them is more likely to limit there
    slower = slowdowns(transfer.source, transfer.target, transfer.locations(target[None]))[0, :, 0]
    both = (transfer.table.mix * slower**power for power in (-0.5, 0.5))
    here, there = (one / np.maximum(one.sum(axis=1, keepdims=True), 1e-300) for one in both)
    return tuple(
        KernelWay(
            callpath=tuple(callpath),
            way=PROJECTION_WAYS[way],
            limits=_shares(table.mix[k]) if way == computes else None,
            limits_here=_shares(here[k]) if way == computes else None,
            limits_there=_shares(there[k]) if way == computes else None,
            tested=bool(table.tested[k]),
            sign=table.signs[k] or None,
        )
        for k, (callpath, way) in enumerate(
            zip(folded(level.kernels.callpaths), table.way.tolist(), strict=True)
        )
    )


def _shares(of_kernel: FloatArray) -> dict[str, float]:
    pairs = zip(RESOURCES, of_kernel.tolist(), strict=True)
    return {resource.value: share for resource, share in pairs if share > 0}


def _gains(models: ScalingModels, transfer: Transfer, points: FloatArray) -> Iterator[Faster]:
    """Yield time here over time there of a study whose call paths are modelled here, at each of some points.

    What is not known of the time here counts on both sides, so the interval is that of the factor alone.
    """
    value = models.predict(points).value
    one = value.sum(axis=0, keepdims=True)
    exact, together = (Prediction(known, known, known) for known in (value, one))
    _, there, _ = transfer.there(points, exact, together, LEVEL)
    ends = (
        np.divide(one, end, out=np.full(one.shape, np.nan), where=end > 0)[0].tolist()
        for end in (there.value, there.upper, there.lower)
    )
    slower = slowdowns(transfer.source, transfer.target, transfer.locations(points))[0]
    for q, (factor, lower, upper) in enumerate(zip(*ends, strict=True)):
        by = {resource.value: float(1.0 / slower[RESOURCES.index(resource), q]) for resource in TYPICAL_MIX}
        yield Faster(value=factor, lower=lower, upper=upper, by=by)


@dataclass(frozen=True)
class KernelOnBoth:
    """A kernel at the last target: its rows of both summaries, and how it went over."""

    here: Row
    there: Row
    way: KernelWay

    @property
    def prediction(self) -> Row:
        """What it takes on the other machine."""
        prediction: Row = self.there["predictions"][-1]
        return prediction


def leading_kernels(study: StudyOnTwoMachines, *, by: str, limit: int) -> list[KernelOnBoth]:
    """Return the kernels that are largest on the other machine; none without predictions."""
    here, there = (side.summary.rows(by) for side in study.sides)
    before = {tuple(row["callpath"]): row for row in here}
    ways = {row.callpath: row for row in {"regions": study.regions, "kernels": study.kernels}[by]}
    return [
        KernelOnBoth(before[path], row, ways[path])
        for row in leading_rows(there, limit)
        if row["predictions"] and (path := tuple(row["callpath"]))
    ]


def study_projection_table(study: StudyOnTwoMachines, *, by: str, limit: int) -> DataTable:
    """Return one row per kernel of `leading_kernels` at the last target."""
    leading = leading_kernels(study, by=by, limit=limit)
    there = study.there.summary
    unit = leading[0].there["unit"] if leading else ""
    here, on = (side.machine for side in study.sides)
    *_, name = kernel_names(by)
    files, programs = Audience.FILES, Audience.PROGRAMS
    columns: list[Column[Sequence[KernelOnBoth]]] = [
        Column(key="kernel", heading=name.heading, kind=PATH, each=lambda one: one.there["callpath"]),
        *parameters(there.parameters, [one.prediction["at"] for one in leading], files),
        Column(
            key=f"share_on_{here}",
            heading=visible(here),
            kind=SHARE,
            each=lambda one: one.here["share_at_target"],
        ),
        *(
            Column(key=f"{end}_here", kind=FIGURE, unit=unit, each=partial(_end_here, end), audience=programs)
            for end in ENDS
        ),
        Column(
            key=f"share_on_{on}",
            heading=visible(on),
            kind=SHARE,
            each=lambda one: one.there["share_at_target"],
        ),
        Column(
            key="value",
            heading="there",
            kind=ESTIMATE,
            unit=unit,
            each=lambda one: one.prediction,
            vague=_VAGUE,
        ),
        Column(
            key="goes_over",
            each=lambda one: one.way.way.value,
            texts=lambda both: (_way(one.way) for one in both),
            dispensable=2,
        ),
        Column(key="tested", kind=ANSWER, each=lambda one: one.way.tested, audience=programs),
    ]
    notes = [*study.assumptions, *(text for text, _ in far_targets(there))]
    title = f"Shares at {point_text(leading[0].prediction['at'])}" if leading else ""
    return filled(columns, leading, notes=notes, title=title)


def _end_here(end: str, one: KernelOnBoth) -> float:
    value: float = one.here["predictions"][-1][end]
    return value


def _way(row: KernelWay) -> str:
    """Say what limits a kernel there, or how it was taken over."""
    if row.tested and row.limits:
        return max(row.limits, key=row.limits.__getitem__)
    return _WORDS[row.way]


def times_table(study: StudyOnTwoMachines, most: int | None = None) -> DataTable:
    """Return wall times on both machines, one row per scale: all of them, or the first and the last ones."""
    rows = [
        {
            "at": point_text(a.point) + ("" if a.measured else " (predicted)"),
            "here": a.wall_seconds,
            "there": b.wall_seconds,
            "faster_by": gain.value,
            "efficiency_here": a.efficiency or a.weak_efficiency,
            "efficiency_there": b.efficiency or b.weak_efficiency,
        }
        for a, b, gain in zip(*map(_scales, study.summaries), study.faster_by, strict=True)
    ]
    if most is not None and len(rows) > most:
        rows = [rows[0], *rows[1 - most :]]
    there = f"{visible(study.there.machine)}, projected"
    columns: list[Column[Any]] = [
        Column(key="at", heading="wall time at"),
        *(
            Column(key=side, name="wall_seconds", heading=heading, kind=ESTIMATE, unit="s", vague=_VAGUE)
            for side, heading in (("here", visible(study.here.machine)), ("there", there))
        ),
        Column(key="faster_by", kind=FIGURE, dispensable=1),
        *(
            Column(
                key=f"efficiency_{side}",
                heading=f"efficiency on {visible(machine.machine)}",
                kind=SHARE,
                each=partial(_efficiency, side),
                audience=Audience.FILES,
            )
            for side, machine in zip(("here", "there"), study.sides, strict=True)
        ),
    ]
    return filled(columns, rows)


def _efficiency(side: str, row: Row) -> float | None:
    found: Figure | None = row[f"efficiency_{side}"]
    return None if found is None else found.value


def speed_sentence(study: StudyOnTwoMachines) -> str:
    """Say how fast the other machine is at the last target, or else scale; empty if no time is known."""
    found = list(zip(*map(_scales, study.summaries), study.faster_by, strict=True))
    asked = [target.at for target in study.there.summary.targets[-1:]]
    here, there, gain = next((one for one in found if one[0].point in asked), found[-1])
    if here.wall_seconds is None or there.wall_seconds is None or not math.isfinite(gain.value):
        return ""
    value, lower, upper = gain.value, gain.lower, gain.upper
    sure = lower > 1 or upper < 1
    if not sure and abs(value - 1) <= _ALIKE:
        said, unit = "about as fast as", " times as fast"
    else:
        said, unit = f"{'' if sure else 'perhaps '}{times(max(value, 1 / value), 2)}", " times"
        said += " faster than" if value > 1 else " slower than"
        value, lower, upper = (value, lower, upper) if value > 1 else (1 / value, 1 / upper, 1 / lower)
    interval = predicted_interval(value, lower, upper, between=" to ")
    return (
        f"On {visible(study.there.machine)} {said} on {visible(study.here.machine)}: "
        f"{quantity(there.wall_seconds.value, 's')} against {quantity(here.wall_seconds.value, 's')} "
        f"at {point_text(there.point)} ({interval}{unit})."
    )


def largest_sentence(study: StudyOnTwoMachines, *, by: str, limit: int) -> str:
    """Name the kernels that take most on the other machine at the last target; empty without predictions."""
    leading = leading_kernels(study, by=by, limit=limit)[:limit]
    if not leading:
        return ""
    names = distinct_texts([one.there["callpath"] for one in leading], _NAME_WIDTH)
    named = [
        f"{name} {percent(one.there['share_at_target'])} ({percent(one.here['share_at_target'])})"
        for name, one in zip(names, leading, strict=True)
    ]
    there, here = visible(study.there.machine), visible(study.here.machine)
    at = point_text(leading[0].prediction["at"])
    return f"Largest at {at} on {there} (on {here}): {', '.join(named)}."


def efficiency_sentence(runtime: RuntimeSummary | None) -> str:
    """Say the efficiency at the last scale, and its interval if there is one; empty if it is unknown."""
    if runtime is None:
        return ""
    last = runtime.at[-1]
    found = last.efficiency or last.weak_efficiency
    if not found or found.value is None:
        return ""
    value, lower, upper = (
        math.nan if end is None else end for end in (found.value, found.lower, found.upper)
    )
    said = estimate_text(value, lower, upper, write=percent)
    return f"At {point_text(last.point)} the efficiency is {said}."


def limit_sentences(study: StudyOnTwoMachines) -> Iterator[str]:
    """Say what limits the kernels that compute, here and there: all kernels of one mix in one sentence."""
    mixes: dict[tuple[str, str, str], list[str]] = {}
    for row in study.regions:
        if row.limits_here and row.limits_there:
            sign = f"; {row.sign}" if row.sign else ""
            key = _likely(row.limits_here), _likely(row.limits_there), sign
            mixes.setdefault(key, []).append(visible(row.callpath[-1]))
    here, there = (visible(side.machine) for side in study.sides)
    for (before, after, sign), names in mixes.items():
        whose = names[0] if len(names) == 1 else f"{len(names)} regions ({names[0]}, ...)"
        yield f"{whose}: limited on {here} by {before}; on {there} by {after}{sign}."


def _likely(limits: Mapping[str, float]) -> str:
    pairs = sorted(limits.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in pairs)

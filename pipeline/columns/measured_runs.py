"""Tables of what was measured, and of what to measure next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ingest.record_codec import entry
from ingest.run_settings import agreed_settings, described_runs
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import EXACT_KIND, QUANTITY, SHARE, TEXT, TEXTS, Column, filled, parameters
from pipeline.wording.quantities import (
    BETWEEN,
    callpath_text,
    counted,
    half_width,
    number,
    quantity,
    range_text,
)

if TYPE_CHECKING:
    from pipeline.questions.planning.advice import Advice, MeasurementPlan

_COUNTS = {
    "repetition": "rep",
    "callpaths": "call paths",
    "regions": "regions",
    "processes": "processes",
    "locations": "locations",
    "accelerators": "GPUs",
}
_NAME_WIDTH = 60
_IF_KNOWN = entry(may_lack=True)
_MANY = 10_000  # from which on counts are written with commas


@dataclass(frozen=True, kw_only=True)
class InspectedRun:
    """A run, and what is in its profile."""

    path: str
    format: str
    at: Annotated[Sequence[float], "values of the parameters"]
    repetition: int
    callpaths: int
    regions: int
    locations: int
    accelerators: int
    processes: int
    metrics: Sequence[str]
    totals: Annotated[Mapping[str, float], "sums of metrics; empty without --totals"]
    metadata: Mapping[str, str]
    settings: Annotated[Mapping[str, str], "that logs state"]
    memory: Annotated[tuple[float, str] | None, "bytes of the process that takes most, and what states it"]
    notices: Sequence[str]
    statistic: Annotated[str | None, "of logs: what values are of the processes"] = field(
        default=None, metadata=_IF_KNOWN
    )
    reconciled: Annotated[Mapping[str, str] | None, "how much of a stated total the values are"] = field(
        default=None, metadata=_IF_KNOWN
    )
    overlapping: Annotated[Sequence[tuple[str, float]] | None, "of a single log: timers in no sum"] = field(
        default=None, metadata=_IF_KNOWN
    )


@dataclass(frozen=True, kw_only=True)
class Series:
    """A file that holds many points."""

    format: str
    points: int
    repetitions: int
    callpaths: int
    metrics: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SkippedFile:
    """What was not read, and why."""

    document_name: ClassVar[str] = "skipped"

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How large a study is: least and most of what it has; null for what is unknown."""

    runs: int
    points: int
    program: str
    processes: tuple[int, int] | None
    nodes: tuple[int, int] | None
    repetitions: tuple[int, int] | None
    cores: Annotated[str, "what cores are counted by"]
    core_seconds: float


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What is in a profile, a series file or a directory of runs."""

    exact_numbers: ClassVar[bool] = True

    path: str
    parameters: Sequence[str]
    runs: Sequence[InspectedRun] = ()
    skipped: Sequence[SkippedFile] = ()
    notices: Sequence[str] = ()
    problems: Annotated[Sequence[str], "one sentence each"] = ()
    usable: Annotated[bool, "whether the runs can be modelled together"] = False
    extent: Extent | None = None
    series: Series | None = field(default=None, metadata=_IF_KNOWN)


def inspection_table(found: Inspection) -> DataTable:
    """Return one row per run, or the row of a series file; totals become columns."""
    if found.series is not None:
        columns: list[Column[Any]] = [
            Column(key="path", values=lambda _: [found.path]),
            Column(key="format"),
            Column(key="parameters", kind=TEXTS, values=lambda _: [found.parameters]),
            *(Column(key=name, kind=EXACT_KIND) for name in ("points", "repetitions", "callpaths")),
            Column(key="metrics", kind=TEXTS),
        ]
        return filled(columns, [found.series], notes=_facts(found))
    runs = found.runs
    points = [dict(zip(found.parameters, run.at, strict=True)) for run in runs]
    totals = dict.fromkeys(name for run in runs for name in run.totals)
    columns = [
        Column(key="path", heading="run", texts=lambda runs: (_below(found, run) for run in runs)),
        Column(key="format", dispensable=2),
        *parameters(found.parameters, points),
        *(_count(key, heading, runs) for key, heading in _COUNTS.items()),
        *(
            Column(key=f"total {name}", kind=EXACT_KIND, each=partial(_total, name), write=_ten_digits)
            for name in totals
        ),
    ]
    return filled(columns, runs, notes=_facts(found))


def _count(key: str, heading: str, runs: Sequence[InspectedRun]) -> Column[Any]:
    hidden = key == "accelerators" and not any(run.accelerators for run in runs)
    return Column(
        key=key,
        heading=heading,
        kind=EXACT_KIND,
        dispensable=int(key == "regions"),
        audience=Audience.FILES if hidden else Audience.ALL,
    )


def _total(metric: str, run: InspectedRun) -> float | None:
    return number(run.totals[metric]) if metric in run.totals else None


def _ten_digits(value: float) -> str:
    """Write a sum that is compared with another tool's: with all digits that measurements have."""
    return f"{value:.10g}"


def _below(found: Inspection, run: InspectedRun) -> str:
    """Return the path of a run as it is below the inspected directory, or in the table there."""
    return run.path.removeprefix(f"{found.path.rstrip('/')}/").removeprefix(f"{found.path} ")


def overlapping_table(rows: Sequence[tuple[str, float]]) -> DataTable:
    """Return timers that may lie inside each other, so that they are in no sum."""
    columns: list[Column[Sequence[tuple[str, float]]]] = [
        Column(key="timer", heading="overlapping timer", each=itemgetter(0)),
        Column(
            key="seconds",
            heading="seconds, in no sum",
            kind=EXACT_KIND,
            each=itemgetter(1),
            write=_ten_digits,
        ),
    ]
    return filled(columns, rows)


def _facts(found: Inspection) -> list[str]:
    """Return what is said beside the table of runs: sums found, metrics, notices and the verdict."""
    sums = [sentence for run in found.runs for sentence in reconciliation(found, run)]
    notes = [f"Note: {notice}" for notice in found.notices]
    return [*sums, *metrics_and_notices(found.runs), *notes, *verdict(found)]


def reconciliation(found: Inspection, run: InspectedRun) -> list[str]:
    """Say how much of the total that a run states was found, and what its values are of the processes."""
    statistic = "" if run.statistic is None else f"; {run.statistic}"
    return [
        f"{_below(found, run)}{phase and ', '}{phase}: {text}{statistic}"
        for phase, text in (run.reconciled or {}).items()
    ]


def metrics_and_notices(runs: Sequence[InspectedRun]) -> Iterator[str]:
    """Yield each set of metrics and each notice once, with the number of runs that it concerns; memory."""
    metrics = (", ".join(run.metrics) for run in runs)
    notices = (notice for run in runs for notice in run.notices)
    for title, texts in (("Metrics", metrics), ("Note", notices)):
        for text, count in Counter(texts).items():
            concerned = "" if count == len(runs) else f" ({counted(count, 'run')})"
            yield f"{title}{concerned}: {text}"
    yield from _memory(runs)
    if described := described_runs([run.metadata for run in runs]):
        yield f"Metadata: {'; '.join(described)}"
    if agreed := agreed_settings([run.settings for run in runs]):
        yield f"Settings: {'; '.join(agreed)}"


def _memory(runs: Sequence[InspectedRun]) -> Iterator[str]:
    """Yield the memory of processes, as each metric or line of a log states it: estimates are told so."""
    amounts: dict[str, list[float]] = {}
    for amount, source in filter(None, (run.memory for run in runs)):
        amounts.setdefault(source, []).append(amount)
    for source, found in amounts.items():
        ends = BETWEEN.join(dict.fromkeys(quantity(end, "B") for end in (min(found), max(found))))
        yield f"Memory of the process that takes most: {ends} ({source})"


def verdict(found: Inspection) -> list[str]:
    """Return the lines that `pipeline inspect` begins with: OK, or the problems with their numbers."""
    problems = found.problems
    if not problems:
        return [f"OK: {_contents(found)}"]
    more = "" if found.usable else "; `pipeline run` refuses these runs"
    lines = [f"  {number}. {problem}" for number, problem in enumerate(problems, start=1)]
    whole = [_contents(found)] if found.extent else []
    return [f"{counted(len(problems), 'problem')}{more}", *lines, *whole]


def _contents(found: Inspection) -> str:
    """Say what there is: runs, points, how often each, processes, nodes, and what all of it cost."""
    if found.series is not None:
        return counted(found.series.points, "measurement point")
    runs, extent = found.runs, found.extent
    values = list(zip(*(run.at for run in runs), strict=True))
    at = " and ".join(map(range_text, found.parameters, values))
    points = f"{counted(len({tuple(run.at) for run in runs}), 'point')} of " * (len(values) > 1)
    if not extent:
        return ", ".join(filter(None, (counted(len(runs), "run"), points + at)))
    some = f"{extent.runs} of " if extent.runs < len(runs) else ""
    program = f" of {extent.program}" if extent.program else ""
    told = extent.processes in [(min(of), max(of)) for of in values]  # by the parameter
    processes = "" if told else _range(extent.processes, "process", "processes")
    nodes = _range(extent.nodes, "node", "nodes")
    cost = extent.processes and extent.core_seconds
    parts = (
        f"{some}{counted(len(runs), 'run')}{program}",
        points + at,
        _times_each(extent.repetitions) if extent.runs > 1 else "",
        f"{processes}{' on ' * bool(nodes)}{nodes}".strip(),
        f"{quantity(extent.core_seconds, 'core-s')} ({extent.cores})" if cost else "",
    )
    return ", ".join(filter(None, parts))


def _times_each(ends: Sequence[int] | None) -> str:
    text = _range(ends, "time", "times")
    return f"{'once' if text == '1 time' else text} each" if text else ""


def _range(ends: Sequence[int] | None, noun: str, nouns: str) -> str:
    """Write the least and largest count: ``1 .. 6 nodes``; empty if they are unknown."""
    if ends is None:
        return ""
    least, most = (f"{end:,}" if end >= _MANY else str(end) for end in ends)
    return f"{least}{BETWEEN}{most} {nouns}" if least != most else f"{most} {noun if most == '1' else nouns}"


def points_table(found: Inspection) -> DataTable:
    """Return one row per measurement point: its runs, and the least and most of what they have."""
    groups: dict[tuple[object, ...], list[InspectedRun]] = {}
    for run in found.runs:
        groups.setdefault((run.format, *run.at), []).append(run)
    rows = list(groups.values())
    points = [dict(zip(found.parameters, group[0].at, strict=True)) for group in rows]
    counts = {key: heading for key, heading in _COUNTS.items() if key != "repetition"}
    if not any(run.accelerators for run in found.runs):
        del counts["accelerators"]
    columns: list[Column[Any]] = [
        *parameters(found.parameters, points),
        Column(key="runs", kind=EXACT_KIND, each=len),
        Column(key="format", each=lambda group: group[0].format),
        *(Column(key=heading, each=partial(_ends_of, key)) for key, heading in counts.items()),
    ]
    return filled(columns, rows)


def _ends_of(key: str, group: Sequence[InspectedRun]) -> str:
    counts = [getattr(run, key) for run in group]
    return _range((min(counts), max(counts)), "", "").rstrip()


def advice_table(plans: Sequence["MeasurementPlan"], names: Sequence[str]) -> DataTable:
    """Return one row per target and measurement, in the order to measure them."""
    rows = [step for plan in plans for step in plan.plan]
    targets = [
        {f"target {name}": value for name, value in plan.target.items()} for plan in plans for _ in plan.plan
    ]
    shown = Audience.ALL if len(plans) > 1 else Audience.FILES
    unit = plans[0].unit if plans else ""
    columns: list[Column[Any]] = [
        *parameters((f"target {name}" for name in names), targets, shown),
        *parameters(names, [row.at for row in rows]),
        Column(key="repetitions", heading="runs", kind=EXACT_KIND),
        Column(key="cost", kind=QUANTITY, unit=unit),
        Column(key="relative_width_after", heading="interval after", kind=SHARE, write=half_width),
        Column(key="reduction", heading="narrower by", kind=SHARE),
        Column(
            key="clarifies",
            kind=TEXT,
            each=lambda row: "/".join(_clarified(row)),
            texts=lambda rows: (callpath_text(_clarified(row), _NAME_WIDTH) for row in rows),
            folds=True,
        ),
    ]
    notes = [plan.sentence for plan in plans]
    if len(rows) > 1:
        notes.append(f"Total: {quantity(sum(row.cost for row in rows), unit)}. Measure in this order.")
    return filled(columns, rows, notes=notes)


def _clarified(step: "Advice") -> Sequence[str]:
    if step.plain:
        return ("all corrected times",)
    return step.settles[0].callpath if step.settles else ()

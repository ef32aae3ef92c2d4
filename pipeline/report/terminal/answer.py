"""The answer of a study on one screen: how long, how far, what is lost, what grows, how sure.

Everything comes from the content of ``summary.json``, so that stored results print the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from ingest.experiment import per_text
from ingest.reduction import GPU_TIME
from pipeline.columns.column import ABSENT, filled
from pipeline.columns.kernel_tables import kernel_names
from pipeline.columns.kernels import kernel_columns
from pipeline.columns.scales import scale_columns
from pipeline.columns.summary import Summary
from pipeline.columns.target_sentences import far_targets, target_totals
from pipeline.models.growth import FALLS
from pipeline.questions.planning import next_measurement
from pipeline.questions.runtime.trust import Trust
from pipeline.questions.runtime_summary import HeldOutScale, RuntimeSummary, Scale
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.report.terminal.results import crossover_sentences, measured_values, show_held_out
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import (
    ELLIPSIS,
    Figure,
    counted,
    display_unit,
    estimate_of,
    figure,
    percent,
    point_text,
    predicted_interval,
    value_text,
    without_values,
)

_GAP = "  "
_MOST_COLUMNS = 40  # scales that are tried
_SMALL, _LARGE = 0.1, 36_000.0  # seconds below and from which another unit is easier to read


@dataclass(frozen=True, kw_only=True)
class ScaleFigure:
    """A figure of every scale: its name, its key in ``summary.json``, and how its numbers are written."""

    name: str
    key: str
    factor: float = 1.0
    write: Callable[[float], str] = figure

    def value(self, entry: Scale) -> str:
        """Write the figure of a scale; ``-`` if it is not available."""
        found = self._of(entry)
        return self.write((found.value or 0.0) * self.factor) if found else ABSENT

    def interval(self, entry: Scale) -> str:
        """Write its 90 % interval; empty if it is unknown."""
        found = self._of(entry)
        if not found or found.lower is None or found.upper is None:
            return ""
        value, lower, upper = (end * self.factor for end in (found.value or 0.0, found.lower, found.upper))
        return predicted_interval(value, lower, upper, self.write)

    def _of(self, entry: Scale) -> Figure | None:
        found: Figure | None = getattr(entry, self.key)
        return found


@dataclass(frozen=True, kw_only=True)
class ShownScales:
    """What the table can show."""

    parameter: str  # the one that scales
    # `measured` and `targets`: entries of ``runtime.at``, ascending; measured ones with the same other
    # parameters
    measured: Sequence[Scale]
    targets: Sequence[Scale]
    wanted: Sequence[Scale]  # all of them, those that are shown first at the front
    other: Sequence[str]  # names of the other parameters in which they differ
    rows: Sequence[ScaleFigure]  # the figures


def show_scales(out: Console, runtime: RuntimeSummary) -> None:
    """Print wall time and what scales are compared by, at measured scales and at targets."""
    scales = _scales_of(runtime)
    shown = _that_fit(scales, out.width)
    if not shown:
        for entry in _by_scale([*scales.measured, *scales.targets], scales.parameter):
            show_sentence(out, _sentence(scales, entry, runtime.observed))
        return
    for line in _lines(scales, shown):
        out.print(line, soft_wrap=True)
    left_out = len(scales.measured) + len(scales.targets) - len(shown)
    if left_out:
        total = len(shown) + left_out
        show_sentence(out, f"{len(shown)} of {total} scales shown; --json has all.", "dim")


def _scales_of(runtime: RuntimeSummary) -> ShownScales:
    """Collect the scales that are compared with the last target, and their figures."""
    parameter, entries = runtime.parameter, runtime.at
    targets = [entry for entry in entries if not entry.measured]
    largest = max((e for e in entries if e.measured), key=lambda e: e.point[parameter])
    others = _others(targets[-1] if targets else largest, parameter)
    measured = [e for e in entries if e.measured and _others(e, parameter) == others]
    if not measured:
        others = _others(largest, parameter)
        measured = [e for e in entries if e.measured and _others(e, parameter) == others]
    measured = _by_scale(measured, parameter)
    shown_targets = _by_scale(targets, parameter)
    together = [*measured, *shown_targets]
    return ShownScales(
        parameter=parameter,
        measured=measured,
        targets=shown_targets,
        wanted=_wanted(runtime, measured, targets),
        other=[name for name, value in others.items() if any(e.point[name] != value for e in together)],
        rows=list(_rows(runtime, together)),
    )


def shared_values(runtime: RuntimeSummary | None) -> dict[str, float]:
    """Return the values of parameters that all scales of the table have in common, to be said once."""
    if runtime is None:
        return {}
    scales = _scales_of(runtime)
    apart = (scales.parameter, *scales.other)
    return {name: value for name, value in scales.wanted[0].point.items() if name not in apart}


def _others(entry: Scale, parameter: str) -> dict[str, float]:
    return {name: value for name, value in entry.point.items() if name != parameter}


def _by_scale(entries: Sequence[Scale], parameter: str) -> list[Scale]:
    return sorted(entries, key=lambda entry: float(entry.point[parameter]))


def _wanted(runtime: RuntimeSummary, measured: Sequence[Scale], targets: Sequence[Scale]) -> list[Scale]:
    """Order scales: the last target, the ends of the measured range, the limits, other targets, the rest."""
    limits = (runtime.fastest, runtime.efficient_up_to.point)
    first = [
        *targets[-1:],
        measured[-1],
        measured[0],
        *(entry for point in limits for entry in measured if entry.point == point),
        *reversed(targets[:-1]),
    ]
    found = {id(entry): entry for entry in [*first, *_spread(measured)]}
    return list(found.values())[:_MOST_COLUMNS]


def _spread(entries: Sequence[Scale]) -> Iterator[Scale]:
    """Yield the one in the middle, then those in the middle of both halves, and so on."""
    pending = [(0, len(entries))]
    for start, end in pending:
        if start < end:
            middle = (start + end) // 2
            yield entries[middle]
            pending += [(middle + 1, end), (start, middle)]


def _rows(runtime: RuntimeSummary, entries: Sequence[Scale]) -> Iterator[ScaleFigure]:
    """Yield the figures that are available: wall time or effort, then what scales are compared by."""
    if any(entry.wall_seconds for entry in entries):
        measured = [e.wall_seconds.value or 0.0 for e in entries if e.wall_seconds and e.measured]
        unit, factor = _time_unit(max(measured, default=1.0))
        yield ScaleFigure(name=f"wall time [{unit}]", key="wall_seconds", factor=factor)
    else:
        yield ScaleFigure(name=f"effort [{runtime.effort_unit}]", key="effort")
    if any(entry.rate for entry in entries):
        yield ScaleFigure(name=runtime.rate_unit, key="rate")
    compared_by = ("work_rate", "speedup", "efficiency", "weak_efficiency", "gpu_hours", "gpu_busy")
    for column in scale_columns(*compared_by, parameter=runtime.parameter):
        if column.key == "speedup" and any(entry.rate or entry.gpu_hours for entry in entries):
            continue  # the rate grows by the same factor; of GPUs the cost counts
        compared = column.key != "work_rate" or (runtime.compared_by == "size" and len(entries) > 1)
        if compared and any(getattr(entry, column.key) for entry in entries):
            yield ScaleFigure(name=column.heading, key=column.key, write=column.write or figure)


def _time_unit(seconds: float) -> tuple[str, float]:
    if seconds >= _LARGE:
        return "h", 1 / 3600
    return ("s", 1.0) if seconds >= _SMALL else ("ms", 1e3)


def _that_fit(scales: ShownScales, width: int) -> list[Scale]:
    """Return the scales that fit into a width, taken in their order; none if the first three do not fit."""
    for count in range(len(scales.wanted), min(3, len(scales.wanted)) - 1, -1):
        shown = scales.wanted[:count]
        if all(len(line) <= width for line in _lines(scales, shown)):
            return list(shown)
    return []


def _lines(scales: ShownScales, shown: Sequence[Scale]) -> list[Text]:
    kept = {id(entry) for entry in shown}
    names = (scales.parameter, *scales.other)
    labels = [scales.parameter, *scales.other, *(row.name for row in scales.rows)]
    columns = [([label.ljust(max(map(len, labels))) for label in labels], "")]
    for entries in (scales.measured, scales.targets):
        if entries is scales.targets and entries:
            columns.append((["|"] * len(labels), "dim"))
        gap = False
        for entry in entries:
            if id(entry) in kept:
                columns += _cells(scales, names, entry)
            elif not gap:
                columns.append(([ELLIPSIS, *[""] * (len(labels) - 1)], "dim"))
            gap = id(entry) not in kept
    lines = [Text() for _ in labels]
    for number, (cells, style) in enumerate(columns):
        width = max(map(len, cells))
        for line, cell in zip(lines, cells, strict=True):
            line.append((_GAP if number else "") + cell.rjust(width), style)
    for line in lines:
        line.rstrip()
    return lines


def _cells(scales: ShownScales, names: Sequence[str], entry: Scale) -> Iterator[tuple[list[str], str]]:
    """Yield the column of a scale and, of a target, that of its intervals, with their style."""
    at = [value_text(entry.point[name]) for name in names]
    yield [*at, *(row.value(entry) for row in scales.rows)], _style(entry)
    intervals = ["" if entry.measured else row.interval(entry) for row in scales.rows]
    if not entry.measured:
        yield ["(predicted)", *[""] * (len(names) - 1), *intervals], _style(entry)


def _style(entry: Scale) -> str:
    return "dim" if entry.reach in ("far", "very far") else ""


def _sentence(scales: ShownScales, entry: Scale, observed: str) -> str:
    parts = []
    for row in scales.rows:
        interval = "" if entry.measured else row.interval(entry)
        parts.append(f"{row.name} {row.value(entry)}" + (f" ({interval})" if interval else ""))
    kind = observed if entry.measured else "predicted"
    at = {name: entry.point[name] for name in (scales.parameter, *scales.other)}
    return f"{point_text(at)}, {kind}: {', '.join(parts)}"


GROWING_SHOWN = 3
_LOSSES_SHOWN = 4
_LARGEST_SHOWN = 5
_ENOUGH = 0.9  # of what is lost: further regions are not named
_NAME_WIDTH = 32
_LIKELY = 0.5
_UNRANKED = frozenset({"start_up", "not_measurable"})  # flags of kernels that do not compete
_OF_MEASUREMENTS = frozenset({"scales", "repetitions", "noise", "overhead"})
_KINDS = {"strong": "strong scaling", "weak": "weak scaling", "unknown": "strong or weak scaling: unknown"}
_STYLES = {Trust.LOW: "red", Trust.MEDIUM: "yellow", Trust.HIGH: "green"}


def show_answer(
    out: Console, summary: Summary, *, name: str, by: str = "regions", limit: int = GROWING_SHOWN
) -> None:
    """Print what a summary says on about twenty lines, at most `limit` of them on what grows."""
    runtime = summary.runtime
    if runtime is not None:
        show_sentence(out, f"{runtime.verdict}.", f"bold {_STYLES[runtime.trust.verdict]}")
    show_sentence(out, _headline(summary, name), "bold")
    modelled = bool(summary.targets)
    if runtime is not None:
        out.print()
        show_scales(out, runtime)
    out.print()
    if runtime is None:
        _show_totals(out, summary)
    else:
        for sentence, style in far_targets(summary):
            _say(out, summary, f"{sentence}.", style)
    for sentence, style in summary.answers.sentences():
        _say(out, summary, sentence, style)
    if modelled:
        _show_growing(out, summary, by=by, limit=limit - (GPU_TIME in summary.metrics))
    else:
        _say(out, summary, f"Largest as {summary.observed}: {_largest(summary.rows(by))}.")
        _say(out, summary, summary.notices[-1], "yellow")
    _show_accelerators(out, summary)
    if runtime is not None:
        show_trust(out, summary, modelled)
    for sentence, style in summary.answers.sentences(remarks=True):
        _say(out, summary, f"{sentence}.", style)
    show_held_out(out, summary)


def show_more(out: Console, summary: Summary, by: str = "regions") -> None:
    """Print what the first screen leaves out: totals, limits, losses, and what overtakes what."""
    _show_totals(out, summary)
    for sentence, style in summary.answers.sentences(details=True):
        _say(out, summary, sentence, style)
    for sentence in summary.runtime.details if summary.runtime else ():
        _say(out, summary, sentence)
    if summary.targets:
        _show_crossing(out, summary, by)


def _show_totals(out: Console, summary: Summary) -> None:
    for text, style in target_totals(summary):
        _say(out, summary, f"At {text}.", style)


def show_next_step(out: Console, summary: Summary) -> None:
    """Say what to measure next, if models of time could be trusted more."""
    runtime = summary.runtime
    doubted = runtime is not None and runtime.trust.verdict < Trust.HIGH
    if doubted and (plan := summary.answers.of(next_measurement.QUESTION)):
        _say(out, summary, plan.sentence)


def _headline(summary: Summary, name: str) -> str:
    points, total = summary.points, summary.total or {}
    repetitions = total["quality"]["repetitions"]
    what = ["; ".join(measured_values(parameter, points) for parameter in summary.parameters)]
    what.append(f"up to {counted(repetitions, 'repetition')}" if repetitions > 1 else "1 repetition")
    runtime = summary.runtime
    kind = total["metric"] if runtime is None else _KINDS.get(runtime.compared_by, "")
    what += [kind] if kind else []
    what += [per_text(summary.per)] if summary.per else []
    shared = shared_values(runtime)
    once = f". All at {point_text(shared)}." if shared else ""
    return (f"{name}: " if name else "") + ", ".join(what) + once


def _say(out: Console, summary: Summary, text: str, style: str = "") -> None:
    """Print a sentence without the values that the headline says of all."""
    show_sentence(out, without_values(text, shared_values(summary.runtime)), style)


def _show_growing(out: Console, summary: Summary, *, by: str, limit: int) -> None:
    """Print the kernels that will dominate at the last target and probably grow."""
    ranked = [row for row in summary.rows(by) if not _UNRANKED.intersection(row["flags"])]
    likely = [row for row in ranked if row["probability_growing"] >= _LIKELY]
    rows = [row for row in likely if not row["growth_class"].startswith(FALLS)][:limit]
    if not rows:
        _say(out, summary, "No function's share will grow.")
        return
    at = point_text(rows[0]["predictions"][-1]["at"])
    now, then, growth = kernel_columns("share_measured", "share_at_target", "growth_class")
    columns = [
        *kernel_names(by, "What grows"),
        replace(now, heading="now"),
        replace(then, heading=without_values(at, shared_values(summary.runtime))),
        growth,
    ]
    out.print(terminal_table(filled(columns, rows), out.width))


def _show_crossing(out: Console, summary: Summary, by: str) -> None:
    """Say which of the kernels that take most at the last target probably overtakes which, if any does."""
    shares = {tuple(row["callpath"]): row["share_at_target"] for row in summary.rows(by)}
    likely = [
        one
        for one in summary.crossovers_of(by)
        if not one.probability < _LIKELY  # or it is unknown
    ]
    likely.sort(key=lambda one: [-shares.get(tuple(path), 0.0) for path in (one.overtakes, one.overtaken)])
    for sentence in crossover_sentences(summary, likely[:1], by=by):
        _say(out, summary, f"{sentence}.")


def _show_accelerators(out: Console, summary: Summary) -> None:
    """Name what accelerators do most in the measurements, if the answer is about the time of hosts."""
    of_gpus = summary.metrics.get(GPU_TIME)
    if of_gpus is None:
        return
    named = _largest(of_gpus["regions"])
    _say(out, summary, f"On GPUs now: {named} (--metric {GPU_TIME}).")


def _largest(rows: Sequence[Mapping[str, Any]]) -> str:
    leading = sorted(rows, key=lambda row: -row["share_measured"])[:_LARGEST_SHOWN]
    names = distinct_texts([row["callpath"] for row in leading], _NAME_WIDTH)
    parts = [f"{name} {percent(row['share_measured'])}" for name, row in zip(names, leading, strict=True)]
    return ", ".join(parts)


def show_trust(out: Console, summary: Summary, modelled: bool) -> None:
    """Say how far the predictions can be trusted, the worst reasons first, and what the back-test shows."""
    runtime, total = summary.runtime, summary.total
    assert runtime is not None and total is not None
    trust, test = runtime.trust, runtime.back_test
    reasons = [reason for reason in trust.reasons if reason.name != "back-test"]
    doubts = sorted((one for one in reasons if one.trust < Trust.HIGH), key=lambda one: one.trust)
    texts = [reason.text for reason in doubts if modelled or reason.name in _OF_MEASUREMENTS]
    if test is not None:
        texts.append(_held_out(test, total["unit"]))
    elif modelled:
        texts += [reason.text for reason in trust.reasons if reason.name == "back-test"]
    text = f"Trust: {trust.verdict.value}" + (f" - {'; '.join(texts)}" if texts else "")
    _say(out, summary, text, _STYLES[trust.verdict])
    for notice in runtime.notices:
        _say(out, summary, f"Note: {notice}.", "yellow")


def _held_out(test: HeldOutScale, unit: str) -> str:
    """Compare a measured value with its prediction from smaller scales, both in one unit."""
    predicted, measured = test.predicted, test.measured
    factor, shown = display_unit(unit, max(predicted["value"], measured))
    text = estimate_of({end: value * factor for end, value in predicted.items()})
    measured_text = f"{figure(measured * factor)} {shown}".rstrip()
    return f"held-out check: predicted {point_text(test.at)} as {text}, {test.judged_by} {measured_text}"

"""The answer of a study on one screen: how long, how far, what is lost, what grows, how sure.

Everything comes from the content of ``summary.json``, so that stored results print the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console

from ingest.experiment import per_text
from ingest.reduction import GPU_TIME
from pipeline.columns.column import filled
from pipeline.columns.kernel_tables import kernel_names
from pipeline.columns.kernels import kernel_columns
from pipeline.columns.summary import Summary
from pipeline.columns.target_sentences import far_targets, target_totals
from pipeline.models.growth import FALLS
from pipeline.questions.planning import next_measurement
from pipeline.questions.runtime.trust import Trust
from pipeline.questions.runtime_summary import HeldOutScale
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.report.terminal.results import crossover_sentences, measured_values, show_held_out
from pipeline.report.terminal.scales import shared_values, show_scales
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import (
    counted,
    display_unit,
    estimate_of,
    figure,
    percent,
    point_text,
    without_values,
)

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
    _show_head(out, summary, name)
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
        _show_largest(out, summary, by)
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


def _show_head(out: Console, summary: Summary, name: str) -> None:
    """Print the verdict, if there is one, and what was measured."""
    runtime = summary.runtime
    if runtime is not None:
        show_sentence(out, f"{runtime.verdict}.", f"bold {_STYLES[runtime.trust.verdict]}")
    show_sentence(out, _headline(summary, name), "bold")


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


def _show_largest(out: Console, summary: Summary, by: str) -> None:
    """Name what takes most in the measurements, if they are too few for a prediction."""
    _say(out, summary, f"Largest as {summary.observed}: {_largest(summary.rows(by))}.")
    _say(out, summary, summary.notices[-1], "yellow")


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

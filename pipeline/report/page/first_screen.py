"""The answers of the first screen: how long, how far, what breaks first, how sure, what next."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ingest.number_text import figure
from pipeline.columns.expectations import expectation_sentences
from pipeline.columns.limit_intervals import interval_behind
from pipeline.columns.loss_sentences import causes_json, causes_text
from pipeline.columns.potentials import potential_sentence
from pipeline.columns.target_sentences import next_sentence, resource_sentences
from pipeline.columns.verdict_line import verdict_line
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.figures import Figures
from pipeline.questions.runtime.limits import Limit
from pipeline.questions.runtime.losses import Losses
from pipeline.questions.runtime.runtime import Runtime, runtimes_along
from pipeline.questions.runtime.trust import FAR, VERY_FAR, Reason, Trust
from pipeline.report.page.positions import Positions
from pipeline.report.page.verdict_sentences import SPACE, Findings, dominance, sentence_name
from pipeline.report.summary import profile_sentence
from pipeline.wording.quantities import (
    display_unit,
    estimate_text,
    given_percent,
    interval_text,
    percent,
    quantity,
    readable_unit,
)

FOLLOWED = 8000  # call paths times lines of positions, up to which answers are made for all lines
UNBROKEN = re.compile(r" (?==)|(?<==) |(?<=\d) (?=(?:ms|s|min|h)\b)")  # what no line break tears apart
NAMED = 3  # regions of the largest losses
NOT_TO_BE_PLANNED = "What a run would cost is unknown, so nothing is planned."

Answer = tuple[str, str]
"""A question in a word or two, and its answer in a line."""


def answers(findings: Findings, found: Runtime, plan: Mapping[str, Any] | None) -> list[Answer]:
    """Answer the five questions of a scaling study.

    Args:
        findings: the study and the target.
        found: its runtime, whose last point is the target.
        plan: the ``next_measurement`` of ``summary.json``.
    """
    breaks = "What breaks first" if found.losses else "What dominates"
    said = said_at(findings, found)
    return [
        *((question, said[question]) for question in ("How long", "How far")),
        (breaks, _what_breaks(findings, found)),
        *_lost_to(findings, found),
        ("How sure", said["How sure"]),
        ("What next", _what_next(findings, plan)),
    ]


def _what_next(findings: Findings, plan: Mapping[str, Any] | None) -> str:
    if findings.analysis.is_profile:
        return f"{profile_sentence(findings.analysis)}."
    return next_sentence(plan) or NOT_TO_BE_PLANNED


def said_at(findings: Findings, found: Runtime) -> dict[str, str]:
    """Say what differs from target to target: the verdict, how far to trust it, and some of the answers."""
    verdict = verdict_line(found, findings.analysis.experiment.parameters)
    return {
        "verdict": UNBROKEN.sub(SPACE, verdict.text),
        "trust": verdict.trust,
        "doubt": ", ".join(reason.text for reason in _doubts(found.trust.reasons)[:1]),
        "How long": _how_long(findings, found),
        "How far": _how_far(findings, found),
        "How sure": _how_sure(findings, found),
    }


def said_along(findings: Findings, found: Runtime, positions: Positions) -> dict[str, list[str | None]]:
    """Return what `said_at` says at all positions; None on lines that would take too long.

    Too few scales to predict from say the same everywhere.
    """
    analysis = findings.analysis
    lines = 1 if len(analysis.callpaths.kernels) * len(positions.lines) > FOLLOWED else len(positions.lines)
    rows: list[Mapping[str, str | None]] = []
    if not analysis.is_profile:
        followed = (
            runtimes_along(analysis, found, positions.points[positions.on_line(i)]) for i in range(lines)
        )
        rows += [
            said_at(replace(findings, target=one.figures.points[-1]), one)
            for one in chain.from_iterable(followed)
        ]
    nothing = dict.fromkeys(said_at(findings, found))
    rows += [nothing] * (len(positions.points) - len(rows))
    return {name: [row[name] for row in rows] for name in nothing}


def in_brief(
    findings: Findings, found: Runtime, plan: Mapping[str, Any] | None, potential: Mapping[str, Any] | None
) -> list[Answer]:
    """Say what breaks, with what it would gain, and what to do next, each in a few words."""
    gain = potential_sentence(potential).partition(": ")[2].removesuffix(".")
    breaks = []
    if found.losses and found.causes[-1] and found.losses[-1].total > 0:
        worst = causes_json(found.causes[-1])[0]
        share = f"{100 * worst['share']:.0f}{SPACE}%"
        cause = f"{worst['cause'][:1].upper()}{worst['cause'][1:]}"
        breaks.append(f"{cause}, {share} of what is lost at {findings.place(found.losses[-1].point)}")
    breaks += [gain] if gain else []
    text = "; ".join(breaks)
    following, effect, _ = next_sentence(plan).partition(": interval")
    measure = following.removesuffix(".") if effect else ""
    brief = ("What breaks first", text), ("What next", measure)
    return [(name, UNBROKEN.sub(SPACE, text)) for name, text in brief if text]


def resources(found: Sequence[Mapping[str, Any]]) -> list[Answer]:
    """Say what runs take beside time: ``resource_use`` of ``summary.json``; nothing if that is unknown."""
    text = " ".join(resource_sentences({"resource_use": found}))
    return [("What else", text)] if text else []


def expectations(rows: Sequence[Mapping[str, Any]]) -> list[Answer]:
    """Say which of the ``expectations`` of ``summary.json`` are met; nothing if nothing is expected."""
    text = " ".join(sentence for sentence, _ in expectation_sentences(rows))
    return [("As expected", text)] if text else []


def other_notices(found: Runtime) -> tuple[str, ...]:
    """Return what limits the figures, but for what is an answer itself."""
    return found.notices[1:] if found.comparison is Comparison.UNKNOWN else found.notices


def _how_long(findings: Findings, found: Runtime) -> str:
    figures = found.figures
    known = np.isfinite(figures.wall.value[-1])
    shown, unit = (figures.wall, "s") if known else (figures.effort, found.effort_unit)
    value, lower, upper = (float(v[-1]) for v in (shown.value, shown.lower, shown.upper))
    text = f"{estimate_text(value, lower, upper, unit)} {'of wall time ' if known else ''}"
    text += f"at {findings.place(figures.points[-1])}"
    text += f" {found.per}" if found.per else ""
    text += f" (90{SPACE}% interval"
    effort = float(figures.effort.value[-1])
    text += f"; {quantity(effort, found.effort_unit)})" if known and np.isfinite(effort) else ")"
    largest = findings.largest  # measured points come first
    if not figures.measured[-1]:
        text += f", after {quantity(float(shown.value[largest]), unit)} measured"
        text += f" at {findings.place(figures.points[largest])}"
    return f"{text}.{_far(float(figures.extrapolation[-1]))}"


def _far(factor: float) -> str:
    """Say how far the target lies beyond the measured range, with a warning if it is far."""
    if factor <= 1:
        return ""
    text = f" The target lies {factor:.3g} times beyond the measured range"
    if factor > VERY_FAR:
        return f"{text}: far too much to decide on; measure at larger scales."
    return f"{text}: far; measure in between before deciding." if factor > FAR else f"{text}."


def _how_far(findings: Findings, found: Runtime) -> str:
    figures = found.figures
    if found.comparison is Comparison.UNKNOWN:
        return f"{found.notices[0][:1].upper()}{found.notices[0][1:]}." if found.notices else "Unknown."
    if found.comparison is Comparison.SIZE:
        return _growth(findings, found)
    text = f"{_fastest(findings, found.fastest)} {_efficient(findings, found)}".strip()
    efficiency = figures.of_scaling
    share, lower, upper = (float(end[-1]) for end in (efficiency.value, efficiency.lower, efficiency.upper))
    there = f" At {findings.place(figures.points[-1])}: "
    if np.isfinite(figures.speedup.value[-1]):
        there += f"speed-up {figure(float(figures.speedup.value[-1]))}, "
    text += f"{there}efficiency {estimate_text(share, lower, upper, write=percent)}."
    return text + _busy(findings, figures)


def _busy(findings: Findings, figures: Figures) -> str:
    """Say how busy accelerators are at the largest measured scale and at the target, if there are any."""
    busy = figures.gpu_busy
    if not np.isfinite(busy.value[-1]):
        return ""
    largest = findings.largest  # measured points come first
    share, lower, upper = (float(end[-1]) for end in (busy.value, busy.lower, busy.upper))
    return (
        f" GPUs are busy for {percent(float(busy.value[largest]))} of the time at "
        f"{findings.place(figures.points[largest])} (measured), "
        f"{estimate_text(share, lower, upper, write=percent)} at {findings.place(figures.points[-1])}."
    )


def _growth(findings: Findings, found: Runtime) -> str:
    """Say how time grows with a size, from the reference to the target."""
    figures, name = found.figures, found.parameter
    size = float(figures.points[-1, findings.column] / figures.reference[-1, findings.column])
    ratio, rate = figures.time_ratio, float(figures.work_rate.value[-1])
    value, upper, lower = (float(end[-1]) for end in (ratio.value, ratio.lower, ratio.upper))  # 1 / time
    if size <= 1 or not value > 0:
        return "How time grows is known at the measured sizes only."
    with np.errstate(divide="ignore"):
        power, low, high = (float(one) for one in -np.log([value, lower, upper]) / np.log(size))
    reference, target = findings.place(figures.reference[-1]), findings.place(figures.points[-1])
    per_second = f"; {name} per second is {figure(rate)} times that at {reference}" if rate > 0 else ""
    return (
        f"From {reference} to {target} time grows like {name}^{figure(power)} on average "
        f"(90{SPACE}% interval {interval_text(low, high)}){per_second}."
    )


def _fastest(findings: Findings, limit: Limit | None) -> str:
    if limit is None:
        return ""
    end = ", the largest scale considered" if limit.at_the_end else ""
    return f"Fastest at {findings.place(limit.point)}{end} ({quantity(limit.value, 's')}, {_origin(limit)})."


def _efficient(findings: Findings, found: Runtime) -> str:
    limit, threshold = found.efficient_up_to, given_percent(found.threshold)
    if limit is None:
        return f"Below {threshold} efficiency at every scale considered."
    end = ", the largest scale considered" if limit.at_the_end else ""
    there = f"{findings.place(limit.point)}{interval_behind(limit, found.parameter)}"
    text = f"At least {threshold} efficient up to {there}{end}"
    return f"{text} ({_origin(limit)})."


def _origin(limit: Limit) -> str:
    return "measured" if limit.measured else "predicted"


def _what_breaks(findings: Findings, found: Runtime) -> str:
    if not found.losses:
        return dominance(findings)
    return " ".join(_lost(findings, losses, found.effort_unit) for losses in found.losses)


def _lost_to(findings: Findings, found: Runtime) -> list[Answer]:
    """Say why efficiency is lost at the target, if that is known."""
    if not found.losses or not found.causes[-1]:
        return []
    place = findings.place(found.losses[-1].point)
    return [("Lost to", f"At {place}: {causes_text(causes_json(found.causes[-1]))}.")]


def _lost(findings: Findings, losses: Losses, unit: str) -> str:
    where = f"{findings.place(losses.point)} ({'measured' if losses.measured else 'predicted'})"
    if losses.total <= 0:
        return f"Nothing is lost at {where} against ideal scaling."
    factor, unit = readable_unit(losses.total, unit)
    rows = zip(losses.regions, losses.kinds, losses.core_seconds.tolist(), strict=True)
    named = [(region, lost) for region, kind, lost in rows if kind == "kernel" and lost > 0][:NAMED]
    listed = ", ".join(f"{sentence_name(region)}{SPACE}{figure(lost * factor)}" for region, lost in named)
    apart = losses.total - float(losses.core_seconds[np.array(losses.kinds) == "kernel"].sum())
    text = f"{figure(losses.total * factor)} {unit} are lost at {where}"
    text += f", most in {listed}" if listed else ""
    if apart > losses.total / 10:
        text += f"; start-up, shut-down and measuring {figure(apart * factor)}"
    return f"{text}."


def _doubts(reasons: Sequence[Reason]) -> list[Reason]:
    """Return the reasons against trust, the worst first; all reasons if none is against it."""
    doubts = sorted((one for one in reasons if one.trust < Trust.HIGH), key=lambda one: one.trust)
    return doubts or list(reasons)


def _how_sure(findings: Findings, found: Runtime) -> str:
    trust, test = found.trust, found.back_test
    reasons = [reason for reason in trust.reasons if reason.name != "back-test" or test is None]
    listed = ", ".join(reason.text for reason in _doubts(reasons))
    text = f"Trust is {trust.trust.word}: {listed}."
    if test is None:
        return text
    unit = findings.analysis.callpaths.kernels.unit
    factor, unit = display_unit(unit, max(test.value, test.measured))
    value, lower, upper = (number * factor for number in (test.value, test.lower, test.upper))
    inside = "inside" if test.inside else "outside"
    return (
        f"{text} Back-test: without {findings.place(test.point)} the models predict "
        f"{estimate_text(value, lower, upper, unit)} there; {figure(test.measured * factor)} {unit} "
        f"were {test.judged_by}, {inside} the interval."
    )

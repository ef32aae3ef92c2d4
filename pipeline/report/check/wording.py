"""The words that all outputs of a check share: names, headline, one paragraph per kernel."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import PurePosixPath

from pipeline.columns.changes import measured_at
from pipeline.gate.check_result import (
    Cause,
    CheckResult,
    Ground,
    KernelResult,
    Outcome,
    Power,
    Rename,
    Ruling,
)
from pipeline.gate.kernel_values import Scope
from pipeline.models.kernels import is_time
from pipeline.questions.expected_growth import Judgement
from pipeline.wording.quantities import WIDEST, callpath_text, counted, figure, growth_text, point_text, times


@dataclass(frozen=True, kw_only=True)
class VerdictRow:
    """How outputs show a verdict; an empty text leaves it out there."""

    label: str  # before its kernels in the terminal
    style: str  # in the terminal
    heading: str = ""  # of its section in Markdown
    compared: str  # what a comparison of two studies calls it
    explained: bool = False  # whether the terminal shows its evidence, whatever there is to advise
    checked: bool = True  # whether the kernel counts as checked
    skipped: bool = False  # whether JUnit shows it as skipped
    sarif: str = ""  # and `github`, `gitlab`: its level, command and severity there
    github: str = ""
    gitlab: str = ""


VERDICT_ROWS: Mapping[Ruling, VerdictRow] = {
    Ruling.REGRESSION: VerdictRow(
        label="REGRESSION",
        style="bold red",
        heading="Regressions",
        compared="worse",
        explained=True,
        sarif="error",
        github="error",
        gitlab="critical",
    ),
    Ruling.WAIVED: VerdictRow(
        label="waived",
        style="yellow",
        heading="Waived",
        compared="worse",
        explained=True,
        skipped=True,
        sarif="error",
        gitlab="info",
    ),
    Ruling.INCONCLUSIVE: VerdictRow(
        label="unclear",
        style="yellow",
        heading="Too noisy to judge",
        compared="inconclusive",
        skipped=True,
        sarif="note",
        github="warning",
        gitlab="minor",
    ),
    Ruling.NEW: VerdictRow(
        label="new", style="cyan", heading="New", compared="new", explained=True, checked=False
    ),
    Ruling.VANISHED: VerdictRow(
        label="gone", style="cyan", heading="Vanished", compared="gone", explained=True, checked=False
    ),
    Ruling.IMPROVEMENT: VerdictRow(
        label="improved", style="green", heading="Improvements", compared="better"
    ),
    Ruling.NOT_COMPARABLE: VerdictRow(
        label="not comparable",
        style="yellow",
        heading="Not comparable: time of functions that one study did not record",
        compared="not comparable",
        checked=False,
        skipped=True,
    ),
    Ruling.NOT_RECORDED: VerdictRow(
        label="not recorded",
        style="dim",
        heading="Recorded in one study only",
        compared="not recorded",
        checked=False,
        skipped=True,
    ),
    Ruling.UNCHANGED: VerdictRow(label="no change", style="dim", compared="no significant change"),
}
_INCONCLUSIVE = "inconclusive"
_RULES: tuple[tuple[str, str, tuple[Ground, ...]], ...] = (
    (
        "effort-increased",
        "Measured effort exceeds the baseline by significantly more than the factor",
        (Ground.MEASURED, Ground.EVERYWHERE),
    ),
    ("growth-worsened", "The kernel scales worse than in the baseline", (Ground.GROWTH,)),
    (
        "prediction-worse",
        "The models predict more effort than the baseline at the target scale",
        (Ground.MODELS,),
    ),
    ("all-kernels-slower", "All kernels together take more effort than in the baseline", (Ground.COMMON,)),
    ("new-kernel", "A kernel that is not in the baseline takes a large share", (Ground.NEW,)),
    (
        "not-recorded",
        "The studies recorded different functions, so the kernel cannot be compared",
        (Ground.RECORDING,),
    ),
    ("growth-ceiling", "The kernel grows faster than its rule allows", (Ground.GROWTH_RULE,)),
    ("share-ceiling", "The kernel takes a larger share than its rule allows", (Ground.SHARE_RULE,)),
    ("efficiency-floor", "Parallel efficiency is below its rule", (Ground.EFFICIENCY_RULE,)),
    ("total-ceiling", "The predicted total is above its rule", (Ground.TOTAL_RULE,)),
    ("expectation", "What is expected of its growth is exceeded, or undecided", ()),
    (_INCONCLUSIVE, "The measurements are too noisy to decide whether the kernel changed", ()),
)
RULE_TEXTS: Mapping[str, str] = {name: text for name, text, _ in _RULES}
RULE_IDS: Mapping[Ground, str] = {ground: name for name, _, grounds in _RULES for ground in grounds}
CAUSES: Mapping[Cause, str] = {
    Cause.INCOMPARABLE: "the studies cannot be compared",
    Cause.MISSING: "points of the baseline are missing",
    Cause.SKIPPED: "input was skipped",
    Cause.COMMON: "all kernels are slower together",
    Cause.POWER: "a change of the size to detect could have been missed",
    Cause.NOISE: "the measurements are too noisy",
}


def kernel_name(result: KernelResult, width: int = 10_000) -> str:
    """Return the name of a kernel, cut in the middle if it is too long."""
    return callpath_text(result.kernel.callpath, width)


def headline(result: CheckResult) -> str:
    """Return the outcome in one sentence."""
    if result.outcome is Outcome.REGRESSED:
        return f"Scalability regression in {_functions(result.of(Ruling.REGRESSION)) or 'the total'}"
    if result.outcome is Outcome.EXCEEDED:
        exceeded = sum(one.judgement is Judgement.EXCEEDED for one in result.expectations)
        return f"{exceeded} of {counted(len(result.expectations), 'expectation')} exceeded"
    if result.outcome is Outcome.INCONCLUSIVE:
        if any(one.kernel.level is Scope.TOTAL for one in result.of(Ruling.INCONCLUSIVE)):
            return "Inconclusive: the whole program is too noisy to judge"
        return f"Inconclusive: {result.reasons[0].headline or CAUSES[result.reasons[0].cause]}"
    power = result.power
    if power is None or power.kernel_factor is None or power.kernel_factor <= power.asked:
        return "No scalability regression"
    hidden = f"a factor below {figure(power.kernel_factor)} in {_largest(power)} could have been missed"
    return f"No scalability regression, but {hidden}"


_RATIOS = {Ground.MEASURED, Ground.EVERYWHERE, Ground.GROWTH, Ground.MODELS}
_DIGITS_AHEAD = 2


def change_text(one: KernelResult, unit: str, than: str = "") -> str:
    """Say how a kernel changed where its verdict rests on and at the last target; else its strongest reason.

    As in ``9.1 times slower at n = 256000, about 33 times (19 to 67) at n = 1024000``.
    """
    if one.evidence and _RATIOS.isdisjoint(found.ground for found in one.evidence):
        return one.evidence[0].text
    factor, word, parts = "", "", []
    if (now := one.stated) is not None and isfinite(now.ratio) and now.ratio > 0:
        factor, word = _changed(now.ratio, unit, than)
        parts.append(f"{factor}{word} at {measured_at(now.at)}")
    for ahead in one.target[-1:]:
        if isfinite(ahead.ratio) and not 0 < ahead.upper <= WIDEST * ahead.lower:
            parts.append(f"prediction too uncertain at {point_text(ahead.at)}")
        elif isfinite(ahead.ratio):
            later, changed = _changed(ahead.ratio, unit, than, _DIGITS_AHEAD)
            is_faster = is_time("", unit) and ahead.ratio < 1
            ends = (1 / ahead.upper, 1 / ahead.lower) if is_faster else (ahead.lower, ahead.upper)
            said = "" if changed == word else changed
            interval = " to ".join(figure(end, _DIGITS_AHEAD) for end in ends)
            parts.append(f"about {later}{said} ({interval}) at {point_text(ahead.at)}")
    return ", ".join(parts) or (one.evidence[0].text if one.evidence else "")


def _changed(ratio: float, unit: str, than: str, digits: int = 3) -> tuple[str, str]:
    """Return a factor in words and what it is one of; times are longer or shorter, other metrics more."""
    timed = is_time("", unit)
    factor = 1 / ratio if timed and ratio < 1 else ratio
    if abs(factor - 1) < 0.5 * 10.0 ** (1 - digits):
        return ("as fast" if timed else "as much"), f" as {than}" if than else ""
    if not timed:
        return times(factor, digits), f" as much as {than}" if than else " as much"
    return times(factor, digits), f" {'faster' if ratio < 1 else 'slower'}{f' than {than}' if than else ''}"


def factor_text(ratio: float, unit: str) -> str:
    """Write how much slower or faster something is, of metrics other than time how much more."""
    return "".join(_changed(ratio, unit, ""))


def growth_words(one: KernelResult) -> str:
    """Say how a kernel grew and grows if that is a reason for its verdict, else nothing."""
    if all(found.ground is not Ground.GROWTH for found in one.evidence):
        return ""
    before, now = (growth_text(side.growth) if side else "" for side in (one.baseline, one.candidate))
    return f"was {before}, is now about {now}" if before and now and before != now else ""


def _functions(kernels: Iterable[KernelResult]) -> str:
    """Count the functions of kernels, each of which may be there as a region and as call paths."""
    found = {one.kernel.region for one in kernels if one.kernel.level is not Scope.TOTAL}
    return counted(len(found), "function") if found else ""


def _checked(result: CheckResult) -> str:
    return _functions(one for one in result.kernels if VERDICT_ROWS[one.verdict].checked) or "the total"


def seen_text(result: CheckResult) -> str:
    """Say in one sentence what was checked, and which slowdown would have been seen."""
    checked = f"{_checked(result)}, {counted(len(result.points), 'point')}"
    power = result.power
    if power is None:
        return checked
    if power.total_factor is None:
        return f"{checked}; without repetitions it is not known what would have been seen"
    factors = [(power.kernel_factor, _largest(power)), (power.total_factor, "the total")]
    seen = ", ".join(f"{figure(factor)} in {what}" for factor, what in factors if factor is not None)
    alone = "; nothing is said of other scales" if power.points == 1 else ""
    return f"{checked}; a change by a factor of {seen} would have been seen{alone}"


def _largest(power: Power) -> str:
    return f"the {power.kernels} largest functions" if power.kernels != 1 else "the largest function"


def rename_text(rename: Rename) -> str:
    """Return what was compared under which other name."""
    before, now = callpath_text(rename.before, 80), callpath_text(rename.now, 80)
    if rename.kind == "renamed":
        return f"renamed: {before} → {now}"
    if rename.kind == "extracted":
        return f"extracted from {before}: {now}; compared together"
    return f"now part of {now}: {before}; compared together"


def story(result: KernelResult) -> str:
    """Return all about a kernel in one paragraph: evidence, places, advice."""
    parts = [e.text for e in result.evidence]
    if result.located:
        parts.append("mostly in " + "; ".join(callpath_text(path, 90) for path in result.located))
    if result.advice:
        parts.append(result.advice)
    return "; ".join(parts)


def rule_id(result: KernelResult) -> str:
    """Return the identifier of the strongest reason of a verdict."""
    return RULE_IDS[result.evidence[0].ground] if result.evidence else _INCONCLUSIVE


def basis(result: CheckResult) -> str:
    """Return what the check rests on."""
    targets = " and predicted for " + " and ".join(map(point_text, result.targets)) if result.predicts else ""
    return (
        f"{_checked(result)} checked at {counted(len(result.points), 'point')}{targets}; "
        f"{result.below_share_floor} below the share floor; {counted(result.tests, 'test')}, "
        f"false alarms controlled by Holm's procedure"
    )


def source_file(result: KernelResult, root: str) -> str:
    """Return the source file of a kernel relative to the directory `root`; empty if it is unknown."""
    if not result.file or result.line < 1:
        return ""
    return relative_to(result.file, root)


def relative_to(file: str, root: str) -> str:
    """Return a file relative to a directory that it is in; as it is if it is elsewhere."""
    path = PurePosixPath(file)
    if root and path.is_relative_to(root):
        return str(path.relative_to(root))
    return str(path)

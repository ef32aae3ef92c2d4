"""The words that all outputs of a check share: names, headline, one paragraph per kernel."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from pipeline.gate.result import (
    Change,
    CheckResult,
    Ground,
    KernelResult,
    Outcome,
    Verdict,
    growth_text,
    plain_number,
    point_text,
)
from pipeline.report.formatting import callpath_text, counted

RULE_IDS: Mapping[Ground, str] = {
    Ground.MEASURED: "effort-increased",
    Ground.GROWTH: "growth-worsened",
    Ground.TARGET: "target-worse",
    Ground.MODELS: "prediction-worse",
    Ground.NEW: "new-kernel",
    Ground.RECORDING: "not-recorded",
    Ground.GROWTH_RULE: "growth-ceiling",
    Ground.SHARE_RULE: "share-ceiling",
    Ground.EFFICIENCY_RULE: "efficiency-floor",
    Ground.TOTAL_RULE: "total-ceiling",
}
INCONCLUSIVE = "inconclusive"
RULE_TEXTS: Mapping[str, str] = {
    "effort-increased": "Measured effort exceeds the baseline by significantly more than the factor",
    "growth-worsened": "The kernel scales worse than in the baseline",
    "target-worse": "Extrapolated to the target scale, effort exceeds the baseline",
    "prediction-worse": "The models predict more effort than the baseline at the target scale",
    "new-kernel": "A kernel that is not in the baseline takes a large share",
    "not-recorded": "The studies recorded different functions, so the kernel cannot be compared",
    "growth-ceiling": "The kernel grows faster than its rule allows",
    "share-ceiling": "The kernel takes a larger share than its rule allows",
    "efficiency-floor": "Parallel efficiency is below its rule",
    "total-ceiling": "The predicted total is above its rule",
    INCONCLUSIVE: "The measurements are too noisy to decide whether the kernel changed",
}


def kernel_name(result: KernelResult, width: int = 10_000) -> str:
    """Return the name of a kernel, cut in the middle if it is too long."""
    return callpath_text(result.kernel.callpath, width)


def headline(result: CheckResult) -> str:
    """Return the outcome in one sentence."""
    if result.outcome is Outcome.REGRESSED:
        return f"Scalability regression in {counted(len(result.of(Verdict.REGRESSION)), 'kernel')}"
    if result.outcome is Outcome.INCONCLUSIVE:
        if result.reasons:
            return "Inconclusive: the studies cannot be compared"
        return f"Inconclusive: {counted(len(result.of(Verdict.INCONCLUSIVE)), 'kernel')} too noisy to judge"
    return "No scalability regression"


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
    return RULE_IDS[result.evidence[0].ground] if result.evidence else INCONCLUSIVE


def growth_change(result: KernelResult) -> str:
    """Return the growth before and now, once if it is the same; empty if it is not known."""
    sides = (result.baseline, result.candidate)
    growths = [growth_text(side.growth) for side in sides if side is not None and side.growth]
    return " → ".join(dict.fromkeys(growths))


def interval_text(change: Change) -> str:
    """Return ``1.1 … 1.9``."""
    return f"{plain_number(change.lower, 2)} … {plain_number(change.upper, 2)}"


def basis(result: CheckResult) -> str:
    """Return what the check rests on."""
    targets = " and ".join(map(point_text, result.targets))
    unchecked = (Verdict.NEW, Verdict.VANISHED, Verdict.NOT_COMPARABLE, Verdict.NOT_RECORDED)
    checked = len(result.kernels) - len(result.of(*unchecked))
    return (
        f"{counted(checked, 'kernel')} checked at {counted(len(result.points), 'point')} and extrapolated to "
        f"{targets}; {result.below_share_floor} below the share floor; {counted(result.tests, 'test')}, "
        f"false alarms controlled by Holm's procedure"
    )


def source_file(result: KernelResult, root: str) -> str:
    """Return the source file of a kernel relative to `root`; empty if it is unknown.

    Args:
        result: about the kernel.
        root: directory that the files were compiled in; empty leaves absolute paths as they are.
    """
    if not result.file or result.line < 1:
        return ""
    path = PurePosixPath(result.file)
    if root and path.is_relative_to(root):
        return str(path.relative_to(root))
    return str(path)

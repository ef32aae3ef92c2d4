"""The words that every output of a check shares: names, headline, one-line story of a kernel."""

from collections.abc import Mapping

from ingest.names import short_name
from pipeline.gate.decision import CheckResult, Decision, Outcome, Verdict
from pipeline.gate.snapshot import Level
from pipeline.report.formatting import callpath_text

RULE_IDS: Mapping[str, str] = {
    "measured": "effort-increased",
    "growth": "growth-worsened",
    "target": "target-worse",
    "models": "prediction-worse",
    "new kernel": "new-kernel",
    "growth rule": "growth-ceiling",
    "share rule": "share-ceiling",
    "efficiency rule": "efficiency-floor",
    "total rule": "total-ceiling",
}
RULE_TEXTS: Mapping[str, str] = {
    "effort-increased": "Measured effort is higher than the baseline's by more than the factor, beyond doubt",
    "growth-worsened": "The kernel scales worse than in the baseline",
    "target-worse": "At the target scale the kernel heads for more effort than the baseline",
    "prediction-worse": "The models predict more effort than the baseline at the target scale",
    "new-kernel": "A kernel that the baseline does not know takes a large share",
    "growth-ceiling": "The kernel grows faster than its rule allows",
    "share-ceiling": "The kernel takes a larger share than its rule allows",
    "efficiency-floor": "Parallel efficiency is below its rule",
    "total-ceiling": "The predicted total is above its rule",
    "inconclusive": "The measurement cannot tell whether the kernel changed",
}


def kernel_name(decision: Decision, width: int = 10_000) -> str:
    """Return the name of a kernel, cut in the middle where it is too long."""
    kernel = decision.kernel
    if kernel.level is Level.TOTAL:
        return "total"
    return (
        short_name(kernel.callpath[-1])
        if kernel.level is Level.REGION
        else callpath_text(kernel.callpath, width)
    )


def headline(result: CheckResult) -> str:
    """Say the outcome in one sentence."""
    regressions = len(result.of(Verdict.REGRESSION))
    doubtful = len(result.of(Verdict.INCONCLUSIVE))
    if result.outcome is Outcome.REGRESSED:
        return f"Scalability regression in {count(regressions, 'kernel')}"
    if result.outcome is Outcome.INCONCLUSIVE:
        about = (
            "the studies cannot be compared"
            if result.reasons
            else f"{count(doubtful, 'kernel')} too noisy to judge"
        )
        return f"Inconclusive: {about}"
    return "No scalability regression"


def count(n: int, what: str) -> str:
    """Return ``1 kernel``, ``2 kernels``."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def story(decision: Decision) -> str:
    """Say all about a kernel in one paragraph: evidence, then where, then what to do."""
    parts = [e.text for e in decision.evidence]
    if decision.located:
        parts.append("most of it in " + "; ".join(callpath_text(p, 90) for p in decision.located))
    if decision.advice:
        parts.append(decision.advice)
    return "; ".join(parts)


def rule_id(decision: Decision) -> str:
    """Return the identifier of the strongest reason of a decision."""
    return RULE_IDS[decision.evidence[0].ground.value] if decision.evidence else "inconclusive"


def basis(result: CheckResult) -> str:
    """Say what the check rests on."""
    targets = " and ".join(", ".join(f"{k} = {v:g}" for k, v in t.items()) for t in result.targets)
    judged = len([d for d in result.decisions if d.verdict not in (Verdict.NEW, Verdict.VANISHED)])
    return (
        f"{count(judged, 'kernel')} judged at {count(len(result.points), 'point')} and for {targets}, "
        f"{result.small} below the share floor; {count(result.tests, 'test')}, "
        f"false alarms held by Holm's procedure"
    )

"""`check.json`: a check as plain data (schema: docs/check.schema.json)."""

from collections.abc import Sequence
from typing import Any

from pipeline.gate.decision import Change, CheckResult, Decision, Side
from pipeline.report.formatting import number

VERSION = 1


def check_document(result: CheckResult) -> dict[str, Any]:
    """Return the documented shape."""
    return {
        "version": VERSION,
        "outcome": result.outcome.name.lower(),
        "exit_code": int(result.outcome),
        "reasons": list(result.reasons),
        "notices": list(result.notices),
        "unit": result.unit,
        "points": [dict(point) for point in result.points],
        "targets": [dict(point) for point in result.targets],
        "tests": result.tests,
        "correction": "holm",
        "below_share_floor": result.small,
        "kernels": [_kernel(decision) for decision in result.decisions],
    }


def _kernel(decision: Decision) -> dict[str, Any]:
    return {
        "level": decision.kernel.level.value,
        "callpath": list(decision.kernel.callpath),
        "region": decision.kernel.callpath[-1],
        "verdict": decision.verdict.value,
        "evidence": [
            {"ground": e.ground.value, "text": e.text, "p": None if e.p is None else number(e.p)}
            for e in decision.evidence
        ],
        "baseline": _side(decision.baseline),
        "candidate": _side(decision.candidate),
        "measured": _changes(decision.measured),
        "target": _changes(decision.target),
        "detectable": None if decision.detectable is None else number(decision.detectable),
        "file": decision.file,
        "line": decision.line,
        "located": [list(path) for path in decision.located],
        "advice": decision.advice,
    }


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "value": number(side.value),
        "share": number(side.share),
        "growth": side.growth,
        "formula": side.formula,
        "predicted": [
            {"value": number(v), "lower": number(low), "upper": number(high)}
            for v, low, high in side.predicted
        ],
    }


def _changes(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [
        {"at": dict(c.at), "ratio": number(c.ratio), "lower": number(c.lower), "upper": number(c.upper)}
        for c in changes
    ]

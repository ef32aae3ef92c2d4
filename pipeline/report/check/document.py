"""A check or a comparison as plain data: check.json (schema: docs/reference/check.schema.json)."""

from collections.abc import Sequence
from typing import Any

from pipeline.gate.check_result import Change, CheckResult, Common, KernelResult, Power, StudySide
from pipeline.gate.kernel_values import KernelId
from pipeline.wording.quantities import number

VERSION = 1


def check_document(result: CheckResult) -> dict[str, Any]:
    """Return the documented shape of check.json."""
    return {
        "version": VERSION,
        "outcome": result.outcome.name.lower(),
        "exit_code": int(result.outcome),
        "reasons": [reason.text for reason in result.reasons],
        "causes": [reason.cause.value for reason in result.reasons],
        "notices": list(result.notices),
        "unit": result.unit,
        "points": [dict(point) for point in result.points],
        "targets": [dict(point) for point in result.targets],
        "tests": result.tests,
        "correction": "holm",
        "below_share_floor": result.below_share_floor,
        "missing": [dict(point) for point in result.missing],
        "common": None if result.common is None else _common(result.common),
        "power": None if result.power is None else _power(result.power),
        "renames": [
            {"kind": one.kind, "before": list(one.before), "now": list(one.now)} for one in result.renames
        ],
        "kernels": [_kernel(one) for one in result.kernels],
    }


def comparison_document(
    result: CheckResult, renamed: Sequence[tuple[KernelId, KernelId]], a: str, b: str
) -> dict[str, Any]:
    """Return a comparison as plain data: the shape of check.json without outcome and exit code.

    Args:
        result: B checked against A.
        renamed: pairs of kernels that are probably the same under another name.
        a, b: names of the two.
    """
    document = check_document(result)
    del document["exit_code"], document["outcome"]
    pairs = [{"a": list(old.callpath), "b": list(new.callpath)} for old, new in renamed]
    return {"a": a, "b": b, "renamed": pairs} | document


def _common(common: Common) -> dict[str, Any]:
    return {
        "verdict": common.verdict.value,
        "paired": common.paired,
        "mean": None if common.mean is None else _changes([common.mean])[0],
        "points": _changes(common.points),
        "text": common.text,
    }


def _power(power: Power) -> dict[str, Any]:
    factors = (
        "kernel_factor",
        "kernel_everywhere",
        "total_factor",
        "total_everywhere",
        "common_factor",
        "noisy_factor",
    )
    return {
        "at": dict(power.at),
        "points": power.points,
        "kernels": power.kernels,
        "share": number(power.share),
        "noisy": power.noisy,
    } | {name: None if (value := getattr(power, name)) is None else number(value) for name in factors}


def _kernel(result: KernelResult) -> dict[str, Any]:
    return {
        "level": result.kernel.level.value,
        "callpath": list(result.kernel.callpath),
        "region": result.kernel.region,
        "verdict": result.verdict.value,
        "evidence": [
            {"ground": e.ground.value, "text": e.text, "p": None if e.p is None else number(e.p)}
            for e in result.evidence
        ],
        "baseline": _side(result.baseline),
        "candidate": _side(result.candidate),
        "measured": _changes(result.measured),
        "target": _changes(result.target),
        "detectable": None if result.detectable is None else number(result.detectable),
        "file": result.file,
        "line": result.line,
        "located": [list(path) for path in result.located],
        "advice": result.advice,
    }


def _side(side: StudySide | None) -> dict[str, Any] | None:
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

"""A check or a comparison as plain data: check.json (schema: docs/reference/schemas/check.schema.json)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict, cast

from ingest.record_codec import as_plain, document, rounded
from pipeline.columns.json_schema import Published
from pipeline.gate.check_result import CheckResult, KernelResult
from pipeline.gate.kernel_values import KernelId

_VERSION = 1
_ENDS = ("value", "lower", "upper")


def check_document(result: CheckResult) -> dict[str, Any]:
    """Return the documented shape of check.json."""
    found = as_plain(replace(result, expectations=()))
    if found["power"] is not None:
        del found["power"]["has_common"]
    content: dict[str, Any] = {
        "version": _VERSION,
        "outcome": result.outcome.name.lower(),
        "exit_code": int(result.outcome),
        "reasons": [reason.text for reason in result.reasons],
        "causes": [reason.cause.value for reason in result.reasons],
        "correction": "holm",
        **{name: value for name, value in found.items() if name not in {"outcome", "reasons", "kernels"}},
        "expectations": document(result.expectations),
        "kernels": [_kernel(one) for one in result.kernels],
    }
    plain: dict[str, Any] = rounded(content)
    return plain


def _of_check(key: str) -> Published:
    return Published(name="check", at=f"/properties/{key}")


class RenamedJson(TypedDict):
    """Kernels that are perhaps one, as A and B call it."""

    a: list[str]
    b: list[str]


class ComparisonJson(TypedDict):
    """A comparison of A, in the place of a baseline, and B; the rest is as in check.json."""

    a: str
    b: str
    renamed: list[RenamedJson]
    version: Annotated[int, _of_check("version")]
    reasons: Annotated[list[str], _of_check("reasons")]
    causes: Annotated[list[str], _of_check("causes")]
    notices: Annotated[list[str], _of_check("notices")]
    unit: Annotated[str, _of_check("unit")]
    points: Annotated[list[Any], _of_check("points")]
    targets: Annotated[list[Any], _of_check("targets")]
    tests: Annotated[int, _of_check("tests")]
    correction: Annotated[str, _of_check("correction")]
    below_share_floor: Annotated[int, _of_check("below_share_floor")]
    missing: Annotated[list[Any], _of_check("missing")]
    common: Annotated[Any, _of_check("common")]
    power: Annotated[Any, _of_check("power")]
    renames: Annotated[list[Any], _of_check("renames")]
    kernels: Annotated[list[Any], _of_check("kernels")]


def comparison_document(
    result: CheckResult, renamed: Sequence[tuple[KernelId, KernelId]], a: str, b: str
) -> ComparisonJson:
    """Return a comparison of A and B as plain data: the shape of check.json without outcome and exit code."""
    document = check_document(result)
    del document["exit_code"], document["outcome"], document["expectations"]
    pairs = [{"a": list(old.callpath), "b": list(new.callpath)} for old, new in renamed]
    return cast(ComparisonJson, {"a": a, "b": b, "renamed": pairs} | document)


def _kernel(result: KernelResult) -> dict[str, Any]:
    shown = as_plain(result)
    kernel, _ = shown.pop("kernel"), shown.pop("masked")
    for finding in shown["evidence"]:
        del finding["change"]
    for side in filter(None, (shown["baseline"], shown["candidate"])):
        side["predicted"] = [dict(zip(_ENDS, ends, strict=True)) for ends in side["predicted"]]
    return {**kernel, "region": result.kernel.region, **shown, "stated": as_plain(result.stated)}

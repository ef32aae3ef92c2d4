"""A check or a comparison as plain data: check.json (schema: docs/reference/schemas/check.schema.json)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from ingest.record_codec import document
from pipeline.columns.published import Published
from pipeline.gate.check_result import CheckResult
from pipeline.gate.compared_studies import TwoStudies


def check_document(result: CheckResult) -> dict[str, Any]:
    """Return the documented shape of check.json."""
    return {
        "version": 1,
        "outcome": result.outcome.name.lower(),
        "exit_code": int(result.outcome),
        "reasons": [reason.text for reason in result.reasons],
        "causes": [reason.cause.value for reason in result.reasons],
        "correction": "holm",
        **document(result),
        "kernels": [
            {
                **document(one.kernel),
                "region": one.kernel.region,
                **document(one),
                "stated": document(one.stated),
            }
            for one in result.kernels
        ],
    }


def _of_check(key: str) -> Published:
    return Published(name="check", at=f"/properties/{key}")


@dataclass(frozen=True, kw_only=True)
class Renamed:
    """Kernels that are perhaps one, as A and B call it."""

    a: Sequence[str]
    b: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class StudyComparison:
    """A comparison of A, in the place of a baseline, and B; the rest is as in check.json."""

    a: str
    b: str
    renamed: Sequence[Renamed]
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


def comparison_document(found: TwoStudies) -> StudyComparison:
    """Return a comparison of A and B: the shape of check.json without what only a check has."""
    content = check_document(found.result)
    del content["exit_code"], content["outcome"], content["expectations"]
    pairs = [Renamed(a=old.callpath, b=new.callpath) for old, new in found.renamed]
    return StudyComparison(a=found.names[0], b=found.names[1], renamed=pairs, **content)

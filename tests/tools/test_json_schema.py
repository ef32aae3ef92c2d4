from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, ClassVar, Literal

import jsonschema
import pytest

from ingest.record_codec import NO_ENTRY, entry
from pipeline.columns.published import Published
from tools.json_schema import DIALECT, json_schema


class Kind(Enum):
    ONE = "one"


@dataclass(frozen=True)
class Inner:
    """Inside."""

    name: str


@dataclass(frozen=True)
class Whole:
    """Whole.

    And more.
    """

    kind: Annotated[Literal["a", "b"], "which"]
    inner: Inner | None
    several: list[Inner]
    pair: tuple[int, int]
    by_name: dict[str, float]
    later: bool | None = field(default=None, metadata=entry(may_lack=True))


@dataclass(frozen=True)
class References:
    of_check: Annotated[int, Published(name="check", at="/properties/tests")]
    summary: Annotated[dict[str, Any], Published(name="summary")]


GOOD = {
    "kind": "a",
    "inner": None,
    "several": [{"name": "x"}],
    "pair": [1, 2],
    "by_name": {"p": 1.5},
}


def test_a_record_becomes_a_closed_object_with_its_descriptions():
    schema = json_schema(Whole, "The whole")
    assert (schema["title"], schema["description"]) == ("The whole", "Whole.")
    assert schema["required"] == ["kind", "inner", "several", "pair", "by_name"]
    assert schema["properties"]["kind"] == {"enum": ["a", "b"], "description": "which"}
    assert schema["properties"]["several"]["items"] == {"$ref": "#/$defs/inner"}
    assert schema["$defs"]["inner"]["description"] == "Inside."
    jsonschema.validate(GOOD, schema)
    jsonschema.validate({**GOOD, "later": True, "inner": {"name": "y"}}, schema)


@pytest.mark.parametrize(
    "change",
    [
        {"other": 1},
        {"kind": "c"},
        {"inner": {"nome": "x"}},
        {"several": [{"name": "x", "more": 1}]},
        {"pair": [1]},
        {"pair": [1, 2, 3]},
        {"by_name": {"p": "1"}},
        {"later": 1},
    ],
)
def test_what_is_not_declared_is_refused(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**GOOD, **change}, json_schema(Whole, ""))


@dataclass(frozen=True)
class Counted:
    """A count."""

    document_name: ClassVar[str] = "counts"
    number: Annotated[int, "how many"]


def _texts(counts: tuple[Counted, ...]) -> tuple[Counted, ...]:
    return counts


@dataclass(frozen=True)
class Recorded:
    """A record.

    And more.
    """

    kind: Kind
    counts: tuple[Counted, ...]
    shares: Mapping[str, float | None]
    later: bool | None = field(default=None, metadata=entry(may_lack=True))
    other: None = field(default=None, metadata=entry("again", made=_texts))
    own: Kind | None = field(default=None, metadata=NO_ENTRY)


def test_a_record_becomes_the_schema_of_its_document():
    counts = {"type": "array", "items": {"$ref": "#/$defs/counts"}}
    assert json_schema(Recorded, "x") == {
        "$schema": DIALECT,
        "title": "x",
        "type": "object",
        "required": ["kind", "counts", "shares", "again"],
        "additionalProperties": False,
        "properties": {
            "kind": {"type": "string"},
            "counts": counts,
            "shares": {
                "type": "object",
                "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            },
            "later": {"type": "boolean"},
            "again": counts,
        },
        "description": "A record.",
        "$defs": {
            "counts": {
                "type": "object",
                "required": ["number"],
                "additionalProperties": False,
                "properties": {"number": {"type": "integer", "description": "how many"}},
                "description": "A count.",
            }
        },
    }


def test_a_missing_key_is_refused():
    for key in GOOD:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({k: v for k, v in GOOD.items() if k != key}, json_schema(Whole, ""))


def test_what_another_schema_describes_is_referred_to():
    schema = json_schema(References, "")
    assert schema["properties"]["of_check"] == {"$ref": "check.schema.json#/properties/tests"}
    assert schema["properties"]["summary"] == {"$ref": "summary.schema.json"}


def test_what_json_does_not_have_is_an_error():
    with pytest.raises(TypeError, match="JSON has no"):
        json_schema(list[set[int]], "")

"""The part of the SARIF 2.1.0 schema that `pipeline check` uses: only these keys, with these types.

Every key, enumeration and required key here is one of the OASIS schema's; what it allows beyond is refused,
so that a new key in the output must be looked up first.
"""

from typing import Any


def thing(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """An object that has these properties and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }


def several(of: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": of} | more


TEXT = {"type": "string"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = thing(("text",), text=TEXT)
LOCATION = thing(
    logicalLocations=several(thing(name=TEXT, fullyQualifiedName=TEXT, kind=TEXT), uniqueItems=True),
    physicalLocation=thing(
        ("artifactLocation",),
        artifactLocation=thing(uri={"type": "string", "format": "uri-reference"}),
        region=thing(("startLine",), startLine={"type": "integer", "minimum": 1}),
    ),
)
RESULT = thing(
    ("message",),
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=MESSAGE,
    locations=several(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    suppressions=several(
        thing(("kind",), kind={"enum": ["inSource", "external"]}, justification=TEXT), uniqueItems=True
    ),
)
RUN = thing(
    ("tool",),
    tool=thing(
        ("driver",),
        driver=thing(
            ("name",),
            name=TEXT,
            version=TEXT,
            rules=several(thing(("id",), id=TEXT, shortDescription=MESSAGE), uniqueItems=True),
        ),
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=several(
        thing(
            ("executionSuccessful",),
            executionSuccessful={"type": "boolean"},
            exitCode={"type": "integer"},
            exitCodeDescription=TEXT,
            toolExecutionNotifications=several(thing(("message",), level=LEVEL, message=MESSAGE)),
        )
    ),
    results=several(RESULT),
)
SARIF = thing(("version", "runs"), **{"$schema": TEXT}, version={"const": "2.1.0"}, runs=several(RUN))

"""JSON schemas (2020-12) made from what functions return: typed dictionaries, and rows of columns.

A document is declared once, as the type that its function returns; the type checker compares it with what the
function makes, and what is published is made from it here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pipeline.columns.column import Column
from pipeline.wording.quantities import FigureJson

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCALARS: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    Any: {},
}
SHARE: Mapping[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}

Schema = dict[str, Any]


class Nothing(TypedDict):
    """No further keys."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsOf:
    """Says of a list that its objects are rows of columns, with further keys beside those.

    Attributes:
        columns: as `json_rows` writes them; each value may be null.
        beside: a typed dictionary with the further keys.
    """

    columns: Sequence[Column[Any]]
    beside: type = Nothing


@dataclass(frozen=True, kw_only=True)
class Published:
    """Says that something has the shape that a published schema describes.

    Attributes:
        name: of the schema.
        at: place in it; the whole by default.
    """

    name: str
    at: str = ""


def json_schema(document: Any, title: str) -> Schema:  # noqa: ANN401  # whatever stands for a type
    """Return the schema of a document.

    Args:
        document: its type.
        title: of the schema.
    """
    maker = _Maker({})
    body = maker.schema(document)
    if "$ref" in body and len(body) == 1:
        body = maker.definitions.pop(body["$ref"].rpartition("/")[2])
    found: Schema = {"$schema": DIALECT, "title": title, **body}
    if maker.definitions:
        found["$defs"] = dict(sorted(maker.definitions.items()))
    return found


@dataclass(frozen=True)
class _Maker:
    """Makes schemas of types; those of typed dictionaries become definitions."""

    definitions: dict[str, Schema]

    def schema(self, kind: Any) -> Schema:  # noqa: ANN401
        if kind in SCALARS:
            return dict(SCALARS[kind])
        if is_typeddict(kind):
            return self._typed(kind)
        return self._composed(get_origin(kind), get_args(kind))

    def _composed(self, origin: Any, parts: tuple[Any, ...]) -> Schema:  # noqa: ANN401
        made: Schema
        if origin is Annotated:
            made = self._annotated(parts[0], parts[1:])
        elif origin is NotRequired:
            made = self.schema(parts[0])
        elif origin is Literal:
            made = {"enum": list(parts)}
        elif origin in (Union, UnionType):
            made = {"anyOf": [self.schema(part) for part in parts]}
        elif origin is tuple:
            of_parts = [self.schema(part) for part in parts]
            made = {"type": "array", "prefixItems": of_parts, "items": False, "minItems": len(parts)}
        elif origin is dict:
            made = {"type": "object", "additionalProperties": self.schema(parts[1])}
        elif origin is list:
            made = {"type": "array", "items": self.schema(parts[0])}
        else:
            raise TypeError(f"JSON has no {origin}")
        return made

    def _annotated(self, kind: Any, notes: Sequence[Any]) -> Schema:  # noqa: ANN401
        (note,) = notes
        if isinstance(note, RowsOf):
            return {"type": "array", "items": self._rows(note)}
        if isinstance(note, Published):
            return {"$ref": f"{note.name}.schema.json{note.at and '#' + note.at}"}
        return {**self.schema(kind), "description": note}

    def _typed(self, kind: Any) -> Schema:  # noqa: ANN401
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower().removesuffix("_json")
        if name not in self.definitions:
            self.definitions[name] = {}  # so that it may hold itself
            self.definitions[name] = self._object(kind) | _described(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, kind: Any) -> Schema:  # noqa: ANN401
        hints = get_type_hints(kind, include_extras=True)
        return {
            "type": "object",
            "required": [key for key in hints if key in kind.__required_keys__],
            "additionalProperties": False,
            "properties": {key: self.schema(hint) for key, hint in hints.items()},
        }

    def _rows(self, rows: RowsOf) -> Schema:
        found = self._object(rows.beside)
        self.definitions.setdefault("share", dict(SHARE))
        self._typed(FigureJson)
        for column in rows.columns:
            about = {"description": column.about} if column.about else {}
            found["properties"][column.key] = {"anyOf": [dict(column.kind.json), SCALARS[NoneType]], **about}
            found["required"].append(column.key)
        return found


def _described(kind: Any) -> Schema:  # noqa: ANN401
    text = (kind.__doc__ or "").strip().partition("\n")[0]
    return {"description": text} if text else {}

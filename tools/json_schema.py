"""JSON schemas (2020-12) made from records and typed dictionaries.

A document is declared once, as a record, which `record_codec.document` writes, or as the type that a function
returns; the type checker knows either, and what is published is made from it here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ingest.record_codec import entries
from pipeline.columns.published import Published

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    Any: {},
}

Schema = dict[str, Any]


def json_schema(document: Any, title: str) -> Schema:  # noqa: ANN401  # whatever stands for a type
    """Return the schema of a document."""
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
    """Makes schemas of types; those of records become definitions."""

    definitions: dict[str, Schema]

    def schema(self, kind: Any) -> Schema:  # noqa: ANN401
        if kind in _SCALARS:
            return dict(_SCALARS[kind])
        if is_dataclass(kind):
            return self._typed(kind)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return dict(_SCALARS[str])
        return self._composed(get_origin(kind), get_args(kind))

    def _composed(self, origin: Any, parts: tuple[Any, ...]) -> Schema:  # noqa: ANN401
        made: Schema
        if origin is Annotated:
            made = self._annotated(parts[0], parts[1:])
        elif origin is Literal:
            made = {"enum": list(parts)}
        elif origin in (Union, UnionType):
            made = {"anyOf": [self.schema(part) for part in parts]}
        elif origin in (list, Sequence) or (origin is tuple and parts[-1] is Ellipsis):
            made = {"type": "array", "items": self.schema(parts[0])}
        elif origin is tuple:
            of_parts = [self.schema(part) for part in parts]
            made = {"type": "array", "prefixItems": of_parts, "items": False, "minItems": len(parts)}
        elif origin in (dict, Mapping):
            made = {"type": "object", "additionalProperties": self.schema(parts[1])}
        else:
            raise TypeError(f"JSON has no {origin}")
        return made

    def _annotated(self, kind: Any, notes: Sequence[Any]) -> Schema:  # noqa: ANN401
        (note,) = notes
        if isinstance(note, Published):
            return {"$ref": f"{note.name}.schema.json{note.at and '#' + note.at}"}
        return {**self.schema(kind), "description": note}

    def _typed(self, kind: Any) -> Schema:  # noqa: ANN401
        own = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
        name = getattr(kind, "document_name", own)
        if name not in self.definitions:
            self.definitions[name] = {}  # so that it may hold itself
            self.definitions[name] = self._object(kind) | _described(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, kind: Any) -> Schema:  # noqa: ANN401
        hints = {one.key: _without_none(one.kind) if one.may_lack else one.kind for one in entries(kind)}
        required = [one.key for one in entries(kind) if not one.may_lack]
        return {
            "type": "object",
            "required": required,
            "additionalProperties": False,
            "properties": {key: self.schema(hint) for key, hint in hints.items()},
        }


def _without_none(kind: Any) -> Any:  # noqa: ANN401
    """Return what is in the document if a value is there at all."""
    if get_origin(kind) is Annotated:
        return Annotated[_without_none(get_args(kind)[0]), *kind.__metadata__]
    return Union[tuple(part for part in get_args(kind) if part is not NoneType)]  # noqa: UP007


def _described(kind: Any) -> Schema:  # noqa: ANN401
    text = (kind.__doc__ or "").strip().partition("\n")[0]
    return {"description": text} if text else {}

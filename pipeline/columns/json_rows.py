"""Columns as rows of JSON and their schema: what ``summary.json`` holds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.columns.column import Column, Found
from pipeline.wording.quantities import numbers


def json_rows(columns: Sequence[Column[Found]], found: Found) -> list[dict[str, Any]]:
    """Return one object per row; ``quality.smape`` lies in an object ``quality``, ``id`` may be left out."""
    rows: list[dict[str, Any]] | None = None
    for column in columns:
        values = _rounded(column.of(found))
        rows = rows if rows is not None else [{} for _ in values]
        *outer, key = column.key.split(".")
        for row, value in zip(rows, values, strict=True):
            if value is None and column.kind.may_lack:
                continue
            place = row
            for name in outer:
                place = place.setdefault(name, {})
            place[key] = value
    return rows or []


def _rounded(values: list[Any]) -> list[Any]:
    """Return values as JSON has them: figures of arrays with the digits that JSON has."""
    return numbers(values) if values and isinstance(values[0], np.floating) else values


def json_schema(columns: Sequence[Column[Any]], required: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a row."""
    schema = _object(required)
    for column in columns:
        *outer, key = column.key.split(".")
        place = schema
        for name in outer:
            place = place["properties"].setdefault(name, _object(()))
            place["required"].append(key)
        about = {"description": column.about} if column.about else {}
        place["properties"][key] = {**column.kind.json, **about}
    return schema


def _object(required: Sequence[str]) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "additionalProperties": False, "properties": {}}

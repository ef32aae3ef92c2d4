"""Summaries as the documents that they become, and records of documents that tests write by hand."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import EnumMeta
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ingest.record_codec import document, restored
from pipeline.columns.summary import Summary
from pipeline.questions.analysis import extrapolation
from pipeline.questions.question import questions
from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.questions.runtime_summary import RuntimeSummary
from pipeline.stages import model


def summary_of(*arguments: Any, **options: Any) -> dict[str, Any]:
    return document(model.summary_of(*arguments, **options))


def summary_of_models(*arguments: Any) -> dict[str, Any]:
    return document(model.summary_of_models(*arguments))


def stored_summary(*arguments: Any, **options: Any) -> dict[str, Any]:
    return document(model.stored_summary(*arguments, **options))


def as_summary(content: Mapping[str, Any] | Summary) -> Summary:
    """Make a summary of plain data; what lacks is empty or None."""
    if isinstance(content, Summary):
        return content
    return restored(Summary, _completed(Summary, {**content, "targets": _targets(content)}))


def _targets(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Say how far targets, and points at which there is a total, lie beyond the measured points."""
    if content.get("targets") == []:
        return []
    points = content.get("points", ())
    given = [one["at"] for one in content.get("targets", ())]
    given += [one["at"] for one in (content.get("total") or {}).get("predictions", ())]
    found = []
    for at in (at for n, at in enumerate(given) if at not in given[:n]):
        table = [[float(point[name]) for name in at] for point in (*points, at)]
        (factor,) = extrapolation([*at], np.array(table[:-1] or table), np.array(table[-1:])).tolist()
        found.append({"at": at, "extrapolation": factor, "reach": extrapolation_text(factor)})
    return found


def as_runtime(content: Mapping[str, Any]) -> RuntimeSummary:
    """Make the runtime of a summary."""
    return restored(RuntimeSummary, _completed(RuntimeSummary, content))


def _completed(kind: Any, plain: Any) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if plain is None:
        return None
    if origin in (Union, UnionType):
        return _completed(next(part for part in parts if part is not NoneType), plain)
    if origin is tuple and is_dataclass(parts[0]):
        return [_completed(parts[0], one) for one in plain]
    if not is_dataclass(kind):
        return plain
    hints = get_type_hints(kind)
    lacking = {
        one.name: _nothing(hints[one.name])
        for one in fields(kind)
        if one.default is MISSING and one.default_factory is MISSING
    }
    kinds = {question.key: question.kind for question in questions()} | hints
    return lacking | {name: _completed(kinds[name], value) for name, value in plain.items()}


def _nothing(kind: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return None
    if is_dataclass(kind):
        return _completed(kind, {})
    if isinstance(kind, EnumMeta):
        return next(iter(kind)).value
    return {str: "", bool: False, float: 0.0}.get(
        kind, {} if origin is not None and issubclass(origin, Mapping) else []
    )

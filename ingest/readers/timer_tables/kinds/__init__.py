"""The kinds of tables: a description of each, ``<program>.toml``, is all there is to it."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ingest.readers.timer_tables.timer_kind import Choice, LogLine, RowForm, Statistic, TimerTable


@cache
def timer_kinds() -> tuple[TimerTable, ...]:
    """Return all kinds, the first of which whose mark is in a log reads it."""
    found = sorted(files(__package__).iterdir(), key=lambda file: file.name)
    kinds = [
        kind for file in found if file.name.endswith(".toml") for kind in _kinds(file.read_text("utf-8"))
    ]
    return tuple(sorted(kinds, key=lambda kind: kind.precedence))


def _kinds(description: str) -> list[TimerTable]:
    """Return the kind of a description and its variants."""
    kind = tomllib.loads(description)
    variants = kind.pop("variants", [])
    return [_kind(entries) for entries in (kind, *({**kind, **variant} for variant in variants))]


def _kind(entries: Mapping[str, Any]) -> TimerTable:
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entries.items()
    }
    fields |= {name: LogLine(*entries[name]) for name in ("begin", "program", "mark") if name in entries}
    for name in ("facts", "scattered"):
        fields[name] = tuple(LogLine(*line) for line in entries.get(name, ()))
    fields["forms"] = tuple(_form(**form) for form in entries.get("forms", ()))
    fields["statistic"] = Statistic[entries["statistic"].upper()]
    fields["choice"] = Choice[entries.get("choice", "last").upper()]
    return TimerTable(**fields)


def _form(columns: str = "", **form: str) -> RowForm:
    return RowForm(columns=tuple(columns.split()), **form)

"""Values that a user gave, checked against what is declared of their option."""

import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from ingest.errors import UsageError
from ingest.options import INFINITE, Declaration
from pipeline.config.option_readers import read_prior_option
from pipeline.models.options import Prior

_READERS = {Prior: read_prior_option}
"""Readers of types that are declared below the configuration and have a form of their own in it."""


def checked(value: Any, kind: Any, declared: Declaration, folder: Path) -> Any:  # noqa: ANN401
    """Return a value as its type.

    Args:
        value: what a TOML file or the command line gives.
        kind: the type wanted: bool, int, float, str, Path, a Literal, or one of them or None.
        declared: limits, and how the value is read if it has a form of its own.
        folder: what relative paths inside the value are relative to.

    Raises:
        UsageError: the value is invalid; it names what is expected.
    """
    if (read := declared.read or _READERS.get(kind)) is not None:
        return read(value, folder)
    kind = _without_none(kind)
    if get_origin(kind) is Literal:
        return _choice(value, get_args(kind))
    if kind in (int, float):
        return _number(value, kind, declared)
    wanted = str if kind is Path else kind
    if not isinstance(value, wanted | Path if kind is Path else wanted):
        names = {str: "text in quotes", bool: "true or false"}
        raise UsageError(f"invalid value {value!r}", hint=f"write {names[wanted]}")
    return Path(value) if kind is Path else value


def _without_none(kind: Any) -> Any:  # noqa: ANN401
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (part for part in get_args(kind) if part is not type(None))
    return kind


def _choice(value: object, choices: tuple[str, ...]) -> object:
    if value not in choices:
        *most, last = choices
        raise UsageError(f"invalid value {value!r}", hint=f"choose {', '.join(most)} or {last}")
    return value


def _number(value: object, kind: type, declared: Declaration) -> float:
    wanted = "whole number" if kind is int else "number"
    if declared.most < INFINITE:
        wanted += f" from {declared.least:g} to {declared.most:g}"
    elif declared.least > -INFINITE:
        wanted += f" of at least {declared.least:g}"
    number = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    if not number or not declared.least <= value <= declared.most:  # type: ignore[operator]  # it is a number
        raise UsageError(f"invalid value {value!r}", hint=f"write a {wanted}")
    return kind(value)  # type: ignore[no-any-return]

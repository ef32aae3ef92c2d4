"""How an option is declared: once, as a field of the record that holds it.

Keys of pipeline.toml, command-line options, their help, which values are valid and whether stored results can
be reused all follow from the fields, so that a new option is one line in one record.
"""

import sys
import types
from collections.abc import Callable
from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from ingest.errors import UsageError
from ingest.number_text import value_text

_KEY = "option"
INFINITE = float("inf")


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What is declared of an option in addition to its name, type and default."""

    help: str  # one sentence for the user
    # the commands that take it as a command-line option; all read it from pipeline.toml
    commands: tuple[str, ...] = ()
    flag: str = ""  # its name on the command line; empty for two dashes and the name of the field
    metavar: str = ""  # what its value is called in the help; empty for the choices or the type
    least: float = -INFINITE  # of the valid numbers
    most: float = INFINITE
    finite: bool = True  # whether infinity is refused even if the limits have it
    # whether results depend on it, so that stored ones cannot be reused after a change
    recompute: bool = True
    toml: bool = True  # whether pipeline.toml may have it as a key
    given: Any = None  # type of what the command line gives; None for the type of the field
    # turns what the user gave into a value, relative to a folder; raises `UsageError` or returns what fits
    # the field. None takes the value as it is
    read: Callable[[Any, Path], Any] | None = None


def option(default: Any, help: str, **declared: Any) -> Any:  # noqa: ANN401  # it may have any type
    """Declare an option as a field of a dataclass; see `Declaration` for the keywords."""
    return field(default=default, metadata={_KEY: Declaration(help=help, **declared)})


def declaration(declared: Field[Any]) -> Declaration | None:
    """Return what is declared of a field; None if the field is not an option."""
    return declared.metadata.get(_KEY)


def checked(value: Any, kind: Any, declared: Declaration, folder: Path) -> Any:  # noqa: ANN401
    """Return a value as its type: bool, int, float, str, Path, a Literal, or one of them or None.

    Limits, and how it is read if it has a form of its own, are declared; relative paths inside it start from
    the folder. UsageError if the value is invalid; it names what is expected.
    """
    if declared.read is not None:
        return declared.read(value, folder)
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (part for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is Literal:
        *most, last = get_args(kind)
        if value not in (*most, last):
            raise UsageError(f"invalid value {value!r}", hint=f"choose {', '.join(most)} or {last}")
        return value
    if kind in (int, float):
        return _number(value, kind, declared)
    wanted = str if kind is Path else kind
    if not isinstance(value, wanted | Path if kind is Path else wanted):
        names = {str: "text in quotes", bool: "true or false"}
        raise UsageError(f"invalid value {value!r}", hint=f"write {names[wanted]}")
    return Path(value) if kind is Path else value


def _number(value: object, kind: type, declared: Declaration) -> float:
    wanted = "whole number" if kind is int else "number"
    if declared.most < sys.float_info.max:
        wanted += f" from {value_text(declared.least)} to {value_text(declared.most)}"
    elif declared.least > -INFINITE:
        wanted += f" of at least {value_text(declared.least)}"
    number = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    valid = number and declared.least <= value <= declared.most  # type: ignore[operator]  # it is a number
    if not valid or (declared.finite and abs(value) > sys.float_info.max):  # type: ignore[arg-type]
        raise UsageError(f"invalid value {value!r}", hint=f"write a {wanted}")
    return kind(value)  # type: ignore[no-any-return]

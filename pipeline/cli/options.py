"""Command-line options made from the records that declare them."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer

from ingest.options import declaration

Command: TypeAlias = Callable[..., None]
Given: TypeAlias = dict[str, Any]
"""What the command line gives, by the names of the fields; None where it gives nothing."""


def declared_options(command: str, *records: type) -> Callable[[Command], Command]:
    """Give a command all options that records declare for it; they reach its argument ``given``.

    Args:
        command: the name of the command.
        records: dataclasses of options; those in their fields count, too.
    """
    found = {name: one for record in records for name, one in _parameters(command, record).items()}

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def call(**arguments: Any) -> None:  # noqa: ANN401
            given = {name: arguments.pop(name) for name in found}
            function(**arguments, given=given)

        own = inspect.signature(function, eval_str=True)
        parameters = [one for name, one in own.parameters.items() if name != "given"]
        first = [one for one in parameters if one.default is inspect.Parameter.empty]
        rest = [one for one in parameters if one.default is not inspect.Parameter.empty]
        call.__signature__ = own.replace(parameters=[*first, *found.values(), *rest])  # type: ignore[attr-defined]
        return call

    return decorate


def _parameters(command: str, record: type) -> dict[str, inspect.Parameter]:
    found: dict[str, inspect.Parameter] = {}
    kinds = get_type_hints(record)
    for one in fields(record):
        declared, kind = declaration(one), kinds[one.name]
        if is_dataclass(kind):
            found |= _parameters(command, kind)  # type: ignore[arg-type]  # a class, as annotations of fields are
        elif declared is not None and command in declared.commands:
            names = [declared.flag] if declared.flag else [f"--{one.name.replace('_', '-')}"]
            help_text = declared.help + _default_text(one.default)
            found[one.name] = inspect.Parameter(
                one.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=None,
                annotation=Annotated[(declared.given or kind) | None, typer.Option(*names, help=help_text)],
            )
    return found


def _default_text(default: object) -> str:
    """Name a default in the help; the option itself has none, since pipeline.toml may give another."""
    shown = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    return f" Default: {default}." if shown else ""

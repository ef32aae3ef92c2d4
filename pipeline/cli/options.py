"""Command-line options: those that several commands share, and those that records of options declare."""

import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from pipeline.config.options import CONFIGURATION, Options, declared_fields, flag_of, override
from pipeline.config.targets import HELP as TARGET_HELP
from pipeline.config.targets import METAVAR as TARGET
from pipeline.models.options import MIN_EFFICIENCY

if TYPE_CHECKING:
    from pipeline.projection.study.study_machine import Place

Out = Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")]
At = Annotated[list[str] | None, typer.Option("--at", metavar=TARGET, help=TARGET_HELP)]
Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write JSON to this file, '-' for standard output."),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help=f"Configuration file; default: {CONFIGURATION} in the directory."
    ),
]
By = Annotated[Literal["region", "callpath"], typer.Option("--by", help="Show regions or call paths.")]
Metric = Annotated[
    str | None,
    typer.Option("--metric", metavar="NAME", help="Metric to show; default: the one chosen for the run."),
]
Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, help="Number of rows to show, in every format.")
]
Format = Annotated[
    Literal["table", "csv", "md", "json", "latex"],
    typer.Option("--format", metavar="FORMAT", help="Print the main table as table, csv, md, json or latex."),
]

From = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="MACHINE", help="Machine measured on: a TOML file, or a shipped one; with --on."
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="MACHINE",
        help="Show what is predicted on this machine: a TOML file, or a shipped one.",
    ),
]

INCOMPLETE = 3  # exit code of --strict
LEVELS = {"region": "regions", "callpath": "kernels"}  # the key in summary.json for each choice of --by

Command: TypeAlias = Callable[..., None]
Given: TypeAlias = dict[str, Any]
"""The options given on the command line by the names of their fields; None for those not given."""


def chosen_places(source: str | None, target: str | None) -> "tuple[Place, Place] | None":
    """Return the machine measured on and the one to show; None if neither is given.

    Raises:
        UsageError: only one is given, or a machine lacks what is needed.
    """
    if source is None and target is None:
        return None
    from pipeline.stages.project_study import places_of  # loads sympy, which takes most of a second

    return places_of(source, target)


def chosen_efficiency(out: Path, given: Given) -> float:
    """Return the efficiency that is asked for: that of the command line, else that of the stored run.

    Raises:
        PipelineError: the value is invalid, or the directory is not a complete result.
    """
    from pipeline.store.generation import open_result

    stored = open_result(out).configuration.get("min_efficiency", MIN_EFFICIENCY)
    return override(Options(min_efficiency=stored), given).min_efficiency


def declared_options(command: str, *records: type) -> Callable[[Command], Command]:
    """Add to a command all options that records declare for it; their values are its argument ``given``.

    Args:
        command: the name of the command.
        records: dataclasses of options; records in their fields are included.
    """
    found = {name: one for record in records for name, one in _parameters(command, record).items()}
    off = {name: _off(name) for record in records for name in _on_by_default(command, record)}

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def call(**arguments: Any) -> None:  # noqa: ANN401
            given = {name: arguments.pop(name) for name in found}
            given |= {name: False for name, one in off.items() if arguments.pop(one.name)}
            function(**arguments, given=given)

        own = inspect.signature(function, eval_str=True)
        parameters = [one for name, one in own.parameters.items() if name != "given"]
        first = [one for one in parameters if one.default is inspect.Parameter.empty]
        rest = [one for one in parameters if one.default is not inspect.Parameter.empty]
        call.__signature__ = own.replace(parameters=[*first, *found.values(), *off.values(), *rest])  # type: ignore[attr-defined]
        return call

    return decorate


def _parameters(command: str, record: type) -> dict[str, inspect.Parameter]:
    return {
        one.name: inspect.Parameter(
            one.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None,
            annotation=Annotated[
                (declared.given or kind) | None,
                typer.Option(
                    flag_of(one.name, declared),
                    metavar=declared.metavar or None,
                    help=(declared.help + _default_text(one.default)).replace("[", r"\["),  # not markup
                ),
            ],
        )
        for one, kind, declared in declared_fields(record)
        if command in declared.commands
    }


def _on_by_default(command: str, record: type) -> Iterator[str]:
    return (
        one.name
        for one, _, declared in declared_fields(record)
        if command in declared.commands and one.default is True
    )


def _off(name: str) -> inspect.Parameter:
    """Return the flag that turns an option off; the help of the option names it, to save a column."""
    flag = name.replace("_", "-")
    return inspect.Parameter(
        f"no_{name}",
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=False,
        annotation=Annotated[bool, typer.Option(f"--no-{flag}", hidden=True, help=f"Turn off --{flag}.")],
    )


def _default_text(default: object) -> str:
    """Return a default for the help; the option itself has none, since pipeline.toml may give another."""
    shown = isinstance(default, str | int | float | Path) and not isinstance(default, bool) and default != ""
    return f" [default: {default}]" if shown else ""

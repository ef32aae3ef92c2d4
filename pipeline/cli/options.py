"""Command-line options: those that several commands share, and those that records of options declare."""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from pipeline.cli.app import app
from pipeline.cli.output import require_one_on_standard_output
from pipeline.config.option_readers import TARGET_HELP, TARGET_METAVAR
from pipeline.config.options import CONFIGURATION, Options, declared_fields, flag_of, override
from pipeline.models.options import MIN_EFFICIENCY

if TYPE_CHECKING:
    from pipeline.projection.study.study_machine import StudyMachine


def valued(names: str, metavar: str, help: str, **more: Any) -> Any:  # noqa: ANN401  # as typer's own
    """Declare an option with a value: its names, separated by blanks, what the help calls the value, help."""
    return typer.Option(*names.split(), metavar=metavar, help=help, **more)


def switch(name: str, help: str) -> Any:  # noqa: ANN401  # as typer's own
    """Declare an option without a value."""
    return typer.Option(name, help=help)


STUDY = "Runs, a results directory or a series file."
Out = Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")]
Source = Annotated[Path, typer.Argument(metavar="DIR|OUT|FILE", help=STUDY)]
At = Annotated[list[str] | None, valued("--at", TARGET_METAVAR, TARGET_HELP)]
Json = Annotated[str | None, valued("--json", "FILE", "Write JSON to this file, '-' for standard output.")]
Config = Annotated[
    Path | None, valued("--config", "FILE", f"Configuration file; default: {CONFIGURATION} in the directory.")
]
By = Annotated[Literal["region", "callpath"], typer.Option("--by", help="Show regions or call paths.")]
Metric = Annotated[
    str | None, valued("--metric", "NAME", "Metric to show; default: the one chosen for the run.")
]
Limit = Annotated[int, valued("--limit", "N", "Number of rows to show, in every format.", min=1)]
Format = Annotated[
    Literal["table", "csv", "md", "json", "latex"],
    valued("--format", "FORMAT", "Print the main table as table, csv, md, json or latex."),
]
From = Annotated[
    str | None,
    valued("--from", "MACHINE", "Machine measured on: a TOML file, or a shipped one; with --on."),
]
On = Annotated[
    str | None,
    valued("--on", "MACHINE", "Show what is predicted on this machine: a TOML file, or a shipped one."),
]

INCOMPLETE = 3  # exit code of --strict
LEVELS = {"region": "regions", "callpath": "kernels"}  # the key in summary.json for each choice of --by

Command: TypeAlias = Callable[..., None]
Given: TypeAlias = dict[str, Any]
"""The options given on the command line by the names of their fields; None for those not given."""


def chosen_places(source: str | None, target: str | None) -> "tuple[StudyMachine, StudyMachine] | None":
    """Return the machine measured on and the one to show; None if neither is given.

    Raises:
        UsageError: only one is given, or a machine lacks what is needed.
    """
    if source is None and target is None:
        return None
    from pipeline.stages.projected_results import places_of  # loads sympy, which takes most of a second

    return places_of(source, target)


def chosen_efficiency(out: Path, given: Given) -> float:
    """Return the efficiency that is asked for: that of the command line, else that of the stored run.

    Raises:
        PipelineError: the value is invalid, or the directory is not a complete result.
    """
    from pipeline.store.generation import open_result

    stored = open_result(out).configuration.get("min_efficiency", MIN_EFFICIENCY)
    return override(Options(min_efficiency=stored), given).min_efficiency


def refuse_beside(what: str, given: Mapping[str, object], hint: str = "omit one of them") -> None:
    """Refuse options beside another one.

    Args:
        what: the other option.
        given: whether each option is given, by its name.
        hint: what to do.

    Raises:
        UsageError: one is.
    """
    from ingest.errors import UsageError

    for flag, there in given.items():
        if there:
            raise UsageError(f"cannot be combined with {what}", where=flag, hint=hint)


def command(
    name: str,
    *records: type,
    group: typer.Typer = app,
    outputs: tuple[str, ...] = ("output", "json"),
) -> Callable[[Command], Command]:
    """Add a command to the command line.

    It also takes all options that records declare for it; their values are its argument ``given``.

    Args:
        name: of the command.
        records: dataclasses of options; records in their fields are included.
        group: the commands that it belongs to.
        outputs: arguments that name files; at most one of them, or the table of ``--format``, may go to
            standard output.
    """
    found = {one: parameter for record in records for one, parameter in _parameters(name, record).items()}
    off = {one: _off(one) for record in records for one in _on_by_default(name, record)}

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def call(**arguments: Any) -> None:  # noqa: ANN401
            given = {one: arguments.pop(one) for one in found}
            given |= {one: False for one, parameter in off.items() if arguments.pop(parameter.name)}
            targets = {f"--{one.replace('_', '-')}": arguments.get(one) for one in outputs}
            require_one_on_standard_output(targets, arguments.get("table_format"))
            function(**arguments, **({"given": given} if records else {}))

        own = inspect.signature(function, eval_str=True)
        parameters = [one for one in own.parameters.values() if one.name != "given"]
        first = [one for one in parameters if one.default is inspect.Parameter.empty]
        rest = [one for one in parameters if one.default is not inspect.Parameter.empty]
        call.__signature__ = own.replace(parameters=[*first, *found.values(), *off.values(), *rest])  # type: ignore[attr-defined]
        group.command(name)(call)
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

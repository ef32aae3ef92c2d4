"""Command-line options: those that several commands share, and those that records of options declare."""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from pipeline.cli.app import app
from pipeline.cli.output import require_one_on_standard_output, write_summary, write_table
from pipeline.config.option_readers import TARGET_HELP, TARGET_METAVAR, parse_at
from pipeline.config.options import CONFIGURATION, Options, declared_fields, flag_of, override
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.wording.lines import wrapped

_SHORT = {"--out": "-o"}
_CHOICES_WIDTH = 14

PANELS = {
    "Answer": "at efficiency metric on from what-if potential tree least details focus group-by factor "
    "variant show last totals linear steps price cores-per-node isoefficiency measure function loop time "
    "clock from-clock count map per-pass cycles",
    "Limits": "deadline budget memory-per-node energy",
    "Compared with": "baseline history paired-with machine",
    "Verdict": "common allow-missing detect expect",
    "Selection": "max-overhead protect drop protect-growing paper-exact applied merge",
    "Other uses": "explain apply verify propose list",
    "Models": "parameter scaling per without hold-out exclude-metrics prior method",
    "Overhead": "overhead event-cost baseline-time calibrate",
    "Reading": "config jobs strict engine scheduler source-root llvm-mca report",
    "Output": "out no-results to form whole-files by limit format json junit sarif markdown "
    "code-quality png svg",
}
"""The options of every panel of the help; an option means the same in every command."""

OLD_NAMES = {
    "--output": ("--out", "--history"),
    "--html": ("--out",),
    "--roofline": ("--out",),
    "--out": ("--history",),  # where the group has taken --output for it
    "--file": ("--history",),
    "-o": ("--history",),
    "--export": ("--to",),
    "--min-efficiency": ("--efficiency",),
}
"""What options are called now; of several names that which a command has."""

MEANINGS = {
    "--out": ("PATH", "Where to write"),
    "--from": ("MACHINE", "Machine measured on"),
    "--on": ("MACHINE", "Machine to predict for"),
    "--machine": ("NAME", "Name of the machine measured on"),
    "--to": (None, "Tool or format to write for"),
    "--group-by": ("NAME", "Group runs by this metadata"),
    "--history": ("FILE", "History of results over commits"),
    "--details": (None, "Show more"),
    "--metric": ("NAME", "Metric to model or show"),
    "--budget": ("COST", "Cost at most"),
    "--efficiency": ("SHARE", "Parallel efficiency at least"),
}
"""What options mean in every command whose help says more, and what their value is called."""

_PANEL_OF = {f"--{option}": panel for panel, options in PANELS.items() for option in options.split()}
_PLACES = list(PANELS)


def _place_of(option: str) -> int:
    """Return a number that sorts options by the panels they are in; those without a panel come last."""
    panel = _PANEL_OF.get(option)
    return len(_PLACES) if panel is None else _PLACES.index(panel)


class Command(TyperCommand):
    """A command whose options may also be given by the names they once had."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # of the click inside typer
        """Read arguments."""
        return super().parse_args(ctx, _renamed(self, args))

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401  # as above
        """Write the help, with blanks between choices, so that lines break there."""
        for parameter in self.params:
            if parameter.metavar is None and (choices := getattr(parameter.type, "choices", None)):
                parameter.metavar = "\n".join(wrapped(" | ".join(choices), _CHOICES_WIDTH))
        super().format_help(ctx, formatter)


class CommandGroup(TyperGroup):
    """As `Command`, for options before the name of a command of a group."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # of the click inside typer
        """Read arguments."""
        return super().parse_args(ctx, _renamed(self, args))


def _renamed(command: TyperCommand | TyperGroup, arguments: list[str]) -> list[str]:
    """Return arguments with the names that a command's options have now, up to ``--``."""
    known = {name for parameter in command.params for name in parameter.opts}
    end = arguments.index("--") if "--" in arguments else len(arguments)
    found = []
    for argument in arguments[:end]:
        name, equals, value = argument.partition("=")
        now = [] if name in known else [one for one in OLD_NAMES.get(name, ()) if one in known]
        found.append("".join((now[0], equals, value)) if now else argument)
    return [*found, *arguments[end:]]


if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.columns.cells import DataTable
    from pipeline.config.job_options import DescribedJob
    from pipeline.projection.study.study_machine import StudyMachine


def valued(name: str, metavar: str | None, help: str, **more: Any) -> Any:  # noqa: ANN401  # as typer's own
    """Declare an option with a value: its name, what the help calls the value (None: the choices), help."""
    names = (_SHORT[name], name) if name in _SHORT else (name,)
    if isinstance(more.get("min"), float):
        more["callback"] = _not_too_large
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=_PANEL_OF.get(name), **more)


def _not_too_large(option: typer.CallbackParam, value: float) -> float:
    if not value <= _LARGEST:  # nor NaN
        from ingest.errors import UsageError

        hint = f"write a number up to {_LARGEST:g}"
        raise UsageError(f"invalid number {value}", where=option.opts[-1], hint=hint)
    return value


def switch(name: str, help: str, **more: Any) -> Any:  # noqa: ANN401  # as typer's own
    """Declare an option without a value."""
    return typer.Option(name, help=help, rich_help_panel=_PANEL_OF.get(name), **more)


def shared(name: str, here: str) -> Any:  # noqa: ANN401  # as typer's own
    """Declare an option of `MEANINGS`: its name, and what it is in this command."""
    metavar, meaning = MEANINGS[name]
    return valued(name, metavar, f"{meaning}{here}.")


MACHINE_HELP = ": a file or a listed one"
_STUDY = "Runs, a results directory or a series file."
Out = Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")]
Source = Annotated[Path, typer.Argument(metavar="DIR|OUT|FILE", help=_STUDY)]
At = Annotated[
    list[Mapping] | None,  # type: ignore[type-arg]  # typer takes only plain classes
    valued("--at", TARGET_METAVAR, TARGET_HELP, parser=parse_at),
]
InputTexts = Annotated[
    list[str] | None,
    valued(
        "--at",
        TARGET_METAVAR,
        f"{TARGET_HELP} Of an application its inputs, such as L=8,P=1024 or 'halo=64 KiB'; one may be swept: "
        "L=4:14, P=64:4096:x2 or P=64,96,1024.",
    ),
]
Config = Annotated[Path | None, valued("--config", "FILE", f"Configuration file instead of {CONFIGURATION}.")]
Metric = Annotated[str | None, shared("--metric", ", by default the one chosen for the run")]
WhatIf = Annotated[
    list[str] | None,
    valued("--what-if", "CHANGE", "As if 'MPI_Send=0.5', 'communication=0' or 'balanced'; repeatable."),
]
_LARGEST = 1e9  # of numbers whose least is given
_SCREEN_ROWS = 10  # that leave room for the answer and the way on
Limit = Annotated[int, valued("--limit", "N", "Rows to show, in every format.", min=1)]
Details = Annotated[bool, switch("--details", "Show more: tables and what the answer rests on.")]
Json = Annotated[str | None, valued("--json", "FILE", "Write JSON to a file, '-': standard output.")]
Format = Annotated[
    Literal["table", "csv", "md", "json", "latex"],
    valued("--format", "FORMAT", "Main table as table, csv, md, json or latex."),
]

_LEVELS = {"region": "regions", "callpath": "kernels", "group": "groups"}  # the key in summary.json of --by


@dataclass(frozen=True, kw_only=True)
class Presentation:
    """How a result is shown: as JSON, as a table of some format, or on the terminal."""

    json: Json = None
    table_format: Format = "table"

    def written(self, document: object, table: "Callable[[], DataTable]") -> bool:
        """Write what was asked for; return whether that took standard output."""
        return write_summary(self.json, document) or write_table(self.table_format, table)

    def present(
        self, document: object, table: "Callable[[], DataTable]", draw: "Callable[[Console], None]"
    ) -> bool:
        """Write a record, or plain data, in the form that is asked for; return whether it was drawn."""
        if self.written(document, table):
            return False
        from pipeline.report.render.console import console

        draw(console())
        return True


@dataclass(frozen=True, kw_only=True)
class KernelPresentation(Presentation):
    """How kernels are shown: those of one level, the first ones."""

    by: Annotated[
        Literal["region", "callpath", "group"], valued("--by", None, "Show regions, call paths or groups.")
    ] = "region"
    limit: Limit = 15

    @property
    def rows(self) -> dict[str, Any]:
        """What tables and screens of a summary take: the key of the level, and how many rows."""
        return {"by": _LEVELS[self.by], "limit": self.limit}

    @property
    def most(self) -> int:
        """How many kernels of a level a summary has to list for it."""
        from pipeline.report.summary import ASKED, LISTED

        return max(self.limit, LISTED if self.json is None else ASKED)

    def few(self, details: bool) -> int:
        """How many rows a screen shows without details, if no number was asked for."""
        return self.limit if details or self.limit != KernelPresentation.limit else _SCREEN_ROWS

    def present_rows(
        self, summary: object, table: "Callable[..., DataTable]", draw: Callable[..., None]
    ) -> bool:
        """Present a summary by functions that also take `rows`; UsageError if a metric has no groups."""
        rows = self.rows
        if self.by == "group" and not getattr(summary, "groups", ()):
            from ingest.errors import UsageError

            hint = "choose region or callpath"
            raise UsageError("a metric that does not add up has no groups", where="--by", hint=hint)
        return self.present(
            summary, lambda: table(summary, **rows), lambda screen: draw(screen, summary, **rows)
        )


@dataclass(frozen=True, kw_only=True)
class ChosenMachines:
    """The machine measured on, and the one to show."""

    from_machine: Annotated[str | None, shared("--from", MACHINE_HELP)] = None
    on: Annotated[str | None, shared("--on", MACHINE_HELP)] = None

    @property
    def places(self) -> "tuple[StudyMachine, StudyMachine] | None":
        """As `both`; None if neither is given."""
        return None if self.from_machine is None and self.on is None else self.both

    @property
    def both(self) -> "tuple[StudyMachine, StudyMachine]":
        """Both machines."""
        from pipeline.stages.projected_results import places_of

        return places_of(self.from_machine, self.on)


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """What a job must hold, as it is given."""

    deadline: Annotated[str | None, valued("--deadline", "TIME", "Wall time at most, such as 6h.")] = None
    budget: Annotated[
        str | None,
        shared("--budget", ", such as 50000core-h; of --measure, by default what was spent so far"),
    ] = None
    efficiency: Annotated[str | None, shared("--efficiency", ", such as 75%")] = None
    memory_per_node: Annotated[
        str | None, valued("--memory-per-node", "SIZE", "Memory of a node at most, such as 256GB.")
    ] = None
    energy: Annotated[str | None, valued("--energy", "ENERGY", "Energy at most, such as 40kWh.")] = None
    price: Annotated[
        str | None, valued("--price", "PRICE", "Show what a job costs at a price such as 0.02/core-h.")
    ] = None
    cores_per_node: Annotated[
        int | None, valued("--cores-per-node", "N", "Nodes of N cores are paid for as a whole.")
    ] = None
    steps: Annotated[
        float | None, valued("--steps", "N", "Steps of the job, if models are per step (--per).")
    ] = None

    @property
    def read(self) -> "DescribedJob":
        """The job."""
        from pipeline.config.job_options import read_job

        return read_job(**vars(self))


Function: TypeAlias = Callable[..., None]
Given: TypeAlias = dict[str, Any]
"""The options given on the command line by the names of their fields; None for those not given."""


def chosen_efficiency(out: Path, given: Given) -> float:
    """Return the efficiency that is asked for: that of the command line, else that of the stored run."""
    from pipeline.store.generation import open_result

    stored = open_result(out).configuration.get("min_efficiency", MIN_EFFICIENCY)
    return override(Options(min_efficiency=stored), given).min_efficiency


def refuse_beside(what: str, given: Mapping[str, object], hint: str = "omit one of them") -> None:
    """Refuse options beside another one: UsageError if one of `given`, by name, is."""
    from ingest.errors import UsageError

    for flag, there in given.items():
        if there:
            raise UsageError(f"cannot be combined with {what}", where=flag, hint=hint)


def command(
    name: str,
    *records: type,
    group: typer.Typer = app,
    outputs: tuple[str, ...] = ("--out", "--json"),
    hidden: bool = False,
) -> Callable[[Function], Function]:
    """Add a command to the command line.

    It also takes all options that the records declare for it; their values are its argument ``given``. An
    argument whose type is a dataclass, such as `Presentation`, stands for the options that are its fields. At
    most one of `outputs`, or the table of ``--format``, may go to standard output.
    """
    found = {one: parameter for record in records for one, parameter in _parameters(name, record).items()}
    off = {one: _off(one) for record in records for one in _on_by_default(name, record)}

    def decorate(function: Function) -> Function:
        own = inspect.signature(function, eval_str=True)
        groups: dict[str, Any] = {
            one.name: one.annotation for one in own.parameters.values() if is_dataclass(one.annotation)
        }

        flags: dict[str, inspect.Parameter] = {}

        @functools.wraps(function)
        def call(**arguments: Any) -> None:  # noqa: ANN401
            given = {one: arguments.pop(one) for one in found}
            given |= {one: False for one, parameter in off.items() if arguments.pop(parameter.name)}
            targets = {flag: arguments[flags[flag].name] for flag in outputs if flag in flags}
            require_one_on_standard_output(targets, arguments.get("table_format"))
            for one, record in groups.items():
                arguments[one] = record(**{part.name: arguments.pop(part.name) for part in fields(record)})
            function(**arguments, **({"given": given} if records else {}))

        parameters = [
            part for one in own.parameters.values() if one.name != "given" for part in _expanded(one)
        ]
        flags |= {flag: one for one in parameters if (flag := _flag(one)) is not None}
        first = [one for one in parameters if one.default is inspect.Parameter.empty]
        rest = [one for one in parameters if one.default is not inspect.Parameter.empty]
        rest = sorted([*found.values(), *off.values(), *rest], key=lambda one: _place_of(_flag(one) or ""))
        call.__signature__ = own.replace(parameters=[*first, *rest])  # type: ignore[attr-defined]
        group.command(name, cls=Command, hidden=hidden)(call)
        return call

    return decorate


def _flag(parameter: inspect.Parameter) -> str | None:
    """Return the name of an option on the command line; None for an argument."""
    *_, declared = parameter.annotation.__metadata__
    option = isinstance(declared, OptionInfo)
    return (declared.default, *declared.param_decls)[-1] if option else None  # where typer keeps names


def _expanded(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Return the parameters that a record of options stands for, or the parameter itself."""
    record = parameter.annotation
    if not is_dataclass(record):
        return [parameter]
    kinds = get_type_hints(record, include_extras=True)
    return [
        parameter.replace(
            name=one.name, default=getattr(parameter.default, one.name), annotation=kinds[one.name]
        )
        for one in fields(record)
    ]


def _parameters(command: str, record: type) -> dict[str, inspect.Parameter]:
    return {
        one.name: inspect.Parameter(
            one.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None,
            annotation=Annotated[
                (declared.given or kind) | None,
                valued(
                    flag_of(one.name, declared),
                    declared.metavar or None,
                    (declared.help + _default_text(one.default)).replace("[", r"\["),  # not markup
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
        annotation=Annotated[bool, switch(f"--no-{flag}", f"Turn off --{flag}.", hidden=True)],
    )


def _default_text(default: object) -> str:
    """Return a default for the help; the option itself has none, since pipeline.toml may give another."""
    shown = isinstance(default, str | int | float | Path) and not isinstance(default, bool) and default != ""
    return f" [default: {default}]" if shown else ""

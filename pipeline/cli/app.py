"""The `pipeline` command. Importing this module must stay cheap: the stages are imported by the commands."""

import gc
import importlib
import os
import sys
from contextlib import suppress
from itertools import chain
from pkgutil import iter_modules
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import pipeline.cli
from ingest.errors import PipelineError
from pipeline.cli.output import show_notice
from pipeline.report.render.standard_output import prepare_streams
from pipeline.wording.exit_codes import ExitCode, exit_codes_line

OLD_COMMANDS = {
    "model": ("run", "--no-results", "--by", "callpath", "--limit", "30"),
    "tree": ("bottlenecks", "--tree"),
    "advise": ("choose", "--measure"),
}
"""Commands as they once were, and what they are now."""


class _Commands(TyperGroup):
    """The commands, which may also be given by the names they once had."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401  # of the click inside typer
        """Find a command."""
        return super().resolve_command(ctx, [*OLD_COMMANDS.get(args[0], args[:1]), *args[1:]])

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401  # as above
        """Return their names as `COMMANDS` has them; others follow."""
        return list(dict.fromkeys([*chain.from_iterable(COMMANDS.values()), *super().list_commands(ctx)]))


app = typer.Typer(
    name="pipeline",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=f"Exit codes: {exit_codes_line()}",
    context_settings={"help_option_names": ["-h", "--help"]},
)

UsageException: Any = typer.BadParameter.__base__  # typer brings its own copy of click and does not name it


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"pipeline {version('callpath-pipeline')}")
        raise typer.Exit


@app.callback()
def show_version(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Turn call-path profiles into an instrumentation filter, scaling models and future bottlenecks."""


COMMANDS = {
    "From profiles to an answer": {
        "inspect": "run",
        "run": "run",
        "bottlenecks": "stored",
        "predict": "stored",
        "choose": "choose",
    },
    "Look at results": {"plot": "stored", "report": "export", "export": "export"},
    "Measure": {"filter": "filter", "campaign": "campaign"},
    "Watch": {"check": "check", "compare": "compare", "baseline": "check", "history": "history"},
    "Other machines": {"project": "project", "machine": "machine"},
    "More": {"ports": "ports", "serve-mcp": "serve_mcp"},
}
"""The commands in the order of use with their modules, by the panels of `pipeline --help`."""

_OBJECTS_BETWEEN_COLLECTIONS = 400_000  # Python's default is 700


def register(command: str = "") -> None:
    """Import the modules beside this one, whose commands add themselves to `app`; of a known command its own.

    The module of the assistant has no command, and loads all that it answers from.
    """
    modules = {name: module for names in COMMANDS.values() for name, module in names.items()}
    every = [module.name for module in iter_modules(pipeline.cli.__path__) if module.name != "assistant"]
    for name in [modules[command]] if command in modules else every:
        importlib.import_module(f"pipeline.cli.{name}")
    panels = {name: panel for panel, names in COMMANDS.items() for name in names}
    registered: list[Any] = [*app.registered_commands, *app.registered_groups]
    for one in registered:
        one.rich_help_panel = panels.get(one.name)


def run_app() -> None:
    """Run the command line; every foreseen error is one line on standard error and exit code 2.

    Others, and KeyboardInterrupt, are raised.

    Garbage is collected rarely and not at the end: what modules define lives as long as the process, and
    looking through it takes a tenth of a small run.
    """
    prepare_streams()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small here, threads only wait for work
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        register(*sys.argv[1:2])
        code = app(prog_name="pipeline", standalone_mode=False)
        sys.stdout.flush()
        if code == ExitCode.INTERRUPTED:  # typer returns it after Ctrl-C, or raises Abort
            raise KeyboardInterrupt
        sys.exit(code)
    except typer.Abort as stop:
        raise KeyboardInterrupt from stop
    except PipelineError as error:
        show_notice(str(error))
        sys.exit(ExitCode.BAD_INPUT)
    except UsageException as error:
        _show_usage_error(error)
        sys.exit(ExitCode.BAD_INPUT)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # typer leaves with 1, a regression to CI
            raise stop.__context__ from None
        raise
    finally:
        gc.freeze()
        with suppress(PipelineError):  # what is printed so far, before an error of its own
            sys.stdout.flush()


def _show_usage_error(error: Any) -> None:  # noqa: ANN401  # typer does not name the class
    """Write what is wrong with the command line as one line; nothing if typer has shown the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return
    command = error.ctx.command_path if error.ctx is not None else "pipeline"
    show_notice(f"{error.format_message().rstrip('.')}; see `{command} --help`")

"""The `pipeline` command. Importing this module must stay cheap: the stages are imported by the commands."""

import importlib
import sys

import typer

from ingest.errors import PipelineError

app = typer.Typer(
    name="pipeline",
    help="From call-path profiles to an instrumentation filter, scaling models and coming bottlenecks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

COMMANDS = (
    "run",
    "inspect",
    "filter",
    "model",
    "predict",
    "bottlenecks",
    "tree",
    "plot",
    "export",
    "project",
    "advise",
    "report",
    "baseline",
    "check",
    "compare",
    "history",
)


def register() -> None:
    """Import the modules of the commands, which add themselves to `app`."""
    for name in COMMANDS:
        importlib.import_module(f"pipeline.cli.{name}")


def main() -> None:
    """Run the command line; every foreseen error is one line on standard error and exit code 2."""
    register()
    try:
        app()
    except PipelineError as error:
        print(f"pipeline: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)

"""The `pipeline` command. Importing this module must stay cheap: the stages are imported by the commands."""

import gc
import importlib
import os
import sys
from typing import Annotated, Any

import typer

from ingest.errors import PipelineError, one_line

app = typer.Typer(
    name="pipeline",
    help="From call-path profiles to an instrumentation filter, scaling models and future bottlenecks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

UsageException: Any = typer.BadParameter.__base__  # typer brings click along and does not name it


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"pipeline {version('callpath-pipeline')}")
        raise typer.Exit


@app.callback()
def pipeline(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Turn call-path profiles into an instrumentation filter, scaling models and future bottlenecks."""


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

OBJECTS_BETWEEN_SEARCHES = 50_000  # for garbage; Python's default is 700


def register() -> None:
    """Import the modules of the commands, which add themselves to `app`."""
    for name in COMMANDS:
        importlib.import_module(f"pipeline.cli.{name}")


def run_app() -> None:
    """Run the command line; every foreseen error is one line on standard error and exit code 2.

    What modules define is no garbage: it is not searched for any each time more of them are imported, nor at
    the end, which takes a tenth of a small run.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small here, threads only wait for work
    gc.set_threshold(OBJECTS_BETWEEN_SEARCHES)
    register()
    try:
        sys.exit(app(standalone_mode=False))
    except PipelineError as error:
        print(f"pipeline: {error}", file=sys.stderr)
        sys.exit(2)
    except UsageException as error:
        sys.exit(_tell_usage(error))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    finally:
        gc.freeze()


def _tell_usage(error: Any) -> int:  # noqa: ANN401  # typer does not name the class
    """Write what is wrong with the command line as one line; return the exit code."""
    if error.ctx is not None and not sys.argv[1:]:
        print(error.ctx.get_help())
    else:
        where = error.ctx.command_path if error.ctx is not None else "pipeline"
        print(
            f"pipeline: {one_line(error.format_message()).rstrip('.')}; see `{where} --help`", file=sys.stderr
        )
    return 2

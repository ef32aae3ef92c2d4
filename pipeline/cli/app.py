"""The `pipeline` command. Importing this module must stay cheap: the stages are imported by the commands."""

import gc
import importlib
import os
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

OBJECTS_BETWEEN_SEARCHES = 50_000  # for garbage; Python's default is 700


def register() -> None:
    """Import the modules of the commands, which add themselves to `app`."""
    for name in COMMANDS:
        importlib.import_module(f"pipeline.cli.{name}")


def main() -> None:
    """Run the command line; every foreseen error is one line on standard error and exit code 2.

    What modules define is no garbage: it is not searched for any each time more of them are imported, nor at
    the end, which takes a tenth of a small run.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small here, threads only wait for work
    gc.set_threshold(OBJECTS_BETWEEN_SEARCHES)
    register()
    try:
        app()
    except PipelineError as error:
        print(f"pipeline: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    finally:
        gc.freeze()

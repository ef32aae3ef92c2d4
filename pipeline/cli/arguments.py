"""Options that several commands share, and how their outcome is told."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

At = Annotated[
    list[str] | None,
    typer.Option("--at", help="Target point, such as p=4096 or p=4096,n=32; may be given several times."),
]
Json = Annotated[
    str | None,
    typer.Option("--json", help="Write the summary as JSON to this file, '-' for standard output."),
]
Config = Annotated[
    Path | None, typer.Option("--config", help="Configuration file; default: pipeline.toml in the directory.")
]
ScalingChoice = Annotated[str | None, typer.Option("--scaling", help="auto, strong or weak.")]
MetricName = Annotated[str | None, typer.Option("--metric", help="Metric to model; time becomes effort.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="Processes that read profiles at once.")]
Engine = Annotated[str | None, typer.Option("--engine", help="Where profiles are read: local or dask.")]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", help="Of --engine dask: its address or scheduler file.")
]
PriorName = Annotated[
    str | None, typer.Option("--prior", help="Prior over exponents: uniform, simple or a TOML file.")
]
Strict = Annotated[bool | None, typer.Option("--strict", help="Exit with 3 where a run could not be read.")]
By = Annotated[str, typer.Option("--by", help="What to rank: region or callpath.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many rows to show.")]

INCOMPLETE = 3
LEVELS = {"region": "regions", "callpath": "kernels"}


def level_of(by: str) -> str:
    """Return the key of the summary for ``--by``.

    Raises:
        UsageError: where it is neither region nor callpath.
    """
    from ingest.errors import UsageError

    if by not in LEVELS:
        raise UsageError(f"'{by}' cannot be ranked", where="--by", hint="region or callpath")
    return LEVELS[by]


def write_summary(target: str | None, summary: Mapping[str, Any]) -> bool:
    """Write a summary where ``--json`` says; True where that is standard output."""
    from pipeline.store.atomic import json_text, write_text

    if target == "-":
        sys.stdout.write(json_text(summary))
        return True
    if target is not None:
        write_text(Path(target), json_text(summary))
    return False


def tell(notices: Iterable[str]) -> None:
    """Write notices to standard error, a line each."""
    for notice in notices:
        print(f"pipeline: {' '.join(notice.split())}", file=sys.stderr)


def tell_skipped(skipped: Sequence[Mapping[str, str]]) -> None:
    """Write what was not read and why to standard error."""
    tell(f"skipped {entry['path']}: {entry['reason']}" for entry in skipped)

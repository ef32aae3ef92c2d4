"""`pipeline filter`: an instrumentation filter from one profile or a directory of runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import Config, tell, tell_skipped
from pipeline.cli.options import Given, declared_options
from pipeline.config.options import Options, load_options

if TYPE_CHECKING:
    from ingest.discovery import Run
    from pipeline.config.options import Options
    from pipeline.stages.filter import FilterResult

Patterns = list[str] | None


@app.command("filter")
@declared_options("filter", Options)
def filter_command(
    path: Annotated[Path, typer.Argument(metavar="PROFILE|DIR", help="A profile or a directory of runs.")],
    given: Given,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path("app.filter"),
    config: Config = None,
    explain: Annotated[
        str | None, typer.Option(help="Explain the decision about a region; writes nothing.")
    ] = None,
    apply: Annotated[
        Path | None, typer.Option(help="Simulate this filter on the profile; writes nothing.")
    ] = None,
) -> None:
    """Decide which regions are worth measuring and write a proven filter file with its evidence."""
    from filters.explanation import explain as explanation
    from pipeline.config.filter_options import filter_request
    from pipeline.stages.filter import make_filter, store_filter

    if apply is not None:
        _simulate(path, apply)
        return
    options = load_options(config, path if path.is_dir() else None, **given)
    runs, growing = _runs_and_growing(path, options)
    request = filter_request(options.filter, growing)
    result = make_filter(runs, request)
    if explain is not None:
        typer.echo("\n".join(explanation(result.decision, result.prediction, explain)))
        return
    store_filter(output, result)
    tell(result.notices)
    _show(result, output)


def _runs_and_growing(path: Path, options: "Options") -> tuple[tuple["Run", ...], tuple[str, ...]]:
    """Return one run per point, and patterns for the regions whose models say that they will matter."""
    from pipeline.stages.filter import growing_regions, runs_to_filter
    from pipeline.stages.ingest import ingest, locate, skipped_entry
    from pipeline.stages.model import modelled

    located = locate(path, options.runs)
    if located.found is None:
        return runs_to_filter(()), ()
    if not located.found.parameters:
        return runs_to_filter(located.found.runs), ()
    read = ingest(located, options.metric, options.processes)
    tell_skipped([skipped_entry(entry) for entry in read.damaged])
    return runs_to_filter(read.runs), growing_regions(modelled(read, options, options.metric))


def _show(result: "FilterResult", path: Path) -> None:
    """Print what a written filter does, and the commands to use it."""
    from filters.explanation import next_commands
    from pipeline.report.filter_table import show_effect, show_memory
    from pipeline.report.terminal import console

    screen = console()
    show_effect(screen, result.decision, result.prediction, result.budget)
    show_memory(screen, *result.memory)
    typer.echo(f"Written to {path}, evidence in {path}.json. Use it with")
    told = (
        (result.usage.replace("FILE", str(path)),)
        if result.usage
        else next_commands(path, result.application)
    )
    for command in told:
        typer.echo(f"  {command}")


def _simulate(path: Path, rules: Path) -> None:
    """Show what a profile would look like under a filter."""
    from filters.evidence import evidence_from_profile
    from filters.overhead import predict
    from filters.scorep_format.matcher import kept
    from filters.scorep_format.parser import parse
    from filters.simulation import simulate
    from ingest.readers import read_profile
    from pipeline.report.filter_table import show_simulation
    from pipeline.report.terminal import console
    from pipeline.stages.filter import read_filter

    before = read_profile(path)
    found = parse(read_filter(rules), where=str(rules))
    run = evidence_from_profile(before)
    prediction = predict(run, kept(found, run.regions)[run.tree.region])
    after = simulate(before, found)
    tell(after.notices)
    show_simulation(console(), before, after, prediction)

"""`pipeline filter`: an instrumentation filter from one profile or a directory of runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Config, Format, Given, Json, declared_options
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    TABLE,
    require_table_alone,
    show_notices,
    show_skipped,
    write_output,
    write_summary,
    write_table,
)
from pipeline.config.options import Options, load_options

if TYPE_CHECKING:
    from pipeline.stages.filter import FilterResult

DISAGREES = 3  # exit code of --verify


@app.command("filter")
@declared_options("filter", Options)
def filter_command(
    path: Annotated[Path, typer.Argument(metavar="PROFILE|DIR", help="A profile or a directory of runs.")],
    given: Given,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="File to write, '-' for the filter on standard output."
        ),
    ] = "app.filter",
    config: Config = None,
    explain: Annotated[
        str | None,
        typer.Option(metavar="REGION", help="Explain the decision about a region; write nothing."),
    ] = None,
    apply: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Simulate this filter on the profile; write no filter."),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            metavar="SECOND",
            help="Compare with a profile or directory measured under the filter of --apply, without it under "
            "the one that this command makes; write no filter. Exit code 3: not measured under it.",
        ),
    ] = None,
    json: Json = None,
    table_format: Format = "table",
) -> None:
    """Select the regions that are worth measuring and write a verified filter file with its evidence."""
    from filters.explanation import explain as explanation
    from ingest.errors import UsageError
    from pipeline.report.tables.filter import effect_table
    from pipeline.stages.filter import filter_of_path, store_filter

    if explain is not None and (apply is not None or verify is not None):
        other = "--apply" if apply is not None else "--verify"
        raise UsageError(f"cannot be combined with {other}", where="--explain", hint="give one of them")
    if explain is not None and table_format != TABLE:
        raise UsageError("cannot be combined with --format", where="--explain", hint="give one of them")
    written = None if verify is not None or apply is not None else output
    require_table_alone(table_format, {"--output": written, "--json": json})
    options = load_options(config, path if path.is_dir() else None, **given)
    if verify is not None:
        _verify(path, verify, options, apply, json, table_format)
        return
    if apply is not None:
        _simulate(path, apply, options, json, table_format)
        return
    result, skipped = filter_of_path(path, options)
    show_skipped(skipped)
    if explain is not None:
        typer.echo("\n".join(explanation(result.decision, result.prediction, explain)))
        return
    show_notices(result.notices)
    if output == STANDARD_OUTPUT:
        write_output(output, result.text)
    else:
        store_filter(Path(output), result)
    taken = write_summary(json, result.evidence) or write_table(
        table_format, lambda: effect_table(result.prediction)
    )
    if not taken and output != STANDARD_OUTPUT:
        _show(result, Path(output))


def _show(result: "FilterResult", path: Path) -> None:
    """Print what a written filter does, and the commands to use it."""
    from filters.explanation import next_commands
    from pipeline.report.terminal import console
    from pipeline.report.terminal.filter import show_effect, show_memory

    screen = console()
    show_effect(screen, result.decision, result.prediction, result.budget)
    show_memory(screen, *result.memory)
    typer.echo(f"Written to {path}, evidence to {path}.json. Use it with")
    if result.usage:
        commands = [result.usage.replace("FILE", str(path))]
    else:
        commands = list(next_commands(path, result.application))
    for command in commands:
        typer.echo(f"  {command}")


def _simulate(path: Path, rules: Path, options: Options, json: str | None, table_format: str) -> None:
    """Show what a profile would look like under a filter."""
    from pipeline.report.filter_json import simulation_json
    from pipeline.report.tables.filter import simulation_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.filter import show_simulation
    from pipeline.stages.filter import simulate_filter

    before, after, prediction = simulate_filter(path, rules, options)
    show_notices(after.notices)
    document = {"filter": str(rules), **simulation_json(before, after, prediction)}
    if not (
        write_summary(json, document) or write_table(table_format, lambda: simulation_table(before, after))
    ):
        show_simulation(console(), before, after, prediction)


def _verify(
    path: Path, second: Path, options: Options, rules: Path | None, json: str | None, table_format: str
) -> None:
    """Show a measurement made under a filter beside what was predicted of it."""
    from pipeline.report.filter_json import verified_filter_json
    from pipeline.report.tables.filter import verification_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.verification import show_verification
    from pipeline.stages.verify_filter import verify_filter

    found = verify_filter(path, second, options, rules)
    show_skipped(found.skipped)
    content = verified_filter_json(found.filter, found.verifications, found.prediction, found.effect)
    if not (
        write_summary(json, content)
        or write_table(table_format, lambda: verification_table(found.verifications))
    ):
        typer.echo(f"Filter: {found.filter}")
        show_verification(console(), found.verifications, found.prediction, found.effect)
    if not found.agrees:
        raise typer.Exit(DISAGREES)

"""`pipeline filter`: an instrumentation filter from one profile or a directory of runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.options import Config, Given, Presentation, command, refuse_beside, shared, valued
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    TABLE,
    require_one_on_standard_output,
    show_notices,
    show_skipped,
    write_output,
)
from pipeline.config.options import Options, load_options
from pipeline.wording.exit_codes import ExitCode

if TYPE_CHECKING:
    from filters.make_filter import FilterResult


@command("filter", Options, outputs=())
def filter(
    path: Annotated[Path, typer.Argument(metavar="PROFILE|DIR", help="A profile or a directory of runs.")],
    given: Given,
    output: Annotated[
        str | None,
        shared("--out", ": the filter, '-' for standard output; without it, only say what it would do"),
    ] = None,
    config: Config = None,
    explain: Annotated[
        str | None, valued("--explain", "REGION", "Explain the decision about a region; write nothing.")
    ] = None,
    apply: Annotated[
        Path | None, valued("--apply", "FILE", "Simulate this filter on the profile; write no filter.")
    ] = None,
    verify: Annotated[
        Path | None,
        valued(
            "--verify",
            "SECOND",
            "Compare with a profile or directory measured under the filter of --apply, without it under "
            "the one that this command makes; write no filter. Exit code 3: not measured under it.",
        ),
    ] = None,
    shown: Presentation = Presentation(),
) -> None:
    """Select the regions that are worth measuring.

    With --out a filter file is written, and its evidence beside it.
    """
    from filters.explanation import explain as explanation
    from pipeline.columns.filter_effects import effect_table
    from pipeline.report.render.console import console, show_sentence
    from pipeline.stages.filter import filter_of_path, store_filter

    if explain is not None:
        other = "--apply" if apply is not None else "--verify"
        refuse_beside(other, {"--explain": apply is not None or verify is not None}, "give one of them")
        refuse_beside("--format", {"--explain": shown.table_format != TABLE}, "give one of them")
    written = None if verify is not None or apply is not None else output
    require_one_on_standard_output({"--out": written, "--json": shown.json}, shown.table_format)
    options = load_options(config, path, **given)
    if verify is not None:
        _verify(path, verify, options, apply, shown)
        return
    if apply is not None:
        _simulate(path, apply, options, shown)
        return
    result, skipped = filter_of_path(path, options)
    show_skipped(skipped)
    if explain is not None:
        for line in explanation(result.decision, result.prediction, explain):
            show_sentence(console(), line)
        return
    show_notices(result.notices)
    if output == STANDARD_OUTPUT:
        write_output(output, result.text)
    elif output is not None:
        store_filter(Path(output), result)
    taken = shown.written(result.evidence, lambda: effect_table(result.prediction))
    if not taken and output != STANDARD_OUTPUT:
        _show(result, output)


def _show(result: "FilterResult", written: str | None) -> None:
    """Print what a filter does, and the commands to use it or to write it."""
    from filters.explanation import next_commands
    from pipeline.report.render.console import console, show_sentence
    from pipeline.report.terminal.filter import show_effect, show_memory

    screen = console()
    show_effect(screen, result)
    show_memory(screen, result.memory)
    if written is None:
        show_sentence(screen, "Nothing is written. To write it, add -o app.filter to the command")
        return
    show_sentence(screen, "Written, the evidence beside it as .json. Use it with")
    if result.usage:
        commands = [result.usage.replace("FILE", written)]
    else:
        commands = list(
            next_commands(Path(written), result.application, result.memory.filtered, result.decision.runs)
        )
    for line in commands:  # whole, so that they can be copied
        typer.echo(f"  {line}")


def _simulate(path: Path, rules: Path, options: Options, shown: Presentation) -> None:
    """Show what a profile would look like under a filter."""
    from pipeline.columns.filter_effects import simulation_table
    from pipeline.report.terminal.filter import show_simulation
    from pipeline.stages.filter import simulate_filter

    found = simulate_filter(path, rules, options)
    show_notices(found.notices)
    shown.present(found, lambda: simulation_table(found), lambda screen: show_simulation(screen, found))


def _verify(path: Path, second: Path, options: Options, rules: Path | None, shown: Presentation) -> None:
    """Show a measurement made under a filter with what was predicted of it."""
    from pipeline.columns.filter_effects import verification_table
    from pipeline.report.terminal.filter import show_verification
    from pipeline.stages.filter import verify_filter

    found = verify_filter(path, second, options, rules)
    show_skipped(found.skipped)
    shown.present(
        found, lambda: verification_table(found.points), lambda screen: show_verification(screen, found)
    )
    if not found.agrees:
        raise typer.Exit(ExitCode.INCONCLUSIVE)

"""`pipeline filter`: a Score-P filter file from one profile or a directory of runs."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import Config, tell, tell_skipped


@app.command("filter")
def filter_command(
    path: Annotated[Path, typer.Argument(metavar="PROFILE|DIR", help="A profile or a directory of runs.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The filter file to write.")] = Path(
        "app.filter"
    ),
    config: Config = None,
    form: Annotated[str, typer.Option(help="include, exclude, or the shorter of both.")] = "shorter",
    protect: Annotated[list[str] | None, typer.Option(help="Keep regions that match; repeatable.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Drop regions that match; repeatable.")] = None,
) -> None:
    """Decide which regions are worth measuring and write a proven Score-P filter file with its evidence."""
    from filters.layout import Form
    from filters.wishes import Wishes
    from ingest.discovery import discover
    from ingest.errors import UsageError
    from pipeline.filtering import make_filter, runs_to_filter, store_filter
    from pipeline.options import load_options
    from pipeline.report.terminal import console
    from pipeline.stages import skipped_entry

    if form not in {choice.value for choice in Form}:
        raise UsageError(f"'{form}' is no form", where="--form", mend="include, exclude or shorter")
    options = load_options(config, path if path.is_dir() else None)
    found = discover(path, options.runs or None)
    tell_skipped([skipped_entry(entry) for entry in found.skipped])
    wishes = Wishes(tuple(protect or ()), tuple(drop or ()))
    result = make_filter(runs_to_filter(found.runs), options.filter, wishes, Form(form))
    store_filter(output, result)
    tell(result.evidence["notices"])
    screen = console()
    screen.print(f"Filter: {result.effect}", soft_wrap=True)
    screen.print(f"written to {output}, evidence in {output}.json", soft_wrap=True)

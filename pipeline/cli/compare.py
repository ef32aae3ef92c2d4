"""`pipeline compare`: two results side by side."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import (
    At,
    Config,
    Format,
    From,
    Given,
    Json,
    Limit,
    On,
    chosen_places,
    declared_options,
)
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    reading_progress,
    require_table_alone,
    show_notices,
    show_skipped,
    write_output,
    write_summary,
    write_table,
)
from pipeline.config.options import Options, load_options


@app.command("compare")
@declared_options("compare", Options)
def compare_command(
    a: Annotated[Path, typer.Argument(metavar="OUT_A", help="A: results directory, runs or series file.")],
    b: Annotated[Path, typer.Argument(metavar="OUT_B", help="B: the same, compared with A.")],
    given: Given,
    at: At = None,
    from_machine: From = None,
    on: On = None,
    config: Config = None,
    factor: Annotated[
        float,
        typer.Option(
            "--factor", metavar="FACTOR", min=1.0, help="Differences up to this factor are not reported."
        ),
    ] = 1.1,
    json: Json = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            "--html",
            metavar="FILE",
            help="Write a self-contained page to this file, '-' for standard output.",
        ),
    ] = None,
    limit: Limit = 15,
    table_format: Format = "table",
) -> None:
    """Report which kernels differ significantly between two studies, now and at the target scale."""
    import datetime

    from pipeline.config.targets import parse_at
    from pipeline.gate.check import check
    from pipeline.gate.matching import match, possible_renames
    from pipeline.gate.options import CheckOptions
    from pipeline.report.check.comparison import comparison_html, comparison_table, show_comparison
    from pipeline.report.check.document import comparison_document
    from pipeline.report.terminal import console
    from pipeline.stages.check import read_alike, require_common

    require_table_alone(table_format, {"--output": output, "--json": json})
    options = load_options(config, None, **given)
    studies = read_alike((a, b), options, reading_progress, chosen_places(from_machine, on))
    for study in studies:
        show_skipped(study.damaged)
        show_notices(study.notices)
    rules = CheckOptions(targets=parse_at(at or []), factor=factor, common_factor=min(factor, 1.05))
    one, two = (study.measurements for study in studies)
    matched = match(one, two)
    require_common(matched, str(a), str(b))
    result = check(two, one, rules, options.models, datetime.date.today())
    recognised = {rename.before for rename in result.renames}
    possible = possible_renames(matched, rules.share_floor)
    renamed = [pair for pair in possible if pair[0].callpath not in recognised]
    if output is not None:
        write_output(output, comparison_html(result, renamed, str(a), str(b)))
    written = write_summary(json, comparison_document(result, renamed, str(a), str(b))) or write_table(
        table_format, lambda: comparison_table(result, renamed, limit=limit)
    )
    if output != STANDARD_OUTPUT and not written:
        show_comparison(console(), result, renamed, limit=limit)

"""`pipeline compare`: two results side by side."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.options import (
    At,
    ChosenMachines,
    Config,
    Details,
    Given,
    Limit,
    Presentation,
    command,
    shared,
    valued,
)
from pipeline.cli.output import STANDARD_OUTPUT, reading_progress, show_doubts, write_output
from pipeline.config.options import Options, load_options

if TYPE_CHECKING:
    from ingest.locate import Located


@command("compare", Options)
def compare(
    a: Annotated[Path, typer.Argument(metavar="OUT_A", help="A: results directory, runs or series file.")],
    given: Given,
    b: Annotated[Path | None, typer.Argument(metavar="[OUT_B]", help="B: the same, compared with A.")] = None,
    at: At = None,
    machines: ChosenMachines = ChosenMachines(),
    config: Config = None,
    factor: Annotated[
        float, valued("--factor", "FACTOR", "Differences up to this factor are not reported.", min=1.0)
    ] = 1.1,
    output: Annotated[str | None, shared("--out", ": a self-contained page, '-' for standard output")] = None,
    limit: Limit = 15,
    details: Details = False,
    shown: Presentation = Presentation(),
    group_by: Annotated[
        str | None, shared("--group-by", ": compare two of them (machine=A,B), or all with the first")
    ] = None,
) -> None:
    """Report which kernels differ significantly between two studies."""
    from ingest.errors import UsageError
    from pipeline.report.check.document import comparison_document
    from pipeline.report.check.terminal import comparison_table, show_comparison
    from pipeline.report.page.comparison_page import comparison_html
    from pipeline.report.render.console import console
    from pipeline.stages.check import compare_studies, comparison_rules, read_alike
    from pipeline.stages.run import compared_groups

    if (b is None) == (group_by is None):
        raise UsageError("give two studies, or one and --group-by", where="compare")
    options = load_options(config, None if b else a, **given)
    pairs: Sequence[Sequence[tuple[str, Path | Located]]]
    pairs = [[(str(a), a), (str(b), b)]] if b else compared_groups(a, options, group_by or "")
    if len(pairs) > 1 and (output is not None or shown != Presentation()):
        raise UsageError(
            f"there are {len(pairs) + 1} values of '{group_by}'",
            where="--group-by",
            hint=f"name two of them, as in {group_by}=A,B, for --json, --out and --format",
        )
    rules = comparison_rules(factor, at or ())
    places = machines.places
    for pair in pairs:
        (a_name, a_source), (b_name, b_source) = pair
        names, sources = (a_name, b_name), (a_source, b_source)
        studies = read_alike(sources, options, reading_progress, places)
        for study in studies:
            show_doubts(study.damaged, study.notices)
        found, compared = compare_studies(names, studies, rules, options.models)
        if output is not None:
            write_output(output, comparison_html(found, compared))
        written = shown.written(comparison_document(found), partial(comparison_table, found, limit=limit))
        if output != STANDARD_OUTPUT and not written:
            show_comparison(console(), found, limit=limit, details=details)

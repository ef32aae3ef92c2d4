"""`pipeline export`: a stored result for other tools, or for a computing-time proposal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Given, Metric, Out, chosen_efficiency, declared_options
from pipeline.cli.output import STANDARD_OUTPUT, show_written, write_output
from pipeline.config.options import Options


@app.command("export")
@declared_options("export", Options)
def export_command(
    out: Out,
    to: Annotated[
        Literal["extrap-jsonl", "csv", "hatchet-json", "proposal"],
        typer.Option(
            "--to",
            help="Measurements for Extra-P, models as CSV, the call tree for Hatchet, or figure, table and "
            "sentences for a computing-time proposal.",
        ),
    ],
    given: Given,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File to write, '-' for standard output. Of a proposal: the figure (.pdf, .svg, .png) or a "
            "directory; '-' for the sentences alone.",
        ),
    ] = STANDARD_OUTPUT,
    at: At = None,
    metric: Metric = None,
) -> None:
    """Write results for other tools, or for a computing-time proposal."""
    from ingest.errors import UsageError
    from pipeline.config.targets import parse_at
    from pipeline.questions.analysis import look_ahead
    from pipeline.report.export import export
    from pipeline.stages.model import require_additive, target_points
    from pipeline.store.results import read_analysis

    if at and to not in ("csv", "proposal"):
        raise UsageError(f"{to} has no predictions", where="--at", hint="omit it, or use --to csv")
    if to != "proposal" and given.get("min_efficiency") is not None:
        raise UsageError(f"{to} has no efficiency", where="--min-efficiency", hint="use --to proposal")
    if to == "proposal":
        _export_proposal(out, parse_at(at or []), chosen_efficiency(out, given), output)
        return
    analysis = read_analysis(out, metric)
    if to == "hatchet-json":
        require_additive(analysis)
    targets = target_points(analysis, parse_at(at or []))
    outlook = look_ahead(analysis, analysis.callpaths, targets)
    write_output(output, export(analysis, outlook, to, targets))


def _export_proposal(
    out: Path, at: Sequence[Mapping[str, float]], min_efficiency: float, output: str
) -> None:
    from pipeline.stages.proposal import proposal_text, write_proposal

    if output == STANDARD_OUTPUT:
        write_output(output, proposal_text(out, at, min_efficiency))
        return
    for path in write_proposal(out, at, min_efficiency, Path(output)):
        show_written(path)

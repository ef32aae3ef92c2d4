"""Results of `pipeline run` on another machine: what `pipeline project OUT` shows and writes."""

from pathlib import Path

from pipeline.cli.options import LEVELS, chosen_efficiency
from pipeline.cli.output import STANDARD_OUTPUT, write_output, write_summary, write_table
from pipeline.cli.project_application import Targets
from pipeline.config.targets import parse_at


def project_directory(
    out: Path,
    source: str | None,
    target: str | None,
    at: list[str],
    variant: str | None,
    by: str,
    limit: int,
    targets: Targets,
) -> None:
    """Project the kernels of a results directory, and show or write what becomes of them.

    Raises:
        PipelineError: as `project_results`.
    """
    from pipeline.report.tables.study_projection import study_projection_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.study_projection import show_study_projection
    from pipeline.stages.project_study import places_of, project_results

    efficiency = chosen_efficiency(out, {})
    found = project_results(out, places_of(source, target, variant), parse_at(at), efficiency)
    if targets.plot is not None:
        write_output(targets.plot, found.page)
        if targets.plot == STANDARD_OUTPUT:
            return
    level, document = LEVELS[by], found.document
    if not (
        write_summary(targets.json, document)
        or write_table(targets.form, lambda: study_projection_table(document, by=level, limit=limit))
    ):
        show_study_projection(console(), document, name=out.resolve().name, by=level, limit=limit)

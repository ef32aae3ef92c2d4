"""`pipeline check`: does any kernel scale worse than in the baseline, or than the rules allow?"""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.baseline import Machine
from pipeline.cli.options import At, Config, Given, Limit, declared_options
from pipeline.cli.output import reading_progress, show_notices, show_skipped, show_written
from pipeline.config.options import Options, configuration_file, load_options


@app.command("check")
@declared_options("check", Options)
def check_command(
    path: Annotated[
        Path, typer.Argument(metavar="DIR|OUT|FILE", help="Runs, a results directory or a series file.")
    ],
    given: Given,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="File of `pipeline baseline`; without it only the rules of pipeline.toml apply.",
        ),
    ] = None,
    at: At = None,
    machine: Machine = None,
    config: Config = None,
    json: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="FILE", help="Write check.json to this file, '-' for standard output."
        ),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="FILE", help="Write JUnit XML to this file (-: standard output)."),
    ] = None,
    sarif: Annotated[
        str | None,
        typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0 to this file (-: standard output)."),
    ] = None,
    markdown: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write Markdown to this file (-: standard output)."),
    ] = None,
    code_quality: Annotated[
        str | None,
        typer.Option(
            "--code-quality",
            metavar="FILE",
            help="Write GitLab's code-quality report to this file (-: standard output).",
        ),
    ] = None,
    source_root: Annotated[
        str | None,
        typer.Option(
            "--source-root",
            metavar="DIR",
            help="Directory that the program was compiled in; source files are shown relative to it.",
        ),
    ] = None,
    limit: Limit = 15,
) -> None:
    """Check for scalability regressions. Exit code 0: no regression, 1: regression, 3: inconclusive."""
    import datetime
    from dataclasses import replace

    from pipeline.config.check_options import load_check_options
    from pipeline.config.targets import parse_at
    from pipeline.gate.check import check
    from pipeline.report.check.terminal import show_check
    from pipeline.report.terminal import console
    from pipeline.stages.check import Outputs, like_baseline, read_baseline, read_study, write_outputs

    folder = path if path.is_dir() else None
    options = load_options(config, folder, **given)
    rules = load_check_options(configuration_file(config, folder))
    if at or options.at:
        rules = replace(rules, targets=parse_at(at) if at else rules.targets or options.at)
    known = read_baseline(baseline) if baseline is not None else None
    study = read_study(path, like_baseline(options, known), machine or "", reading_progress)
    show_skipped(study.damaged)
    show_notices(study.notices)
    result = check(study.measurements, known, rules, options.models, datetime.date.today())
    outputs = Outputs(
        json=json,
        junit=junit,
        sarif=sarif,
        markdown=markdown,
        code_quality=code_quality,
        source_root=source_root or "",
    )
    if not write_outputs(result, outputs, show_written):
        show_check(console(), result, limit=limit)
    raise typer.Exit(int(result.outcome))

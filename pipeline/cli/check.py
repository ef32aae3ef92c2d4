"""`pipeline check`: does any kernel scale worse than in the baseline, or than the rules allow?"""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.baseline import Machine
from pipeline.cli.options import At, Config, Format, From, Given, Limit, On, chosen_places, declared_options
from pipeline.cli.output import TABLE, reading_progress, show_notices, show_skipped, show_written
from pipeline.config.options import Options, configuration_file, declared_fields, load_options
from pipeline.gate.options import CheckOptions


@app.command("check")
@declared_options("check", Options, CheckOptions)
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
    paired_with: Annotated[
        Path | None,
        typer.Option(
            "--paired-with",
            metavar="DIR",
            help="Runs of the baseline's program, in turn with those of DIR and numbered alike.",
        ),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            "--history", metavar="FILE", help="File of `pipeline history add`: compare with its last entries."
        ),
    ] = None,
    last: Annotated[
        int, typer.Option("--last", metavar="N", min=3, help="Number of entries of the history.")
    ] = 10,
    at: At = None,
    from_machine: From = None,
    on: On = None,
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
    table_format: Format = "table",
) -> None:
    """Check for scalability regressions. Exit code 0: no regression, 1: regression, 3: inconclusive."""
    import datetime
    from dataclasses import replace

    from pipeline.config.check_options import load_check_options
    from pipeline.config.targets import parse_at
    from pipeline.report.check.terminal import show_check
    from pipeline.report.tables.formats import WRITERS
    from pipeline.report.tables.gate import check_table
    from pipeline.report.terminal import console
    from pipeline.stages.check import (
        Outputs,
        Reference,
        checked,
        like_baseline,
        read_reference,
        read_study,
        write_outputs,
    )

    folder = path if path.is_dir() else None
    file = configuration_file(config, folder)
    own = {one.name for one, _, _ in declared_fields(CheckOptions)}
    options = load_options(config, folder, **{name: v for name, v in given.items() if name not in own})
    rules = load_check_options(file, **{name: v for name, v in given.items() if name in own})
    if at or options.at:
        rules = replace(rules, targets=parse_at(at) if at else rules.targets or options.at)
    reference = Reference(baseline=baseline, paired_with=paired_with, history=history, last=last)
    places = chosen_places(from_machine, on)
    known = read_reference(reference, options, machine or "", reading_progress, places)
    alike = like_baseline(options, known.measurements)
    study = read_study(path, alike, machine or "", reading_progress, places)
    for one in (study, *known.studies):
        show_skipped(one.damaged)
        show_notices(one.notices)
    result = checked(study, known, rules, options, datetime.date.today())
    table = None if table_format == TABLE else check_table(result, limit=limit)
    outputs = Outputs(
        table=None if table is None else WRITERS[table_format](table),
        json=json,
        junit=junit,
        sarif=sarif,
        markdown=markdown,
        code_quality=code_quality,
        source_root=source_root or "",
        configuration=str(file or ""),
        reference=str(baseline or history or ""),
    )
    show_notices(() if table is None else table.notes)
    if not write_outputs(result, outputs, show_written):
        show_check(console(), result, limit=limit)
    raise typer.Exit(int(result.outcome))

"""`pipeline baseline` and `pipeline check`: does any kernel scale worse than it did, or than rules allow?"""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import (
    At,
    Config,
    Format,
    From,
    Given,
    Limit,
    On,
    Source,
    chosen_places,
    command,
    valued,
)
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    TABLE,
    reading_progress,
    show_doubts,
    show_notices,
    show_written,
    write_output,
)
from pipeline.config.options import Options, configuration_file, declared_fields, load_options
from pipeline.gate.gate_options import CheckOptions

Machine = Annotated[
    str | None,
    valued("--machine", "NAME", "Name of the machine; studies of different machines are not compared."),
]


@command("baseline", Options)
def baseline(
    path: Source,
    given: Given,
    output: Annotated[
        str, valued("-o --output", "FILE", "Baseline file to write, '-' for standard output.")
    ] = "baseline.json",
    from_machine: From = None,
    on: On = None,
    machine: Machine = None,
    config: Config = None,
) -> None:
    """Write measured values, models and noise of every kernel to a file for `pipeline check`."""
    from pipeline.stages.check import baseline_text
    from pipeline.stages.gate_study import read_study
    from pipeline.store.atomic import write_text

    options = load_options(config, path, **given)
    study = read_study(path, options, machine or "", reading_progress, chosen_places(from_machine, on))
    show_doubts(study.damaged, study.notices)
    configuration = {"scaling": options.scaling, "metric": options.metric}
    text, count = baseline_text(study, options, configuration)
    if output == STANDARD_OUTPUT:
        write_output(output, text)
    else:
        write_text(Path(output), text)
        points = len(study.measurements.points)
        typer.echo(f"Baseline of {count} kernels at {points} points in {output}")


@command("check", Options, CheckOptions, outputs=())
def check(
    path: Source,
    given: Given,
    baseline: Annotated[
        Path | None,
        valued(
            "--baseline",
            "FILE",
            "File of `pipeline baseline`; without it only the rules of pipeline.toml apply.",
        ),
    ] = None,
    paired_with: Annotated[
        Path | None,
        valued(
            "--paired-with",
            "DIR",
            "Runs of the baseline's program, in turn with those of DIR and numbered alike.",
        ),
    ] = None,
    history: Annotated[
        Path | None,
        valued("--history", "FILE", "File of `pipeline history add`: compare with its last entries."),
    ] = None,
    last: Annotated[int, valued("--last", "N", "Number of entries of the history.", min=3)] = 10,
    at: At = None,
    from_machine: From = None,
    on: On = None,
    machine: Machine = None,
    config: Config = None,
    json: Annotated[
        str | None, valued("--json", "FILE", "Write check.json to this file, '-' for standard output.")
    ] = None,
    junit: Annotated[
        str | None, valued("--junit", "FILE", "Write JUnit XML to this file (-: standard output).")
    ] = None,
    sarif: Annotated[
        str | None, valued("--sarif", "FILE", "Write SARIF 2.1.0 to this file (-: standard output).")
    ] = None,
    markdown: Annotated[
        str | None, valued("--markdown", "FILE", "Write Markdown to this file (-: standard output).")
    ] = None,
    code_quality: Annotated[
        str | None,
        valued(
            "--code-quality", "FILE", "Write GitLab's code-quality report to this file (-: standard output)."
        ),
    ] = None,
    source_root: Annotated[
        str | None,
        valued(
            "--source-root",
            "DIR",
            "Directory that the program was compiled in; source files are shown relative to it.",
        ),
    ] = None,
    limit: Limit = 15,
    table_format: Format = "table",
) -> None:
    """Check for scalability regressions. Exit code 0: no regression, 1: regression, 3: inconclusive."""
    import datetime
    from dataclasses import replace

    from pipeline.config.check_options import load_check_options
    from pipeline.config.option_readers import parse_at
    from pipeline.report.check.terminal import check_table, show_check
    from pipeline.report.render.console import console
    from pipeline.report.render.text_formats import WRITERS
    from pipeline.stages.check import checked, read_reference
    from pipeline.stages.check_outputs import write_outputs
    from pipeline.stages.gate_study import like_baseline, read_study

    file = configuration_file(config, path)
    own = {one.name for one, _, _ in declared_fields(CheckOptions)}
    options = load_options(file, None, **{name: v for name, v in given.items() if name not in own})
    rules = load_check_options(file, **{name: v for name, v in given.items() if name in own})
    if at or options.at:
        rules = replace(rules, targets=parse_at(at) if at else rules.targets or options.at)
    places = chosen_places(from_machine, on)
    known = read_reference(
        options,
        machine or "",
        reading_progress,
        places,
        baseline=baseline,
        paired_with=paired_with,
        history=history,
        last=last,
    )
    alike = like_baseline(options, known.measurements)
    study = read_study(path, alike, machine or "", reading_progress, places)
    for one in (study, *known.studies):
        show_doubts(one.damaged, one.notices)
    result = checked(study, known, rules, options, datetime.date.today())
    table = None if table_format == TABLE else check_table(result, limit=limit)
    targets = {
        "--junit": junit,
        "--sarif": sarif,
        "--markdown": markdown,
        "--code-quality": code_quality,
        "--json": json,
    }
    show_notices(() if table is None else table.notes)
    taken = write_outputs(
        result,
        targets,
        None if table is None else WRITERS[table_format](table),
        source_root=source_root or "",
        elsewhere=str(file or baseline or history or ""),
        written=show_written,
    )
    if not taken:
        show_check(console(), result, limit=limit)
    raise typer.Exit(int(result.outcome))

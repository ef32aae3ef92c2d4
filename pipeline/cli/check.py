"""`pipeline baseline` and `pipeline check`: does any kernel scale worse than it did, or than rules allow?"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.cli.options import (
    At,
    ChosenMachines,
    Config,
    Details,
    Format,
    Given,
    Json,
    Limit,
    Source,
    command,
    shared,
    valued,
)
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    reading_progress,
    show_doubts,
    write_output,
    write_summary,
    write_table,
)
from pipeline.config.options import Options, configuration_file, declared_fields, load_options
from pipeline.gate.gate_options import CheckOptions

if TYPE_CHECKING:
    from pipeline.stages.check import GateStudy

Machine = Annotated[str, shared("--machine", ": studies of different machines are not compared")]


def _report(name: str, what: str) -> Any:  # noqa: ANN401  # as typer's own
    return valued(name, "FILE", f"Write {what} to this file, '-' for standard output.")


@dataclass(frozen=True, kw_only=True)
class CheckFiles:
    """Where the reports of a check go, by their names in `pipeline.stages.check.REPORTS`."""

    json: Json = None
    junit: Annotated[str | None, _report("--junit", "JUnit XML")] = None
    sarif: Annotated[str | None, _report("--sarif", "SARIF 2.1.0")] = None
    markdown: Annotated[str | None, _report("--markdown", "Markdown")] = None
    code_quality: Annotated[str | None, _report("--code-quality", "GitLab's code-quality report")] = None


@dataclass(frozen=True, kw_only=True)
class CheckReference:
    """What a study is compared with, as `pipeline.stages.check.check_study` takes it."""

    baseline: Annotated[
        Path | None,
        valued(
            "--baseline",
            "FILE",
            "File of `pipeline baseline`; without it only the rules of pipeline.toml apply.",
        ),
    ] = None
    paired_with: Annotated[
        Path | None,
        valued(
            "--paired-with",
            "DIR",
            "Runs of the baseline's program, in turn with those of DIR and numbered alike.",
        ),
    ] = None
    history: Annotated[
        Path | None,
        shared("--history", ": compare with the last entries of this file"),
    ] = None
    last: Annotated[int, valued("--last", "N", "Number of entries of the history.", min=3)] = 10


@dataclass(frozen=True, kw_only=True)
class WrittenBaseline:
    """The file that was written, and what is in it."""

    baseline: str
    machine: Annotated[str, "measured on; empty if unknown"]
    kernels: int
    points: int


@command("baseline", Options)
def baseline(
    path: Source,
    given: Given,
    output: Annotated[str, shared("--out", ": the baseline, '-' for standard output")] = "baseline.json",
    machines: ChosenMachines = ChosenMachines(),
    machine: Machine = "",
    config: Config = None,
    json: Json = None,
) -> None:
    """Keep how a program scales, for `pipeline check` to compare with."""
    from pipeline.gate.kernel_values import Scope
    from pipeline.report.render.console import console, show_sentence
    from pipeline.stages.check import baseline_text, read_study
    from pipeline.store.atomic import write_text
    from pipeline.wording.quantities import counted

    options = load_options(config, path, **given)
    study = read_study(path, options, machine, reading_progress, machines.places)
    _doubtful(study)
    configuration = {"scaling": options.scaling, "metric": options.metric}
    text, kernels = baseline_text(study, options, configuration)
    measured = study.measurements
    written = WrittenBaseline(
        baseline=output, machine=measured.origin.machine, kernels=len(kernels), points=len(measured.points)
    )
    if output == STANDARD_OUTPUT:
        write_output(output, text)
    else:
        write_text(Path(output), text)
    if not write_summary(json, written) and output != STANDARD_OUTPUT:
        functions = counted(len({one.region for one in kernels if one.level is not Scope.TOTAL}), "function")
        points = counted(written.points, "point")
        show_sentence(console(), f"Baseline of {functions} at {points} in {output}")
        show_sentence(console(), f"Next: pipeline check DIR --baseline {output}")


@command(
    "check", Options, CheckOptions, outputs=("--junit", "--sarif", "--markdown", "--code-quality", "--json")
)
def check(
    path: Source,
    given: Given,
    against: CheckReference = CheckReference(),
    at: At = None,
    machines: ChosenMachines = ChosenMachines(),
    machine: Machine = "",
    config: Config = None,
    files: CheckFiles = CheckFiles(),
    source_root: Annotated[
        str,
        valued(
            "--source-root",
            "DIR",
            "Directory that the program was compiled in; source files are shown relative to it.",
        ),
    ] = "",
    limit: Limit = 15,
    details: Details = False,
    table_format: Format = "table",
) -> None:
    """Check for scalability regressions, as a gate in CI.

    Exit code 0: no regression, 1: regression, 3: inconclusive.
    """
    import sys

    from pipeline.report.check.terminal import check_table, show_check
    from pipeline.report.render.console import console
    from pipeline.stages.check import REPORTS, check_rules, check_study, write_for_github

    file = configuration_file(config, path)
    own = {one.name for one, _, _ in declared_fields(CheckOptions)}
    options = load_options(file, None, **{name: v for name, v in given.items() if name not in own})
    rules = check_rules(file, at, options, **{name: v for name, v in given.items() if name in own})
    reading = machine, reading_progress, machines.places
    result, _ = check_study(path, rules, options, *reading, _doubtful, **vars(against))
    elsewhere = str(file or against.baseline or against.history or path)  # exists, which GitLab wants
    targets = {name: target for name, target in vars(files).items() if target is not None}
    for name, target in targets.items():
        write_output(target, REPORTS[name](result, source_root, elsewhere))
    tabled = write_table(table_format, lambda: check_table(result, limit=limit))
    taken = tabled or STANDARD_OUTPUT in targets.values()
    write_for_github(result, source_root, sys.stderr if taken else sys.stdout)
    if not taken:
        show_check(console(), result, limit=limit, details=details)
    raise typer.Exit(int(result.outcome))


def _doubtful(study: "GateStudy") -> None:
    show_doubts(study.damaged, study.notices)

"""Commands that show a stored result: `predict`, `bottlenecks` and `plot`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.options import (
    At,
    ChosenMachines,
    Details,
    Given,
    KernelPresentation,
    Metric,
    Out,
    Presentation,
    WhatIf,
    chosen_efficiency,
    command,
    refuse_beside,
    shared,
    switch,
    valued,
)
from pipeline.cli.output import STANDARD_OUTPUT, image_form, show_notices, write_output
from pipeline.config.options import Options

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.columns.summary import Summary


@command("predict", Options)
def predict(
    out: Out,
    given: Given,
    at: At = None,
    metric: Metric = None,
    changes: WhatIf = None,
    details: Details = False,
    shown: KernelPresentation = KernelPresentation(),
) -> None:
    """Predict every kernel at the target scale, with intervals."""
    from pipeline.columns.kernel_tables import predictions_table
    from pipeline.report.render.console import show_sentence
    from pipeline.report.terminal.results import show_predictions, show_remarks, show_total
    from pipeline.stages.model import change_notices, stored_summary
    from pipeline.store.results import read_study

    efficiency, study = chosen_efficiency(out, given), read_study(out)
    whole = shown.json is not None
    summary = stored_summary(
        study,
        at or (),
        efficiency,
        metric,
        others=whole,
        changes=changes or (),
        most=shown.most,
        only=None if whole or details else shown.rows["by"],
    )
    show_notices(change_notices(study, at or (), changes or (), metric))

    def draw(screen: "Console", summary: "Summary", *, by: str, limit: int) -> None:
        show_total(screen, summary, by=by)
        screen.print()
        show_predictions(screen, summary, by=by, limit=shown.few(details))
        if details:
            show_remarks(screen, summary)
        else:
            show_sentence(screen, f"pipeline bottlenecks {out} | --details: more rows, notes on the models")

    shown.present_rows(summary, predictions_table, draw)


@command("bottlenecks")
def bottlenecks(
    out: Out,
    at: At = None,
    machines: ChosenMachines = ChosenMachines(),
    metric: Metric = None,
    changes: WhatIf = None,
    potential: Annotated[
        bool,
        switch("--potential", "Rank what kernels would gain twice as fast, perfectly scaling or balanced."),
    ] = False,
    tree: Annotated[
        bool, switch("--tree", "Show the call tree with shares and growth, as measured or predicted (--at).")
    ] = False,
    least: Annotated[
        str | None,
        valued("--least", "SHARE", "Hide call paths of --tree below this inclusive share; default: 1%."),
    ] = None,
    details: Details = False,
    shown: KernelPresentation = KernelPresentation(),
) -> None:
    """Rank kernels at the target scale: growth, share, crossovers."""
    from ingest.errors import UsageError
    from pipeline.columns.kernel_tables import ranking_table
    from pipeline.report.render.console import show_sentence
    from pipeline.report.terminal.results import show_result, show_shares
    from pipeline.stages.model import change_notices, stored_summary
    from pipeline.store.results import read_study

    if tree:
        others = {
            "--details": details,
            "--on": machines.on,
            "--from": machines.from_machine,
            "--potential": potential,
        }
        rows = {"--by": shown.by != "region", "--limit": shown.limit != KernelPresentation.limit}
        refuse_beside("--tree", others | rows | {"--what-if": changes})
        _show_tree(out, at or (), metric, least or "1%", shown)
        return
    if least is not None:
        raise UsageError("only --tree hides call paths", where="--least", hint="add --tree")
    efficiency = chosen_efficiency(out, {})
    places = machines.places
    if potential:
        refuse_beside("--potential", {"--on": places, "--metric": metric, "--details": details})
        _show_potential(out, at or (), changes or (), shown)
        return
    if places is None:
        study = read_study(out)
        summary = stored_summary(study, at or (), efficiency, metric, changes=changes or (), most=shown.most)
        show_notices(change_notices(study, at or (), changes or (), metric))
    else:
        refuse_beside("--on", {"--what-if": changes})
        from pipeline.stages.projected_results import project_results

        if metric not in (None, "time"):
            what, hint = f"'{metric}' cannot be projected", "leave it out: time can"
            raise UsageError(what, where="--metric", hint=hint)
        found = project_results(out, places, at or (), efficiency)
        summary = found.summary
        show_notices(found.rests_on)

    def draw(screen: "Console", summary: "Summary", *, by: str, limit: int) -> None:
        show_shares(screen, summary, by=by, limit=shown.few(details))
        if details:
            screen.print()
            show_result(screen, summary, by=by, limit=limit)
        else:
            what = "effort = visits x time, crossovers, notes on the models"
            show_sentence(screen, f"--details: {what} | --tree: call tree | pipeline predict {out}")

    shown.present_rows(summary, ranking_table, draw)


def _show_potential(
    out: Path, at: Sequence[Mapping[str, float]], changes: Sequence[str], shown: KernelPresentation
) -> None:
    from pipeline.columns.answers import potential_table
    from pipeline.report.render.terminal_tables import show_table
    from pipeline.stages.model import change_notices, potential_at
    from pipeline.store.results import read_study

    study, rows = read_study(out), shown.rows
    document = potential_at(study.chosen, at, changes, by=rows["by"])
    show_notices(change_notices(study, at, changes))
    table = potential_table(document, **rows)
    shown.present(document, lambda: table, lambda screen: show_table(screen, table))


def _show_tree(
    out: Path, at: Sequence[Mapping[str, float]], metric: str | None, least: str, shown: Presentation
) -> None:
    from ingest.record_codec import document
    from pipeline.columns.shown_tree import tree_table
    from pipeline.config.option_readers import read_option_share
    from pipeline.report.terminal.results import show_tree
    from pipeline.stages.model import summary_of, tree_point, tree_values
    from pipeline.store.results import read_analysis

    share = read_option_share("--least", least)
    analysis = read_analysis(out, metric)
    places = [[target] for target in at] or [[]]
    trees = [(tree_point(analysis, place), *tree_values(analysis, place)) for place in places]

    def draw(screen: "Console") -> None:
        for _, values, origin in trees:
            show_tree(screen, analysis, values, origin, share)

    summary = document(summary_of(analysis, at)) if shown.json else {}
    shown.present(summary, lambda: tree_table(analysis, [tree[:2] for tree in trees], share), draw)


@command("plot", outputs=("--png", "--svg", "--out"))
def plot(
    out: Out,
    kernel: Annotated[
        str,
        typer.Argument(
            metavar="KERNEL", help="Region, call path or its id such as '#17'; * and ? are wildcards."
        ),
    ],
    at: At = None,
    metric: Metric = None,
    output: Annotated[str | None, shared("--out", ": a .png, .svg or .pdf file, '-' for text")] = None,
    png: Annotated[
        str | None, valued("--png", "FILE", "Write PNG to this file, '-' for standard output.", hidden=True)
    ] = None,
    svg: Annotated[
        str | None, valued("--svg", "FILE", "Write SVG to this file, '-' for standard output.", hidden=True)
    ] = None,
    linear: Annotated[bool, switch("--linear", "Use linear instead of logarithmic axes.")] = False,
) -> None:
    """Plot a kernel: measurements, model and 90 % interval."""
    import shutil
    from dataclasses import replace

    from pipeline.report.plots import curve_image, terminal_plot
    from pipeline.report.render.console import console, show_sentence
    from pipeline.stages.plot import factor_lines, find_kernel, kernel_curve, target_lines
    from pipeline.store.results import read_study

    files = [(png, "png"), (svg, "svg")]
    if output not in (None, STANDARD_OUTPUT):
        files.append((output, image_form(output)))
    study, targets = read_study(out), at or ()
    analysis = study.of(metric)
    level, number = find_kernel(analysis, kernel)
    curve = kernel_curve(analysis, level, number, targets)
    factors = factor_lines(study, level, number)
    drawn = replace(curve, title="\n".join((curve.title, *factors)))
    images = [(file, form) for file, form in files if file is not None]
    for file, form in images:
        write_output(file, curve_image(form, drawn, logarithmic=not linear))
    if images:
        return
    screen = console()
    size = shutil.get_terminal_size((screen.width, 24))
    width, height = min(screen.width, 140), min(max(size.lines - 3, 16), 40)
    colour = screen.is_terminal and not screen.no_color
    typer.echo(terminal_plot(curve, width, height, colour=colour, logarithmic=not linear), color=colour)
    for line in (*factors, *(target_lines(analysis, level, number, targets) if len(targets) > 1 else ())):
        show_sentence(screen, line)


@command("verify", hidden=True)
def verify(out: Out) -> None:
    """Check every file of a results directory against the digests in run.json, as `pipeline inspect` does."""
    from pipeline.stages.inspect import intact_result

    typer.echo(str(intact_result(out)))

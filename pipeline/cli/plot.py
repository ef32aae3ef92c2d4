"""`pipeline plot`: one kernel's measurements and model, in the terminal or as a file."""

from typing import Annotated

import typer

from pipeline.cli.options import At, Metric, Out, command, switch, valued
from pipeline.cli.output import STANDARD_OUTPUT, image_form, write_output


@command("plot", outputs=("png", "svg", "output"))
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
    output: Annotated[
        str | None, valued("-o --output", "FILE", "Write a .png or .svg file instead, '-' for text.")
    ] = None,
    png: Annotated[
        str | None, valued("--png", "FILE", "Write PNG to this file, '-' for standard output.")
    ] = None,
    svg: Annotated[
        str | None, valued("--svg", "FILE", "Write SVG to this file, '-' for standard output.")
    ] = None,
    linear: Annotated[bool, switch("--linear", "Use linear instead of logarithmic axes.")] = False,
) -> None:
    """Plot a kernel: measured points, model and 90 % interval up to the target scale."""
    import shutil
    from dataclasses import replace

    from pipeline.config.option_readers import parse_at
    from pipeline.report.plots import terminal_plot
    from pipeline.report.render.console import console
    from pipeline.stages.plot import (
        factor_lines,
        find_kernel,
        kernel_curve,
        plot_image,
        target_lines,
    )
    from pipeline.store.results import read_study

    files = [(png, "png"), (svg, "svg")]
    if output not in (None, STANDARD_OUTPUT):
        files.append((output, image_form(output)))
    study, targets = read_study(out), parse_at(at or [])
    analysis = study.of(metric)
    level, number = find_kernel(analysis, kernel)
    curve = kernel_curve(analysis, level, number, targets)
    factors = factor_lines(study, level, number)
    drawn = replace(curve, title="\n".join((curve.title, *factors)))
    images = [(file, form) for file, form in files if file is not None]
    for file, form in images:
        write_output(file, plot_image(form, drawn, logarithmic=not linear))
    if images:
        return
    screen = console()
    size = shutil.get_terminal_size((screen.width, 24))
    width, height = min(screen.width, 140), min(max(size.lines - 3, 16), 40)
    colour = screen.is_terminal and not screen.no_color
    typer.echo(terminal_plot(curve, width, height, colour=colour, logarithmic=not linear), color=colour)
    for line in (*factors, *(target_lines(analysis, level, number, targets) if len(targets) > 1 else ())):
        screen.print(line, soft_wrap=True, markup=False)

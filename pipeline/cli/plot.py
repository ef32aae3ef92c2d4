"""`pipeline plot`: one kernel's measurements and model, in the terminal or as a file."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Out


@app.command("plot")
def plot_command(
    out: Out,
    kernel: Annotated[
        str, typer.Argument(metavar="KERNEL", help="Region or call path; * and ? are wildcards.")
    ],
    at: At = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a PNG file instead.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an SVG file instead.")] = None,
    linear: Annotated[bool, typer.Option("--linear", help="Use linear instead of logarithmic axes.")] = False,
) -> None:
    """Plot a kernel: measured points, model and 90 % interval up to the target scale."""
    import shutil

    from pipeline.config.targets import parse_at
    from pipeline.report.plots import terminal_plot
    from pipeline.report.terminal import console
    from pipeline.stages.plot import find_kernel, kernel_curve, write_plot
    from pipeline.store.results import read_analysis

    analysis = read_analysis(out)
    curve = kernel_curve(analysis, *find_kernel(analysis, kernel), parse_at(at or []))
    for file, form in ((png, "png"), (svg, "svg")):
        if file is not None:
            write_plot(file, form, curve, logarithmic=not linear)
    if png is None and svg is None:
        screen = console()
        size = shutil.get_terminal_size((screen.width, 24))
        width, height = min(screen.width, 140), min(max(size.lines - 3, 16), 40)
        colour = screen.is_terminal and not screen.no_color
        typer.echo(terminal_plot(curve, width, height, colour=colour, logarithmic=not linear), color=colour)

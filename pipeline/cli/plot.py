"""`pipeline plot`: one kernel's measurements and model, in the terminal or as a file."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import At


@app.command("plot")
def plot_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")],
    kernel: Annotated[str, typer.Argument(metavar="KERNEL", help="Region or call path; may have * and ?.")],
    at: At = None,
    png: Annotated[Path | None, typer.Option(help="Write a PNG file instead.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write an SVG file instead.")] = None,
    linear: Annotated[
        bool, typer.Option("--linear", help="Linear axes instead of logarithmic ones.")
    ] = False,
) -> None:
    """Plot a kernel: measured points, model and 90 % interval up to the target scale."""
    import shutil

    from pipeline.config.targets import parse_at
    from pipeline.report.plots import terminal_plot
    from pipeline.report.terminal import console
    from pipeline.stages.plot import chosen_curve, write_plot
    from pipeline.store.results import read_analysis

    curve = chosen_curve(read_analysis(out), kernel, parse_at(at or []))
    files = [file for file in (png, svg) if file is not None]
    for file, form in ((png, "png"), (svg, "svg")):
        if file is not None:
            write_plot(file, form, curve, logarithmic=not linear)
    if not files:
        screen = console()
        size = shutil.get_terminal_size((screen.width, 24))
        width, height = min(screen.width, 140), min(max(size.lines - 3, 16), 40)
        typer.echo(terminal_plot(curve, width, height, colour=screen.is_terminal, logarithmic=not linear))

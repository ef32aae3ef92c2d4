"""`pipeline project`: a semi-analytical model on another machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Json
from pipeline.cli.output import write_summary

if TYPE_CHECKING:
    from pipeline.projection.project import Projection


@app.command("project")
def project_command(
    model: Annotated[str, typer.Argument(metavar="MODEL.toml", help="Application: a file or a shipped one.")],
    on: Annotated[str | None, typer.Option("--on", help="Machine: a file or a shipped one.")] = None,
    at: Annotated[
        list[str] | None, typer.Option("--at", help="Inputs, such as L=8,P=1024; may be given several times.")
    ] = None,
    variant: Annotated[str | None, typer.Option(help="Variant of the machine, such as ideal.")] = None,
    json: Json = None,
    roofline: Annotated[
        Path | None, typer.Option(help="Draw the roofline of a bandwidth projection: a .png or .svg file.")
    ] = None,
) -> None:
    """Predict an application on a machine from its parts, with intervals."""
    from pipeline.projection.project import project
    from pipeline.report.projection_table import projection_json, show_projection
    from pipeline.report.terminal import console

    projection = project(model, on, inputs_of(at or []), variant=variant)
    if roofline is not None:
        draw_roofline(roofline, projection)
    if not write_summary(json, projection_json(projection)):
        show_projection(console(), projection)


def draw_roofline(path: Path, projection: "Projection") -> None:
    """Write the roofline of a projection.

    Raises:
        UsageError: where the projection has none, the file is neither PNG nor SVG, or cannot be written.
    """
    from ingest.errors import UsageError
    from pipeline.report.roofline_plot import write_roofline
    from pipeline.store.atomic import write_atomically

    found = projection.profile.roofline if projection.profile else None
    form = path.suffix.lstrip(".")
    if found is None:
        raise UsageError(
            "this model has no roofline",
            where="--roofline",
            hint="it takes a bandwidth projection of a profile, and a machine that states a peak",
        )
    if form not in ("png", "svg"):
        raise UsageError(f"'{path}' is neither .png nor .svg", where="--roofline")
    write_atomically(path, lambda temporary: write_roofline(temporary, form, found))


def inputs_of(texts: list[str]) -> dict[str, float | str]:
    """Read inputs like ``L=8,P=1024`` or ``work=2 GB``; what is no number is left to the unit reader.

    Raises:
        UsageError: where a part has no name or no value.
    """
    from ingest.errors import UsageError

    found: dict[str, float | str] = {}
    for part in ",".join(texts).split(","):
        if not part.strip():
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise UsageError(f"'{part}' is no input", where="--at", hint="write it like L=8,P=1024")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return found

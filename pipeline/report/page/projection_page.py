"""An application on a machine in a small page: how long at each value of what is swept, and its parts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipeline.columns.cells import Cells, with_unit
from pipeline.columns.projections import projection_table
from pipeline.projection.applications.projections import ApplicationProjection
from pipeline.report.page.embedding import cells_data, page_text
from pipeline.report.page.verdict_sentences import SPACE
from pipeline.report.projections import ProjectionJson, heading_of, projection_json
from pipeline.wording.quantities import estimate_text, given_percent, point_text, quantity, value_text


def projection_html(projections: Sequence[ApplicationProjection], swept: str) -> str:
    """Return the HTML text, which opens at the last value.

    Args:
        projections: one, or one per value of the input that is swept.
        swept: that input, or empty.
    """
    first = projections[0]
    documents = [projection_json(one) for one in projections]
    names = [line["path"][0] for line in documents[0]["breakdown"] if len(line["path"]) == 1]
    others = {name: value for name, value in first.at.items() if name != swept}
    unit = documents[0]["total"]["unit"]
    return page_text(
        "projection",
        {
            "swept": swept,
            "unit": unit,
            "level": given_percent(first.level),
            "total": [[one["total"][end] for one in documents] for end in ("value", "lower", "upper")],
            "parts": [{"name": name, "values": [_part(one, name) for one in documents]} for name in names],
            "points": [
                {
                    "value": one.at[swept] if swept else None,
                    "text": value_text(one.at[swept]) if swept else "",
                    "said": _verdict(one, document, swept),
                    "columns": cells_data(_headed(projection_table(document).on_screen, unit)),
                }
                for one, document in zip(projections, documents, strict=True)
            ],
        },
        title=first.title,
        heading=heading_of(first),
        verdict=_verdict(projections[-1], documents[-1], swept),
        at=point_text(others) if others else "",
        swept=swept,
        notices=list(dict.fromkeys(note for one in projections for note in one.notices)),
    )


def _headed(columns: Iterable[Cells], unit: str) -> list[Cells]:
    """The column of values is headed by its unit alone in the terminal."""
    heading = with_unit("value", unit)
    return [replace(one, heading=heading) if one.name == "value" else one for one in columns]


def _part(document: ProjectionJson, name: str) -> float | None:
    """Return the value of an outermost part; None where the point has no such part."""
    found = (line["value"] for line in document["breakdown"] if line["path"] == [name])
    return next(found, None)


def _verdict(projection: ApplicationProjection, document: ProjectionJson, swept: str) -> str:
    """Say what the total is there, with its interval, and how far off it is if it was measured."""
    total = document["total"]
    text = estimate_text(total["value"], total["lower"], total["upper"], total["unit"])
    point = point_text({swept: projection.at[swept]}).replace(" ", SPACE) if swept else ""
    place = f" at {point}" if swept else ""
    measured = document["measured"]
    off = f"; measured: {quantity(measured['value'], total['unit'])}" if measured else ""
    return f"{text}{place} on {projection.machine}{off}"

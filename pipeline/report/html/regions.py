"""The regions that names in the page refer to."""

from typing import Any

from ingest.cpp_names import short_name
from pipeline.models.analysis import Analysis


def region_numbers(analysis: Analysis) -> dict[str, int]:
    """Return the index of every region name in the page's table, in the order of the region kernels."""
    names = [path[-1] for path in analysis.regions.kernels.callpaths]
    names += [path[-1] for path in analysis.callpaths.kernels.callpaths]
    return {name: i for i, name in enumerate(dict.fromkeys(names))}


def region_data(analysis: Analysis) -> list[dict[str, Any]]:
    """Return name, short name, paradigm and source of each region; what is empty or the same is left out."""
    table = analysis.experiment.regions
    known = {name: i for i, name in enumerate(table.name)}
    rows = []
    for name in region_numbers(analysis):
        row: dict[str, Any] = {"name": name}
        if (short := short_name(name)) != name:
            row["short"] = short
        if (i := known.get(name)) is not None:
            if table.paradigm[i]:
                row["paradigm"] = table.paradigm[i]
            if table.mangled[i] not in ("", name):
                row["mangled"] = table.mangled[i]
            if table.file[i]:
                row["source"] = f"{table.file[i]}:{table.line[i]}" if table.line[i] > 0 else table.file[i]
        rows.append(row)
    return rows

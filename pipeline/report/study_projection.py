"""A study on two machines as plain data: both summaries, how kernels went over, what is assumed."""

from collections.abc import Mapping
from typing import Any

from ingest.callpaths import folded
from pipeline.projection.study.kernel_table import WAYS, KernelTable, Way
from pipeline.projection.study.projected_study import StudyProjection
from pipeline.projection.study.study_machine import RESOURCES, StudyMachine
from pipeline.questions.analysis import Level
from pipeline.wording.quantities import number


def study_projection_json(
    projection: StudyProjection, here: Mapping[str, Any], there: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a projection of a study.

    Args:
        here: the shape of ``summary.json`` for the machine measured on.
    """
    return {
        "from": _machine(projection.source) | {"summary": here},
        "on": _machine(projection.target) | {"summary": there},
        "kernels": _ways(projection.here.callpaths, projection.callpaths),
        "regions": _ways(projection.here.regions, projection.regions),
        "assumptions": list(projection.assumptions),
    }


def _machine(place: StudyMachine) -> dict[str, Any]:
    return {"machine": place.machine.path.stem, "name": place.name, "cores": number(place.cores)}


def _ways(level: Level, table: KernelTable) -> list[dict[str, Any]]:
    """Return how each kernel went over; the mix of what computes says what limits it."""
    computes = WAYS.index(Way.COMPUTES)
    return [
        {
            "callpath": list(callpath),
            "way": WAYS[way].value,
            "limits": {
                one.value: number(share)
                for one, share in zip(RESOURCES, table.mix[k], strict=True)
                if share > 0
            }
            if way == computes
            else None,
            "tested": bool(table.tested[k]),
        }
        for k, (callpath, way) in enumerate(
            zip(folded(level.kernels.callpaths), table.way.tolist(), strict=True)
        )
    ]

"""A study on two machines as plain data: both summaries, how kernels went over, what is assumed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import numpy as np

from ingest.arrays import FloatArray
from ingest.callpaths import folded
from pipeline.columns.json_schema import Published
from pipeline.models.prediction import LEVEL, Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.projection.study.kernel_table import TYPICAL_MIX, WAYS, Way
from pipeline.projection.study.projected_study import StudyProjection
from pipeline.projection.study.study_machine import RESOURCES, Resource, StudyMachine, slowdowns
from pipeline.projection.study.transfer import Transfer
from pipeline.questions.analysis import Level
from pipeline.wording.quantities import number


class WayJson(TypedDict):
    """How a kernel went over; the probabilities of what limits one that computes."""

    callpath: list[str]
    way: str
    limits: dict[str, float] | None
    limits_here: dict[str, float] | None
    limits_there: dict[str, float] | None
    tested: Annotated[bool, "whether counters say what limits it"]
    sign: Annotated[str | None, "what of the study its limits follow without counters, if anything"]


class FasterJson(TypedDict):
    """By which factor the other machine is faster at a point, and each resource alone."""

    value: float
    lower: float
    upper: float
    by: dict[str, float]


class StudyOnMachineJson(TypedDict):
    """A study on a machine."""

    machine: str
    name: str
    cores: float
    summary: Annotated[dict[str, Any], Published(name="summary")]


StudyProjectionJson = TypedDict(
    "StudyProjectionJson",
    {
        "from": StudyOnMachineJson,
        "on": StudyOnMachineJson,
        "faster_by": list[FasterJson],
        "kernels": list[WayJson],
        "regions": list[WayJson],
        "assumptions": list[str],
    },
)


def study_projection_json(
    projection: StudyProjection, here: Mapping[str, Any], there: Mapping[str, Any], target: FloatArray
) -> StudyProjectionJson:
    """Return a projection of a study.

    Args:
        here: the shape of ``summary.json`` for the machine measured on.
        target: float64[D], of what limits kernels.
    """
    there = _once(there)
    points = np.array([list(entry["point"].values()) for entry in there["runtime"]["at"]], dtype=np.float64)
    found = gain(projection.here.callpaths.models, projection.callpaths, points)
    return {
        "from": _machine(projection.source, _once(here)),
        "on": _machine(projection.target, there),
        "faster_by": [
            {
                "value": number(found.total.value[0, q]),
                "lower": number(found.total.lower[0, q]),
                "upper": number(found.total.upper[0, q]),
                "by": {resource.value: number(factors[q]) for resource, factors in found.by.items()},
            }
            for q in range(len(points))
        ],
        "kernels": _ways(projection.here.callpaths, projection.callpaths, target),
        "regions": _ways(projection.here.regions, projection.regions, target),
        "assumptions": list(projection.assumptions),
    }


def _once(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary whose figures name every scale once: measured, or else predicted."""
    figures = summary["runtime"]["at"]
    measured = [entry["point"] for entry in figures if entry["measured"]]
    at = [entry for entry in figures if entry["measured"] or entry["point"] not in measured]
    return {**summary, "runtime": {**summary["runtime"], "at": at}}


def _machine(place: StudyMachine, summary: dict[str, Any]) -> StudyOnMachineJson:
    return {
        "machine": place.machine.path.stem,
        "name": place.name,
        "cores": number(place.cores),
        "summary": summary,
    }


def _ways(level: Level, transfer: Transfer, target: FloatArray) -> list[WayJson]:
    """Return how each kernel went over, and the probabilities of what limits one that computes."""
    table, computes = transfer.table, WAYS.index(Way.COMPUTES)
    here, there = limits_on_both(transfer, target[None])
    return [
        {
            "callpath": list(callpath),
            "way": WAYS[way].value,
            "limits": _shares(table.mix[k]) if way == computes else None,
            "limits_here": _shares(here[k]) if way == computes else None,
            "limits_there": _shares(there[k]) if way == computes else None,
            "tested": bool(table.tested[k]),
            "sign": table.signs[k] or None,
        }
        for k, (callpath, way) in enumerate(
            zip(folded(level.kernels.callpaths), table.way.tolist(), strict=True)
        )
    ]


def _shares(of_kernel: FloatArray) -> dict[str, float]:
    pairs = zip(RESOURCES, of_kernel.tolist(), strict=True)
    return {resource.value: number(share) for resource, share in pairs if share > 0}


@dataclass(frozen=True, eq=False, kw_only=True)
class Gain:
    """By what a program is faster on another machine at Q points.

    Attributes:
        total: one row: time here over time there. What is not known of the time here counts on both sides, so
            the interval is that of the factor alone.
        by: float64[Q], the same of a process that one resource alone limits.
    """

    total: Prediction
    by: Mapping[Resource, FloatArray]


def gain(models: ScalingModels, transfer: Transfer, points: FloatArray) -> Gain:
    """Return the gain of a study, whose call paths are modelled here, at points float64[Q, D]."""
    value = models.predict(points).value
    one = value.sum(axis=0, keepdims=True)
    exact, together = (Prediction(known, known, known) for known in (value, one))
    _, there, _ = transfer.there(points, exact, together, LEVEL)
    found = [
        np.divide(one, end, out=np.full(one.shape, np.nan), where=end > 0)
        for end in (there.value, there.upper, there.lower)
    ]
    slower = slowdowns(transfer.source, transfer.target, transfer.locations(points))[0]
    return Gain(
        total=Prediction(*found),
        by={resource: 1.0 / slower[RESOURCES.index(resource)] for resource in TYPICAL_MIX},
    )


def limits_on_both(transfer: Transfer, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities that each resource limits each kernel, here and there.

    The mix of a kernel is that at a machine halfway between the two; what is scarcer on one of them is more
    likely to limit there.

    Args:
        points: float64[1, D].

    Returns:
        Twice float64[K, resource].
    """
    slower = slowdowns(transfer.source, transfer.target, transfer.locations(points))[0, :, 0]
    both = (transfer.table.mix * slower**power for power in (-0.5, 0.5))
    here, there = (one / np.maximum(one.sum(axis=1, keepdims=True), 1e-300) for one in both)
    return here, there

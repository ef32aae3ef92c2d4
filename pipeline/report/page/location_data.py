"""Values of the largest kernels on each location, in the form that ``data/locations.js`` reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from ingest.arrays import IntArray
from ingest.location_values import SmallFloatArray
from pipeline.models.kernel_locations import KernelLocations, PointLocations, folded
from pipeline.report.page.embedding import compressed, integers, packed
from pipeline.report.page.page_data import short_unit

RANGES = (256, 128, 64, 32, 16)  # of locations at a point, as many as there is room for
STEPS = 65534  # between zero and the largest value of a kernel at a point
UNKNOWN = 65535


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the page shows, by what it is called in the study.

    Attributes:
        metrics: the names of metrics on the page.
        regions: the indices of regions in its table.
        callpaths: the kernels of call paths.
    """

    metrics: Mapping[str, str]
    regions: Mapping[str, int]
    callpaths: Mapping[int, int]


def locations_data(
    found: Sequence[KernelLocations], shown: Shown, room: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return values per location of kernels that the page shows, and a notice if some of them have no room.

    Locations are folded into as few ranges as the room demands, then the smallest kernels are left out.

    Args:
        found: the largest kernels on each location, of one metric each.
        shown: what the page shows.
        room: characters.
    """
    whole = [_shown_part(one, shown) for one in found if one.metric in shown.metrics]
    for most in RANGES:
        parts = [folded(one, most) for one in whole]
        data = [_metric_data(one, shown) for one in parts]
        if len(compressed(data)) <= room:
            return data, []
    while len(compressed(data)) > room:
        parts = [one.take(np.arange(len(one.region) // 2)) for one in parts]
        data = [_metric_data(one, shown) for one in parts]
    kept, count = (sum(len(one.region) for one in some) for some in (parts, whole))
    what = f"the values per location of {kept} of {count} kernels"
    return data, [f"the page has room for {what}; locations.parquet has all"]


def _shown_part(found: KernelLocations, shown: Shown) -> KernelLocations:
    """Return the kernels that the page shows by themselves."""
    kept = [
        region in shown.regions and (callpath < 0 or callpath in shown.callpaths)
        for region, callpath in zip(found.region, found.callpath.tolist(), strict=True)
    ]
    return found.take(np.flatnonzero(kept))


def _metric_data(found: KernelLocations, shown: Shown) -> dict[str, Any]:
    columns = found.region, found.callpath.tolist(), found.alone.tolist()
    return {
        "metric": shown.metrics[found.metric],
        "unit": short_unit(found.unit),
        "accelerators": found.on_accelerators,
        "kernels": [
            [shown.regions[region], shown.callpaths.get(callpath, -1), int(alone)]
            for region, callpath, alone in zip(*columns, strict=True)
        ],
        "points": [_point_data(point) for point in found.points],
    }


def _point_data(point: PointLocations) -> dict[str, Any]:
    top = np.nan_to_num(point.high).max(axis=1, initial=0.0)
    ranges = point.folded
    return {
        "point": point.point,
        "nodes": [[name, len(list(same))] for name, same in groupby(point.node)],
        "process": integers(point.process),
        "thread": _unless_zero(point.thread),
        "lastProcess": integers(point.last_process) if ranges else None,
        "lastThread": _unless_zero(point.last_thread) if ranges else None,
        "count": integers(point.count) if ranges else None,
        "top": packed(top.astype(np.float64)),
        "mean": _steps(point.mean, top),
        "low": _steps(point.low, top) if ranges else None,
        "high": _steps(point.high, top) if ranges else None,
    }


def _unless_zero(numbers: IntArray) -> list[int] | None:
    return integers(numbers) if numbers.any() else None


def _steps(values: SmallFloatArray, top: SmallFloatArray) -> bytes:
    """Return values in steps of the kernel's largest as little-endian uint16."""
    share = np.divide(
        values, top[:, None], out=np.zeros(values.shape, dtype=np.float32), where=top[:, None] > 0
    )
    steps = np.where(np.isfinite(values), np.clip(np.rint(share * STEPS), 0, STEPS), UNKNOWN)
    return steps.astype("<u2").tobytes()

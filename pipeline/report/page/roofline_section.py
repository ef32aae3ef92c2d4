"""The section of the report that shows a study in the roofline of the machine it was measured on."""

from typing import Any

from ingest.cpp_names import short_name
from pipeline.projection.rooflines.counters import LEVELS
from pipeline.projection.rooflines.region_verdicts import RegionVerdict
from pipeline.projection.rooflines.rooflines import StudyRoofline

DIGITS = 5


def roofline_data(found: StudyRoofline | None) -> dict[str, Any] | None:
    """Return the page's data of a roofline; ``js/data/payload.js`` has its types."""
    if found is None:
        return None
    counted = {point.level for point in found.roofline.points}
    return {
        "machine": found.roofline.machine,
        "bandwidths": [[ceiling.name, _plain(ceiling.value)] for ceiling in found.roofline.bandwidths],
        "peaks": [[ceiling.name, _plain(ceiling.value)] for ceiling in found.roofline.peaks],
        "runs": list(found.runs),
        "judged": found.judged,
        "levels": [level for level in LEVELS if level in counted],
        "points": [
            [
                short_name(point.name),
                point.level,
                _plain(point.intensity),
                _plain(point.flop_rate),
                found.runs.index(point.run),
            ]
            for point in found.roofline.points
        ],
        "kernels": [
            [kernel.region, short_name(kernel.region), _plain(kernel.share), one.bound.value, _text(one)]
            for kernel, one in zip(found.kernels, found.verdicts, strict=True)
        ],
    }


def _text(found: RegionVerdict) -> str:
    """Return the figures behind a verdict, and what makes it doubtful."""
    return "; ".join((found.sentence, *found.doubts))


def _plain(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if abs(value) < float("inf") else None

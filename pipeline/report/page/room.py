"""How much of a study the page carries: what is needed most first, in the room that is left.

Kernels with their values, models and intervals come first, then what the weightiest of them are predicted
with at any target, then single repetitions of the largest. The page's other parts follow in `page`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.kernels import Kernels
from pipeline.questions.analysis import Analysis
from pipeline.report.page.embedding import integers, json_for_script, packed
from pipeline.report.page.folding import ShownLevel
from pipeline.report.page.predictor import SINGLE, predictor_data
from pipeline.report.page.scales import Scales

ROOM = 1_600_000  # characters of the data, if nobody says less
PREDICTORS, PREDICTORS_BESIDE = 160_000, 40_000  # of a level, at most: of the chosen and of another metric
LEAST_PREDICTORS, LEAST_REPETITIONS = 40_000, 10_000  # of a level of the chosen metric, in any case
OF_REST = 0.5  # of the room left, what repetitions take at most
OF_A_MODEL = 105  # characters, about as many as its coefficients and numbers of one or two digits
OF_A_NAME = 15  # characters of the table of regions beside their names


def most_shown(analysis: Analysis, scales: Scales, room: float) -> dict[str, int]:
    """Return how many kernels of each level the page has room for: of the larger level what the other leaves.

    Args:
        analysis: the modelled experiment.
        scales: where predictions are computed.
        room: characters of the data of both levels, with what is needed of the largest kernels.
    """
    room = max(room - 2 * (LEAST_PREDICTORS + LEAST_REPETITIONS), 0)
    levels = {"regions": analysis.regions.kernels, "callpaths": analysis.callpaths.kernels}
    names = analysis.regions.kernels.regions
    of_name = OF_A_NAME + 1.5 * sum(map(len, names)) / max(len(names), 1)  # some are mangled or shortened
    each = {name: _characters(kernels, scales) for name, kernels in levels.items()}
    each["regions"] += of_name
    needed = {name: each[name] * len(kernels) for name, kernels in levels.items()}
    if sum(needed.values()) <= room:
        return {name: len(kernels) for name, kernels in levels.items()}
    left = {name: room - min(sum(needed.values()) - needed[name], room / 2) for name in levels}
    return {name: int(left[name] / each[name]) for name in levels}


def _characters(kernels: Kernels, scales: Scales) -> float:
    points, parameters = int(kernels.values.shape[1]), int(scales.grid.shape[1])
    return SINGLE * (points + 3 * len(scales.grid) + 3 + parameters) + OF_A_MODEL


def fill(
    data: Mapping[str, dict[str, Any]], levels: Mapping[str, ShownLevel], room: float, *, beside: bool = False
) -> None:
    """Give levels predictors and single repetitions, as the room allows.

    Args:
        data: what `level_data` returns of the levels, to which both are added.
        levels: the same levels.
        room: characters that are left.
        beside: whether they are of a metric beside the chosen one, which can do without.
    """
    least, most = (0, PREDICTORS_BESIDE) if beside else (LEAST_PREDICTORS, PREDICTORS)
    least_repetitions = 0 if beside else LEAST_REPETITIONS
    of_each = min(max((room - 2 * least_repetitions) / len(levels), least), most)
    for name, shown in levels.items():
        whole = shown.whole
        data[name]["predictor"] = predictor_data(
            whole.models, whole.kernels, shown.whole_prediction, shown.kernels, of_each
        )
        room -= len(json_for_script(data[name]["predictor"]))
    of_each = max(OF_REST * room / len(levels), least_repetitions)
    for name, shown in levels.items():
        data[name]["repetitions"] = _repetitions(shown, of_each)


def _repetitions(shown: ShownLevel, room: float) -> dict[str, Any]:
    """Single measurements of as many kernels as there is room for, the largest at the target first."""
    values: FloatArray = shown.level.kernels.values
    _, points, repetitions = values.shape
    kept = np.sort(shown.outlook.order[: int(room / (SINGLE * max(points * repetitions, 1)))])
    return {"count": repetitions, "kernels": integers(kept), "values": packed(values[kept])}


def left_out_text(data: Mapping[str, dict[str, Any]]) -> str:
    """Say of how many kernels the page has single repetitions; empty if of all."""
    counts = {
        noun: (len(data[name]["repetitions"]["kernels"]), len(data[name]["region"]))
        for name, noun in (("regions", "regions"), ("callpaths", "call paths"))
        if data[name]["repetitions"]["count"] > 1
    }
    if all(kept == whole for kept, whole in counts.values()):
        return ""
    largest = " and ".join(f"the {kept} largest of {whole} {noun}" for noun, (kept, whole) in counts.items())
    return f"the page has room for the single repetitions of {largest}; of the others it shows means"

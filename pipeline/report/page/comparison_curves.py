"""Curves of two studies for their page: what was measured, what is predicted, and the ratio."""

from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.check_result import CheckResult
from pipeline.gate.compared_studies import ComparedStudies
from pipeline.gate.kernel_values import KernelId, KernelValues
from pipeline.models.prediction import Prediction
from pipeline.questions.analysis import along_parameter, too_few_scales
from pipeline.questions.runtime.trust import FAR, VERY_FAR
from pipeline.report.check.comparison import TOTAL, comparison_verdict
from pipeline.report.page.embedding import packed
from pipeline.report.page.positions import BEYOND_TARGET, MOST, filled


def curves_data(studies: ComparedStudies, result: CheckResult) -> dict[str, Any]:
    """Return the data; ``js/comparison/curves.js`` has its types.

    Args:
        studies: A and B.
        result: B checked against A; its kernels are those of the curves, after the total.
    """
    a, b = studies.sides
    column = b.parameters.index(b.parameter)
    line = np.array(list(result.targets[-1].values()))
    along = [_along(side.points, line, column) for side in studies.sides]
    common = [side.points[rows] for side, rows in zip((a, b), along, strict=True)]
    if not any(map(len, common)):  # other values of the other parameters were asked for
        common = [a.points, b.points]
    measured = np.unique(np.concatenate(common), axis=0)
    predicts = not any(too_few_scales(side.points) for side in (a, b))
    asked = np.unique([*measured[:, column], *(target[b.parameter] for target in result.targets)])
    reach = float(asked[-1]) * BEYOND_TARGET
    scales = filled(np.unique([*asked, reach]), MOST) if predicts else np.unique(measured[:, column])
    kernels = [TOTAL, *(one.kernel for one in result.kernels)]
    curves = studies.curves(kernels, along_parameter(line, column, scales))
    return {
        "parameters": list(b.parameters),
        "column": column,
        "points": measured.tolist(),
        "largest": len(measured) - 1,
        "scales": scales.tolist(),
        "lines": [(line if predicts else measured[-1]).tolist()],
        "reach": reach,
        "measuredOnly": not predicts,
        "limits": {"far": FAR, "veryFar": VERY_FAR},
        "a": _ends(curves.a),
        "b": _ends(curves.b),
        "ratio": _ends(curves.ratio),
        "dots": [_dots(side, kernels, rows, column) for side, rows in zip((a, b), along, strict=True)],
        "said": [comparison_verdict(result, curves, place) for place in range(len(scales))],
    }


def _along(points: FloatArray, line: FloatArray, column: int) -> IntArray:
    """Return the points, float64[P, D], that differ from a line in the scaled parameter only."""
    others = np.delete(np.arange(points.shape[1]), column)
    return np.flatnonzero((points[:, others] == line[others]).all(axis=1))


def _ends(prediction: Prediction) -> dict[str, bytes]:
    return {name: packed(getattr(prediction, name)) for name in ("value", "lower", "upper")}


def _dots(study: KernelValues, kernels: list[KernelId], rows: IntArray, column: int) -> dict[str, Any]:
    """Return the repetitions of kernels at some points, kernel by kernel and point by point."""
    row_of = {kernel: row for row, kernel in enumerate(study.kernels)}
    values = np.full((len(kernels), len(rows), study.values.shape[2]), np.nan)
    for k, kernel in enumerate(kernels):
        if kernel in row_of:
            values[k] = study.values[row_of[kernel], rows]
    return {"scales": study.points[rows, column].tolist(), "runs": values.shape[2], "values": packed(values)}

"""Models, predictions, measurements and points as plain data of ``summary.json``."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.forms import Term, exponents_of, stored_exponent
from pipeline.models.formulas import Formula, PredictionFormula
from pipeline.models.prediction import Prediction
from pipeline.wording.quantities import numbers, point_json


def model_json(formula: PredictionFormula) -> dict[str, Any]:
    """Return the formula of a prediction as plain data: the last normal form, and where it holds."""
    within, last = formula.within, _form_json(formula.last)
    ends = zip(formula.parameters, _rows_of_numbers(np.array([within.first, within.last]).T), strict=True)
    found = {**last, "formula": formula.text(), "range": dict(ends)}
    if formula.ends:
        up_to = numbers([*formula.ends, within.last[within.column]])
        pieces = zip(up_to, formula.pieces, strict=True)
        found["pieces"] = [{"up_to": end, **_form_json(piece)} for end, piece in pieces]
    return found


def _form_json(formula: Formula) -> dict[str, Any]:
    constant, *coefficients = numbers([formula.constant, *(c for c, _ in formula.terms)])
    knee = {"sharpness": formula.sharpness} if formula.sharpness != 1 else {}
    return knee | {
        "formula": formula.text(),
        "constant": constant,
        "terms": [
            {"coefficient": coefficient, "exponents": _exponents(formula.parameters, term)}
            for coefficient, (_, term) in zip(coefficients, formula.terms, strict=True)
        ],
    }


@lru_cache(maxsize=4096)  # many kernels, few terms
def _exponents(parameters: tuple[str, ...], term: Term) -> Mapping[str, list[str | int]]:
    return {name: stored_exponent(one) for name, one in exponents_of(parameters, term).items()}


def predictions_json(
    parameters: Sequence[str], targets: FloatArray, prediction: Prediction
) -> list[list[dict[str, Any]]]:
    """Return for each kernel its predictions at the targets with their 90 % intervals."""
    at = [point_json(parameters, target) for target in targets]
    columns = (_rows_of_numbers(ends) for ends in (prediction.value, prediction.lower, prediction.upper))
    return [
        [
            {"at": place, "value": value, "lower": lower, "upper": upper}
            for place, value, lower, upper in zip(at, *kernel, strict=True)
        ]
        for kernel in zip(*columns, strict=True)
    ]


def _rows_of_numbers(values: FloatArray) -> list[list[float | int]]:
    """Round float64[K, n] to a list a kernel."""
    flat, width = numbers(values.ravel()), values.shape[1]
    return [flat[k * width : (k + 1) * width] for k in range(len(values))]


def measured_json(mean: FloatArray) -> list[list[float | int | None]]:
    """Return what was measured at every point, float64[K, P]; None for what was not."""
    known = np.isfinite(mean).tolist()
    rows = _rows_of_numbers(np.nan_to_num(mean))
    return [
        [v if is_known else None for v, is_known in zip(*row, strict=True)]
        for row in zip(rows, known, strict=True)
    ]

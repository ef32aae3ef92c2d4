"""Scaling models in a form that a few lines of JavaScript evaluate."""

from typing import Any

import numpy as np

from ingest.arrays import IntArray
from pipeline.models.normal_form import Term, leading_terms
from pipeline.models.scaling_models import ScalingModels, remarks
from pipeline.report.html.packing import integers, packed, packed_double

RIVALS = 4  # models per kernel that the page knows, the chosen one first
PLAUSIBLE = 0.02  # probability below which a rival is not worth a line


def model_data(models: ScalingModels) -> dict[str, Any]:
    """Return the chosen models and their plausible rivals.

    ``terms`` hold an exponent pair per parameter, [power as text, power of the logarithm]; ``hypotheses``
    list terms; ``chosen`` is K x M indices into hypotheses, -1 where a kernel has fewer rivals, and
    ``coefficients`` K x M x C belong to it; ``growth`` points from each kernel to its leading terms in
    ``growths``, ``note`` to its remarks in ``notes``.
    """
    chosen = plausible(models)
    used, places = np.unique(chosen[chosen >= 0], return_inverse=True)
    compact = np.full(chosen.shape, -1, dtype=np.int64)
    compact[chosen >= 0] = places
    growths, growth = _growths(models)
    told = remarks(models)
    notes = {kind: i for i, kind in enumerate(dict.fromkeys(told))}
    return {
        "terms": [_term(t) for t in models.terms],
        "hypotheses": [[t for t in models.hypotheses[h].tolist() if t >= 0] for h in used.tolist()],
        "rivals": chosen.shape[1],
        "chosen": integers(compact),
        "weight": packed(models.weight[:, :RIVALS]),
        "coefficients": packed_double(models.coefficients[:, :RIVALS]),
        "nonnegative": bool(models.nonnegative),
        "validFrom": packed(models.valid_from),
        "growths": growths,
        "growth": integers(growth),
        "notes": [list(kind) for kind in notes],
        "note": [notes[kind] for kind in told],
    }


def plausible(models: ScalingModels) -> IntArray:
    """Return the hypotheses worth showing: int64[K, min(M, RIVALS)], -1 for the others."""
    chosen: IntArray = models.chosen[:, :RIVALS].copy()
    chosen[:, 1:][models.weight[:, 1:RIVALS] < PLAUSIBLE] = -1
    return chosen


def _term(term: Term) -> list[list[Any]]:
    return [[str(power), logarithm] for power, logarithm in term]


def _growths(models: ScalingModels) -> tuple[list[list[int]], IntArray]:
    """Find the leading terms of each kernel: the distinct ones as term indices, and int64[K] into them."""
    number = {term: i for i, term in enumerate(models.terms)}
    rising = models.coefficients[:, 0, 1:] > 0
    kinds, kind = np.unique(np.column_stack([models.chosen[:, :1], rising]), axis=0, return_inverse=True)
    leading: dict[tuple[int, ...], int] = {}
    of_kind = []
    for hypothesis, *up in kinds.tolist():
        terms = models.hypotheses[hypothesis].tolist() if hypothesis >= 0 else []
        grown = [models.terms[t] for t, rises in zip(terms, up, strict=False) if t >= 0 and rises]
        key = tuple(number[t] for t in leading_terms(grown))
        of_kind.append(leading.setdefault(key, len(leading)))
    return [list(key) for key in leading], np.array(of_kind, dtype=np.int64)[kind.ravel()]

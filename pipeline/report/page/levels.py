"""Everything the page knows about the kernels of one level: measurements, models, intervals, crossovers."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ingest.arrays import BoolArray, IntArray
from pipeline.models.forms import Term, leading_terms, stored_exponent
from pipeline.models.growth import growth_classes
from pipeline.models.quality import Note, note_texts
from pipeline.models.scaling_models import ScalingModels, remarks
from pipeline.questions.analysis import Level, Outlook
from pipeline.questions.bottlenecks import Standing
from pipeline.report.page.embedding import integers, packed, packed_double
from pipeline.report.page.folding import ShownLevel

RIVALS = 4  # models per kernel that the page knows, the chosen one first
PLAUSIBLE = 0.02  # probability below which a rival is not worth a line
CLEARER = dict(zip(note_texts(Note.CANNOT_TELL), ["growth uncertain"], strict=True))


def without_zeros(level: Level, outlook: Outlook) -> tuple[Level, Outlook]:
    """Return the kernels that are not zero everywhere, without crossovers: the page finds them itself."""
    some: BoolArray = (np.nan_to_num(level.kernels.mean) != 0).sum(axis=1) > 0
    place = np.cumsum(some) - 1
    chosen = np.flatnonzero(some)
    part = Level(level.kernels.take(some), level.models.take(chosen))
    return part, replace(
        outlook,
        order=place[outlook.order[some[outlook.order]]],
        standing=Standing(**{name: marks[chosen] for name, marks in vars(outlook.standing).items()}),
        crossovers=(),
    )


def level_data(shown: ShownLevel, region: Mapping[str, int]) -> dict[str, Any]:
    """Put a level into the form that ``data/level.js`` reads; ``data/payload.js`` has its types.

    `room.fill` adds predictors and repetitions.

    Args:
        shown: call paths or regions.
        region: index of every region name in the page's table of regions.
    """
    kernels, models, outlook = shown.level.kernels, shown.level.models, shown.outlook
    prediction, total = shown.prediction, shown.total
    return {
        "region": [region[name] for name in kernels.regions],
        "parent": integers(kernels.parent),
        "mean": packed(kernels.mean),
        "models": model_data(models),
        "grid": [float(f"{scale:.9g}") for scale in shown.grid.tolist()],
        "value": packed(prediction.value),
        "lower": packed(prediction.lower),
        "upper": packed(prediction.upper),
        "total": {"lower": packed(total.lower[:1]), "upper": packed(total.upper[:1])},
        "growing": packed(models.probability_growing),
        "smape": packed(models.smape),
        "cvSmape": packed(models.cv_smape),
        "standing": {name: integers(marks) for name, marks in vars(outlook.standing).items()},
        "crossovers": [
            [c.overtakes, c.overtaken, float(f"{c.at:.6g}"), c.measured]
            for c in (*outlook.crossovers, *shown.beyond)
        ],
    }


def model_data(models: ScalingModels) -> dict[str, Any]:
    """Return the chosen models and their plausible rivals in a form that JavaScript evaluates in a few lines.

    ``terms`` hold an exponent pair per parameter, [power as text, power of the logarithm]; ``hypotheses``
    list terms, ``sharpness`` belongs to them: beyond 1, constant and terms to the power of s sum up to the
    value to the power of s; ``chosen`` is K x M indices into hypotheses, -1 if a kernel has fewer rivals.
    ``weight`` and ``coefficients``, the constant and one per term, are of the models that there are, and of
    the first of every kernel, one after the other. ``growth`` points from each kernel to its leading terms in
    ``growths``, ``warning`` to its texts in ``warnings``.
    """
    chosen = plausible(models)
    used, places = np.unique(chosen[chosen >= 0], return_inverse=True)
    compact = np.full(chosen.shape, -1, dtype=np.int64)
    compact[chosen >= 0] = places
    hypotheses = [models.plain_hypotheses[h] for h in used.tolist()]
    terms = {term: i for i, term in enumerate(dict.fromkeys(chain.from_iterable(hypotheses)))}
    there = chosen >= 0
    there[:, :1] = True
    width = np.append([len(terms) + 1 for terms in hypotheses], 1)[compact[there]]
    coefficients = models.plain_coefficients()[:, :RIVALS][there]
    growths, growth = _growths(models, terms)
    growing = growth_classes(models)
    classes = {text: i for i, text in enumerate(dict.fromkeys(growing))}
    texts = warning_texts(models)
    kinds = {kind: i for i, kind in enumerate(dict.fromkeys(texts))}
    return {
        "terms": [_term(t) for t in terms],
        "hypotheses": [[terms[t] for t in hypothesis] for hypothesis in hypotheses],
        "sharpness": integers(models.sharpness[used].astype(np.int64)),
        "rivals": chosen.shape[1],
        "chosen": integers(compact),
        "weight": packed(models.weight[:, :RIVALS][there]),
        "coefficients": packed_double(coefficients[np.arange(coefficients.shape[1]) < width[:, None]]),
        "nonnegative": bool(models.nonnegative),
        "validFrom": packed(models.valid_from),
        "growths": growths,
        "growth": integers(growth),
        "growthClasses": list(classes),
        "growthClass": [classes[text] for text in growing],
        "growthUncertain": integers((models.note & Note.CANNOT_TELL).astype(bool)),
        "warnings": [list(kind) for kind in kinds],
        "warning": [kinds[kind] for kind in texts],
    }


def warning_texts(models: ScalingModels) -> list[tuple[str, ...]]:
    """Return what must be known about the model of each kernel, in words."""
    return [tuple(CLEARER.get(text, text) for text in texts) for texts in remarks(models)]


def plausible(models: ScalingModels) -> IntArray:
    """Return the hypotheses worth showing: int64[K, min(M, RIVALS)], -1 for the others."""
    chosen: IntArray = models.chosen[:, :RIVALS].copy()
    chosen[:, 1:][models.weight[:, 1:RIVALS] < PLAUSIBLE] = -1
    return chosen


def _term(term: Term) -> list[list[str | int]]:
    return [stored_exponent(one) for one in term]


def _growths(models: ScalingModels, number: Mapping[Term, int]) -> tuple[list[list[int]], IntArray]:
    """Find the leading terms of each kernel: the distinct ones as term indices, and int64[K] into them."""
    rising = models.coefficients[:, 0, 1:] > 0
    kinds, kind = np.unique(np.column_stack([models.chosen[:, :1], rising]), axis=0, return_inverse=True)
    leading: dict[tuple[int, ...], int] = {}
    of_kind = []
    for hypothesis, *up in kinds.tolist():
        terms = models.plain_hypotheses[hypothesis] if hypothesis >= 0 else ()
        grown = [term for term, rises in zip(terms, up, strict=False) if rises]
        key = tuple(number[t] for t in leading_terms(grown))
        of_kind.append(leading.setdefault(key, len(leading)))
    return [list(key) for key in leading], np.array(of_kind, dtype=np.int64)[kind.ravel()]

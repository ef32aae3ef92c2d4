"""Everything the page knows about the kernels of one level: measurements, models, predictions, crossovers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.columns.crossover_sentences import crossover_certainty, crossover_json, crossover_place
from pipeline.models.growth import growth_classes
from pipeline.models.quality import Note, note_texts
from pipeline.models.scaling_models import ScalingModels, remarks
from pipeline.questions.analysis import Level, Outlook, Standing
from pipeline.report.page.embedding import drawn, integers, packed, plain, short
from pipeline.report.page.positions import Positions
from pipeline.report.page.shown_kernels import ShownKernels, interpolated

RIVALS = 4  # models per kernel that the page knows, the chosen one first
NOTHING = [("0", 1.0)]  # the rivals of kernels that are zero everywhere
PLAUSIBLE = 0.02  # probability below which a rival is not worth a line
CLEARER = dict(zip(note_texts(Note.CANNOT_TELL), ["growth uncertain"], strict=True))


def without_zeros(level: Level, outlook: Outlook) -> tuple[Level, Outlook]:
    """Return the kernels that are not zero everywhere, without crossovers."""
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


def kernel_data(
    shown: ShownKernels, region: Mapping[str, int], positions: Positions, repetitions: float
) -> dict[str, Any]:
    """Put kernels into the form that ``data/kernels.js`` reads; ``data/payload.js`` has its types.

    Args:
        shown: call paths or regions.
        region: index of every region name in the page's table of regions.
        positions: where predictions are known.
        repetitions: of how many kernels there are single measurements at most.
    """
    kernels, prediction, total = shown.kernels, shown.prediction, shown.total
    return {
        "region": [region[name] for name in kernels.regions],
        "parent": integers(kernels.parent),
        "mean": packed(kernels.mean),
        "value": packed(prediction.value),
        "weighty": _ends(shown, shown.weighty, np.arange(len(positions.points))),
        "others": _ends(shown, np.setdiff1d(np.arange(len(kernels)), shown.weighty), positions.required),
        "total": {name: plain(getattr(total, name)[0]) for name in ("value", "lower", "upper")}
        if kernels.additive
        else None,
        "standing": {
            name: integers(marks & (name != "unreliable" or not positions.measured_only))
            for name, marks in vars(shown.standing).items()
        },
        "crossovers": _crossovers(shown, positions),
        "further": shown.further,
        "repetitions": _repetitions(shown, repetitions),
        **_numbers(shown),
        **(_without_models(len(kernels)) if positions.measured_only else _texts(shown)),
        "curves": drawn(_curves(shown, positions)),
    }


def _ends(shown: ShownKernels, kernels: IntArray, places: IntArray) -> dict[str, Any]:
    """Return the intervals of some kernels at some positions."""
    lower, upper = (end[np.ix_(kernels, places)] for end in (shown.prediction.lower, shown.prediction.upper))
    return {
        "kernels": integers(kernels),
        "positions": integers(places),
        "lower": packed(lower),
        "upper": packed(upper),
    }


def _crossovers(shown: ShownKernels, positions: Positions) -> list[list[Any]]:
    """Return crossovers with the value there, between the positions of the target's line, and in words."""
    curve = interpolated(positions.scales, shown.prediction.value[:, positions.on_line(0)])
    parameter, target = shown.models[0].parameters[positions.column], positions.target[positions.column]
    found = []
    for c in shown.crossovers:
        row, horizon = crossover_json(c, parameter), target if c.at <= target else positions.reach
        words = crossover_place(row), crossover_certainty(row, {parameter: float(horizon)})
        value = float(curve(np.array([c.at]))[c.overtakes, 0])
        found.append([c.overtakes, c.overtaken, short(c.at), short(value), *words])
    return found


def _repetitions(shown: ShownKernels, most: float) -> dict[str, Any]:
    """Single measurements of some kernels, the largest at the target first."""
    values: FloatArray = shown.kernels.values
    kept = np.sort(shown.order[: int(most)])
    return {"count": values.shape[2], "kernels": integers(kept), "values": packed(values[kept])}


def _numbers(shown: ShownKernels) -> dict[str, Any]:
    return {
        name: packed(np.concatenate([getattr(models.quality, attribute) for models in shown.models]))
        for name, attribute in (
            ("growing", "probability_growing"),
            ("smape", "smape"),
            ("cvSmape", "cv_smape"),
            ("validFrom", "valid_from"),
        )
    }


def _texts(shown: ShownKernels) -> dict[str, Any]:
    """Return what the models are in words and as source text; lists of it, and per kernel an index."""
    kernels = shown.kernels
    described = f"{kernels.metric} ({kernels.unit})" if kernels.unit else kernels.metric
    rows = [(models, k) for models in shown.models for k in range(len(models))]
    some = (np.nan_to_num(kernels.mean) != 0).any(axis=1).tolist()
    python = [
        formula.python(name, f"{described} of {name}") if there else ""
        for formula, name, there in zip(shown.formulas, kernels.regions, some, strict=True)
    ]
    return {
        "rivals": [_rivals(*row) if there else NOTHING for row, there in zip(rows, some, strict=True)],
        "formula": [formula.text() for formula in shown.formulas],
        "latex": [formula.latex() for formula in shown.formulas],
        "python": python,
        **_numbered("range", [formula.range_text for formula in shown.formulas]),
        **_indexed("growthClass", shown, growth_classes),
        **_indexed("warning", shown, warning_texts),
    }


def _without_models(count: int) -> dict[str, Any]:
    """Return what `_texts` does if too few scales were measured to say anything of models."""
    texts = {name: [""] * count for name in ("formula", "latex", "python")}
    numbered = {**_numbered("range", [""] * count), **_numbered("growthClass", [""] * count)}
    return {
        "rivals": [NOTHING] * count,
        **texts,
        **numbered,
        **_numbered("warning", [()] * count),
        "growing": packed(np.zeros(count)),
    }


def _rivals(models: ScalingModels, k: int) -> list[tuple[str, float]]:
    """Return the plausible models of a kernel with their probabilities."""
    first = int(models.rivals.begin[k])
    shown = [(i, float(f"{models.rivals.weight[first + i]:.3g}")) for i in plausible(models, k)]
    return [(models.formula(k, i).text(), weight) for i, weight in shown]


def _indexed(
    name: str, shown: ShownKernels, describe: Callable[[ScalingModels], Sequence[Any]]
) -> dict[str, Any]:
    """Return distinct texts, and for each kernel the index of its own."""
    return _numbered(name, list(chain.from_iterable(describe(models) for models in shown.models)))


def _numbered(name: str, texts: Sequence[Any]) -> dict[str, Any]:
    kinds = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return {f"{name}Texts": list(kinds), name: [kinds[text] for text in texts]}


def warning_texts(models: ScalingModels) -> list[tuple[str, ...]]:
    """Return what must be known about the model of each kernel, in words."""
    return [tuple(CLEARER.get(text, text) for text in texts) for texts in remarks(models)]


def plausible(models: ScalingModels, k: int) -> list[int]:
    """Return the rivals of a kernel that are worth showing, the chosen one first."""
    first, end = models.rivals.begin[k : k + 2].tolist()
    weights = models.rivals.weight[first : min(end, first + RIVALS)].tolist()
    return [i for i, weight in enumerate(weights) if i == 0 or weight >= PLAUSIBLE]


def _curves(shown: ShownKernels, positions: Positions) -> FloatArray:
    """Return what the formulas of weighty kernels give at all positions, one row per rival, in sequence."""
    rows = []
    own = len(shown.models[0])
    for models, kernels in (
        (shown.models[0], shown.weighty[shown.weighty < own]),
        *((other, shown.weighty[shown.weighty >= own] - own) for other in shown.models[1:]),
    ):
        part = models.take(kernels)
        width = min(RIVALS, int(part.rivals.count.max(initial=1)))
        values = [replace(part, rivals=part.rivals.nth(i)).values(positions.points) for i in range(width)]
        rows += [values[i][k] for k in range(len(part)) for i in plausible(part, k)]
    return np.array(rows)

"""The columns of kernels: what is said about each in summary.json, and from there in every table and page.

To add a column, add one `Column` to `KERNELS`; every table shows it last, under the same name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import folded
from pipeline.columns.cells import Audience
from pipeline.columns.column import (
    ERROR,
    ESTIMATE,
    GROWTH,
    PATH,
    PROBABILITY,
    SHARE_OF_SUM,
    TEXTS,
    WHOLE_KIND,
    Column,
    Kind,
)
from pipeline.models.agreeing_formulas import prediction_formulas
from pipeline.models.forms import Term, exponents_of, stored_exponent
from pipeline.models.formulas import Formula, PredictionFormula
from pipeline.models.growth import CONSTANT, FALLS, LAWLESS, growth_cell, growth_classes, stated_law
from pipeline.models.kernels import callpath_id
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels, remarks
from pipeline.questions.analysis import Level, Outlook
from pipeline.wording.quantities import number, numbers, point_json

_NOT_MEASURABLE = "not measurable: the time is below what the correction for overhead leaves uncertain"
CANNOT_TELL = "cannot tell"
_FLAGS = (
    "growing",
    "coming_bottleneck",
    "dominant_measured",
    "dominant_at_target",
    "unreliable",
    "not_measurable",
    "start_up",
)


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedKernels:
    """The n kernels of a level that are shown, in their order, and what they do at targets."""

    level: Level
    outlook: Outlook
    chosen: IntArray  # int64[n], those that are shown
    parameters: Sequence[str] = ()  # names of the D parameters
    # float64[Q, D], the points of the outlook; none if nothing is predicted
    targets: FloatArray | None = None

    @cached_property
    def models(self) -> ScalingModels:
        """The models of those that are shown."""
        return self.level.models.take(self.chosen)

    def names(self) -> Iterable[Sequence[str]]:
        """Yield call paths, those of regions with one name; the middle of deep ones is folded."""
        paths = folded(self.level.kernels.callpaths)
        return (list(paths[k]) for k in self.chosen.tolist())

    def each(self, values: Sequence[Any]) -> Iterable[Any]:
        """Yield those of values, one per kernel of the level, that are shown."""
        return (values[k] for k in self.chosen.tolist())

    def shares(self, share: FloatArray) -> FloatArray | list[None]:
        """Return the shares, float64[K], of those that are shown; None if the metric has no total."""
        shown: FloatArray = share[self.chosen]
        return shown if np.isfinite(shown).all() else [None] * len(shown)

    @cached_property
    def formulas(self) -> Sequence[PredictionFormula]:
        """The formulas of the predictions of those that are shown."""
        return prediction_formulas(self.level.models, self.outlook.within, self.chosen)

    @cached_property
    def growths(self) -> Sequence[str]:
        """The statements on how those that are shown grow."""
        return growth_classes(self.models)

    def predictions(self) -> list[list[dict[str, Any]]]:
        """Return value and interval at every target."""
        if self.targets is None:
            return [[] for _ in self.chosen]
        found = self.outlook.prediction
        ends = (end[self.chosen] for end in (found.value, found.lower, found.upper))
        return predictions_json(self.parameters, self.targets, Prediction(*ends))

    def notes(self) -> list[list[str]]:
        """Return what limits the trust in each."""
        hidden = self.outlook.standing.not_measurable[self.chosen].tolist()
        texts = zip(remarks(self.models), hidden, strict=True)
        return [[*notes, *([_NOT_MEASURABLE] if lost else [])] for notes, lost in texts]


def growth_style(statement: str, notes: Sequence[str]) -> str:
    """Return the colour of a growth: red surely grows, green is constant or falls, yellow is the rest."""
    if CANNOT_TELL in notes:
        return "yellow"
    if statement in (CONSTANT, FALLS):
        return "green"
    return "red" if statement.startswith("grows") and statement != LAWLESS else "yellow"


def model_json(formula: PredictionFormula) -> dict[str, Any]:
    """Return the formula of a prediction as plain data: the last normal form, and where it holds."""
    within, last = formula.within, _form_json(formula.last)
    ends = map(list, zip(*(numbers(end) for end in (within.first, within.last)), strict=True))
    found = {**last, "formula": formula.text(), "range": dict(zip(formula.parameters, ends, strict=True))}
    if formula.ends:
        up_to = map(number, (*formula.ends, float(within.last[within.column])))
        pieces = zip(up_to, formula.pieces, strict=True)
        found["pieces"] = [{"up_to": end, **_form_json(piece)} for end, piece in pieces]
    return found


def _form_json(formula: Formula) -> dict[str, Any]:
    knee = {"sharpness": formula.sharpness} if formula.sharpness != 1 else {}
    return knee | {
        "formula": formula.text(),
        "constant": number(formula.constant),
        "terms": [
            {"coefficient": number(coefficient), "exponents": _exponents(formula.parameters, term)}
            for coefficient, term in formula.terms
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


Rows = Sequence[Mapping[str, Any]]


_MODEL = Kind(
    name="model", write=lambda model: str(model["formula"]), json={"$ref": "#/$defs/model"}, is_number=False
)
_SOURCE = Kind(name="text", write=str, json={"type": "string"}, is_number=False, may_lack=True)
IDENTITY = Kind(name="id", write=callpath_id, json={"type": "integer", "minimum": 1}, may_lack=True)
_MEANS = Kind(name="means", write=str, json={"type": "array", "items": {"type": ["number", "null"]}})
_PREDICTIONS = Kind(
    name="predictions", write=str, json={"type": "array", "items": {"$ref": "#/$defs/prediction"}}
)
_FLAG_NAMES = Kind(
    name="flags", write=TEXTS.write, json={"type": "array", "items": {"enum": list(_FLAGS)}}, is_number=False
)

_NOTES = Kind(name="notes", write="; ".join, json=TEXTS.json, is_number=False)

_FOR_PROGRAMS: Callable[..., Column[Any]] = partial(Column, audience=Audience.PROGRAMS)

KERNELS: tuple[Column[Any], ...] = (
    Column(
        key="id",
        kind=IDENTITY,
        values=lambda found: (
            node + 1 if node >= 0 else None for node in found.level.kernels.node[found.chosen].tolist()
        ),
        about="of call paths only: the number in the preorder of the call tree, written #17 in commands",
    ),
    Column(
        key="callpath",
        name="kernel",
        kind=PATH,
        values=RankedKernels.names,
        about="region names from the root down, the middle folded into one beyond 200; "
        "for a region its name alone",
    ),
    _FOR_PROGRAMS(key="region", values=lambda found: found.each(found.level.kernels.regions)),
    _FOR_PROGRAMS(
        key="paradigm",
        values=lambda found: found.each(found.level.kernels.paradigms),
        about="compiler, user, mpi, openmp ...; empty where unknown",
    ),
    Column(
        key="source",
        kind=_SOURCE,
        values=lambda found: map(found.level.kernels.source.get, found.each(found.level.kernels.regions)),
        audience=Audience.FILES,
        about="source file and line of the region, solver.cpp:73; left out where unknown",
    ),
    _FOR_PROGRAMS(
        key="metric",
        values=lambda found: [found.level.kernels.metric] * len(found.chosen),
        about="effort where time was summed over locations",
    ),
    _FOR_PROGRAMS(key="unit", values=lambda found: [found.level.kernels.unit] * len(found.chosen)),
    _FOR_PROGRAMS(
        key="model",
        name="formula",
        heading="model",
        kind=_MODEL,
        values=lambda found: map(model_json, found.formulas),
        folds=True,
    ),
    _FOR_PROGRAMS(
        key="growth",
        kind=GROWTH,
        values=lambda found: (
            stated_law(statement, formula.growth)
            for statement, formula in zip(found.growths, found.formulas, strict=True)
        ),
        about="leading term of the formula at the target, 1 where it does not grow, "
        "unclear where there is no law",
    ),
    _FOR_PROGRAMS(
        key="growth_class",
        heading="growth",
        values=lambda found: found.growths,
        write=growth_cell,
        styles=lambda rows: [growth_style(row["growth_class"], row["notes"]) for row in rows],
        about="the behaviour in words, by the probability of growing: constant, falls, may grow, grows with "
        "a range of powers; or that the law is unclear",
    ),
    _FOR_PROGRAMS(
        key="probability_growing",
        kind=PROBABILITY,
        values=lambda found: found.models.quality.probability_growing,
        about="probability that it grows with scale",
    ),
    _FOR_PROGRAMS(
        key="quality.smape",
        kind=ERROR,
        heading="SMAPE",
        values=lambda found: found.models.quality.smape,
        dispensable=1,
        about="symmetric mean absolute percentage error of the fit",
    ),
    _FOR_PROGRAMS(
        key="quality.cv_smape",
        kind=ERROR,
        heading="SMAPE cv",
        values=lambda found: found.models.quality.cv_smape,
        dispensable=2,
        about="the same with every point predicted from the others",
    ),
    _FOR_PROGRAMS(
        key="quality.points", kind=WHOLE_KIND, values=lambda found: found.models.quality.points.tolist()
    ),
    _FOR_PROGRAMS(
        key="quality.repetitions",
        kind=WHOLE_KIND,
        values=lambda found: found.models.quality.repetitions.tolist(),
    ),
    Column(
        key="measured",
        kind=_MEANS,
        values=lambda found: measured_json(found.level.kernels.mean[found.chosen]),
        about="mean over repetitions at every point, in their order; null if not measured",
    ),
    _FOR_PROGRAMS(
        key="share_measured",
        kind=SHARE_OF_SUM,
        heading="share now",
        values=lambda found: found.shares(found.outlook.share_measured),
        dispensable=1,
        about="share of the total at the largest measured point; null if the metric has no sum",
    ),
    _FOR_PROGRAMS(
        key="share_at_target",
        kind=SHARE_OF_SUM,
        heading="at target",
        values=lambda found: found.shares(found.outlook.share_target),
        about="share of the predicted total at the last target; null if the metric has no sum",
    ),
    Column(key="predictions", kind=_PREDICTIONS, values=RankedKernels.predictions),
    Column(
        key="flags",
        kind=_FLAG_NAMES,
        values=lambda found: (list(flags) for flags in found.each(found.outlook.flags)),
        audience=Audience.FILES,
    ),
    _FOR_PROGRAMS(
        key="notes",
        kind=_NOTES,
        values=RankedKernels.notes,
        about="what limits the trust in the model, in words",
    ),
)

CELLS = tuple(column for column in KERNELS if column.key not in ("measured", "predictions"))
"""The columns of tables with one row per kernel: those that are no lists."""

WITHOUT_MODELS = tuple(
    column
    for column in KERNELS
    if column.key not in ("model", "growth", "growth_class", "probability_growing", "notes")
)
"""The columns that are measured or predicted, without what models say in formulas and words."""

PREDICTION: Column[Rows] = Column(
    key="prediction",
    name="value",
    heading="predicted",
    kind=ESTIMATE,
    unit=lambda rows: str(rows[0]["unit"]) if rows else "",
    dispensable=3,
)
"""Value and interval of a kernel at one target, in rows with a kernel and a target each."""


def kernel_columns(*keys: str) -> list[Column[Any]]:
    """Return columns of `KERNELS` by their keys, for kernels of a summary and for people."""
    known = {column.key: column.as_stored for column in KERNELS}
    return [replace(known[key], audience=Audience.ALL) for key in keys]


def further_columns(shown: Iterable[Column[Any]]) -> list[Column[Any]]:
    """Return those that a table has behind the names and others that it shows, for kernels of a summary."""
    placed = {"id", "callpath"} | {column.key for column in shown}
    return [column.as_stored for column in CELLS if column.key not in placed]

"""Is an expected growth met, exceeded or undecided?

Developers know what should happen: an allreduce grows like log p, the solver not at all. Such expectations
were proposed by Shudler and others ("Exascaling your library: will your implementation meet your
expectations?", 2015). Here they are compared with the distribution of the prediction: from the smallest
measured scale to the target it must not grow by more than the function does. A constant part makes it grow
less, so it is no fault. A value of 1, such as one process that communicates with nobody, is not counted from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.experiment import Experiment
from ingest.record_codec import entry
from pipeline.models.forms import term_values
from pipeline.models.kernels import is_callpath_id
from pipeline.models.options import Expectation
from pipeline.models.prediction import Prediction
from pipeline.models.total import added, predict_total
from pipeline.questions.analysis import Analysis
from pipeline.questions.groups import group_meant, named_kernels, place_of
from pipeline.questions.question import Question, TargetForecast
from pipeline.questions.runtime.estimate import from_prediction
from pipeline.statistics import normal_below
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import Figure, counted, figure, point_text, probability_text

_NEGLIGIBLE = 0.1  # a power of the scale: what grows by it beyond the function is not said to grow faster
_SURE = 0.9  # probability from which a judgement is made


class Judgement(Enum):
    """What is said about an expectation."""

    MET = "met"
    EXCEEDED = "exceeded"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class JudgedExpectation:
    """An expectation and what the models say about it."""

    region: str  # and `metric`, `place`: as of the expectation
    metric: str
    at_most: str  # the function, as it was written
    judgement: Judgement = Judgement.UNDECIDED
    probability_met: float | None = None  # None if nothing is predicted
    allowed_factor: float | None = None  # by which the function grows from `start` to `at`; None likewise
    predicted_factor: Figure | None = None  # with its 90 % interval; None likewise
    start: Mapping[str, float] | None = field(default=None, metadata=entry("from"))
    at: Mapping[str, float] | None = None
    reason: str = ""  # why nothing is predicted; empty if it is
    place: str

    @property
    def subject(self) -> str:
        """What is expected to grow so."""
        metric = "" if self.metric == "time" else f" ({self.metric})"
        return f"{shown_name(self.region) or 'the total'}{metric}"

    @property
    def between(self) -> str:
        """The points that are compared, or why there are none."""
        if self.start is None or self.at is None:
            return self.reason
        return f"{point_text(self.start)} to {point_text(self.at)}"

    @property
    def sentence(self) -> str:
        """What the models say about it if it is not met."""
        what = f"Expectation on {self.subject}, at most {self.at_most}"
        met, allowed, grows = self.probability_met, self.allowed_factor, self.predicted_factor
        if met is None or allowed is None or grows is None or grows.value is None:
            return f"{what}: undecided, since {self.reason}."
        judged = f"exceeded with {probability_text(1 - met)}"
        if self.judgement is Judgement.UNDECIDED:
            judged = f"undecided, met with {probability_text(met)}"
        factors = f"{figure(grows.value)} times from {self.between}, {figure(allowed)} expected"
        return f"{what}: {judged} ({factors})."


def expectation_sentences(found: Sequence[JudgedExpectation]) -> list[tuple[str, str]]:
    """Name the expectations that are exceeded or undecided, with styles; else say that all are met."""
    open_ones = [one for one in found if one.judgement is not Judgement.MET]
    if found and not open_ones:
        return [(f"{len(found)} of {counted(len(found), 'expectation')} met.", "")]
    styles = {Judgement.EXCEEDED: "red", Judgement.UNDECIDED: "yellow"}
    return [(one.sentence, styles[one.judgement]) for one in open_ones]


def judged(
    expectations: Sequence[Expectation],
    experiment: Experiment,
    models: Mapping[str, Analysis],
    target: FloatArray,
) -> tuple[JudgedExpectation, ...]:
    """Judge expectations at a target, float64[D], whose parameters count where they name none."""
    return tuple(_judged(one, experiment, models, target) for one in expectations)


def _judged(
    one: Expectation, experiment: Experiment, models: Mapping[str, Analysis], target: FloatArray
) -> JudgedExpectation:
    analysis = models.get(one.metric)
    said = partial(
        JudgedExpectation, region=one.region, metric=one.metric, at_most=one.growth, place=one.place
    )
    if analysis is None:
        if one.metric not in experiment.values:
            hint = f"metrics here: {', '.join(dict.fromkeys((*models, *experiment.values)))}"
            raise UsageError(f"metric '{one.metric}' was not measured", where=one.place, hint=hint)
        return said(reason=f"there is no model of {one.metric}")
    names = experiment.parameters
    if missing := [name for name in one.exponents if name not in names]:
        hint = f"parameters here: {', '.join(names)}"
        raise UsageError(f"no parameter '{missing[0]}'", where=one.place, hint=hint)
    columns = [names.index(name) for name in one.exponents] or [analysis.column]
    points = np.concatenate([_smaller(experiment.points, columns, target), target[None]])
    prediction = _predicted(one, analysis, points)
    function = np.ones(len(points))
    for name, exponents in one.exponents.items():
        function *= term_values([(exponents,)], points[:, [names.index(name)]])[:, 0]
    usable = np.flatnonzero((function > 0) & (prediction.value[0] > 0))
    if analysis.is_profile or len(usable) < 2 or usable[-1] < len(points) - 1:
        few = (
            "too few scales were measured"
            if analysis.is_profile
            else "it is 0 at all scales below the target"
        )
        return said(reason=few)
    start, end = usable[[0, -1]]
    allowed = float(function[end] / function[start])
    reach = float(np.prod(points[end, columns] / points[start, columns]))
    at_start, at_end = (from_prediction(prediction.at(slice(at, at + 1))) for at in (start, end))
    ratio = at_end.over(at_start)
    probability = float(normal_below(ratio.score_at_most(allowed * reach**_NEGLIGIBLE))[0])
    return said(
        judgement=_judgement(probability),
        probability_met=probability,
        allowed_factor=allowed,
        predicted_factor=Figure.of(*(float(end[0]) for end in (ratio.value, ratio.lower, ratio.upper))),
        start=dict(zip(names, points[start].tolist(), strict=True)),
        at=dict(zip(names, target.tolist(), strict=True)),
    )


def _judgement(probability: float) -> Judgement:
    if probability > _SURE:
        return Judgement.MET
    return Judgement.EXCEEDED if probability < 1 - _SURE else Judgement.UNDECIDED


def _smaller(measured: FloatArray, columns: Sequence[int], target: FloatArray) -> FloatArray:
    """Return the target with measured values below it in some columns, ascending, float64[n, D]."""
    below = [_below(measured[:, column], float(target[column])) for column in columns]
    steps = max(map(len, below)) if all(map(len, below)) else 0
    points = np.repeat(target[None], steps, axis=0)
    for one, column in zip(below, columns, strict=True):
        points[:, column] = one[np.minimum(np.arange(steps), len(one) - 1)] if steps else []
    return points


def _below(measured: FloatArray, target: float) -> FloatArray:
    """Return the values below the target, ascending; only those above 1 if there are any."""
    values = np.unique(measured[measured < target])
    above = values[values > 1]
    return above if len(above) else values


def _predicted(one: Expectation, analysis: Analysis, points: FloatArray) -> Prediction:
    """Predict the sum of what an expectation names at points float64[Q, D], one row."""
    if not one.region and analysis.additive:
        return predict_total(analysis.callpaths.models, points)
    own, hint = analysis.own_groups, "`pipeline bottlenecks --tree` lists the names"
    group = group_meant(analysis.callpaths.kernels, own, one.region)
    if group and analysis.additive:
        place = place_of(analysis.groups.kernels.regions, group, one.place, hint)
        return analysis.groups.models.predict(points).take(np.array([place]))
    of_callpaths = "/" in one.region or is_callpath_id(one.region)
    level = analysis.callpaths if of_callpaths else analysis.regions
    rows = np.flatnonzero(named_kernels(level.kernels, own, one.region or "*", one.place, hint))
    if len(rows) > 1 and not analysis.additive:
        raise UsageError(f"{one.metric} does not add up", where=one.place, hint="name one region")
    return added(level.models, level.models.predict(points).take(rows))


def _expectations(asked: TargetForecast) -> tuple[JudgedExpectation, ...]:
    return judged(asked.expectations, asked.analysis.experiment, asked.all_metrics, asked.targets[-1])


QUESTION = Question(
    key="expectations", order=40, ask=_expectations, sentences=expectation_sentences, heading="As expected"
)

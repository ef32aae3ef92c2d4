"""Runs held out: models are made without them, and what these predict is compared with what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError
from ingest.experiment import Experiment, HeldOutRuns
from ingest.run_conditions import read_condition
from pipeline.models.kernels import kernels_of
from pipeline.models.prediction import Prediction
from pipeline.models.total import predict_total
from pipeline.questions.analysis import SCALES_NEEDED, Analysis, too_few_scales
from pipeline.questions.question import Question, TargetForecast
from pipeline.wording.quantities import Figure, counted, point_json, range_text

_OPTION = "--hold-out"
COMPARED_KERNELS = 8  # that are compared, the largest


def hold_out(experiment: Experiment, conditions: Sequence[str]) -> Experiment:
    """Return an experiment without the runs that meet any of some conditions, as of `read_condition`.

    UsageError if a condition is none, names no parameter or no run, or too few scales are left.
    """
    if not conditions:
        return experiment
    arrays = [reduction.max for reduction in experiment.values.values()]
    measured = np.any([np.isfinite(array).any(axis=0) for array in arrays], axis=0)
    chosen = np.zeros(experiment.shape, dtype=np.bool_)
    for text in conditions:
        found = measured & read_condition(text).of(experiment, _OPTION)
        if not found.any():
            columns = zip(experiment.parameters, experiment.points.T.tolist(), strict=True)
            there = "; ".join(range_text(name, values) for name, values in columns)
            hint = f"there are {there}, up to {counted(experiment.shape[1], 'repetition')}"
            raise UsageError(f"no run has {text}", where=_OPTION, hint=hint)
        chosen |= found
    _require_enough(experiment, chosen, measured & ~chosen)
    runs = f"{int(chosen.sum())} of {counted(int(measured.sum()), 'run')}"
    notice = f"models are made without {runs}, which are held out ({' or '.join(conditions)})"
    return replace(
        experiment.only(measured & ~chosen),
        notices=(*experiment.notices, notice),
        held_out=HeldOutRuns(conditions=tuple(conditions), whole=experiment, runs=chosen),
    )


def _require_enough(experiment: Experiment, chosen: BoolArray, kept: BoolArray) -> None:
    """Refuse what leaves too few scales, or too few values of a parameter of which others are held out."""
    held, left = (experiment.points[some.any(axis=1)] for some in (chosen, kept))
    for name, before, values in zip(experiment.parameters, held.T, left.T, strict=True):
        scales = np.unique(values)
        if len(scales) < SCALES_NEEDED and (too_few_scales(left) or not np.isin(before, scales).all()):
            what = f"{counted(len(scales), 'scale')} of {name} left" if len(scales) else "no run is left"
            hint = f"leave {SCALES_NEEDED} at least, from which the others can be predicted"
            raise UsageError(what, where=_OPTION, hint=hint)


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldOut:
    """What was measured of held-out runs at Q points, and what the models predict there."""

    conditions: tuple[str, ...]  # which runs these are
    points: FloatArray  # float64[Q, D]
    kernels: tuple[str, ...]  # names of the largest regions
    # float64[1 + K, Q], mean over repetitions: the total, then the kernels; NaN where it is not above zero
    measured: FloatArray
    prediction: Prediction  # the same of the models

    @property
    def errors(self) -> FloatArray:
        """Predictions less measurements, over measurements, float64[1 + K, Q]."""
        return np.asarray(self.prediction.value / self.measured - 1)

    @property
    def inside(self) -> BoolArray:
        """Which measurements lie in the intervals, bool[1 + K, Q]."""
        return (self.prediction.lower <= self.measured) & (self.measured <= self.prediction.upper)


def compared(analysis: Analysis) -> HeldOut | None:
    """Compare what was held out of a study with its predictions; None without any, or if nothing adds up."""
    held = analysis.experiment.held_out
    if held is None or not analysis.additive:
        return None
    runs = held.whole.only(held.runs)
    kernels, regions = kernels_of(runs, analysis.metric, analysis.decision.scaling)
    largest = np.argsort(-np.nan_to_num(regions.mean).sum(axis=1), kind="stable")[:COMPARED_KERNELS]
    measured = np.concatenate([kernels.total.mean, regions.mean[largest]])
    parts = analysis.regions.models.predict(runs.points)
    total = predict_total(analysis.callpaths.models, runs.points)
    ends = zip(vars(total).values(), vars(parts).values(), strict=True)
    return HeldOut(
        conditions=held.conditions,
        points=runs.points,
        kernels=tuple(regions.regions[k] for k in largest.tolist()),
        measured=np.where(measured > 0, measured, np.nan),
        prediction=Prediction(*(np.concatenate([own, each[largest]]) for own, each in ends)),
    )


@dataclass(frozen=True, kw_only=True)
class HeldOutPoint:
    """The total at a point, mean over the repetitions that were held out."""

    at: Mapping[str, float]
    measured: float
    predicted: Figure
    relative_error: float
    inside: bool


@dataclass(frozen=True, kw_only=True)
class HeldOutKernel:
    """How one of the largest regions is predicted at so many points."""

    callpath: tuple[str, ...]
    mean_error: float
    points: int
    inside: int


@dataclass(frozen=True, kw_only=True)
class HeldOutComparison:
    """What was held out with what is predicted, in the unit."""

    conditions: tuple[str, ...]
    unit: str
    points: tuple[HeldOutPoint, ...]
    kernels: tuple[HeldOutKernel, ...]


def _held_out(asked: TargetForecast) -> HeldOutComparison | None:
    """Return what `compared` finds as a record of the total and the kernels; None if nothing was measured."""
    analysis = asked.analysis
    found = compared(analysis)
    if found is None or not np.isfinite(found.measured[0]).any():
        return None
    errors, inside, known = found.errors, found.inside, np.isfinite(found.measured)
    predicted = found.prediction.value[0], found.prediction.lower[0], found.prediction.upper[0]
    return HeldOutComparison(
        conditions=found.conditions,
        unit=analysis.callpaths.kernels.unit,
        points=tuple(
            HeldOutPoint(
                at=point_json(analysis.experiment.parameters, found.points[q]),
                measured=float(found.measured[0, q]),
                predicted=Figure.of(*(float(end[q]) for end in predicted)),
                relative_error=float(errors[0, q]),
                inside=bool(inside[0, q]),
            )
            for q in np.flatnonzero(known[0]).tolist()
        ),
        kernels=tuple(
            HeldOutKernel(
                callpath=(name,),
                mean_error=float(np.abs(errors[k, known[k]]).mean()),
                points=int(known[k].sum()),
                inside=int(inside[k].sum()),
            )
            for k, name in enumerate(found.kernels, start=1)
            if known[k].any()
        ),
    )


QUESTION = Question(key="held_out", order=70, ask=_held_out)

"""A modelled study on another machine: measured values taken there, modelled again, and predicted there.

Its scaling models compose predictions of those here and what changes there; what all this rests on is said.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError
from ingest.experiment import Experiment
from ingest.number_text import percent
from ingest.region_class import region_class
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.kernels import Kernels, is_time, kernels_of
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import LEVEL, Prediction, in_sequence
from pipeline.models.scaling_models import Predictor, ScalingModels
from pipeline.models.total import agreeing, predict_total
from pipeline.projection.rooflines.rooflines import kernel_verdicts
from pipeline.projection.study.kernel_table import (
    TYPICAL_MIX,
    Counts,
    KernelTable,
    Way,
    exponents_within,
    kernel_table,
    limits_of,
)
from pipeline.projection.study.study_machine import Rows, StudyMachine, rate_of_process
from pipeline.projection.study.transfer import Transfer, parallel_loss
from pipeline.questions.analysis import Analysis, Level, analyse, largest_point
from pipeline.questions.locations import locations_of, scaled_parameter
from pipeline.questions.what_if import experiment_times


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionsThere(Predictor):
    """Predicts kernels on another machine.

    Predictions are composed of those here, of the numbers of calls and bytes, and of both machines at the
    very point.
    """

    here: ScalingModels
    transfer: Transfer
    known: dict[tuple[float, bytes], tuple[Prediction, Prediction, Rows]] = field(default_factory=dict)

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all kernels there."""
        return self._there(points, level)[0]

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of all kernels from joint draws; None for some of them."""
        return self._there(points, level)[1] if len(kernels) == len(self.here) else None

    def joint_errors(self, points: FloatArray) -> Rows:
        """Return the errors of what takes the sum of all kernels there, as `Transfer.there` does."""
        return self._there(points, LEVEL)[2]

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "PredictionsThere":
        """Predict from models with another error that all measurements share."""
        return replace(self, here=self.here.with_common_error(error, of_sum), known={})

    def _there(self, points: FloatArray, level: float) -> tuple[Prediction, Prediction, Rows]:
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.here.parameters))
        key = (level, points.tobytes())
        if key not in self.known and self.transfer.stays:
            here, total = self.here.predict(points, level), predict_total(self.here, points, level)
            self.known[key] = self.transfer.there(points, here, total, level)
        elif key not in self.known:
            here, total = self.here.predict(points), predict_total(self.here, points, level)
            at_once = self.transfer.points_at_once
            parts = [slice(start, start + at_once) for start in range(0, len(points), at_once)]
            found = [
                self.transfer.there(points[part], here.at(part), total.at(part), level) for part in parts
            ]
            kernels, sums, errors = zip(*found, strict=True)
            self.known[key] = in_sequence(kernels), in_sequence(sums), np.concatenate(errors, axis=1)
        return self.known[key]


_PROJECTED = "projected"  # what its values at measured points are
_VISITS, _SENT, _RECEIVED = "visits", "bytes_sent", "bytes_received"


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyProjection:
    """A study on the machine it was measured on, and on another, with what was measured here taken there."""

    source: StudyMachine
    target: StudyMachine
    here: Analysis
    there: Analysis
    callpaths: Transfer
    regions: Transfer
    assumptions: tuple[str, ...]


def project_study(
    analysis: Analysis,
    others: Mapping[str, Analysis],
    source: StudyMachine,
    target: StudyMachine,
    options: ModelOptions,
) -> StudyProjection:
    """Project all kernels of a study to another machine, using the models of visits and bytes in others."""
    kernels = analysis.callpaths.kernels
    if not (analysis.additive and is_time(kernels.metric, kernels.unit)):
        raise UsageError(f"models of {analysis.metric} cannot be projected", hint="project those of time")
    analysis = _from_measurements(analysis)
    transfers = [
        _transfer(
            analysis.experiment,
            analysis.decision,
            level.kernels,
            _counts(others, (_VISITS,), name, len(level.kernels)),
            _counts(others, (_SENT, _RECEIVED), name, len(level.kernels)),
            source,
            target,
            correlation=analysis.callpaths.models.correlation,
        )
        for name, level in (("callpaths", analysis.callpaths), ("regions", analysis.regions))
    ]
    experiment = _experiment_there(
        analysis.experiment, analysis.callpaths.kernels, analysis.metric, transfers[0]
    )
    there = analyse(experiment, analysis.decision, analysis.metric, options, analysis.own_groups)
    predictions = [
        PredictionsThere(here=measured.models, transfer=one)
        for measured, one in zip((analysis.callpaths, analysis.regions), transfers, strict=True)
    ]
    fine = there.callpaths.models.predicted_by(predictions[0])
    coarse = there.regions.models.predicted_by(predictions[1])
    there = replace(
        there,
        callpaths=Level(there.callpaths.kernels, fine),
        regions=Level(there.regions.kernels, agreeing(coarse, fine)),
        joint_errors=predictions[0].joint_errors,
        back_test=there.back_test and replace(there.back_test, judged_by=_PROJECTED),
        observed=_PROJECTED,
    )
    return StudyProjection(
        source=source,
        target=target,
        here=analysis,
        there=there,
        callpaths=transfers[0],
        regions=transfers[1],
        assumptions=_assumptions(analysis, transfers[0]),
    )


def _from_measurements(analysis: Analysis) -> Analysis:
    """Let measured values count at and between the measured scales."""
    points = analysis.experiment.points
    fine, coarse = (
        measured_inside(level.models, points, level.kernels)
        for level in (analysis.callpaths, analysis.regions)
    )
    return replace(
        analysis,
        callpaths=Level(analysis.callpaths.kernels, fine),
        regions=Level(analysis.regions.kernels, agreeing(coarse, fine)),
    )


def _transfer(
    experiment: Experiment,
    decision: ScalingDecision,
    kernels: Kernels,
    visits: Counts | None,
    moved: Counts | None,
    source: StudyMachine,
    target: StudyMachine,
    *,
    correlation: float = 0.0,
) -> Transfer:
    """Return what takes the times of kernels to another machine, from all that was measured of them."""
    points, locations = experiment.points, locations_of(experiment, decision, kernels.metric)
    if not np.isfinite(locations(points)).all():
        hint = "name runs like app.p4.r1, or give the number of processes as a parameter"
        raise UsageError("the number of processes is unknown, so nodes cannot be filled", hint=hint)
    per_location = kernels.of_location
    scaled = experiment.parameters.index(scaled_parameter(experiment, decision))
    verdicts = kernel_verdicts(experiment, kernels, source.machine, largest_point(points, scaled))
    limits = limits_of(verdicts, source, target)
    visits = None if per_location else visits  # which are of all processes
    network = target.has_messages and (source.has_messages or visits is not None)
    accelerators = source.has_accelerators and target.has_accelerators
    scaling = decision.scaling if points.shape[1] == 1 else Scaling.NONE
    within = _within_a_node(kernels, scaling, locations(points), source, per_location=per_location)
    table = kernel_table(kernels, visits, moved, limits, within, network=network, accelerators=accelerators)
    only_computes = not (table.is_way(Way.CALLS) | table.is_way(Way.MESSAGES) | table.is_way(Way.WAITS)).any()
    loss = None
    if only_computes and len(experiment.parameters) == 1 and source.has_network and target.has_network:
        total, here = np.nan_to_num(kernels.mean).sum(axis=0), locations(points)
        wall = total if per_location else total / here
        loss = parallel_loss(decision.scaling, here, wall, source.cores)
    return Transfer(
        source=source,
        target=target,
        table=table,
        locations=locations,
        correlation=correlation,
        per_location=per_location,
        loss=loss,
    )


def _within_a_node(
    kernels: Kernels, scaling: Scaling, locations: FloatArray, source: StudyMachine, *, per_location: bool
) -> tuple[FloatArray, FloatArray] | None:
    """Return what times per core within a node say of bandwidth; None if nothing was measured for that."""
    inside = locations <= source.cores
    if scaling is Scaling.NONE or "bw_core" not in source.figures:
        return None
    cost, strong = np.nan_to_num(kernels.mean)[:, inside], scaling is Scaling.STRONG
    if strong is per_location:  # seconds of a core with a share of the work, or core-seconds of growing work
        cost = cost * locations[inside] ** (1 if strong else -1)
    return exponents_within(cost, rate_of_process(source, "bw_node", locations[inside])[0])


def _counts(others: Mapping[str, Analysis], names: Sequence[str], level: str, kernels: int) -> Counts | None:
    """Return the largest of some metrics of every kernel; None if none of them was measured of all."""
    models = [
        getattr(others[name], level).models
        for name in names
        if name in others and len(getattr(others[name], level).kernels) == kernels
    ]
    if not models:
        return None

    def counts(points: FloatArray) -> FloatArray:
        return np.asarray(np.max([one.predict(points).value for one in models], axis=0))

    return counts


def project_experiment(
    experiment: Experiment, decision: ScalingDecision, metric: str, source: StudyMachine, target: StudyMachine
) -> Experiment:
    """Take measured times to another machine, without a model: calls and bytes are those measured."""
    kernels, _ = kernels_of(experiment, metric, decision.scaling)

    def measured(*names: str) -> Counts | None:
        known = {one.name for one in experiment.metrics}
        found = [
            np.nan_to_num(kernels_of(experiment, name, decision.scaling)[0].mean)
            for name in names
            if name in known
        ]
        return (lambda _: np.asarray(np.max(found, axis=0))) if found else None

    transfer = _transfer(
        experiment, decision, kernels, measured(_VISITS), measured(_SENT, _RECEIVED), source, target
    )
    return _experiment_there(experiment, kernels, metric, transfer)


def _experiment_there(
    experiment: Experiment, kernels: Kernels, metric: str, transfer: Transfer
) -> Experiment:
    """Take the measured times to the other machine, call path by call path at every point."""
    mean = np.nan_to_num(kernels.mean)
    exact, total = (Prediction(one, one, one) for one in (mean, mean.sum(axis=0, keepdims=True)))
    there, *_ = transfer.there(experiment.points, exact, total, LEVEL)
    factor = np.ones((len(experiment.tree), len(experiment.points)))
    factor[kernels.node] = np.divide(there.value, mean, out=np.ones(mean.shape), where=mean > 0)
    return experiment_times(experiment, metric, factor)


_NEARLY_ALL = 0.999  # of the computing: nothing is said of the rest
_SMALLEST = 1e-300


def _assumptions(analysis: Analysis, transfer: Transfer) -> tuple[str, ...]:
    """Return one sentence for everything that is assumed."""
    return (
        *_of_computing(analysis, transfer.table),
        *_of_accelerators(transfer),
        *_of_cores(analysis, transfer),
        *_of_communication(transfer),
        *(
            [f"{' and '.join(stays)} take as long as measured, within a factor of about 2"]
            if (stays := _staying(analysis.callpaths.kernels, transfer.table))
            else []
        ),
        "nodes are filled; caches hold as much of the problem as here",
    )


def _staying(kernels: Kernels, table: KernelTable) -> list[str]:
    """Return the kinds of regions that take as long there as here, each once."""
    pairs = zip(kernels.paradigms, kernels.regions, table.is_way(Way.STAYS), strict=True)
    return sorted({region_class(paradigm, name).value for paradigm, name, stays in pairs if stays})


def _of_computing(analysis: Analysis, table: KernelTable) -> Iterator[str]:
    computes = table.is_way(Way.COMPUTES)
    effort = np.nan_to_num(analysis.callpaths.kernels.mean).max(axis=1)
    tested = float(effort[computes & table.tested].sum() / max(effort[computes].sum(), _SMALLEST))
    if tested >= _NEARLY_ALL:
        return
    rest = "no counters tell what limits the computing: its time"
    if table.lacking:
        yield f"one of the machines states no {' and no '.join(table.lacking)}, which limits kernels"
        rest = "no counters tell what limits the other computing: its time"
    if tested:
        rest = f"counters tell what limits {percent(tested)} of the computing; the rest"
    shares = ", ".join(f"to {100 * share:.0f} % by {one.value}" for one, share in TYPICAL_MIX.items())
    signs = "; where names or times within a node say more, it follows these" if any(table.signs) else ""
    yield f"{rest} is taken to be limited {shares}, each uncertain{signs}"


def _of_accelerators(transfer: Transfer) -> Iterator[str]:
    if transfer.table.is_way(Way.ACCELERATES).any():
        yield (
            "kernels of accelerators are limited half by bandwidth, half by peak, or anything between; each "
            "accelerator does as much as here"
        )


def _of_cores(analysis: Analysis, transfer: Transfer) -> Iterator[str]:
    source = transfer.source
    most = float(np.nanmax(transfer.locations(analysis.experiment.points)))
    if most > source.cores and not source.has_network:
        yield (
            f"up to {most:g} processes shared the {source.cores:g} cores of {source.name}: what they waited "
            "for a core falls away"
        )


def _of_communication(transfer: Transfer) -> Iterator[str]:
    if transfer.table.is_way(Way.CALLS).any():
        yield (
            "calls of MPI take what their number and bytes take on the network; what they took longer was "
            "waiting, which goes with the computing"
        )
        if not transfer.source.has_messages:
            yield f"{transfer.source.name} states no network: how much of its MPI time was waiting is open"
    elif transfer.table.is_way(Way.MESSAGES).any():
        yield (
            "communication was not counted: half of its time, or anything from none to all, is messages of "
            "8 B to 64 KiB over the network; the rest is waiting, which goes with the computing"
        )
    elif transfer.loss is not None:
        yield (
            "no timer tells communication: half of what is lost to scaling beyond a node, or anything from "
            "none to all, is messages of 8 B to 64 KiB over the network, all else computing"
        )
    elif not transfer.target.has_messages:
        yield f"{transfer.target.name} states no network: communication goes with the computing"


@dataclass(frozen=True, eq=False)
class MeasuredInside(Predictor):
    """Predicts K kernels by their measured means, at points float64[P, D], where there are some.

    With one parameter, logarithms of times are interpolated over the logarithm of the scale, between medians
    of the repetitions: a slow run is a fact of its scale and says nothing of others. Intervals are as wide,
    in proportion, as those of the models.
    """

    models: ScalingModels
    points: FloatArray
    kernels: Kernels

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all kernels."""
        found = self.models.predict(points, level)
        value, known = self._measured(points)
        known &= found.value > 0
        factor = np.divide(value, found.value, out=np.ones(value.shape), where=known)
        return Prediction(*(end * factor for end in (found.value, found.lower, found.upper)))

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of all kernels; None for some of them."""
        if len(kernels) != len(self.models):
            return None
        found = predict_total(self.models, points, level)
        value = self.predict(points, level).value.sum(axis=0, keepdims=True)
        factor = np.divide(value, found.value, out=np.ones(value.shape), where=found.value > 0)
        return Prediction(value, found.lower * factor, found.upper * factor)

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "MeasuredInside":
        """Predict from models with another error that all measurements share."""
        return replace(self, models=self.models.with_common_error(error, of_sum))

    def _measured(self, points: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return measured or interpolated values, float64[K, Q], and where there are some."""
        same = (points[:, None, :] == self.points[None]).all(axis=2)
        value = np.where(same.any(axis=1), self.kernels.mean[:, same.argmax(axis=1)], np.nan)
        if points.shape[1] == 1:
            between = np.flatnonzero(~same.any(axis=1))
            scales = points[between, 0]
            order = np.argsort(self.points[:, 0])
            measured = self.points[order, 0]
            after = np.searchsorted(measured, scales)
            inside = (after > 0) & (after < len(measured)) & (scales > 0) & (measured[0] > 0)
            after = np.where(inside, after, min(1, len(measured) - 1))
            before = np.maximum(after - 1, 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.log(self.kernels.median[:, order])
                share = np.log(scales / measured[before]) / np.log(measured[after] / measured[before])
                found = np.exp(logs[:, before] * (1 - share) + logs[:, after] * share)
            value[:, between] = np.where(inside, found, np.nan)
        known = np.isfinite(value) & (value > 0)
        return np.where(known, value, 0.0), known


def measured_inside(models: ScalingModels, points: FloatArray, kernels: Kernels) -> ScalingModels:
    """Return models that predict measured values at and between the measured scales, float64[P, D]."""
    return models.predicted_by(MeasuredInside(models, points, kernels))

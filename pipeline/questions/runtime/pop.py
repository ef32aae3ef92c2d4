"""POP efficiencies at points that were not measured, from models of the parts of the run time.

Time of all locations = useful time + imbalance of useful time + communication. The parts are modelled
one by one, are never negative, and are made to agree with the predicted total, so that all efficiencies made
from them lie between 0 and 1.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.experiment import TIME, Experiment, RunRecord
from ingest.hardware_counters import CYCLES, INSTRUCTIONS, counter_of
from ingest.region_class import MESSAGE_PASSING, USEFUL_WORK, regions_in
from ingest.run_settings import has_single_locations
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.fit import fit
from pipeline.models.kernels import mean_over_repetitions
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import agreeing
from pipeline.questions.runtime.figures import RuntimeStudy


@dataclass(frozen=True, eq=False, kw_only=True)
class PopParts:
    """POP efficiencies at Q points, float64[Q], 1 is perfect; NaN if not available."""

    # mean over largest useful time of a location; NaN if single ones were not measured
    load_balance: FloatArray
    communication: FloatArray  # largest useful time over run time; NaN likewise
    parallel: FloatArray  # their product: the share of core time that computes
    # useful time at the reference over that here, of all locations (strong scaling) or of one
    computation: FloatArray
    overall: FloatArray  # parallel efficiency times computation scalability


def pop_parts(study: RuntimeStudy, points: FloatArray) -> PopParts | None:
    """Predict the efficiencies at points float64[Q, D]; None without communication, or if nothing scales."""
    experiment = study.analysis.experiment
    if not study.scales or (found := _modelled_parts(study)) is None:
        return None
    parts, values = found
    useful, imbalance, communication = agreeing(parts, study.analysis.callpaths.models).predict(points).value
    references = study.references(points)
    measured, place = study.measured_at(references)
    before = np.where(measured, mean_over_repetitions(values[0])[place], parts.predict(references).value[0])
    load_balance = _over(useful, useful + imbalance)
    efficiency = _over(useful + imbalance, useful + imbalance + communication)
    parallel = load_balance * efficiency
    if not _single_locations(experiment):
        load_balance, efficiency = np.full((2, len(points)), np.nan)
    computation = _over(before, useful)
    return PopParts(
        load_balance=load_balance,
        communication=efficiency,
        parallel=parallel,
        computation=computation,
        overall=parallel * computation,
    )


def predicted_imbalance(study: RuntimeStudy, points: FloatArray) -> FloatArray | None:
    """Predict the imbalance of useful time at points float64[Q, D], in the unit of the totals.

    What others wait for, float64[Q]; None if it was not measured process by process.
    """
    found = imbalance_at(study, points, np.zeros(len(points), dtype=np.bool_))
    return None if found is None else found.value[0]


def imbalance_at(study: RuntimeStudy, points: FloatArray, measured: BoolArray) -> Prediction | None:
    """Return the same with intervals, one row; where it is measured, bool[Q], there are none."""
    found = _modelled_parts(study)
    if found is None or not _single_locations(study.analysis.experiment):
        return None
    parts, values = found
    seen = np.nan_to_num(mean_over_repetitions(values[1])[study.measured_at(points)[1]])
    ahead = agreeing(parts, study.analysis.callpaths.models).predict(points)
    return Prediction(
        *(np.where(measured, seen, end[1])[None] for end in (ahead.value, ahead.lower, ahead.upper))
    )


def _modelled_parts(study: RuntimeStudy) -> tuple[ScalingModels, FloatArray] | None:
    """Model the parts of the run time; return them with their values, float64[3, P, R].

    There are none without communication, or on accelerators.
    """
    experiment = study.analysis.experiment
    if not any(MESSAGE_PASSING.intersection(run.classes) for run in experiment.runs) or study.on_accelerators:
        return None
    values = np.full((3, *experiment.shape), np.nan)
    for run in experiment.runs:
        share = 1 / len(run.process) if study.per_location else 1.0
        values[:, run.point, run.repetition] = _parts(run) * share
    per = study.analysis.callpaths.models.per
    return fit(experiment.parameters, experiment.points, values, per=per), values


def _parts(run: RunRecord) -> FloatArray:
    """Useful time, its imbalance and communication, float64[3], in seconds of all locations."""
    useful, longest, count = run.offloading_time, run.longest_time, len(run.process)
    largest = useful.max(initial=0.0)
    return np.array([useful.sum(), count * largest - useful.sum(), count * (longest - largest)])


def _over(above: FloatArray, below: FloatArray) -> FloatArray:
    ratio = np.full(len(above), np.nan)
    np.divide(above, below, out=ratio, where=below > 0)
    return ratio


NO_COUNTERS = "factors of computation scalability, which need counts of instructions and cycles"
_NOT_FROM_PROFILES = "serialisation and transfer, which only traces can distinguish"
_OF_HOSTS = (
    "efficiencies of accelerators: these are of the hosts, whose calls that use them count as computing"
)
NOT_FROM_MEANS = (
    "load balance and communication efficiency, since the files do not have the times of each process"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Efficiencies(PopParts):
    """Medians over repetitions of the P measurement points; the reference is the smallest scale."""

    ipc: FloatArray  # instructions per cycle over that of the smallest scale
    instructions: FloatArray  # instructions of the smallest scale over those of this one
    # cycles per second over those of the smallest scale. The product of these three is `computation`
    frequency: FloatArray
    reference: IntArray  # int64[P], the point each is compared with in `computation` and its factors
    notices: tuple[str, ...]  # what cannot be computed and why


def efficiencies(experiment: Experiment, decision: ScalingDecision) -> Efficiencies | None:
    """Compute the metrics of every point; None if no run distinguishes computing from communication."""
    if not any(MESSAGE_PASSING.intersection(run.classes) for run in experiment.runs):
        return None
    balance, communication, parallel, useful = (np.full(experiment.shape, np.nan) for _ in range(4))
    for run in experiment.runs:
        at = (run.point, run.repetition)
        balance[at], communication[at], parallel[at], useful[at] = _of_run(run)
    weak = decision.scaling is Scaling.WEAK
    locations = experiment.locations()
    reference = _reference(experiment, decision.parameter)
    load_balance, efficiency = _median(balance), _median(communication)
    work = _median(useful / locations if weak else useful)
    computation = _ratio(work[reference], work)
    product = load_balance * efficiency
    product = np.where(np.isnan(product), _median(parallel), product)
    counters = _counters(experiment, locations if weak else np.ones_like(locations), reference)
    return Efficiencies(
        load_balance=load_balance,
        communication=efficiency,
        parallel=product,
        computation=computation,
        ipc=counters.ipc,
        instructions=counters.instructions,
        frequency=counters.frequency,
        overall=product * computation,
        reference=reference,
        notices=(
            _NOT_FROM_PROFILES,
            *counters.notices,
            *([_OF_HOSTS] if experiment.has_accelerators else []),
            *([] if _single_locations(experiment) else [NOT_FROM_MEANS]),
        ),
    )


def _single_locations(experiment: Experiment) -> bool:
    return all(has_single_locations(run.attributes) for run in experiment.runs)


def _of_run(run: RunRecord) -> tuple[float, float, float, float]:
    """Load balance, communication efficiency, parallel efficiency and total useful time of one run."""
    useful, runtime = run.offloading_time, run.longest_time
    largest = useful.max(initial=0.0)
    if largest <= 0 or runtime <= 0:
        return np.nan, np.nan, np.nan, np.nan
    total, parallel = float(useful.sum()), float(useful.mean() / runtime)
    if not has_single_locations(run.attributes):
        return np.nan, np.nan, parallel, total
    return float(useful.mean() / largest), float(largest / runtime), parallel, total


def _reference(experiment: Experiment, parameter: str) -> IntArray:
    """For every point the smallest scale with the same other parameters, int64[P]; itself if nothing does."""
    if not parameter:
        return np.arange(len(experiment.points))
    column = experiment.parameters.index(parameter)
    others = np.delete(experiment.points, column, axis=1)
    reference = np.empty(len(experiment.points), dtype=np.int64)
    for i, row in enumerate(others):
        same = np.flatnonzero((others == row).all(axis=1))
        reference[i] = same[np.argmin(experiment.points[same, column])]
    return reference


@dataclass(frozen=True, eq=False, kw_only=True)
class _CounterFactors:
    """The factors of computation scalability, float64[P], as of `Efficiencies`."""

    ipc: FloatArray
    instructions: FloatArray
    frequency: FloatArray
    notices: tuple[str, ...] = ()


def _counters(experiment: Experiment, divisor: FloatArray, reference: IntArray) -> _CounterFactors:
    """Compare what useful call paths count, where instructions and cycles were measured."""
    names = [counter_of(one, experiment.values) for one in (INSTRUCTIONS, CYCLES)]
    if None in names:
        nothing = np.full(len(experiment.points), np.nan)
        return _CounterFactors(ipc=nothing, instructions=nothing, frequency=nothing, notices=(NO_COUNTERS,))
    useful = regions_in(experiment.regions, USEFUL_WORK)[experiment.tree.region]
    instructions, cycles, seconds = (
        np.where(np.isfinite(divisor), experiment.values[name].sum[useful].sum(axis=0), np.nan)
        for name in (*filter(None, names), TIME)
    )
    ipc, frequency = _median(_ratio(instructions, cycles)), _median(_ratio(cycles, seconds))
    work = _median(instructions / divisor)
    return _CounterFactors(
        ipc=_ratio(ipc, ipc[reference]),
        instructions=_ratio(work[reference], work),
        frequency=_ratio(frequency, frequency[reference]),
    )


def _median(values: FloatArray) -> FloatArray:
    """Median over repetitions, float64[P]; NaN if no repetition has one."""
    known = np.isfinite(values)
    return np.array(
        [np.median(row[mask]) if mask.any() else np.nan for row, mask in zip(values, known, strict=True)]
    )


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    out = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=out, where=np.isfinite(above) & np.isfinite(below) & (below > 0))
    return out

"""POP efficiencies at points that were not measured, from models of the parts of the run time.

Time of all locations = useful time + imbalance of useful time + communication. The parts are modelled
one by one, are never negative, and are made to agree with the predicted total, so that all efficiencies made
from them lie between 0 and 1.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import RunRecord
from ingest.region_class import MESSAGE_PASSING
from ingest.run_settings import is_log
from pipeline.models.agreement import agreeing
from pipeline.models.fit import fit
from pipeline.models.kernels import mean_over_repetitions
from pipeline.questions.runtime.figures import RuntimeStudy


@dataclass(frozen=True, eq=False, kw_only=True)
class PopParts:
    """POP efficiencies predicted at Q points, float64[Q]; definitions as of `Efficiencies`.

    Attributes:
        load_balance: mean over largest useful time of a location; NaN if single ones were not measured.
        communication: largest useful time over run time; NaN likewise.
        parallel: their product.
        computation: useful time at the reference over that here, of all locations (strong scaling) or of one.
        overall: parallel efficiency times computation scalability.
    """

    load_balance: FloatArray
    communication: FloatArray
    parallel: FloatArray
    computation: FloatArray
    overall: FloatArray


def pop_parts(study: RuntimeStudy, points: FloatArray) -> PopParts | None:
    """Predict the efficiencies at points float64[Q, D]; None without communication, or if nothing scales."""
    experiment = study.analysis.experiment
    if not any(MESSAGE_PASSING.intersection(run.classes) for run in experiment.runs):
        return None
    if not study.scales or study.on_accelerators:
        return None
    values = np.full((3, *experiment.shape), np.nan)
    for run in experiment.runs:
        share = 1 / len(run.process) if study.per_location else 1.0
        values[:, run.point, run.repetition] = _parts(run) * share
    parts = fit(experiment.parameters, experiment.points, values)
    found = agreeing(parts, study.analysis.callpaths.models).predict(points).value
    useful, imbalance, communication = found
    references = study.references(points)
    measured, place = study.measured_at(references)
    before = np.where(measured, mean_over_repetitions(values[0])[place], parts.predict(references).value[0])
    load_balance = _over(useful, useful + imbalance)
    efficiency = _over(useful + imbalance, useful + imbalance + communication)
    parallel = load_balance * efficiency
    if any(is_log(run.attributes) for run in experiment.runs):  # they have no times of single processes
        load_balance, efficiency = np.full((2, len(points)), np.nan)
    computation = _over(before, useful)
    return PopParts(
        load_balance=load_balance,
        communication=efficiency,
        parallel=parallel,
        computation=computation,
        overall=parallel * computation,
    )


def _parts(run: RunRecord) -> FloatArray:
    """Useful time, its imbalance and communication, float64[3], in seconds of all locations."""
    useful, longest, count = run.offloading_time, run.longest_time, len(run.process)
    largest = useful.max(initial=0.0)
    return np.array([useful.sum(), count * largest - useful.sum(), count * (longest - largest)])


def _over(above: FloatArray, below: FloatArray) -> FloatArray:
    ratio = np.full(len(above), np.nan)
    np.divide(above, below, out=ratio, where=below > 0)
    return ratio

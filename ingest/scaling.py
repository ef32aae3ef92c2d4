"""Strong or weak scaling, decided from the data."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment, RunRecord
from ingest.region_class import USEFUL

STRONG_SLOPE = -0.5  # half-way between 1/p and constant
CLEAR = 0.3  # a slope within this distance of -1 or of 0 is clear


class Scaling(Enum):
    """What stays the same while processes are added."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True)
class ScalingDecision:
    """The kind of scaling and why.

    Attributes:
        parameter: the parameter that counts processes; empty if there is none.
    """

    scaling: Scaling
    parameter: str
    reason: str


def decide_scaling(experiment: Experiment, given: Scaling | None = None) -> ScalingDecision:
    """Decide how the experiment scales.

    The useful computing time per location (see `ingest.region_class`), that of kernels on accelerators
    included, falls about like 1/p under strong scaling and stays about the same under weak scaling; the slope
    between the measured points decides.

    If the profiles do not separate waiting from computing, as OpenFOAM's own do not, time that stays the same
    may also be waiting under strong scaling: then nothing is decided.

    Args:
        given: what the user says; then it is not decided from the data.
    """
    parameter = process_parameter(experiment)
    if given is not None:
        return ScalingDecision(given, parameter, f"{given.value} scaling, as requested")
    if experiment.is_series:
        return ScalingDecision(Scaling.NONE, parameter, "values of a series file are modelled as they are")
    if not parameter:
        return ScalingDecision(
            Scaling.NONE, "", "the number of locations is the same at all points, so neither strong nor weak"
        )
    slope = _slope(experiment, experiment.parameters.index(parameter))
    if slope is None:
        return ScalingDecision(
            Scaling.STRONG, parameter, "no computing time was measured: strong scaling is assumed"
        )
    strong = slope < STRONG_SLOPE
    shown = f"{parameter}^{round(slope, 2) + 0.0:.2f}"  # without a negative zero
    if not strong and not _separates_waiting(experiment):
        return ScalingDecision(
            Scaling.NONE,
            parameter,
            f"strong or weak is unknown: time per location scales as {shown}, but the profiles"
            " do not separate waiting from computing; use --scaling strong or --scaling weak",
        )
    clear = min(abs(slope + 1.0), abs(slope)) <= CLEAR
    reason = f"computing time per location scales as {shown}: {'strong' if strong else 'weak'} scaling" + (
        "" if clear else ", but not clearly; use --scaling strong or weak if this is wrong"
    )
    return ScalingDecision(Scaling.STRONG if strong else Scaling.WEAK, parameter, reason)


def process_parameter(experiment: Experiment) -> str:
    """Return the name of the parameter along which the number of locations grows, or an empty string.

    They are CPU locations; accelerators if a profile has nothing else.
    """
    if experiment.is_series:
        return ""
    rows = np.array([experiment.points[run.point] for run in experiment.runs])
    counts = np.log([_locations(run) for run in experiment.runs])
    best, best_correlation = "", 0.9
    for column, name in enumerate(experiment.parameters):
        values = rows[:, column]
        if np.ptp(values) == 0 or values.min() <= 0 or np.ptp(counts) == 0:
            continue
        correlation = float(np.corrcoef(np.log(values), counts)[0, 1])
        if correlation > best_correlation:
            best, best_correlation = name, correlation
    return best


def computing_time_per_location(experiment: Experiment) -> FloatArray:
    """Return seconds of computing per location, float64[P, R], NaN where no run was measured.

    Hosts and accelerators compute: their seconds are summed, and divided by the number of CPU locations.
    """
    found = np.full(experiment.shape, np.nan)
    for run in experiment.runs:
        seconds = float(run.useful_time.sum() + run.kernel_time.sum())
        found[run.point, run.repetition] = seconds / _locations(run)
    return found


def _locations(run: RunRecord) -> int:
    return len(run.process) or max(run.device_time.shape[1], 1)


def _separates_waiting(experiment: Experiment) -> bool:
    return any(not USEFUL.issuperset(run.classes) for run in experiment.runs)


def _slope(experiment: Experiment, column: int) -> float | None:
    """Median log-log slope of computing time per location along one parameter, the others held fixed."""
    measured = np.array([np.nanmedian(row) for row in computing_time_per_location(experiment)])
    others = np.delete(experiment.points, column, axis=1)
    slopes = []
    for setting in np.unique(others, axis=0):
        rows = np.flatnonzero((others == setting).all(axis=1) & (measured > 0))
        if len(rows) > 1:
            x = np.log(experiment.points[rows, column])
            slopes.append(np.polyfit(x, np.log(measured[rows]), 1)[0])
    return float(np.median(slopes)) if slopes else None

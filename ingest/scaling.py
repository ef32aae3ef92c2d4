"""Strong or weak scaling, decided from the data, and how much work runs did by their own counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import FloatArray, IntArray, distinct
from ingest.experiment import VISITS, Experiment, RunRecord
from ingest.number_text import value_text
from ingest.parameter_roles import (
    UNIT_TOLERANCE,
    counting_parameter,
    counts_processes,
    marked_names,
    unit_counted,
)
from ingest.region_class import USEFUL_WORK
from ingest.run_settings import GENERATOR, TABLE_SETTING, WORK, stated_count, stated_sizes

_TWICE = 2.0  # as many steps, which nobody makes by chance
BY_DESIGN = 0.8  # of the variance of a count's logarithm, that parameters explain
_RANK = 1e-9  # of the largest singular value, from which parameters differ


def visits_of(experiment: Experiment, callpaths: IntArray) -> FloatArray:
    """Return how often each run visited call paths, float64[P, R]; NaN where there was no run.

    It is the largest number of its locations, summed over the call paths.
    """
    most = experiment.values[VISITS].max
    return np.where(np.isfinite(most).any(axis=0), np.nansum(most[callpaths], axis=0), np.nan)


def stated_counts(experiment: Experiment, name: str) -> FloatArray:
    """Return how many steps, iterations or the like each run states, float64[P, R]; NaN for those without."""
    return experiment.of_runs(lambda run: stated_count(run.attributes, name))


def unequal_steps(experiment: Experiment) -> bool:
    """Return whether runs made such different numbers of steps that they are no series as they are.

    All of them state steps, of which some made `_TWICE` as many as others: at one point, or over the numbers
    of processes, and not as a power of the parameters, as weak scaling to the same end would.
    """
    counts = stated_counts(experiment, WORK[0])
    measured = [counts[run.point, run.repetition] for run in experiment.runs]
    if not measured or not np.max(measured) >= _TWICE * np.min(measured):
        return False
    of_point = [row[np.isfinite(row)] for row in counts]
    if any(row.max() >= _TWICE * row.min() for row in of_point if len(row)):
        return True
    logs = np.log([row.mean() for row in of_point])
    left = float((power_law_residuals(experiment.points, logs) ** 2).sum())
    steady = len(set(logs.tolist())) > 2 and left < (1 - BY_DESIGN) * float(((logs - logs.mean()) ** 2).sum())
    return bool(process_parameter(experiment)) and not steady


def power_law_residuals(points: FloatArray, logs: FloatArray, *, left_out: bool = False) -> FloatArray:
    """How far logarithms, float64[P], are off a power law of the parameters, each left out in turn or not."""
    design = np.column_stack([np.ones(len(points)), np.log(points)])
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    basis = basis[:, sizes > _RANK * sizes[0]]
    residuals: FloatArray = logs - basis @ (basis.T @ logs)
    if left_out:
        residuals /= np.maximum(1 - (basis**2).sum(axis=1), _RANK)
    return residuals


_STRONG_SLOPE = -0.5  # half-way between 1/p and constant
OTHERWISE = "if the problem grows with it, use --scaling weak"
_CLEAR = 0.3  # a slope within this distance of -1 or of 0 is clear


class Scaling(Enum):
    """What stays the same while processes are added."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True)
class ScalingDecision:
    """The kind of scaling and why."""

    scaling: Scaling
    parameter: str  # the parameter that counts processes; empty if there is none
    reason: str


def decide_scaling(experiment: Experiment, given: Scaling | None = None) -> ScalingDecision:
    """Decide how the experiment scales.

    The useful computing time per location (see `ingest.region_class`), that of kernels on accelerators
    included, falls about like 1/p under strong scaling and stays about the same under weak scaling; the slope
    between the measured points decides, unless all runs state a size of the problem.

    If the profiles do not separate waiting from computing, as OpenFOAM's own do not, time that stays the same
    may also be waiting under strong scaling: then nothing is decided.
    """
    parameter, weak = process_parameter(experiment), experiment.left_out.weak
    if given is not None:
        although = f", although {weak}" if weak and given is not Scaling.WEAK else ""
        return ScalingDecision(given, parameter, f"{given.value} scaling, as requested{although}")
    if weak:
        return ScalingDecision(Scaling.WEAK, parameter, f"{weak}: weak scaling")
    if experiment.is_series:
        return _of_series(experiment)
    if not parameter:
        return ScalingDecision(
            Scaling.NONE, "", "the number of locations is the same at all points, so neither strong nor weak"
        )
    return _by_stated_size(experiment, parameter) or _by_computing_time(experiment, parameter)


def _by_stated_size(experiment: Experiment, parameter: str) -> ScalingDecision | None:
    """Decide by the size that all runs state: the same in all is strong scaling, one that rises is weak."""
    stated = [stated_sizes(run.attributes) for run in experiment.runs]
    name = next((name for name in stated[0] if all(name in of for of in stated)), "")
    if not name or len(experiment.parameters) > 1:
        return None
    sizes, counts = np.array([of[name] for of in stated]), _of_runs(experiment.points, experiment.runs)[1]
    if np.ptp(sizes) == 0:
        reason = f"{name} = {value_text(sizes[0])} in all runs: strong scaling"
        return ScalingDecision(Scaling.STRONG, parameter, reason)
    if np.ptp(sizes / counts) <= UNIT_TOLERANCE * (sizes / counts).min():
        return ScalingDecision(Scaling.WEAK, parameter, f"{name} rises with {parameter}: weak scaling")
    return None


def _of_series(experiment: Experiment) -> ScalingDecision:
    """Decide by the values of the metric that results are about: what falls is strong scaling."""
    as_they_are = ScalingDecision(Scaling.NONE, "", "values of a series file are modelled as they are")
    parameter = next(filter(counts_processes, experiment.parameters), "")
    if not parameter or not experiment.metrics:
        return as_they_are
    first = experiment.values[experiment.chosen_metric()].sum[:, :, 0]  # repetition; one shows what falls
    column = experiment.parameters.index(parameter)
    slope = _slope(experiment.points, column, np.nan_to_num(first).sum(axis=0))
    if slope is None or slope >= _STRONG_SLOPE:
        return as_they_are
    reason = f"values fall as {_power(parameter, slope)}: strong scaling; {OTHERWISE}"
    return ScalingDecision(Scaling.STRONG, parameter, reason)


def _by_computing_time(experiment: Experiment, parameter: str) -> ScalingDecision:
    measured = np.array([np.nanmedian(row) for row in computing_time_per_location(experiment)])
    slope = _slope(experiment.points, experiment.parameters.index(parameter), measured)
    if slope is None:
        return ScalingDecision(
            Scaling.STRONG, parameter, "no computing time was measured: strong scaling is assumed"
        )
    strong, shown = slope < _STRONG_SLOPE, _power(parameter, slope)
    separated = any(not USEFUL_WORK.issuperset(run.classes) for run in experiment.runs)
    if not strong and not separated:
        return ScalingDecision(
            Scaling.NONE,
            parameter,
            f"strong or weak is unknown: time per location scales as {shown}, but the profiles"
            " do not separate waiting from computing; use --scaling strong or --scaling weak",
        )
    reason = f"computing time per location scales as {shown}: {'strong' if strong else 'weak'} scaling"
    if strong and location_unit(experiment) != "core":
        reason += f"; {OTHERWISE}"
    elif min(abs(slope + 1.0), abs(slope)) > _CLEAR:
        reason += ", but not clearly; use --scaling strong or weak if this is wrong"
    return ScalingDecision(Scaling.STRONG if strong else Scaling.WEAK, parameter, reason)


def _power(parameter: str, slope: float) -> str:
    return f"{parameter}^{round(slope, 2) + 0.0:.2f}"  # without a negative zero


def process_parameter(experiment: Experiment) -> str:
    """Return the name of the parameter along which the number of locations grows, or an empty string.

    They are CPU locations; accelerators if a profile has nothing else.
    """
    if experiment.is_series:
        return ""
    column = counting_parameter(experiment.parameters, *_of_runs(experiment.points, experiment.runs))
    return "" if column is None else experiment.parameters[column]


def named_by_runs(names: Sequence[str], points: FloatArray, runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """Return names of parameters, that which counts processes by the runs as `ProcessCount`."""
    return marked_names(names, *_of_runs(points, runs)) if runs else tuple(names)


def _of_runs(points: FloatArray, runs: Sequence[RunRecord]) -> tuple[FloatArray, FloatArray]:
    """Return values of the parameters of runs, float64[n, D], and their numbers of locations."""
    counts = [float(run.locations) for run in runs]
    return points[[run.point for run in runs]], np.array(counts)


def computing_time_per_location(experiment: Experiment) -> FloatArray:
    """Return seconds of computing per location, float64[P, R], NaN where no run was measured.

    Hosts and accelerators compute: their seconds are summed, and divided by the number of CPU locations.
    """
    return experiment.of_runs(lambda run: (run.useful_time.sum() + run.kernel_time.sum()) / run.locations)


def _slope(points: FloatArray, column: int, measured: FloatArray) -> float | None:
    """Median log-log slope of values float64[P] along one parameter, the others held fixed."""
    others = np.delete(points, column, axis=1)
    slopes = []
    for setting in distinct(others, axis=0):
        rows = np.flatnonzero((others == setting).all(axis=1) & (measured > 0))
        if len(rows) > 1:
            x = np.log(points[rows, column])
            slopes.append(np.polyfit(x, np.log(measured[rows]), 1)[0])
    return float(np.median(slopes)) if slopes else None


def location_unit(experiment: Experiment) -> str:
    """Return what a location is: ``core``, or ``node`` or ``GPU`` if tables and series count nothing else."""
    names, runs = experiment.parameters, experiment.runs
    if any(run.attributes.get(GENERATOR) != TABLE_SETTING for run in runs):
        return "core"
    if runs:
        values, locations = _of_runs(experiment.points, runs)
        names = tuple(
            name for name, column in zip(names, values.T, strict=True) if (column == locations).all()
        )
    units = {unit_counted(name) for name in names if counts_processes(name)}
    return units.pop() if len(units) == 1 else "core"

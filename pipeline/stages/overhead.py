"""The overhead stage: times as the program takes them without instrumentation."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from filters.correction import TIME, correct_overhead, has_noticeable_overhead, overhead_sentence, runs_of
from filters.event_cost import calibrated, solve_pair
from filters.make_filter import GIVEN_SPREAD, SeriesCalibration
from filters.plain_time import KnownPlain
from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.experiment import Experiment
from ingest.locate import locate
from pipeline.config.options import Options
from pipeline.stages.ingest import ingest
from pipeline.stages.usable_runs import Ingested
from pipeline.wording.quantities import figure, point_text, value_text

SECONDS = "seconds"
SERIES_SPREAD = 0.1  # of the logarithm of a cost found from all runs


def true_times(read: Ingested, options: Options) -> Ingested:
    """Take instrumentation overhead out of the times that were read, if it is asked for or distorts them.

    Raises:
        UsageError: plain times or a calibration do not fit the runs.
        PipelineError: a calibration cannot be read.
    """
    experiment, given = read.experiment, options.filter
    cost = None if given.event_cost is None else calibrated(given.event_cost, GIVEN_SPREAD, "given")
    known = _known_plain_times(experiment, options)
    asked = options.overhead == "correct" or (options.overhead == "auto" and known is not None)
    if not asked and not has_noticeable_overhead(experiment, cost):
        return read
    if options.overhead == "keep":
        return replace(read, experiment=_with_notice(experiment, overhead_sentence(experiment, cost)))
    corrected = correct_overhead(experiment, cost, known)
    if corrected.correction is None:
        corrected = _with_notice(
            experiment,
            "times are not corrected for overhead, since the runs have no visits of instrumented regions",
        )
    return replace(read, experiment=corrected)


def calibration_of(experiment: Experiment) -> SeriesCalibration | None:
    """Return what the correction of an experiment found; None if its times are as measured."""
    if experiment.correction is None:
        return None
    largest = max(experiment.runs, key=lambda run: (run.point, -run.repetition))
    plain = KnownPlain(float(largest.useful_time.sum()), experiment.correction.total_deviation)
    return SeriesCalibration(calibrated(experiment.correction.cost, SERIES_SPREAD, "all runs"), plain)


def _with_notice(experiment: Experiment, notice: str) -> Experiment:
    return replace(experiment, notices=(*experiment.notices, notice))


def _known_plain_times(experiment: Experiment, options: Options) -> FloatArray | None:
    """Return plain computing times in core-seconds as far as the user gives any, float64[P] or None."""
    given = options.filter
    if (given.baseline_time is None and given.calibrate is None) or runs_of(experiment) is None:
        return None
    if given.calibrate is not None:
        return _plain_by_calibration(experiment, given.calibrate)
    seconds = np.full(len(experiment.points), np.nan)
    if isinstance(given.baseline_time, Path):
        where = str(given.baseline_time)
        for point, values in _baseline_times(given.baseline_time, experiment).items():
            seconds[point] = np.median(values)
    else:
        where, seconds[-1] = "--baseline-time", given.baseline_time
    return _plain_by_baselines(experiment, seconds, where)


def _baseline_times(path: Path, experiment: Experiment) -> dict[int, list[float]]:
    """Read a CSV file with the parameters and ``seconds`` as columns: run times by point.

    Raises:
        UsageError: it cannot be read, lacks a column or names no point of the study.
    """
    columns = (*experiment.parameters, SECONDS)
    hint = f"write a header line {','.join(columns)} and a line per run"
    number = {tuple(values): point for point, values in enumerate(experiment.points.tolist())}
    found: dict[int, list[float]] = {}
    for line, row in _rows(path, hint):
        try:
            values = [float(row[name]) for name in columns]
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                "a column is missing or not a number", where=f"{path}:{line}", hint=hint
            ) from error
        if not 0.0 < values[-1] < float("inf"):
            raise UsageError(f"invalid run time {value_text(values[-1])}", where=f"{path}:{line}", hint=hint)
        if (point := number.get(tuple(values[:-1]))) is not None:
            found.setdefault(point, []).append(values[-1])
    if not found:
        raise UsageError("names no point of the study", where=str(path), hint=hint)
    return found


def _rows(path: Path, hint: str) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, skipinitialspace=True)
            for row in reader:
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot be read ({what})", where=str(path), hint=hint) from error


def _plain_by_baselines(experiment: Experiment, seconds: FloatArray, where: str) -> FloatArray:
    """Turn run times without instrumentation, float64[P] with NaN, into plain computing times.

    What a run took longer is attributed to the visits of a mean CPU location.
    """
    measured, events, visits = _of_points(experiment)
    wall, locations = _run_times(experiment)
    lost = np.maximum(wall - seconds, 0.0) * events * locations / np.maximum(visits, 1.0)
    for point in np.flatnonzero(lost >= measured).tolist():
        at = point_text(dict(zip(experiment.parameters, experiment.points[point].tolist(), strict=True)))
        what = f"at {at}, a run of {figure(wall[point])} s cannot take only {figure(seconds[point])} s"
        raise UsageError(what, where=where, hint="give the time of the same run without instrumentation")
    return measured - lost


def _run_times(experiment: Experiment) -> tuple[FloatArray, FloatArray]:
    """Median wall time in seconds and number of CPU locations of each point, float64[P]."""
    wall = np.full(experiment.shape, np.nan)
    for run in experiment.runs:
        wall[run.point, run.repetition] = run.longest_time
    return np.nanmedian(wall, axis=1), np.nanmedian(experiment.locations(), axis=1)


def _plain_by_calibration(experiment: Experiment, path: Path) -> FloatArray:
    """Plain computing times at the points where runs with fewer regions were measured, float64[P] with NaN.

    A profile without parameters is one of the largest scale. At every common point T1 = P + c E1 and
    T2 = P + c E2, with computing times T and the events E whose cost lies in them. Of several repetitions
    with fewer regions the fastest counts, since disturbances only add time.
    """
    reduced = ingest(locate(path), TIME).experiment
    hint = "give runs of the same study with fewer regions instrumented"
    if runs_of(reduced) is None:
        raise UsageError("has no visits and times", where=str(path), hint=hint)
    if reduced.parameters not in ((), experiment.parameters):
        names = ", ".join(reduced.parameters)
        raise UsageError(f"has other parameters ({names})", where=str(path), hint=hint)
    time, events, _ = _of_points(experiment)
    less, left, _ = _of_points(reduced, np.min)
    plain = np.full(len(time), np.nan)
    for row, point in _common_points(experiment, reduced):
        full, fewer = (time[point], events[point]), (less[row], left[row])
        plain[point], _ = solve_pair(full, fewer, str(path), hint)
    if not np.isfinite(plain).any():
        raise UsageError("has no run at a point of the study", where=str(path), hint=hint)
    return plain


def _common_points(experiment: Experiment, reduced: Experiment) -> list[tuple[int, int]]:
    """Return the points of the second experiment with the same point of the first one."""
    if not reduced.parameters:
        return [(0, len(experiment.points) - 1)]
    number = {tuple(values): point for point, values in enumerate(experiment.points.tolist())}
    rows = enumerate(map(tuple, reduced.points.tolist()))
    return [(row, number[values]) for row, values in rows if values in number]


def _of_points(
    experiment: Experiment, middle: Callable[[FloatArray], np.floating[Any]] = np.median
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Computing time, events whose cost lies in it, all visits: of the repetitions, float64[P] each."""
    found = runs_of(experiment)
    assert found is not None
    runs, point, _ = found
    per_run = (runs.measured, runs.events_computing, runs.visits.sum(axis=0))
    places = range(len(experiment.points))
    time, events, visits = (
        np.array([middle(values[point == p]) if (point == p).any() else np.nan for p in places])
        for values in per_run
    )
    return time, events, visits

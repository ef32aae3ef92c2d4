"""The overhead stage: times as the program takes them without instrumentation."""

from dataclasses import replace

from filters.correction import (
    UNCOUNTED_HOOKS,
    correct_overhead,
    has_noticeable_overhead,
    with_overhead_left,
)
from filters.event_cost import calibrated
from filters.known_plain import KNOWN_SPREAD, KnownPlain
from filters.make_filter import GIVEN_SPREAD, SeriesCalibration
from ingest.experiment import Experiment
from pipeline.config.options import Options
from pipeline.stages.given_plain_times import given_plain_times
from pipeline.stages.usable_runs import Ingested

SERIES_SPREAD = 0.1  # of the logarithm of a cost found from all runs


def true_times(read: Ingested, options: Options) -> Ingested:
    """Take instrumentation overhead out of the times that were read, if it is asked for or distorts them."""
    experiment, given = read.experiment, options.filter
    told = given_plain_times(experiment, options)
    cost = told.cost if given.event_cost is None else calibrated(given.event_cost, GIVEN_SPREAD, "given")
    evidence = told.known is not None or told.cost is not None
    asked = options.overhead == "correct" or (options.overhead == "auto" and evidence)
    if not asked and not has_noticeable_overhead(experiment, cost, told.rejected):
        return read if told.rejected is None or told.rejected.counted else _uncounted(read)
    if options.overhead == "keep":
        return replace(read, experiment=with_overhead_left(experiment, cost, told.rejected))
    corrected = correct_overhead(experiment, cost, told.known, told.rejected)
    if corrected.correction is None:
        corrected = _with_notice(
            experiment,
            "times are not corrected for overhead, since the runs have no visits of instrumented regions",
        )
    return replace(read, experiment=corrected)


def calibration_of(experiment: Experiment) -> SeriesCalibration | None:
    """Return what the correction of an experiment found; None if times are as measured or show no cost."""
    if experiment.correction is None or not experiment.correction.cost > 0:
        return None
    largest = max(experiment.runs, key=lambda run: (run.point, -run.repetition))
    spread = max(experiment.correction.total_deviation, KNOWN_SPREAD)
    plain = KnownPlain.of(float(largest.useful_time.sum()), spread)
    return SeriesCalibration(calibrated(experiment.correction.cost, SERIES_SPREAD, "all runs"), plain)


def _uncounted(read: Ingested) -> Ingested:
    """Leave times as measured, with the doubt that they have from hooks of rejected visits."""
    experiment = _with_notice(read.experiment, UNCOUNTED_HOOKS)
    return replace(read, experiment=replace(experiment, hooks_uncounted=True))


def _with_notice(experiment: Experiment, notice: str) -> Experiment:
    return replace(experiment, notices=(*experiment.notices, notice))

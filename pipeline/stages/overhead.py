"""The overhead stage: times as the program takes them without instrumentation."""

from dataclasses import replace

from filters.correction import correct_overhead, has_noticeable_overhead, with_overhead_left
from filters.event_cost import calibrated
from filters.known_plain import KnownPlain
from filters.make_filter import GIVEN_SPREAD, SeriesCalibration
from ingest.experiment import Experiment
from pipeline.config.options import Options
from pipeline.stages.given_plain_times import given_plain_times
from pipeline.stages.usable_runs import Ingested

SERIES_SPREAD = 0.1  # of the logarithm of a cost found from all runs


def true_times(read: Ingested, options: Options) -> Ingested:
    """Take instrumentation overhead out of the times that were read, if it is asked for or distorts them.

    Raises:
        UsageError: plain times or a calibration do not fit the runs.
        PipelineError: a calibration cannot be read.
    """
    experiment, given = read.experiment, options.filter
    cost = None if given.event_cost is None else calibrated(given.event_cost, GIVEN_SPREAD, "given")
    known = given_plain_times(experiment, options)
    asked = options.overhead == "correct" or (options.overhead == "auto" and known is not None)
    if not asked and not has_noticeable_overhead(experiment, cost):
        return read
    if options.overhead == "keep":
        return replace(read, experiment=with_overhead_left(experiment, cost))
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
    plain = KnownPlain.of(float(largest.useful_time.sum()), experiment.correction.total_deviation)
    return SeriesCalibration(calibrated(experiment.correction.cost, SERIES_SPREAD, "all runs"), plain)


def _with_notice(experiment: Experiment, notice: str) -> Experiment:
    return replace(experiment, notices=(*experiment.notices, notice))

"""A job that does more or less work than the measured runs: steps, or visits of a region."""

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.experiment import VISITS, PerVisit
from ingest.region_class import RegionClass, region_class
from pipeline.models.kernels import start_up
from pipeline.questions.analysis import Analysis
from pipeline.questions.scaled_study import scaled_study

ONCE = 0.5  # calls of a location per unit of work, below which files are read or written once a run
FILES = frozenset({RegionClass.IO, RegionClass.MPI_IO})


def job_of(analysis: Analysis, per: PerVisit, units: float) -> Analysis:
    """Return the study of runs that do so many units of work, from one whose values are of one unit.

    Start-up and shut-down, and files that are not read or written in every unit, take what they took in a
    run, once.
    """
    once = _once(analysis)
    of_point = np.nanmean(per.visits, axis=1)

    def factors(at: FloatArray) -> FloatArray:
        measured, place = analysis.experiment.measured_at(at)
        of_run = np.where(measured, of_point[place], per.of_a_run)
        return np.where(once[:, None], of_run[None], units)

    return scaled_study(analysis, factors)


def _once(analysis: Analysis) -> BoolArray:
    """Return which call paths a run does once, bool[K]."""
    kernels = analysis.callpaths.kernels
    once = start_up(kernels)
    counted = analysis.experiment.values.get(VISITS)
    if counted is not None:
        pairs = zip(kernels.paradigms, kernels.regions, strict=True)
        files = np.array([region_class(*pair) in FILES for pair in pairs], dtype=np.bool_)
        calls = np.nan_to_num(counted.max).max(axis=(1, 2))[kernels.node]
        once |= files & (calls < ONCE)
    return once

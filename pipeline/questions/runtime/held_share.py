"""What runs held of their nodes beyond the cores that they used: it is paid for, and does not scale."""

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from pipeline.models.kernels import mean_over_repetitions


def held_share(experiment: Experiment, points: FloatArray) -> FloatArray:
    """Return cores held over cores used, float64[Q] from 1 on: as measured, else as at the largest scale.

    Args:
        experiment: the measurements; what a series held is not known, and taken to be what it used.
        points: float64[Q, D].
    """
    if experiment.is_series:
        return np.ones(len(points))
    used, held = (mean_over_repetitions(experiment.cores(held=held)) for held in (False, True))
    share = np.divide(held, used, out=np.ones(len(used)), where=used > 0)
    measured, place = experiment.measured_at(points)
    return np.where(measured, share[place], share[np.argmax(used)])

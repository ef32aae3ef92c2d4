"""Precisions written out as matrices, which cost far more and say the same."""

import numpy as np


def dense_precision(structure, points, scale, measured=None):
    """Return the inverse covariance of one kernel's errors, float64[P, P]."""
    measured = np.ones(len(points), dtype=bool) if measured is None else measured
    back = np.log2(points[-1] / points)
    covariance = np.eye(len(points)) + structure.walk**2 * np.minimum.outer(back, back)
    covariance *= np.outer(scale, scale)
    there = np.ix_(measured, measured)
    precision = np.zeros(covariance.shape)
    precision[there] = np.linalg.inv(covariance[there])
    return precision

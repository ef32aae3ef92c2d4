"""Least squares by numpy, with weights from the curve."""

import numpy as np


def best_line(design, times, weights):
    """Return coefficients by weighted least squares: all alike, or in proportion to 1 / curve."""
    curve = times
    for _ in range(60):
        weight = 1 / curve if weights == "relative" else np.ones_like(times)
        best = np.linalg.lstsq(design * weight[:, None], times * weight, rcond=None)[0]
        curve = design @ best
    return best

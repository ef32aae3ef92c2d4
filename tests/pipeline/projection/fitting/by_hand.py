"""Least squares by numpy, with weights from the curve; and what a fit says of each parameter."""

from types import SimpleNamespace

import numpy as np


def parameters_of(fit):
    """Return name, value, 90 % interval and whether the data determine it, of every parameter."""
    ends = np.quantile(fit.quality.draws, [0.05, 0.95], axis=0)
    names, identified = fit.model.ensembles[-1].names, fit.identified.tolist()
    rows = zip(names, fit.quality.estimate, *ends, identified, strict=False)
    return [SimpleNamespace(name=n, value=v, lower=a, upper=b, identified=i) for n, v, a, b, i in rows]


def best_line(design, times, weights):
    """Return coefficients by weighted least squares: all alike, or in proportion to 1 / curve."""
    curve = times
    for _ in range(60):
        weight = 1 / curve if weights == "relative" else np.ones_like(times)
        best = np.linalg.lstsq(design * weight[:, None], times * weight, rcond=None)[0]
        curve = design @ best
    return best

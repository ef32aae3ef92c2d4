"""Scaling models made by hand."""

import numpy as np

from pipeline.models.forms import term
from pipeline.models.scaling_models import ScalingModels

LINEAR, SQUARE, FALLING = term((1, 0)), term((2, 0)), term((-1, 0))


def one_parameter(coefficients, chosen, **changes):
    """Make models over p of kernels with a constant and up to one term each.

    Args:
        coefficients: per kernel and rival, constant and coefficient of the term.
        chosen: per kernel and rival 0 for none, 1 for p, 2 for p^2, 3 for 1/p; -1 for no rival.
        changes: fields that differ from the defaults.
    """
    coefficients, chosen = np.array(coefficients, dtype=float), np.array(chosen)
    kernels, rivals = chosen.shape
    usual = {
        "parameters": ("p",),
        "terms": (LINEAR, SQUARE, FALLING),
        "hypotheses": np.array([[-1], [0], [1], [2]]),
        "sharpness": np.ones(4),
        "first": np.array([4.0]),
        "last": np.array([64.0]),
        "nonnegative": True,
        "correlation": 0.0,
        "chosen": chosen,
        "weight": (chosen >= 0) / (chosen >= 0).sum(axis=1, keepdims=True),
        "coefficients": coefficients,
        "covariance": np.zeros((kernels, rivals, 2, 2)),
        "degrees": np.full(kernels, 6.0),
        "drift": np.zeros(kernels),
        "valid_from": np.full((kernels, 1), 4.0),
        "probability_growing": np.ones(kernels),
        "smape": np.ones(kernels),
        "cv_smape": np.ones(kernels),
        "points": np.full(kernels, 5),
        "repetitions": np.full(kernels, 3),
        "note": np.zeros(kernels, dtype=np.int64),
    }
    return ScalingModels(**usual | changes)

"""Scaling models made by hand."""

from dataclasses import fields
from types import SimpleNamespace

import numpy as np

from pipeline.models.forms import term
from pipeline.models.quality import Quality
from pipeline.models.rivals import Hypotheses, Rivals
from pipeline.models.scaling_models import ScalingModels

LINEAR, SQUARE, FALLING = term((1, 0)), term((2, 0)), term((-1, 0))
GRID = ("chosen", "weight", "coefficients", "covariance", "degrees", "drift")


def made(**values):
    """Make models from the fields of all their records; those of rivals as arrays over kernels and rivals."""
    chosen, *grid, degrees, drift = (values.pop(name) for name in GRID)
    records = {
        kind: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        for kind in (Hypotheses, Quality)
    }
    return ScalingModels(
        hypotheses=records[Hypotheses],
        quality=records[Quality],
        rivals=Rivals.of_grid(chosen, *grid, degrees=degrees, drift=drift),
        **values,
    )


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
        "rows": np.array([[-1], [0], [1], [2]]),
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
    return made(**usual | changes)


def grid_of(models):
    """Return the rivals of models, or of a posterior, as arrays over kernels and rivals; -1 or 0 for none."""
    rivals = models.rivals
    place, there = rivals.grid()

    def padded(values):
        return np.where(there.reshape(*there.shape, *[1] * (values.ndim - 1)), values[place], 0)

    return SimpleNamespace(
        chosen=np.where(there, rivals.hypothesis[place], -1),
        weight=padded(rivals.weight),
        coefficients=padded(rivals.coefficients),
        covariance=padded(rivals.covariance),
    )


def changed(models, **changes):
    """Return models with other fields, of themselves or of a record in them, as of `made`."""
    rivals, records = models.rivals, (models.hypotheses, models.quality)
    known = {f.name: getattr(models, f.name) for f in fields(ScalingModels) if f.init}
    for name in ("hypotheses", "quality", "rivals"):
        del known[name]
    for record, kind in zip(records, (Hypotheses, Quality), strict=True):
        known |= {f.name: getattr(record, f.name) for f in fields(kind)}
    return made(
        **known | vars(grid_of(models)) | {"degrees": rivals.degrees, "drift": rivals.drift} | changes
    )

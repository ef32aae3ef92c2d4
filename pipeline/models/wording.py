"""The models of many kernels in words; what many kernels have in common is put into words once."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ingest.arrays import IntArray
from pipeline.models.scaling_models import ScalingModels

Text = TypeVar("Text")


def formulas(models: ScalingModels) -> list[str]:
    """Return the model of each kernel as people write it."""
    return [models.formula(kernel) for kernel in range(len(models))]


def growths(models: ScalingModels) -> list[str]:
    """Return the leading behaviour of each kernel: that of its hypothesis with the terms that rise."""
    rising = models.coefficients[:, 0, 1:] > 0
    return _once_a_kind(models.growth, np.column_stack([models.chosen[:, 0], rising]))


def remarks(models: ScalingModels) -> list[tuple[str, ...]]:
    """Return what must be known about the model of each kernel."""
    return _once_a_kind(models.notes, np.column_stack([models.chosen[:, 0], models.note, models.points > 0]))


def _once_a_kind(tell: Callable[[int], Text], kinds: IntArray) -> list[Text]:
    """Let `tell` speak of the first kernel of each kind, int64[K, n], for all of its kind."""
    _, first, kind = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    told = [tell(kernel) for kernel in first.tolist()]
    return [told[i] for i in kind.ravel().tolist()]

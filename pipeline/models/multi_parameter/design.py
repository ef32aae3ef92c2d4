"""What a set of measurement points can say about its parameters, and what it cannot."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray

_ALONE = 1e-6  # share of a parameter's variation (in logarithms) that the others must leave unexplained


@dataclass(frozen=True, eq=False)
class Design:
    """Which of D parameters can be distinguished.

    Attributes:
        varies: bool[D], the parameter has more than one value.
        few_values: bool[D], it has fewer than three values, so that its effect, or at least its form, is a
            guess.
        confounded: bool[D], it never changes independently of the others.
    """

    varies: BoolArray
    few_values: BoolArray
    confounded: BoolArray


def examine(points: FloatArray) -> Design:
    """Examine points float64[P, D], all positive.

    A parameter is confounded if its logarithm is a linear function of the others' (p = 100 q, p q = n), or
    if it rises and falls with another one in step: the points lie on one curve then, and any effect of one
    parameter could as well be due to the other.
    """
    values = [np.unique(points[:, d]) for d in range(points.shape[1])]
    counts = np.array([len(v) for v in values])
    varies = counts > 1
    confounded = np.zeros(len(values), dtype=bool)
    inside = np.flatnonzero(varies)
    ranks = np.stack([np.searchsorted(v, points[:, d]) for d, v in enumerate(values)])
    logs = np.log(points[:, inside])
    for place, d in enumerate(inside.tolist()):
        others = np.delete(logs, place, axis=1)
        in_step = any(_in_step(ranks[d], ranks[o]) for o in inside.tolist() if o != d)
        confounded[d] = in_step or _explained(logs[:, place], others)
    return Design(varies, counts < 3, confounded)


def _explained(one: FloatArray, others: FloatArray) -> bool:
    if others.shape[1] == 0:
        return False
    matrix = np.column_stack([np.ones(len(one)), others])
    solution = np.linalg.lstsq(matrix, one, rcond=None)[0]
    left = one - matrix @ solution
    return bool((left**2).sum() <= _ALONE * ((one - one.mean()) ** 2).sum())


def _in_step(one: FloatArray, other: FloatArray) -> bool:
    """Tell whether equal ranks always meet equal ranks, in the same or in the reverse order."""
    return np.array_equal(one, other) or np.array_equal(one, other.max() - other)


def log_slopes(points: FloatArray, mean: FloatArray, measured: BoolArray) -> FloatArray:
    """Slopes of log y over the logarithms of the parameters, float64[K, D], by ridge least squares.

    Values that are not positive are left out.
    """
    used = measured & (mean > 0)
    weight = used.astype(np.float64)
    total = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
    logs = np.log(points)
    target = np.log(np.where(used, mean, 1.0))
    centre = weight @ logs / total
    offset = logs[None] - centre[:, None]
    weighted = offset * weight[:, :, None]
    right = np.einsum("kpd,kp->kd", weighted, target - ((weight * target).sum(axis=1, keepdims=True) / total))
    normal = np.einsum("kpd,kpe->kde", weighted, offset) + 1e-3 * np.eye(points.shape[1])
    slopes: FloatArray = np.linalg.solve(normal, right[..., None])[..., 0]
    return slopes

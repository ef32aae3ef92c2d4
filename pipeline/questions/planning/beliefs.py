"""How much a measurement at one point would reduce the uncertainty at others, before it is taken.

Bayes linear adjustment (Goldstein and Wooff, "Bayes Linear Statistics", 2007, section 3): only means and
covariances are believed in, and the variance that observing y leaves of t is Var(t) - Cov(t, y)^2 / Var(y),
whatever the outcome. The covariances come from the mixture of a kernel's rivals: what they disagree about
(between), what their coefficients leave open (within), and how far behaviour drifts from any formula.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.hypotheses import from_power
from pipeline.models.scaling_models import ScalingModels

_TAIL = (
    0.98  # rivals count no further out than this interval: one absurd formula must not be the whole variance
)
_FEWEST_DEGREES = 3.0  # below, a Student t has no variance


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Expected values of K kernels at Q points, before further measurements.

    Attributes:
        value: float64[K, Q].
        covariance: float64[K, Q, Q].
        rivals: float64[K, M, Q], what each rival says.
    """

    value: FloatArray
    covariance: FloatArray
    rivals: FloatArray

    def adjusted(self, place: int, noise: FloatArray) -> "Beliefs":
        """Return the beliefs after one observation; values stay what is expected now.

        Args:
            place: where it is taken.
            noise: float64[K], variance of what is observed there about its expected value.
        """
        column = self.covariance[:, :, place]
        total = column[:, place] + noise
        gain = column / np.where(total > 0, total, 1.0)[:, None]
        covariance = self.covariance - gain[:, :, None] * column[:, None, :]
        return Beliefs(self.value, covariance, self.rivals)


def beliefs(models: ScalingModels, points: FloatArray) -> Beliefs:
    """Take the joint means and covariances of K kernels at points float64[Q, D] from their rivals."""
    outer, known = models.predict(points, _TAIL), models.rivals
    place, there = known.grid()
    design = models.hypotheses.design(points)[known.hypothesis[place]]
    rivals = np.einsum("kmqc,kmc->kmq", design, known.coefficients[place])
    sharpness = models.hypotheses.sharpness[known.hypothesis[place]][:, :, None]
    rivals, stretch = from_power(rivals, np.ones(rivals.shape), sharpness)
    design = design * np.sqrt(stretch)[..., None]
    rivals = np.clip(rivals, outer.lower[:, None], outer.upper[:, None])
    weight = np.where(there, known.weight[place], 0.0)[:, :, None]
    offset = rivals - (weight * rivals).sum(axis=1, keepdims=True)
    between = np.einsum("kmq,kmr->kqr", weight * offset, offset)
    degrees = np.maximum(known.degrees, _FEWEST_DEGREES)
    spread = weight[:, :, 0] * (degrees / (degrees - 2))[:, None]
    moved = design @ known.covariance[place]
    within = np.einsum("km,kmqc,kmrc->kqr", spread, moved, design, optimize=True)
    doublings = np.log2(np.maximum(points / models.last, 1.0))
    shared = np.minimum(doublings[:, None, :], doublings[None, :, :]).sum(axis=2)
    size = outer.value * known.drift[:, None]
    drift = size[:, :, None] * size[:, None, :] * shared
    return Beliefs(outer.value, between + within + drift, rivals)

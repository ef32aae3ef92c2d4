"""Exact fits of the hypotheses found: coefficients, their covariance and the errors of left-out points."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.multi_parameter.factors import Factors
from pipeline.statistics.least_squares import solve_weighted

_UNTESTED = 1e-6  # 1 - leverage below which a point decides a coefficient alone


@dataclass(frozen=True, eq=False, kw_only=True)
class ExactFits:
    """N hypotheses of up to M terms for each of K kernels; coefficients are of columns scaled to 1.

    Attributes:
        picks: int64[K, N, M, D], all zero for no term.
        coefficients: float64[K, N, 1 + M].
        inverse: float64[K, N, 1 + M, 1 + M], inverse of the normal matrix.
        chi2: float64[K, N], weighted squares left.
        press: float64[K, N], weighted squares of the errors of points predicted from the others; inf where a
            coefficient rests on a single point, or came out below zero where it cannot be.
        size: int64[K, N], coefficients used, the constant counted always.
    """

    picks: IntArray
    coefficients: FloatArray
    inverse: FloatArray
    chi2: FloatArray
    press: FloatArray
    size: IntArray

    def take(self, rows: IntArray) -> "ExactFits":
        """Return int64[K, n] of the hypotheses of each kernel."""
        kernel = np.arange(len(rows))[:, None]
        return ExactFits(**{f.name: getattr(self, f.name)[kernel, rows] for f in fields(self)})

    def widened(self, terms: int) -> "ExactFits":
        """Make room for more terms."""
        more = (0, terms - self.picks.shape[2])
        return replace(
            self,
            picks=np.pad(self.picks, ((0, 0), (0, 0), more, (0, 0))),
            coefficients=np.pad(self.coefficients, ((0, 0), (0, 0), more)),
            inverse=np.pad(self.inverse, ((0, 0), (0, 0), more, more)),
        )


def joined(parts: Sequence[ExactFits]) -> ExactFits:
    """Put blocks of kernels together."""
    terms = max(p.picks.shape[2] for p in parts)
    parts = [p.widened(terms) for p in parts]
    return ExactFits(
        **{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(ExactFits)}
    )


def fit_exactly(data: WeightedMeans, factors: Factors, picks: IntArray) -> ExactFits:
    """Fit int64[K, N, M, D] hypotheses; a constant below zero is left out where values cannot be negative."""
    present = (picks != 0).any(axis=3)
    design = _design(factors, picks)
    active = np.concatenate([np.ones_like(present[:, :, :1]), present], axis=2)
    coefficients, inverse = solve_weighted(design, data.weight[:, None], data.mean[:, None], active)
    if data.nonnegative:
        kernel, row = np.nonzero(coefficients[..., 0] < 0)
        part = active[kernel, row]
        part[:, 0] = False
        again = solve_weighted(design[kernel, row], data.weight[kernel], data.mean[kernel], part)
        coefficients[kernel, row], inverse[kernel, row] = again
    residual, slack = _residuals(data, design, coefficients, inverse)
    weight = data.weight[:, None]
    untested = ((slack < _UNTESTED) & (weight > 0)).any(axis=2)
    press = (weight * (residual / np.maximum(slack, _UNTESTED)) ** 2).sum(axis=2)
    chi2 = (weight * residual**2).sum(axis=2)
    impossible = data.nonnegative & (coefficients < 0).any(axis=2)
    press = np.where(untested | impossible, np.inf, press)
    return ExactFits(
        picks=picks,
        coefficients=coefficients,
        inverse=inverse,
        chi2=chi2,
        press=press,
        size=1 + present.sum(axis=2),
    )


def predicted_means(data: WeightedMeans, factors: Factors, fits: ExactFits) -> tuple[FloatArray, FloatArray]:
    """Return the fitted values, and every point predicted from the others: float64[K, N, P] each."""
    design = _design(factors, fits.picks)
    residual, slack = _residuals(data, design, fits.coefficients, fits.inverse)
    mean = data.mean[:, None]
    return mean - residual, mean - residual / np.maximum(slack, _UNTESTED)


def _design(factors: Factors, picks: IntArray) -> FloatArray:
    columns = factors.columns(picks) * (picks != 0).any(axis=3)[..., None]
    return np.concatenate([np.ones_like(columns[:, :, :1]), columns], axis=2)


def _residuals(
    data: WeightedMeans, design: FloatArray, coefficients: FloatArray, inverse: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the residuals and 1 - leverage, float64[K, N, P] each."""
    fitted = (coefficients[:, :, None, :] @ design)[:, :, 0]
    leverage = ((inverse @ design) * design).sum(axis=2) * data.weight[:, None]
    return data.mean[:, None] - fitted, 1 - leverage

"""From weighted rivals to `ScalingModels` in the units of the data."""

from dataclasses import replace

import numpy as np
from scipy.special import stdtr

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.hypotheses import Hypotheses
from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.multi_parameter.exact_fits import WeighedFits, predicted_means
from pipeline.models.multi_parameter.factors import NEAR, Factors, examine, hypothesis_tables
from pipeline.models.multi_parameter.mean_errors import drift
from pipeline.models.observations import Observations
from pipeline.models.posterior import UNDECIDED
from pipeline.models.quality import Note, correlation_of_errors, notes, quality_of
from pipeline.models.rivals import Rivals
from pipeline.models.scaling_models import ScalingModels
from pipeline.statistics.student import TWO_SIDED


def scaling_models(
    parameters: tuple[str, ...],
    data: Observations,
    means: WeightedMeans,
    factors: Factors,
    rivals: WeighedFits,
    scale: FloatArray,
    repeats: float,
    least_drift: float,
) -> ScalingModels:
    """Put the rivals of K kernels into the arrays that all stages share.

    Args:
        parameters: names of the D parameters.
        data: the measurements.
        means: the same, each kernel divided by its scale.
        factors: what the rivals' picks mean.
        rivals: the rivals.
        scale: float64[K].
        repeats: degrees of freedom of the repetitions.
        least_drift: relative variance per doubling beyond the points, at least.
    """
    order = np.argsort(rivals.weight == 0, axis=1, kind="stable")
    fits = rivals.fits.take(order)
    weight, variance = (np.take_along_axis(a, order, axis=1) for a in (rivals.weight, rivals.variance))
    terms, hypotheses, chosen, rows = hypothesis_tables(factors, fits.picks)
    present = rows >= 0
    unit = _with_constant(np.where(present, factors.units(fits.picks), 0.0)) * scale[:, None, None]
    coefficients = fits.coefficients * unit
    covariance = fits.inverse * variance[..., None, None] * unit[..., None] * unit[..., None, :]
    fitted, left_out = (
        a[:, 0] for a in predicted_means(means, factors, fits.take(np.zeros_like(order[:, :1])))
    )
    first, last = data.points.min(axis=0), data.points.max(axis=0)
    walk = drift(means, variance[:, 0], rivals.misfit, repeats, float(np.log2(last / first).sum()))
    walk = np.maximum(walk, least_drift)
    share = 1 - (1 / np.maximum(variance[:, 0], 1.0) if repeats else np.zeros(len(walk)))
    ahead = _with_constant(np.where(present, factors.scaled_ahead(fits.picks, 0), 0.0))
    far = np.einsum("knc,knc->kn", ahead, fits.coefficients)
    spread = np.einsum("knc,kncd,knd->kn", ahead, fits.inverse, ahead) * variance
    spread += (far**2) * (np.log2(NEAR) * len(last) * walk)[:, None]
    undecided = _undecided(np.abs(far), np.sqrt(np.maximum(spread, 0.0)), weight)
    growing: BoolArray = np.logical_or.reduce(factors.table.growing[fits.picks], axis=3)
    return ScalingModels(
        parameters=parameters,
        first=first,
        last=last,
        nonnegative=means.nonnegative,
        correlation=correlation_of_errors((means.mean - fitted) * scale[:, None], data.measured, share),
        hypotheses=Hypotheses(terms=terms, rows=hypotheses, sharpness=np.ones(len(hypotheses))),
        rivals=Rivals.of_grid(
            np.where(weight > 0, chosen, -1),
            weight,
            coefficients,
            covariance,
            degrees=rivals.degrees,
            drift=np.sqrt(walk),
        ),
        quality=quality_of(
            replace(data, mean=means.mean),
            fitted,
            left_out,
            growing=_probability_growing(coefficients, covariance, rivals.degrees, weight, growing),
            note=_notes(data, undecided, _at_the_edge(factors, fits.picks[:, 0])),
        ),
    )


def _with_constant(values: FloatArray) -> FloatArray:
    """Put 1 for the constant before the values of terms: float64[K, N, 1 + M] from float64[K, N, M]."""
    return np.concatenate([np.ones_like(values[:, :, :1]), values], axis=2)


def _probability_growing(
    coefficients: FloatArray,
    covariance: FloatArray,
    degrees: FloatArray,
    weight: FloatArray,
    growing: BoolArray,
) -> FloatArray:
    """float64[K], probability that some growing term has a coefficient above zero."""
    scale = np.sqrt(np.einsum("knmm->knm", covariance[..., 1:, 1:]))
    ratio = coefficients[..., 1:] / np.where(scale > 0, scale, 1.0)
    above = stdtr(degrees[:, None, None], np.where(scale > 0, ratio, 0.0))
    above = np.where(growing & (coefficients[..., 1:] > 0), above, 0.0)
    total: FloatArray = (weight * above.max(axis=2)).sum(axis=1)
    return total


def _notes(data: Observations, undecided: BoolArray, steepest: BoolArray) -> IntArray:
    """Remarks on each kernel, int64[K]."""
    design = examine(data.points)
    everyone = Note.CONFOUNDED * design.confounded.any() + Note.FEW_VALUES * design.few_values.any()
    undecided = undecided & (data.mean != 0).any(axis=1)
    own = notes(data) + Note.CANNOT_TELL * undecided + Note.OUTSIDE_SPACE * steepest
    bits: IntArray = own.astype(np.int64) | int(everyone)
    return bits


def _undecided(value: FloatArray, deviation: FloatArray, weight: FloatArray) -> BoolArray:
    """Tell where the 90 % interval of rivals' values and deviations spans a factor of `UNDECIDED`, bool[K].

    Values are taken as log-normal.
    """
    value = np.maximum(value, 1e-6 * np.maximum(deviation, value.max(axis=1, keepdims=True)) + 1e-300)
    logarithm = np.log(value)
    center = (weight * logarithm).sum(axis=1, keepdims=True)
    spread = (weight * ((logarithm - center) ** 2 + (deviation / value) ** 2)).sum(axis=1)
    return np.asarray(2 * TWO_SIDED * np.sqrt(spread) > np.log(UNDECIDED))


def _at_the_edge(factors: Factors, picks: IntArray) -> BoolArray:
    """Tell for picks int64[K, M, D] whether a parameter has the largest power tried for it, bool[K]."""
    powers = factors.table.powers[:, 0]
    tried = np.where(np.isfinite(factors.log_prior), powers, -np.inf)
    edge: BoolArray = ((powers[picks] >= tried.max(axis=1)) & (picks > 0)).any(axis=(1, 2))
    return edge

"""From weighed rivals to `ScalingModels` in the units of the data."""

import numpy as np
from scipy.special import stdtr

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.normal_form import Term, leading_terms
from pipeline.models.notes import Note
from pipeline.models.observations import Observations
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.several.added_term import WeightedMeans
from pipeline.models.several.design import examine
from pipeline.models.several.exact import predicted_means
from pipeline.models.several.factors import Factors
from pipeline.models.several.hypotheses import coefficient_units, hypothesis_tables
from pipeline.models.several.weigh import Rivals

FEW_POINTS = 5


def scaling_models(
    parameters: tuple[str, ...],
    data: Observations,
    means: WeightedMeans,
    factors: Factors,
    rivals: Rivals,
    scale: FloatArray,
) -> ScalingModels:
    """Put the rivals of K kernels into the arrays that all stages share.

    Args:
        parameters: names of the D parameters.
        data: the measurements.
        means: the same, each kernel divided by its scale.
        factors: what the rivals' picks mean.
        rivals: the rivals.
        scale: float64[K].
    """
    order = np.argsort(rivals.weight == 0, axis=1, kind="stable")
    fits = rivals.fits.take(order)
    weight, variance = (np.take_along_axis(a, order, axis=1) for a in (rivals.weight, rivals.variance))
    terms, hypotheses, chosen, rows = hypothesis_tables(factors, fits.picks)
    unit = coefficient_units(factors, fits.picks, terms, rows, data.points) * scale[:, None, None]
    coefficients = fits.coefficients * unit
    covariance = fits.inverse * variance[..., None, None] * unit[..., None] * unit[..., None, :]
    fitted, left_out = (
        a[:, 0] for a in predicted_means(means, factors, fits.take(np.zeros_like(order[:, :1])))
    )
    growing = _growing_terms(terms)[rows] & (rows >= 0)
    return ScalingModels(
        parameters=parameters,
        terms=terms,
        hypotheses=hypotheses,
        first=data.points.min(axis=0),
        last=data.points.max(axis=0),
        nonnegative=means.nonnegative,
        correlation=0.0,
        chosen=np.where(weight > 0, chosen, -1),
        weight=weight,
        coefficients=coefficients,
        covariance=covariance,
        degrees=rivals.degrees,
        drift=np.zeros(len(weight)),
        valid_from=np.broadcast_to(data.points.min(axis=0), (len(weight), len(parameters))),
        probability_growing=_probability_growing(coefficients, covariance, rivals.degrees, weight, growing),
        smape=_smape(fitted, means.mean, data.measured),
        cv_smape=_smape(left_out, means.mean, data.measured),
        points=data.measured.sum(axis=1),
        repetitions=data.count.max(axis=1),
        note=_notes(data),
    )


def _growing_terms(terms: tuple[Term, ...]) -> BoolArray:
    """bool[n + 1], whether a term alone grows along some parameter; the last stands for no term."""
    return np.array([bool(leading_terms((t,))) for t in terms] + [False])


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


def _smape(predicted: FloatArray, mean: FloatArray, measured: BoolArray) -> FloatArray:
    """Symmetric mean absolute percentage error over the measured points, float64[K], 0 to 200."""
    size = np.abs(predicted) + np.abs(mean)
    error = np.abs(predicted - mean) / np.where(size > 0, size, 1.0) * measured
    total: FloatArray = 200 * error.sum(axis=1) / np.maximum(measured.sum(axis=1), 1)
    return total


def _notes(data: Observations) -> IntArray:
    """Remarks on each kernel, int64[K]."""
    count = data.measured.sum(axis=1)
    design = examine(data.points)
    everyone = Note.CONFOUNDED * design.confounded.any() + Note.FEW_VALUES * design.few_values.any()
    note = Note.FEW_POINTS * (count < FEW_POINTS) + Note.NOTHING_MEASURED * (count == 0)
    single = Note.SINGLE_REPETITION * (data.count.max(axis=1) == 1)
    bits: IntArray = (note + single).astype(np.int64) | int(everyone)
    return bits

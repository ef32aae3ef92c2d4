"""From measurements to models: the one entry to all ways of fitting."""

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import ModelError
from pipeline.models.exponents import EXTRAP_EXPONENTS
from pipeline.models.fit_evidence import fit_by_evidence
from pipeline.models.least_squares import scaled_terms
from pipeline.models.leave_one_out import choose_by_leave_one_out
from pipeline.models.normal_form import Term, term_values
from pipeline.models.notes import Note
from pipeline.models.observations import Observations, observe
from pipeline.models.options import ModelOptions
from pipeline.models.refit import refit
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.several.fit import fit_observations

FEW_POINTS = 5


def fit(
    parameters: tuple[str, ...], points: FloatArray, values: FloatArray, options: ModelOptions | None = None
) -> ScalingModels:
    """Fit a model to every kernel.

    Args:
        parameters: names of the D parameters.
        points: float64[P, D], positive.
        values: float64[K, P, R], repetitions apart, NaN where nothing was measured.
        options: how to fit.

    Raises:
        ModelError: the arrays do not fit together, a parameter value is not positive or a value infinite.
    """
    options = options or ModelOptions()
    data = observe(points, values)
    if data.points.shape[1] != len(parameters):
        raise ModelError(f"{len(parameters)} parameter names for {data.points.shape[1]} parameters")
    if len(parameters) > 1:
        return fit_observations(parameters, data, options)
    if options.method == "leave-one-out":
        return fit_one_term(parameters, data, options)
    return fit_by_evidence(parameters, data, options)


def one_parameter_terms(options: ModelOptions, points: FloatArray) -> tuple[Term, ...]:
    """Return the terms to try; logarithms only where no parameter value is below 1."""
    exponents = EXTRAP_EXPONENTS if options.exponents is None else options.exponents
    return tuple((e,) for e in exponents if e[1] == 0 or points.min() >= 1)


def fit_one_term(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    """Fit c0 + c1 p^i log2(p)^j by unweighted least squares, chosen by leave-one-out error."""
    terms = one_parameter_terms(options, data.points)
    hypotheses = np.arange(-1, len(terms), dtype=np.int64)[:, None]
    measured = data.measured
    chosen = choose_by_leave_one_out(scaled_terms(term_values(terms, data.points)), data.mean, measured)
    chosen = chosen[:, None]
    fits = refit(
        terms=terms,
        hypotheses=hypotheses,
        chosen=chosen,
        points=data.points,
        mean=data.mean,
        weights=measured[:, None, :].astype(np.float64),
    )
    residual = np.where(measured, data.mean - fits.fitted[:, 0], 0.0)
    size = 1 + (chosen[:, 0] > 0)
    count = measured.sum(axis=1)
    degrees = np.maximum(count - size, 1).astype(np.float64)
    # No residual is left to judge by where there are no more points than coefficients.
    variance = np.where(
        count > size, (residual**2).sum(axis=1) / degrees, (np.abs(data.mean).max(axis=1)) ** 2
    )
    covariance = fits.inverse * variance[:, None, None, None]
    slack = np.maximum(1 - fits.leverage[:, 0], 1e-9)
    repetitions = data.count.max(axis=1)
    note = Note.FEW_POINTS * (count < FEW_POINTS) + Note.NOTHING_MEASURED * (count == 0)
    return ScalingModels(
        parameters=parameters,
        terms=terms,
        hypotheses=hypotheses,
        first=data.points.min(axis=0),
        last=data.points.max(axis=0),
        nonnegative=options.nonnegative and bool((data.mean >= 0).all()),
        correlation=0.0,
        chosen=chosen,
        weight=np.ones(chosen.shape),
        coefficients=fits.coefficients,
        covariance=covariance,
        degrees=degrees,
        drift=np.zeros(len(chosen)),
        valid_from=np.broadcast_to(data.points.min(axis=0), (len(chosen), len(parameters))),
        probability_growing=probability_positive(fits.coefficients, covariance, degrees, chosen),
        smape=smape(fits.fitted[:, 0], data.mean, measured),
        cv_smape=smape(data.mean - residual / slack, data.mean, measured),
        points=count,
        repetitions=repetitions,
        note=note.astype(np.int64) + Note.SINGLE_REPETITION * (repetitions == 1),
    )


def probability_positive(
    coefficients: FloatArray, covariance: FloatArray, degrees: FloatArray, chosen: IntArray
) -> FloatArray:
    """float64[K], probability that the chosen model's term has a positive coefficient; 0 for a constant."""
    from scipy.special import stdtr

    scale = np.sqrt(covariance[:, 0, 1, 1])
    ratio = coefficients[:, 0, 1] / np.where(scale > 0, scale, 1.0)
    probability = stdtr(degrees, np.where(scale > 0, ratio, np.sign(coefficients[:, 0, 1]) * 1e6))
    return np.where(chosen[:, 0] > 0, probability, 0.0)


def smape(predicted: FloatArray, mean: FloatArray, measured: BoolArray) -> FloatArray:
    """Symmetric mean absolute percentage error over the measured points, float64[K], 0 to 200."""
    size = np.abs(predicted) + np.abs(mean)
    error = np.abs(predicted - mean) / np.where(size > 0, size, 1.0) * measured
    total: FloatArray = 200 * error.sum(axis=1) / np.maximum(measured.sum(axis=1), 1)
    return total

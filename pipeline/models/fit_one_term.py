"""The plain method: one term beside a constant, chosen by leave-one-out error as Extra-P chooses."""

import numpy as np
from scipy.special import stdtr

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.exponents import EXTRAP_EXPONENTS
from pipeline.models.least_squares import scaled_terms
from pipeline.models.leave_one_out import choose_by_leave_one_out
from pipeline.models.normal_form import Term, term_values
from pipeline.models.observations import Observations
from pipeline.models.options import ModelOptions
from pipeline.models.quality import notes, smape
from pipeline.models.refit import refit
from pipeline.models.scaling_models import ScalingModels


def fit_one_term(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    """Fit c0 + c1 p^i log2(p)^j to every kernel by unweighted least squares of the means.

    Coefficients may be negative; predictions of what cannot be are not. The interval is the Student t
    interval of the chosen formula and knows nothing of its rivals.
    """
    terms = _terms(options, data.points)
    hypotheses = np.arange(-1, len(terms), dtype=np.int64)[:, None]
    measured = data.measured
    chosen = choose_by_leave_one_out(scaled_terms(term_values(terms, data.points)), data.mean, measured)
    weights = measured[:, None, :].astype(np.float64)
    fits = refit(
        terms=terms,
        hypotheses=hypotheses,
        chosen=chosen[:, None],
        points=data.points,
        mean=data.mean,
        weights=weights,
    )
    residual = np.where(measured, data.mean - fits.fitted[:, 0], 0.0)
    count, size = measured.sum(axis=1), 1 + (chosen > 0)
    degrees = np.maximum(count - size, 1).astype(np.float64)
    covariance = fits.inverse * _variance(data, residual, count > size, degrees)[:, None, None, None]
    slack = np.maximum(1 - fits.leverage[:, 0], 1e-9)
    first = data.points.min(axis=0)
    return ScalingModels(
        parameters=parameters,
        terms=terms,
        hypotheses=hypotheses,
        first=first,
        last=data.points.max(axis=0),
        nonnegative=options.nonnegative and bool((data.mean >= 0).all()),
        correlation=0.0,
        chosen=chosen[:, None],
        weight=np.ones((len(chosen), 1)),
        coefficients=fits.coefficients,
        covariance=covariance,
        degrees=degrees,
        drift=np.zeros(len(chosen)),
        valid_from=np.repeat(first[None], len(chosen), axis=0),
        probability_growing=_probability_positive(fits.coefficients, covariance, degrees) * (chosen > 0),
        smape=smape(fits.fitted[:, 0], data.mean, measured),
        cv_smape=smape(data.mean - residual / slack, data.mean, measured),
        points=count,
        repetitions=data.count.max(axis=1),
        note=notes(data),
    )


def _terms(options: ModelOptions, points: FloatArray) -> tuple[Term, ...]:
    """Return the terms to try; logarithms only where no parameter value is below 1."""
    exponents = EXTRAP_EXPONENTS if options.exponents is None else options.exponents
    return tuple((e,) for e in exponents if e[1] == 0 or points.min() >= 1)


def _variance(data: Observations, residual: FloatArray, judged: BoolArray, degrees: FloatArray) -> FloatArray:
    """float64[K], of a mean: from residuals, or the largest value squared where none are left to judge by."""
    largest: FloatArray = np.abs(data.mean).max(axis=1) ** 2
    return np.where(judged, (residual**2).sum(axis=1) / degrees, largest)


def _probability_positive(
    coefficients: FloatArray, covariance: FloatArray, degrees: FloatArray
) -> FloatArray:
    """float64[K], probability that the term's coefficient is positive."""
    slope, scale = coefficients[:, 0, 1], np.sqrt(covariance[:, 0, 1, 1])
    ratio = np.where(scale > 0, slope / np.where(scale > 0, scale, 1.0), 1e9 * np.sign(slope))
    probability: FloatArray = stdtr(degrees, ratio)
    return probability

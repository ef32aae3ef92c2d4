"""Fit settings chosen by how well they predict the largest scales from the smaller ones."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ingest.arrays import FloatArray
from pipeline.models.error_model import ErrorModel
from pipeline.models.generalised_fits import Fits, design_columns, fit_all
from pipeline.models.hypotheses import from_power
from pipeline.models.noise import initial_noise
from pipeline.models.observations import Sample
from pipeline.models.posterior import Evidence, estimate_errors, weigh_hypotheses
from pipeline.models.search_space import SearchSpace

FEWEST_POINTS = 3  # left after holding out: two coefficients and one residual
FEWEST_FOR_TWO_TERMS = 6  # twice as many as coefficients
KERNELS = 128  # of most effort, on which settings are compared
BY_EFFORT = 0.5  # neither may one large kernel decide alone, nor many small ones
MARGIN = 0.15  # a less simple setting must win by this much, in nats per kernel
WORST = -9.0  # log density below which a miss is a miss
INDEPENDENT, WALKING = 0.0, 10.0
EXACT, COARSE = 1e-3, 0.3
STRUCTURES = tuple(ErrorModel(floor, walk) for walk in (INDEPENDENT, WALKING) for floor in (EXACT, COARSE))


@dataclass(frozen=True)
class Setting:
    """Fit settings of an experiment.

    Attributes:
        steep: whether exponents above 3 are in the space.
        structure: the shape of the errors.
    """

    steep: bool = False
    structure: ErrorModel = STRUCTURES[0]


def choose_setting(sample: Sample, space: SearchSpace, nonnegative: bool) -> Setting:
    """Return the simplest setting that predicts held-out points as well as any, within `MARGIN`.

    The last point is predicted from all before it and, if six points or more were measured, the last two
    from those before them. With too few points to hold one out, the simplest setting of all is taken.

    Args:
        sample: the kernels.
        space: all hypotheses, steep ones included.
        nonnegative: whether coefficients may not be negative.
    """
    if len(sample.points) <= FEWEST_POINTS:
        return Setting()
    heavy = sample.heaviest(KERNELS)
    folds = [1, 2] if len(sample.points) >= FEWEST_POINTS + 3 else [1]
    scores = np.mean([_fold_scores(heavy, space, nonnegative, held) for held in folds], axis=0)
    steep, structure = np.unravel_index(np.argmax(scores >= scores.max() - MARGIN), scores.shape)
    return Setting(bool(steep), STRUCTURES[structure])


def _fold_scores(sample: Sample, space: SearchSpace, nonnegative: bool, held: int) -> FloatArray:
    """float64[2, structures], without and with steep exponents, for the last points held out.

    The mean log predictive density of the held-out means relative to their size, kernels counted half by
    their share of the effort and half alike. The logarithmic score is proper: overconfidence costs as much
    as timidity (Gneiting and Raftery, "Strictly proper scoring rules, prediction, and estimation", 2007).
    """
    first = len(sample.points) - held
    known = sample.between(0, first)
    if first < FEWEST_FOR_TWO_TERMS:
        space = space.without_mixed()
    columns = design_columns(space, known.points)
    design = space.design(sample.points[first:, None])
    target = sample.level[:, first:]
    counted = sample.measured[:, first:] & (target > 0)
    effort = np.where(counted, sample.largest[:, None] * target, 0.0)
    share = BY_EFFORT * effort / max(effort.sum(), 1e-300) + (1 - BY_EFFORT) * counted / max(counted.sum(), 1)
    priors = [space.log_prior_of(known.falls, steep) for steep in (False, True)]
    scores = np.empty((len(priors), len(STRUCTURES)))
    for s, structure in enumerate(STRUCTURES):
        fits = fit_all(space, columns, known, structure, nonnegative)
        forecast = _forecast(fits, design, space.sharpness)
        guess = initial_noise(known, structure)
        for p, prior in enumerate(priors):
            errors = estimate_errors(known, structure, fits, prior, guess)
            evidence = weigh_hypotheses(known, structure, fits, prior, errors)
            doublings = np.log2(sample.points[first:] / known.points[-1])
            density = _log_density(forecast, evidence, structure, doublings, target)
            relative = density + np.log(np.maximum(target, 1e-9))
            scores[p, s] = (np.maximum(relative, WORST) * share).sum()
    return scores


def _forecast(fits: Fits, design: FloatArray, sharpness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values at the design's points and their variance at unit error, float64[K, H, Q] each."""
    count = design.shape[2]
    value = sum(fits.coefficients[:, :, None, c] * design[:, :, c] for c in range(count))
    moved = (sum(fits.root[:, :, None, b, c] * design[:, :, b] for b in range(c + 1)) for c in range(count))
    return from_power(np.asarray(value), np.asarray(sum(m * m for m in moved)), sharpness[:, None])


def _log_density(
    forecast: tuple[FloatArray, FloatArray],
    evidence: Evidence,
    structure: ErrorModel,
    doublings: FloatArray,
    target: FloatArray,
) -> FloatArray:
    """float64[K, Q], log density of measured means under the mixture of hypotheses."""
    value, spread = forecast
    variance = (spread + structure.scale(value) ** 2) * evidence.variance[..., None]
    variance += evidence.drift[:, None, None] * doublings * value**2
    degrees = evidence.degrees
    half = (degrees + 1) / 2
    peak = np.exp(gammaln(half) - gammaln(degrees / 2)) / np.sqrt(np.pi * degrees)
    ratio = (target[:, None] - value) ** 2 / (degrees[:, None, None] * variance)
    density = np.exp(-half[:, None, None] * np.log1p(ratio)) / np.sqrt(variance)
    mixture: FloatArray = (evidence.weight[..., None] * density).sum(axis=1) * peak[:, None]
    return np.log(np.maximum(mixture, 1e-300))

"""Fit settings shared by all kernels of an experiment: hypotheses, error model, noise."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logsumexp

from ingest.arrays import BoolArray, FloatArray
from ingest.usual_names import counts_processes
from pipeline.models.error_model import ErrorModel
from pipeline.models.forward_validation import FEWEST_FOR_TWO_TERMS, Setting, choose_setting
from pipeline.models.generalised_fits import Columns, Fits, design_columns, fit_all
from pipeline.models.noise import NoiseEstimate, initial_noise
from pipeline.models.observations import Sample
from pipeline.models.options import ModelOptions
from pipeline.models.posterior import (
    Posterior,
    estimate_errors,
    keep_plausible,
    log_likelihood,
    weigh_hypotheses,
)
from pipeline.models.search_space import (
    SIMPLE_SHARE,
    SearchSpace,
    SpaceChoice,
    one_parameter_space,
)

WORTH = 5.0  # kernels that the share of simple exponents on real series is worth
EM_STEPS = 30
POOL = 512  # kernels of most effort over which the errors are pooled
UNREPEATED_NOISE = 0.05**2  # relative variance that passes for noise if nothing was repeated
DOUBTFUL = 3.0  # standard errors by which a misfit must exceed the noise to call a formula in question


@dataclass(frozen=True, eq=False, kw_only=True)
class FitContext:
    """How the kernels of an experiment are fitted.

    Attributes:
        choice: the families of hypotheses.
        space: the hypotheses; those of two growing terms, if any, at the end.
        columns: their designs at the points.
        structure: the shape of the errors.
        errors: their size over all kernels.
        nonnegative: whether coefficients may not be negative.
    """

    choice: SpaceChoice
    space: SearchSpace
    columns: list[Columns]
    structure: ErrorModel
    errors: NoiseEstimate
    nonnegative: bool

    def at(self, points: FloatArray) -> "FitContext":
        """Return the same fit settings for kernels measured at other points, float64[P]."""
        return replace(self, columns=design_columns(self.space, points))

    def one_term(self) -> "FitContext":
        """Return the same settings with one growing term and no knee; hypotheses keep their places."""
        return replace(self, space=self.space.without_knees())

    def with_errors_of(self, sample: Sample, fits: Fits) -> "FitContext":
        """Return a context that takes the size of the errors from a sample and its fits."""
        prior = self.space.log_prior_of(sample.falls, steep=True)
        guess = initial_noise(sample, self.structure)
        return replace(self, errors=estimate_errors(sample, self.structure, fits, prior, guess))

    def fit(self, sample: Sample) -> Fits:
        """Return the fits of all hypotheses."""
        fits = fit_all(self.space, self.columns, sample, self.structure, self.nonnegative)
        mean, root = _constant(sample, self.structure)
        fits.coefficients[:, 0, 0], fits.root[:, 0, 0, 0] = mean, root
        return fits

    def posterior(self, sample: Sample) -> tuple[Posterior, BoolArray]:
        """Weigh the hypotheses for every kernel of a sample.

        Returns:
            The plausible ones, and bool[K], the kernels that none of them fits within the noise.
        """
        kept = self._weighed(sample, self.fit(sample))
        return kept, self._misfits(sample, kept)

    def posterior_of_segment(self, sample: Sample) -> Posterior:
        """Return the plausible hypotheses, the size of the errors taken from the sample itself."""
        fits = self.fit(sample)
        return self.with_errors_of(sample, fits)._weighed(sample, fits)

    def _weighed(self, sample: Sample, fits: Fits) -> Posterior:
        prior = self.space.log_prior_of(sample.falls, steep=True)
        evidence = weigh_hypotheses(sample, self.structure, fits, prior, self.errors)
        return keep_plausible(self.space, sample, self.structure, fits, evidence)

    def _misfits(self, sample: Sample, kept: Posterior) -> BoolArray:
        """bool[K], by relative errors whatever the error model is."""
        relative = ErrorModel()
        fitted = kept.fitted / np.where(sample.largest > 0, sample.largest, 1.0)[:, None]
        residual = np.where(sample.measured, sample.level - fitted, 0.0) / relative.scale(sample.level)
        left = np.maximum(sample.measured.sum(axis=1) - 2, 1)
        noise, _ = self.errors.noise(sample, relative)
        noise = np.where(noise > 0, noise, UNREPEATED_NOISE)
        bound = left * noise * (1 + DOUBTFUL * np.sqrt(2 / left))
        return np.asarray((residual**2).sum(axis=1) > bound)


def _constant(sample: Sample, structure: ErrorModel) -> tuple[FloatArray, FloatArray]:
    """float64[K] each: the constant model's value and the root of its variance at unit error.

    If the constant is true, all points err by the same size. Relative to the measured values, as for the
    other hypotheses, low points would count more than high ones.
    """
    count = np.maximum(sample.measured.sum(axis=1), 1)
    middle = np.abs(sample.level.sum(axis=1)) / count
    scale = np.repeat(structure.scale(middle)[:, None], len(sample.points), axis=1)
    weight = structure.precision(sample.points, scale, sample.measured).times(np.ones(scale.shape))
    total = weight.sum(axis=1)
    total = np.where(total > 0, total, 1.0)
    return (weight * sample.level).sum(axis=1) / total, 1 / np.sqrt(total)


def setting_of(parameter: str, sample: Sample, options: ModelOptions, nonnegative: bool) -> Setting:
    """Choose the setting of an experiment by forward validation."""
    choice = _families(parameter, sample, nonnegative)
    space = one_parameter_space(options, float(sample.points[0]), choice)
    return choose_setting(sample, space, nonnegative)


def _families(parameter: str, sample: Sample, nonnegative: bool) -> SpaceChoice:
    return SpaceChoice(
        steep=True,
        falling=bool(sample.falls.any()),
        mixed=len(sample.points) > FEWEST_FOR_TWO_TERMS,
        knees=nonnegative and not counts_processes(parameter),
    )


def make_context(
    parameter: str, sample: Sample, options: ModelOptions, nonnegative: bool, setting: Setting
) -> FitContext:
    """Estimate the errors, and how simple exponents are, over the kernels of most effort."""
    choice = replace(_families(parameter, sample, nonnegative), steep=setting.steep)
    smallest = float(sample.points[0])
    space = one_parameter_space(options, smallest, choice)
    context = FitContext(
        choice=choice,
        space=space,
        columns=design_columns(space, sample.points),
        structure=setting.structure,
        errors=initial_noise(sample.take(np.arange(0)), setting.structure),
        nonnegative=nonnegative,
    )
    heavy = sample.heaviest(POOL)
    fits = context.fit(heavy)
    context = context.with_errors_of(heavy, fits)
    if options.prior != "learned":
        return context
    share = _simple_share(context, heavy, fits, options)
    learned = one_parameter_space(options, smallest, choice, share)
    return replace(context, space=learned).with_errors_of(heavy, fits)


def _simple_share(context: FitContext, sample: Sample, fits: Fits, options: ModelOptions) -> float:
    """Learn from the kernels how far their exponents are simple ones.

    The share of the prior ``simple`` that makes the kernels most probable, drawn towards that of real series
    as if `WORTH` kernels had been seen (Dempster, Laird and Rubin, "Maximum likelihood from incomplete data
    via the EM algorithm", 1977).
    """
    likelihood = log_likelihood(sample, context.structure, fits, context.errors)
    marginal = []
    for prior in ("simple", "uniform"):
        some = replace(options, prior=prior)
        space = one_parameter_space(some, float(sample.points[0]), context.choice)
        score = likelihood + space.log_prior_of(sample.falls, steep=True)
        marginal.append(logsumexp(score, axis=1))
    share = SIMPLE_SHARE
    for _ in range(EM_STEPS):
        odds = marginal[0] - marginal[1] + np.log(share / (1 - share))
        share = float((WORTH * SIMPLE_SHARE + expit(odds).sum()) / (WORTH + len(odds)))
    return share

"""Models of one parameter: all hypotheses weighed for every kernel."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.parameter_roles import counts_processes
from pipeline.models.observations import (
    ErrorModel,
    NoiseEstimate,
    Observations,
    Sample,
    initial_noise,
    sample_of,
)
from pipeline.models.options import ModelOptions
from pipeline.models.posterior import (
    Columns,
    Evidence,
    Fits,
    Posterior,
    design_columns,
    estimate_errors,
    fit_all,
    in_order,
    keep_plausible,
    log_likelihood,
    weigh_hypotheses,
)
from pipeline.models.quality import Note, correlation_of_errors, notes, quality_of
from pipeline.models.rivals import from_power
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.search_space import SIMPLE_SHARE, SearchSpace, SpaceChoice, one_parameter_space
from pipeline.statistics import from_odds

_FEWEST_POINTS = 3  # left after holding out: two coefficients and one residual
_FEWEST_FOR_TWO_TERMS = 6  # twice as many as coefficients
_KERNELS = 128  # of most effort, on which settings are compared
_BY_EFFORT = 0.5  # neither may one large kernel decide alone, nor many small ones
_MARGIN = 0.15  # a less simple setting must win by this much, in nats per kernel
_WORST = -9.0  # log density below which a miss is a miss
_INDEPENDENT, _WALKING = 0.0, 10.0
EXACT, COARSE = 1e-3, 0.3
_STRUCTURES = tuple(ErrorModel(floor, walk) for walk in (_INDEPENDENT, _WALKING) for floor in (EXACT, COARSE))


@dataclass(frozen=True)
class Setting:
    """Fit settings of an experiment; a steep one has exponents above 3 in the space."""

    steep: bool = False
    structure: ErrorModel = _STRUCTURES[0]


def choose_setting(sample: Sample, space: SearchSpace, nonnegative: bool) -> Setting:
    """Return the simplest setting that predicts held-out points as well as any, within `_MARGIN`.

    The last point is predicted from all before it and, if six points or more were measured, the last two from
    those before them. With too few points to hold one out, the simplest setting of all is taken. `space` has
    all hypotheses, steep ones included.
    """
    if len(sample.points) <= _FEWEST_POINTS:
        return Setting()
    heavy = sample.take(sample.heaviest(_KERNELS))
    folds = [1, 2] if len(sample.points) >= _FEWEST_POINTS + 3 else [1]
    scores = np.mean([_fold_scores(heavy, space, nonnegative, held) for held in folds], axis=0)
    steep, structure = np.unravel_index(np.argmax(scores >= scores.max() - _MARGIN), scores.shape)
    return Setting(bool(steep), _STRUCTURES[structure])


def _fold_scores(sample: Sample, space: SearchSpace, nonnegative: bool, held: int) -> FloatArray:
    """float64[2, structures], without and with steep exponents, for the last points held out.

    The mean log predictive density of the held-out means relative to their size, kernels counted half by
    their share of the effort and half alike. The logarithmic score is proper: overconfidence costs as much
    as timidity (Gneiting and Raftery, "Strictly proper scoring rules, prediction, and estimation", 2007).
    """
    first = len(sample.points) - held
    known = sample.between(0, first)
    if first < _FEWEST_FOR_TWO_TERMS:
        space = space.without_mixed()
    columns = design_columns(space, known.points)
    design = space.design(sample.points[first:, None])
    target = sample.level[:, first:]
    counted = sample.measured[:, first:] & (target > 0)
    effort = np.where(counted, sample.largest[:, None] * target, 0.0)
    share = _BY_EFFORT * effort / max(effort.sum(), 1e-300) + (1 - _BY_EFFORT) * counted / max(
        counted.sum(), 1
    )
    priors = [space.log_prior_of(known.falls, steep) for steep in (False, True)]
    scores = np.empty((len(priors), len(_STRUCTURES)))
    for s, structure in enumerate(_STRUCTURES):
        fits = fit_all(space, columns, known, structure, nonnegative)
        forecast = _forecast(fits, design, space.sharpness)
        guess = initial_noise(known, structure)
        for p, prior in enumerate(priors):
            errors = estimate_errors(known, structure, fits, prior, guess)
            evidence = weigh_hypotheses(known, structure, fits, prior, errors)
            doublings = np.log2(sample.points[first:] / known.points[-1])
            density = _log_density(forecast, evidence, structure, doublings, target)
            relative = density + np.log(np.maximum(target, 1e-9))
            scores[p, s] = (np.maximum(relative, _WORST) * share).sum()
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
    logs = [math.lgamma(d / 2 + 0.5) - math.lgamma(d / 2) for d in degrees.tolist()]
    peak = np.exp(logs) / np.sqrt(np.pi * degrees)
    ratio = (target[:, None] - value) ** 2 / (degrees[:, None, None] * variance)
    density = np.exp(-half[:, None, None] * np.log1p(ratio)) / np.sqrt(variance)
    mixture: FloatArray = (evidence.weight[..., None] * density).sum(axis=1) * peak[:, None]
    return np.log(np.maximum(mixture, 1e-300))


_WORTH = 5.0  # kernels that the share of simple exponents on real series is worth
_EM_STEPS = 30
_POOL = 512  # kernels of most effort over which the errors are pooled
_UNREPEATED_NOISE = 0.05**2  # relative variance that passes for noise if nothing was repeated
_DOUBTFUL = 3.0  # standard errors by which a misfit must exceed the noise to call a formula in question


@dataclass(frozen=True, eq=False, kw_only=True)
class _FitContext:
    """How the kernels of an experiment are fitted."""

    choice: SpaceChoice  # the families of hypotheses
    space: SearchSpace  # the hypotheses; those of two growing terms, if any, at the end
    columns: list[Columns]  # their designs at the points
    structure: ErrorModel  # the shape of the errors
    errors: NoiseEstimate  # their size over all kernels
    nonnegative: bool  # whether coefficients may not be negative

    def at(self, points: FloatArray) -> "_FitContext":
        """Return the same fit settings for kernels measured at other points, float64[P]."""
        return replace(self, columns=design_columns(self.space, points))

    def one_term(self) -> "_FitContext":
        """Return the same settings with one growing term and no knee; hypotheses keep their places."""
        return replace(self, space=self.space.without_knees())

    def with_errors_of(self, sample: Sample, fits: Fits) -> "_FitContext":
        """Return a context that takes the size of the errors from a sample and its fits."""
        prior = self.space.log_prior_of(sample.falls, steep=True)
        guess = initial_noise(sample, self.structure)
        return replace(self, errors=estimate_errors(sample, self.structure, fits, prior, guess))

    def fit(self, sample: Sample) -> Fits:
        """Return the fits of all hypotheses."""
        fits = fit_all(self.space, self.columns, sample, self.structure, self.nonnegative)
        # if the constant is true, all points err by the same size; relative to the measured values, as for
        # the other hypotheses, low points would count more than high ones
        count = np.maximum(sample.measured.sum(axis=1), 1)
        middle = np.abs(sample.level.sum(axis=1)) / count
        scale = np.repeat(self.structure.scale(middle)[:, None], len(sample.points), axis=1)
        weight = self.structure.precision(sample.points, scale, sample.measured).times(np.ones(scale.shape))
        total = weight.sum(axis=1)
        total = np.where(total > 0, total, 1.0)
        mean, root = (weight * sample.level).sum(axis=1) / total, 1 / np.sqrt(total)
        fits.coefficients[:, 0, 0], fits.root[:, 0, 0, 0] = mean, root
        return fits

    def posterior(self, sample: Sample, fits: Fits) -> tuple[Posterior, BoolArray]:
        """Return the plausible hypotheses, and bool[K], the kernels that none fits within the noise."""
        kept = self._weighed(sample, fits)
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
        noise = np.where(noise > 0, noise, _UNREPEATED_NOISE)
        bound = left * noise * (1 + _DOUBTFUL * np.sqrt(2 / left))
        return np.asarray((residual**2).sum(axis=1) > bound)


def _families(parameter: str, sample: Sample, nonnegative: bool) -> SpaceChoice:
    return SpaceChoice(
        steep=True,
        falling=bool(sample.falls.any()),
        mixed=len(sample.points) > _FEWEST_FOR_TWO_TERMS,
        knees=nonnegative and not counts_processes(parameter),
    )


def _make_context(
    parameter: str, sample: Sample, heavy: Sample, options: ModelOptions, nonnegative: bool, setting: Setting
) -> tuple[_FitContext, Fits]:
    """Estimate errors, and how simple exponents are, from the kernels of most effort; with their fits."""
    choice = replace(_families(parameter, sample, nonnegative), steep=setting.steep)
    smallest = float(sample.points[0])
    space = one_parameter_space(options, smallest, choice)
    context = _FitContext(
        choice=choice,
        space=space,
        columns=design_columns(space, sample.points),
        structure=setting.structure,
        errors=initial_noise(sample.take(np.arange(0)), setting.structure),
        nonnegative=nonnegative,
    )
    fits = context.fit(heavy)
    context = context.with_errors_of(heavy, fits)
    if options.prior != "learned":
        return context, fits
    share = _simple_share(context, heavy, fits, options)
    learned = one_parameter_space(options, smallest, choice, share)
    return replace(context, space=learned).with_errors_of(heavy, fits), fits


def _simple_share(context: _FitContext, sample: Sample, fits: Fits, options: ModelOptions) -> float:
    """Learn from the kernels how far their exponents are simple ones.

    The share of the prior ``simple`` that makes the kernels most probable, drawn towards that of real series
    as if `_WORTH` kernels had been seen (Dempster, Laird and Rubin, "Maximum likelihood from incomplete data
    via the EM algorithm", 1977).
    """
    likelihood = log_likelihood(sample, context.structure, fits, context.errors)
    marginal = []
    for prior in ("simple", "uniform"):
        some = replace(options, prior=prior)
        space = one_parameter_space(some, float(sample.points[0]), context.choice)
        score = likelihood + space.log_prior_of(sample.falls, steep=True)
        most = score.max(axis=1)
        marginal.append(most + np.log(np.exp(score - most[:, None]).sum(axis=1)))
    share = SIMPLE_SHARE
    for _ in range(_EM_STEPS):
        odds = marginal[0] - marginal[1] + np.log(share / (1 - share))
        share = float((_WORTH * SIMPLE_SHARE + from_odds(odds).sum()) / (_WORTH + len(odds)))
    return share


_FIRST, _LAST = 3, 4  # fewest points of the regime before the change and of the one after it
_EXTRA = 3  # two more coefficients and the place of the change
_RARE = np.log(10.0)  # one kernel in ten that no formula fits is expected to have changed its behaviour
_SMALLEST_NOISE = 0.01**2  # relative variance below which a better fit is not evidence


def _last_regime(context: _FitContext, sample: Sample) -> IntArray:
    """Find the first point of the last regime of each kernel, int64[K]; 0 if behaviour does not change.

    One change is compared with none by the Bayesian information criterion with the misfit of the best
    hypothesis on either side, the noise of the repetitions added to both: a formula that misses by no more
    than the noise is not improved upon. All hypotheses are tried on the whole range, those of one term on
    parts of it. Errors are taken as relative and independent: a change must show at all scales.
    """
    points = len(sample.points)
    places = points - _LAST - _FIRST + 1
    if places < 1:
        return np.zeros(len(sample), dtype=np.int64)
    independent = replace(context, structure=ErrorModel())
    fits, precision = independent.fit(sample), sample.precision(independent.structure)
    noise, _ = context.errors.noise(sample, independent.structure)
    least = points * np.maximum(noise, _SMALLEST_NOISE)
    parts = _misfit_of_parts(independent.one_term(), sample, precision.diagonal)
    best = parts.argmin(axis=0)
    gain = points / 2 * np.log((fits.misfit.min(axis=1) + least) / (parts.min(axis=0) + least))
    price = _EXTRA / 2 * np.log(points) + np.log(places) + _RARE
    return np.where(gain > price, best + _FIRST, 0)


def _misfit_of_parts(context: _FitContext, sample: Sample, weight: FloatArray) -> FloatArray:
    """float64[places, K], the smallest misfits before and after each possible change, added."""
    before, after = (
        running_misfits(
            context.space, sample.points[way], sample.level[:, way], weight[:, way], context.nonnegative
        )
        for way in (slice(None), slice(None, None, -1))
    )
    return before[_FIRST - 1 : -_LAST] + after[_LAST - 1 : -_FIRST][::-1]


_IDENTIFIABLE = 1e-9  # share of a term's size by which it must vary to be distinguished from a constant


def running_misfits(
    space: SearchSpace, points: FloatArray, values: FloatArray, weight: FloatArray, nonnegative: bool
) -> FloatArray:
    """Return the least misfit of any hypothesis to the points up to and including each, float64[P, K].

    Hypotheses have one growing term at most. One without a constant, a u + b v, is the line a + b v/u through
    the values y/u of weight w u^2, w float64[K, P] not below 0.
    """
    columns = space.term_values(points[:, None])
    columns = columns / np.abs(columns).max(axis=0, initial=1e-300)
    single = space.rows[space.constant, 0]
    least = _least_misfits(columns[:, single[single >= 0]], values, weight, nonnegative, divided=False)
    pairs = space.rows[~space.constant]
    for first in np.unique(pairs[:, 0]):
        lead, second = columns[:, first], columns[:, pairs[pairs[:, 0] == first, 1]]
        quotients = second / lead[:, None], values / lead, weight * lead**2
        least = np.minimum(least, _least_misfits(*quotients, nonnegative, divided=True))
    return least


def _least_misfits(
    terms: FloatArray, values: FloatArray, weight: FloatArray, nonnegative: bool, divided: bool
) -> FloatArray:
    """float64[P, K] for terms float64[P, n]; not divided by a first term, the constant alone is tried too."""
    lines = _Lines.of_no_points(len(values), terms.shape[1])
    least = np.empty(values.shape[::-1])
    for p, term in enumerate(terms):
        lines = lines.with_point(term, values[:, p], weight[:, p])
        least[p] = lines.misfits(nonnegative, divided).min(axis=1, initial=np.inf)
        if not divided:
            least[p] = np.minimum(least[p], lines.left)
    return least


@dataclass(frozen=True, eq=False, kw_only=True)
class _Lines:
    """Weighted fits of a + b t for K kernels and n terms t to the points seen so far.

    Centred moments are carried along, which neither cancel nor need the points again (West, "Updating mean
    and variance estimates: an improved method", 1979).
    """

    total: FloatArray  # float64[K], sum of the weights
    level: FloatArray  # float64[K], weighted mean of the values
    center: FloatArray  # float64[K, n], weighted mean of each term
    left: FloatArray  # float64[K], weighted sum of squares of the centred values
    spread: FloatArray  # float64[K, n], the same of each term
    together: FloatArray  # float64[K, n], weighted sum of products of the centred terms and values

    @classmethod
    def of_no_points(cls, kernels: int, terms: int) -> "_Lines":
        """Return where to begin."""
        none, nothing = np.zeros(kernels), np.zeros((kernels, terms))
        return cls(total=none, level=none, center=nothing, left=none, spread=nothing, together=nothing)

    def with_point(self, term: FloatArray, value: FloatArray, weight: FloatArray) -> "_Lines":
        """Return the fits with one point more: float64[n] terms, float64[K] values and weights."""
        total = self.total + weight
        share = weight / np.where(total > 0, total, 1.0)
        counts = share * self.total
        aside, above = term - self.center, value - self.level
        weighted = counts[:, None] * aside
        return _Lines(
            total=total,
            level=self.level + share * above,
            center=self.center + share[:, None] * aside,
            left=self.left + counts * above**2,
            spread=self.spread + weighted * aside,
            together=self.together + weighted * above[:, None],
        )

    def misfits(self, nonnegative: bool, divided: bool) -> FloatArray:
        """float64[K, n], weighted sums of squared residuals; infinite for a line that cannot be.

        Where coefficients may not be negative, a negative constant is replaced by none; a constant that
        stands for a term, as the line is divided, rules the line out instead.
        """
        total, level = self.total[:, None], self.level[:, None]
        origin = self.spread + total * self.center**2
        possible = self.spread > _IDENTIFIABLE**2 * origin
        slope = self.together / np.where(possible, self.spread, 1.0)
        misfit = self.left[:, None] - slope * self.together
        if nonnegative:
            negative = level < slope * self.center
            product = self.together + total * level * self.center
            steeper = product / np.where(origin > 0, origin, 1.0)
            without = self.left[:, None] + total * level**2 - steeper * product
            slope, misfit = np.where(negative, steeper, slope), np.where(negative, without, misfit)
            possible &= (slope > 0) & ~(negative & divided)
        return np.where(possible, np.maximum(misfit, 0.0), np.inf)


_BLOCK = 256  # kernels weighed at once: a few MiB, whatever the number of kernels
_ANOTHER_CHANGE = 0.1  # drift per root of a doubling of kernels that changed their behaviour once already


def experiment_setting(parameter: str, data: Observations, options: ModelOptions) -> Setting:
    """Choose the setting in which all kernels are fitted, by forward validation."""
    sample, nonnegative = sample_of(data), options.nonnegative and data.nonnegative
    space = one_parameter_space(options, float(sample.points[0]), _families(parameter, sample, nonnegative))
    return choose_setting(sample, space, nonnegative)


def fit_by_evidence(
    parameters: tuple[str, ...], data: Observations, options: ModelOptions, *, setting: Setting
) -> ScalingModels:
    """Weigh all hypotheses for every kernel.

    Kernels that no hypothesis fits within the noise are looked at again: if behaviour changes inside the
    range, only the last regime is fitted.

    Memory: the data, the models kept, and a few MiB for one block of kernels.
    """
    sample = sample_of(data)
    nonnegative = options.nonnegative and data.nonnegative
    pool = sample.heaviest(_POOL)
    context, fits = _make_context(parameters[0], sample, sample.take(pool), options, nonnegative, setting)
    parts: list[tuple[IntArray, Posterior]] = []
    start = np.zeros(len(sample), dtype=np.int64)
    unexplained = np.zeros(len(sample), dtype=bool)
    for kernels, known in _blocks(len(sample), pool, fits):
        some = sample.take(kernels)
        weighed, misfits = context.posterior(some, known or context.fit(some))
        doubtful, unexplained[kernels] = kernels[misfits], misfits
        start[doubtful] = _last_regime(context, sample.take(doubtful))
        same = np.flatnonzero(start[kernels] == 0)
        parts.append((kernels[same], weighed.take(same)))
        parts += _weigh_last_regimes(context, sample, doubtful[start[doubtful] > 0], start)
    return _assemble(parameters, data, context, in_order(parts), start, unexplained)


def _blocks(kernels: int, pool: IntArray, fits: Fits) -> Iterator[tuple[IntArray, Fits | None]]:
    """Yield which kernels are weighed at once, those of the pool with their fits, then all others."""
    for first in range(0, max(len(pool), 1), _BLOCK):
        block = slice(first, first + _BLOCK)
        yield pool[block], fits.of(block)
    others = np.setdiff1d(np.arange(kernels), pool)
    for first in range(0, len(others), _BLOCK):
        yield others[first : first + _BLOCK], None


def _weigh_last_regimes(
    context: _FitContext, sample: Sample, kernels: IntArray, start: IntArray
) -> list[tuple[IntArray, Posterior]]:
    parts, one_term = [], context.one_term()
    for place in np.unique(start[kernels]):
        some = kernels[start[kernels] == place]
        last = sample.take(some).between(int(place), len(sample.points))
        weighed = one_term.at(last.points).posterior_of_segment(last)
        rivals = replace(weighed.rivals, drift=np.sqrt(weighed.rivals.drift**2 + _ANOTHER_CHANGE**2))
        before = sample.level[some, :place] * sample.largest[some, None]
        parts.append((some, replace(weighed, rivals=rivals).with_points_before(before)))
    return parts


def _assemble(
    parameters: tuple[str, ...],
    data: Observations,
    context: _FitContext,
    kept: Posterior,
    start: IntArray,
    unexplained: BoolArray,
) -> ScalingModels:
    measured = data.measured & (np.arange(len(data.points)) >= start[:, None])
    chosen = kept.rivals.hypothesis[kept.rivals.chosen]
    note = notes(data) + Note.LAST_SEGMENT * (start > 0)
    note += Note.CANNOT_TELL * (kept.undecided & data.measured.any(axis=1))
    note += Note.OUTSIDE_SPACE * (unexplained & _at_the_edge(context.space, chosen))
    return ScalingModels(
        parameters=parameters,
        first=data.points.min(axis=0),
        last=data.points.max(axis=0),
        nonnegative=context.nonnegative,
        correlation=correlation_of_errors(data.mean - kept.fitted, measured, kept.misfit_share),
        hypotheses=context.space,
        rivals=kept.rivals,
        quality=quality_of(
            data, kept.fitted, kept.left_out, growing=kept.probability_growing, note=note, start=start
        ),
    )


def _at_the_edge(space: SearchSpace, chosen: IntArray) -> BoolArray:
    """bool[K], whether no steeper term than the chosen model's was tried."""
    powers = np.array([float(t[0][0]) for t in space.terms])
    plain = space.rows[space.sharpness == 1]
    most = powers[plain[plain >= 0]].max(initial=0.0)
    steepest = np.append(powers == most, False)[space.rows] & (space.sharpness == 1)[:, None]
    edge: BoolArray = np.logical_or.reduce(steepest, axis=1)
    return edge[chosen]

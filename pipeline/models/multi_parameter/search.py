"""Search for the hypotheses of up to three terms that explain each kernel best.

All products of 42 exponents and all their sums are far too many to try (10^13 for three terms of three
parameters), but each is one of a chain: a coarse first guess, then factor after factor exchanged for every
other exponent while the rest of the hypothesis stays. A beam of hypotheses is carried along for every kernel
at once, and everything that was tried on the way competes for a place among the best.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.multi_parameter.added_term import WeightedMeans, chi_squared, orthogonal
from pipeline.models.multi_parameter.factors import Factors, term_keys
from pipeline.models.multi_parameter.mean_errors import BELIEF

MOST_TERMS = 3

LOG_PRIOR_OF_SIZE = tuple(math.log(p) for p in (0.4, 0.35, 0.2, 0.05))
"""Prior of 0, 1, 2 and 3 terms: complexity is paid for."""

_KEPT = 24  # hypotheses remembered per kernel and size
_VARIANTS = 6  # and of those that exchange one factor
_BEAM = 4  # hypotheses that are varied in the first sweep
_LATER_BEAM = 3  # and in later ones, those varied before left out
_SWEEPS = 12  # at most; kernels whose best hypothesis stays are done
_GAIN = 0.05  # in the logarithm of the evidence
_GUESSES = 24  # first guesses that pairs of more than two parameters start from


@dataclass(frozen=True, eq=False)
class Candidates:
    """N hypotheses of M terms for each of K kernels, best first.

    Attributes:
        picks: int64[K, N, M, D].
        score: float64[K, N], logarithm of evidence times prior but for a constant; -inf if there is none.
        chi2: float64[K, N], weighted squares left.
        varied: bool[K, N], all exchanges of one factor have been tried.
    """

    picks: IntArray
    score: FloatArray
    chi2: FloatArray
    varied: BoolArray

    def take(self, rows: IntArray) -> "Candidates":
        """Return int64[K, n] rows of each kernel."""
        kernel = np.arange(len(rows))[:, None]
        return Candidates(*(values[kernel, rows] for values in vars(self).values()))

    def of(self, kernels: IntArray) -> "Candidates":
        """Return the hypotheses of some kernels."""
        return Candidates(*(values[kernels] for values in vars(self).values()))

    def put(self, kernels: IntArray, part: "Candidates") -> None:
        """Replace the hypotheses of some kernels."""
        for name, values in vars(self).items():
            values[kernels] = getattr(part, name)

    def best(self, count: int) -> "Candidates":
        """Return the `count` best, best first, filled up with none if there are fewer."""
        best = self.take(_smallest(-self.score, count))
        if best.score.shape[1] == count:
            return best
        missing = ((0, 0), (0, count - best.score.shape[1]))
        return Candidates(
            np.pad(best.picks, (*missing, (0, 0), (0, 0))),
            np.pad(best.score, missing, constant_values=-np.inf),
            np.pad(best.chi2, missing, constant_values=np.inf),
            np.pad(best.varied, missing),
        )


def joined(parts: Sequence[Candidates]) -> Candidates:
    """Put hypotheses of the same size for the same kernels together, in no order."""
    every = zip(*(vars(part).values() for part in parts), strict=True)
    return Candidates(*(np.concatenate(values, axis=1) for values in every))


def search_one_term(data: WeightedMeans, factors: Factors) -> Candidates:
    """Find single terms beside the constant."""
    guesses = _first_guesses(data, factors, _KEPT)
    return _refine(data, factors, guesses, np.arange(len(data.mean)))


def search_another_term(
    data: WeightedMeans, factors: Factors, found: Candidates, thorough: BoolArray
) -> Candidates:
    """Find hypotheses of one term more than those found.

    The best single terms may all be compromises between two, so pairs start from terms of one parameter too.

    Args:
        data: K kernels.
        factors: what terms are made of.
        found: the hypotheses of one term less.
        thorough: bool[K], where the first guesses are to be improved. Elsewhere they only show what else
            might be: rivals, for the sake of an honest interval.
    """
    start = found.picks[:, :_BEAM]
    if found.picks.shape[2] == 1:
        alone = factors.coarse[(factors.coarse > 0).sum(axis=1) == 1][:, None, :]
        alone = np.broadcast_to(alone, (len(start), *alone.shape))
        start = np.concatenate([start, alone], axis=1)
        if len(factors.values) > 2:
            start = np.concatenate([start, _first_guesses(data, factors, _GUESSES).picks], axis=1)
    return _refine(data, factors, _extended(data, factors, start), np.flatnonzero(thorough))


def evidence(chi2: FloatArray, count: FloatArray, size: int | IntArray) -> FloatArray:
    """Logarithm of the evidence of hypotheses with `size` coefficients, but for a constant of the kernel.

    The variance is marginalised over (a scaled inverse chi-squared prior worth `BELIEF` residuals, so the
    data follow a Student t), the coefficients by Schwarz's approximation.
    """
    strength = (BELIEF + count - size) / 2
    result: FloatArray = -strength * np.log1p(chi2 / BELIEF) - size / 2 * np.log(count)
    return result


def _first_guesses(data: WeightedMeans, factors: Factors, count: int) -> Candidates:
    kernels, points = data.mean.shape
    none = np.empty((kernels, 1, 0, points))
    log_prior = factors.term_log_prior(factors.coarse)
    chi2 = chi_squared(data, orthogonal(data.weight[:, None], none), None, factors.columns(factors.coarse))
    rows, scored = _best_scores(data.count, chi2, np.zeros((kernels, 1)), log_prior, 1, count)
    return Candidates(factors.coarse[rows][:, :, None, :], *scored).best(count)


def _extended(data: WeightedMeans, factors: Factors, start: IntArray) -> Candidates:
    """Add every coarse term to the hypotheses int64[K, B, M, D]."""
    size = start.shape[2] + 1
    others = orthogonal(data.weight[:, None], factors.columns(start))
    chi2 = chi_squared(data, others, None, factors.columns(factors.coarse))
    rows, scored = _best_scores(
        data.count,
        chi2,
        factors.term_log_prior(start).sum(axis=2),
        factors.term_log_prior(factors.coarse),
        size,
        _KEPT + _KEPT // 2,
    )
    place, added = np.divmod(rows, len(factors.coarse))
    picks = start[np.arange(len(rows))[:, None], place]
    picks = np.concatenate([picks, factors.coarse[added][:, :, None, :]], axis=2)
    return _distinct(Candidates(picks, *scored), _KEPT)


def _refine(data: WeightedMeans, factors: Factors, found: Candidates, here: IntArray) -> Candidates:
    """Exchange factors of the best hypotheses of some kernels until nothing is gained."""
    for sweep in range(_SWEEPS):
        if len(here) == 0:
            break
        part, before = found.of(here), found.score[here, 0]
        rows = _smallest(np.where(part.varied, np.inf, -part.score), _LATER_BEAM if sweep else _BEAM)
        np.put_along_axis(part.varied, rows, True, axis=1)
        tried = _exchange(data.take(here), factors, part.take(rows).picks)
        part = _distinct(joined([part, tried]), _KEPT)
        found.put(here, part)
        if sweep > 0:
            here = here[part.score[:, 0] > before + _GAIN]
    return found


def _exchange(data: WeightedMeans, factors: Factors, picks: IntArray) -> Candidates:
    """Exchange each factor of each term of the hypotheses int64[K, B, M, D] for every other.

    The hypotheses without their first term, without their second and so on are tried at once.
    """
    kernels, beam, size, parameters = picks.shape
    log_prior = factors.log_prior[np.arange(parameters), picks]
    columns = factors.columns(picks)
    without = [columns[:, :, [o for o in range(size) if o != m]] for m in range(size)]
    others = orthogonal(data.weight[:, None], np.concatenate(without, axis=1))
    exchanged = picks.swapaxes(1, 2).reshape(kernels, size * beam, parameters)
    kernel, term = np.divmod(np.arange(kernels * size), size)
    tried = []
    for d, here in enumerate(factors.tried):
        rest = exchanged.copy()
        rest[..., d] = 0
        chi2 = chi_squared(data, others, factors.columns(rest), factors.values[d, here])
        fixed = log_prior.sum(axis=(2, 3))[:, None] - log_prior[..., d].swapaxes(1, 2)
        rows, scored = _best_scores(
            data.count[kernel],
            chi2.reshape(kernels * size, beam, len(here)),
            fixed.reshape(kernels * size, beam),
            factors.log_prior[d, here],
            size,
            _VARIANTS,
        )
        place, factor = np.divmod(rows, len(here))
        changed = picks[kernel[:, None], place]
        changed[np.arange(len(rows)), :, term, d] = here[factor]
        tried.append([values.reshape(kernels, size, *values.shape[1:]) for values in (changed, *scored)])
    every = [np.concatenate(values, axis=2) for values in zip(*tried, strict=True)]
    return Candidates(
        *(values.reshape(kernels, size * values.shape[2], *values.shape[3:]) for values in every)
    )


def _best_scores(
    points: FloatArray, chi2: FloatArray, fixed: FloatArray, log_prior: FloatArray, size: int, count: int
) -> tuple[IntArray, tuple[FloatArray, FloatArray, BoolArray]]:
    """Find the best of float64[K, B, n] hypotheses: places in B x n, scores, chi squared, not varied.

    Ranked by a product instead of the sum of logarithms of evidence and prior: logarithms of all cost more
    than everything else.

    Args:
        points: float64[K, 1, 1], how many were measured.
        chi2: float64[K, B, n].
        fixed: float64[K, B], log prior of what the n candidates share.
        log_prior: float64[n], their own.
        size: terms of the hypotheses.
        count: how many to return.
    """
    strength = (BELIEF + points - size - 1) / 2
    cost = chi2 / BELIEF
    cost += 1
    cost *= np.exp(np.minimum(-fixed[:, :, None] / strength, 600.0))
    cost *= np.exp(np.minimum(-log_prior / strength, 600.0))
    cost = cost.reshape(len(cost), -1)
    rows, kernel = _smallest_few(cost, count), np.arange(len(cost))[:, None]
    constant = LOG_PRIOR_OF_SIZE[size] + math.lgamma(size + 1) - (size + 1) / 2 * np.log(points[:, 0])
    left = np.maximum(chi2.reshape(cost.shape)[kernel, rows], 0.0)
    score = constant - strength[:, 0] * np.log(cost[kernel, rows])
    return rows, (score, left, np.zeros(rows.shape, dtype=bool))


def _smallest_few(cost: FloatArray, count: int) -> IntArray:
    """Do the same for a small count: finding the smallest over and over is faster than partitioning."""
    kernel = np.arange(len(cost))
    count = min(count, cost.shape[1])
    rows, work = np.empty((len(cost), count), dtype=np.int64), cost.copy()
    for n in range(count):
        rows[:, n] = work.argmin(axis=1)
        work[kernel, rows[:, n]] = np.inf
    return rows


def _smallest(cost: FloatArray, count: int) -> IntArray:
    """Places of the smallest of each row, smallest first."""
    kernel = np.arange(len(cost))[:, None]
    if cost.shape[1] > count:
        rows = np.argpartition(cost, count - 1, axis=1)[:, :count]
    else:
        rows = np.broadcast_to(np.arange(cost.shape[1]), cost.shape)
    return rows[kernel, np.argsort(cost[kernel, rows], axis=1)]


def _distinct(found: Candidates, count: int) -> Candidates:
    """Keep the best of each hypothesis that was found more than once, whatever the order of its terms."""
    key = term_keys(found.picks).sum(axis=2, dtype=np.uint64)
    order = np.argsort(key, axis=1, kind="stable")
    kernel, again = np.arange(len(key))[:, None], np.zeros(key.shape, dtype=bool)
    ordered = key[kernel, order]
    again[kernel, order[:, 1:]] = ordered[:, 1:] == ordered[:, :-1]
    return Candidates(found.picks, np.where(again, -np.inf, found.score), found.chi2, found.varied).best(
        count
    )

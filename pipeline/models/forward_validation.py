"""Settings judged by how well they predict the largest scales from the smaller ones."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from ingest.arrays import FloatArray, IntArray
from pipeline.models.error_structure import ErrorStructure
from pipeline.models.evidence import Judge, Sample, appoint
from pipeline.models.generalised_fits import design_columns
from pipeline.models.options import ModelOptions
from pipeline.models.search_space import SpaceChoice, one_parameter_space

FEWEST_POINTS = 3  # left after holding out; two coefficients and one residual
KERNELS = 256  # of most effort, on which settings are judged
MARGIN = 0.15  # a less simple setting must win by this much, in nats per kernel
WORST = -9.0  # log density below which a miss is a miss
INDEPENDENT, WALKING = 0.0, 10.0
EXACT, COARSE = 1e-3, 0.3


@dataclass(frozen=True)
class Setting:
    """How an experiment's kernels are to be judged.

    Attributes:
        choice: the families of hypotheses.
        structure: the shape of the errors.
    """

    choice: SpaceChoice
    structure: ErrorStructure


def candidates(choice: SpaceChoice) -> list[Setting]:
    """Return the settings that are compared, the simplest first."""
    return [
        Setting(replace(choice, steep=steep), ErrorStructure(floor, walk))
        for steep in (False, True)
        for walk in (INDEPENDENT, WALKING)
        for floor in (EXACT, COARSE)
    ]


def choose_setting(sample: Sample, options: ModelOptions, choice: SpaceChoice, nonnegative: bool) -> Setting:
    """Return the simplest setting that predicts held-out points as well as any, within `MARGIN`.

    With fewer than `FEWEST_POINTS` + 1 points there is nothing to judge by: the simplest setting of all.
    """
    settings = candidates(choice)
    if options.exponents is not None or not isinstance(options.prior, str):
        settings = [s for s in settings if not s.choice.steep]
    if len(sample.points) <= FEWEST_POINTS:
        return settings[0]
    heavy = sample.take(heaviest(sample, KERNELS))
    scores = np.array([forward_score(heavy, s, options, nonnegative) for s in settings])
    return settings[int(np.argmax(scores >= scores.max() - MARGIN))]


def heaviest(sample: Sample, count: int) -> IntArray:
    """Return the kernels of most effort, in their order."""
    if len(sample.weight) <= count:
        return np.arange(len(sample.weight))
    return np.sort(np.argpartition(-sample.weight, count)[:count])


def forward_score(sample: Sample, setting: Setting, options: ModelOptions, nonnegative: bool) -> float:
    """Return the mean log predictive density of held-out means, relative to their size.

    The last point is predicted from all before it and, where six points or more were measured, the last two
    from those before them. Kernels count by their share of the effort at the point. The logarithmic score is
    proper (Gneiting and Raftery 2007): overconfidence costs as much as timidity.
    """
    folds = [1, 2] if len(sample.points) >= FEWEST_POINTS + 3 else [1]
    return float(np.mean([_fold_score(sample, setting, options, nonnegative, held) for held in folds]))


def _fold_score(
    sample: Sample, setting: Setting, options: ModelOptions, nonnegative: bool, held: int
) -> float:
    first = len(sample.points) - held
    known, target = sample.before(first), sample.level[:, first:]
    space = one_parameter_space(options, sample.points[0], setting.choice)
    columns = design_columns(space, known.points)
    judge = appoint(space, columns, setting.structure, known, nonnegative)
    share = np.where(sample.measured[:, first:], sample.weight[:, None] * target, 0.0)
    share = share / np.maximum(share.sum(axis=0), 1e-300)
    density = _log_density(judge, known, sample.points[first:], target)
    relative = np.maximum(density + np.log(np.maximum(target, 1e-9)), WORST)
    return float((relative * share).sum(axis=0).mean())


def _log_density(judge: Judge, known: Sample, points: FloatArray, target: FloatArray) -> FloatArray:
    """float64[K, held], log density of measured means under the mixture of hypotheses."""
    evidence = judge.weigh(known)
    design = judge.space.design(points)
    value = np.einsum("hqc,khc->khq", design, evidence.fits.coefficients)
    moved = np.einsum("hqc,khcd->khqd", design, evidence.fits.root)
    distance = np.log2(points / known.points[-1])
    variance = (moved**2).sum(axis=3)
    variance += judge.structure.scale(value) ** 2
    variance = variance * evidence.variance[..., None] + evidence.drift[:, None, None] * distance * value**2
    degrees = evidence.degrees[:, None, None]
    half = (degrees + 1) / 2
    log = gammaln(half) - gammaln(degrees / 2) - 0.5 * np.log(np.pi * degrees * variance)
    log = log - half * np.log1p((target[:, None] - value) ** 2 / (degrees * variance))
    mixture: FloatArray = (evidence.weight[..., None] * np.exp(log)).sum(axis=1)
    return np.log(np.maximum(mixture, 1e-300))

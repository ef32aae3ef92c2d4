"""Models of one parameter: all hypotheses weighed for every kernel."""

from dataclasses import replace

import numpy as np

from ingest.arrays import BoolArray, IntArray
from pipeline.models.fit_context import FitContext, make_context, setting_of
from pipeline.models.forward_validation import Setting
from pipeline.models.observations import Observations, Sample, sample_of
from pipeline.models.options import ModelOptions
from pipeline.models.posterior import Posterior, in_order
from pipeline.models.quality import Note, correlation_of_errors, notes, quality_of
from pipeline.models.regimes import last_regime
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.search_space import SearchSpace

BLOCK = 256  # kernels weighed at once: a few MiB, whatever the number of kernels
ANOTHER_CHANGE = 0.1  # drift per root of a doubling of kernels that changed their behaviour once already


def experiment_setting(parameter: str, data: Observations, options: ModelOptions) -> Setting:
    """Choose the setting in which all kernels are fitted."""
    return setting_of(parameter, sample_of(data), options, options.nonnegative and data.nonnegative)


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
    context = make_context(parameters[0], sample, options, nonnegative, setting)
    parts: list[tuple[IntArray, Posterior]] = []
    start = np.zeros(len(sample), dtype=np.int64)
    unexplained = np.zeros(len(sample), dtype=bool)
    for first in range(0, max(len(sample), 1), BLOCK):
        kernels = np.arange(first, min(first + BLOCK, len(sample)))
        weighed, misfits = context.posterior(sample.take(kernels))
        doubtful, unexplained[kernels] = kernels[misfits], misfits
        start[doubtful] = last_regime(context, sample.take(doubtful))
        same = np.flatnonzero(start[kernels] == 0)
        parts.append((kernels[same], weighed.take(same)))
        parts += _weigh_last_regimes(context, sample, doubtful[start[doubtful] > 0], start)
    return _assemble(parameters, data, context, in_order(parts), start, unexplained)


def _weigh_last_regimes(
    context: FitContext, sample: Sample, kernels: IntArray, start: IntArray
) -> list[tuple[IntArray, Posterior]]:
    parts, one_term = [], context.one_term()
    for place in np.unique(start[kernels]):
        some = kernels[start[kernels] == place]
        last = sample.take(some).between(int(place), len(sample.points))
        weighed = one_term.at(last.points).posterior_of_segment(last)
        rivals = replace(weighed.rivals, drift=np.sqrt(weighed.rivals.drift**2 + ANOTHER_CHANGE**2))
        before = sample.level[some, :place] * sample.largest[some, None]
        parts.append((some, replace(weighed, rivals=rivals).with_points_before(before)))
    return parts


def _assemble(
    parameters: tuple[str, ...],
    data: Observations,
    context: FitContext,
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

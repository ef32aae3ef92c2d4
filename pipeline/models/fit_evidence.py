"""Models of one parameter by the evidence for all hypotheses."""

from dataclasses import dataclass, fields

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.evidence import Evidence, Judge, Sample, appoint, precision_of
from pipeline.models.forward_validation import choose_setting, heaviest
from pipeline.models.generalised_fits import design_columns
from pipeline.models.observations import Observations
from pipeline.models.options import ModelOptions
from pipeline.models.quality import correlation_of_errors, notes, smape
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.search_space import SpaceChoice, one_parameter_space

BLOCK = 256  # kernels weighed at once: a few MiB, whatever the number of kernels
POOL = 512  # kernels of most effort over which the errors are pooled
PLAUSIBLE = 1e-3  # a rival that is less probable is forgotten
FALLS = 1.2  # the first value over the smallest later one, from which a kernel is tried as falling
NEGATIVE = 0.01  # of the largest value: more below zero means that the quantity can be negative


def sample_of(data: Observations) -> Sample:
    """Scale each kernel to a largest mean of 1."""
    largest = np.abs(data.mean).max(axis=1)
    size = np.where(largest > 0, largest, 1.0)[:, None]
    level = data.mean / size
    later = np.where(data.measured, level, np.inf)[:, 1:].min(axis=1, initial=np.inf)
    falls = (level[:, 0] > FALLS * later) & data.measured[:, 0]
    return Sample(data.points[:, 0], level, data.count, data.squares / size**2, falls, largest)


def cannot_be_negative(data: Observations, options: ModelOptions) -> bool:
    """Tell whether coefficients and predictions stay above zero: on request, unless the data go below."""
    largest = np.abs(data.mean).max(axis=1, initial=0)
    return options.nonnegative and bool((data.mean.min(axis=1, initial=0) >= -NEGATIVE * largest).all())


def fit_by_evidence(parameters: tuple[str, ...], data: Observations, options: ModelOptions) -> ScalingModels:
    """Weigh all hypotheses for every kernel, with settings chosen by forward validation.

    Memory: the data, the models kept, and a few MiB for one block of kernels.
    """
    sample, nonnegative = sample_of(data), cannot_be_negative(data, options)
    choice = SpaceChoice(falling=bool(sample.falls.any()))
    setting = choose_setting(sample, options, choice, nonnegative)
    space = one_parameter_space(options, float(sample.points[0]), setting.choice)
    columns = design_columns(space, sample.points)
    judge = appoint(space, columns, setting.structure, sample.take(heaviest(sample, POOL)), nonnegative)
    blocks = [
        _weigh_block(judge, sample.take(np.arange(start, min(start + BLOCK, len(data.mean)))))
        for start in range(0, len(data.mean), BLOCK)
    ]
    return _assemble(parameters, data, judge, _joined(blocks))


@dataclass(frozen=True, eq=False)
class Block:
    """What is kept of the evidence on some kernels, in the units of the data; see `ScalingModels`."""

    chosen: IntArray
    weight: FloatArray
    coefficients: FloatArray
    covariance: FloatArray
    degrees: FloatArray
    drift: FloatArray
    misfit_share: FloatArray
    growing: FloatArray
    fitted: FloatArray
    left_out: FloatArray


def _weigh_block(judge: Judge, sample: Sample) -> Block:
    evidence = judge.weigh(sample)
    size = np.where(sample.weight > 0, sample.weight, 1.0)
    order = np.argsort(-evidence.weight, axis=1, kind="stable")
    weight = np.take_along_axis(evidence.weight, order, axis=1)
    kept = int((weight > PLAUSIBLE).sum(axis=1).max(initial=1))
    order, weight = order[:, :kept], weight[:, :kept]
    plausible = weight > PLAUSIBLE
    weight = weight * plausible
    index = (np.arange(len(order))[:, None], order)
    root = evidence.fits.root[index] * np.sqrt(evidence.variance[index])[..., None, None]
    root *= size[:, None, None, None]
    fitted, left_out = _predicted(judge, sample, evidence, order[:, 0])
    return Block(
        chosen=np.where(plausible, order, -1),
        weight=weight / weight.sum(axis=1, keepdims=True),
        coefficients=evidence.fits.coefficients[index] * size[:, None, None],
        covariance=root @ np.swapaxes(root, 2, 3),
        degrees=evidence.degrees,
        drift=np.sqrt(evidence.drift),
        misfit_share=evidence.misfit_share,
        growing=(evidence.weight * judge.space.growing).sum(axis=1),
        fitted=fitted * size[:, None],
        left_out=left_out * size[:, None],
    )


def _predicted(
    judge: Judge, sample: Sample, evidence: Evidence, best: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the chosen model's values at the points, each fitted with it and without, float64[K, P]."""
    design = judge.space.design(sample.points)[best]
    index = (np.arange(len(best)), best)
    fitted = np.einsum("kpc,kc->kp", design, evidence.fits.coefficients[index])
    moved = np.einsum("kpc,kcd->kpd", design, evidence.fits.root[index])
    precision = precision_of(judge.structure, sample)
    residual = np.where(sample.measured, sample.level - fitted, 0.0)
    # Generalised PRESS: the error of leaving point p out is (Q r)_p / Q_pp, Q = G - G X (X'GX)^-1 X'G.
    weighted = np.einsum("kpq,kqc->kpc", precision, moved)
    slack = np.einsum("kpp->kp", precision) - (weighted**2).sum(axis=2)
    known = slack > 1e-9 * np.einsum("kpp->kp", precision)
    error = np.einsum("kpq,kq->kp", precision, residual) / np.where(known, slack, 1.0)
    return fitted, np.where(known, sample.level - error, 0.0)


def _joined(blocks: list[Block]) -> Block:
    """Put blocks together; those with fewer rivals are filled up with none."""
    most = max(block.chosen.shape[1] for block in blocks)
    joined = {}
    for field in fields(Block):
        arrays = [getattr(block, field.name) for block in blocks]
        if field.name in {"chosen", "weight", "coefficients", "covariance"}:
            nothing = -1 if field.name == "chosen" else 0
            missing = [[(0, most - a.shape[1]) if n == 1 else (0, 0) for n in range(a.ndim)] for a in arrays]
            arrays = [np.pad(a, m, constant_values=nothing) for a, m in zip(arrays, missing, strict=True)]
        joined[field.name] = np.concatenate(arrays)
    return Block(**joined)


def _assemble(parameters: tuple[str, ...], data: Observations, judge: Judge, kept: Block) -> ScalingModels:
    measured = data.measured
    first, last = data.points.min(axis=0), data.points.max(axis=0)
    return ScalingModels(
        parameters=parameters,
        terms=judge.space.terms,
        hypotheses=judge.space.hypotheses,
        first=first,
        last=last,
        nonnegative=judge.nonnegative,
        correlation=correlation_of_errors(data.mean - kept.fitted, measured, kept.misfit_share),
        chosen=kept.chosen,
        weight=kept.weight,
        coefficients=kept.coefficients,
        covariance=kept.covariance,
        degrees=kept.degrees,
        drift=kept.drift,
        valid_from=np.repeat(first[None], len(kept.weight), axis=0),
        probability_growing=np.clip(kept.growing, 0.0, 1.0),
        smape=smape(kept.fitted, data.mean, measured),
        cv_smape=smape(kept.left_out, data.mean, measured),
        points=measured.sum(axis=1),
        repetitions=data.count.max(axis=1),
        note=notes(data),
    )

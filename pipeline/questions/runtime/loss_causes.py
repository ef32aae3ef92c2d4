"""Why efficiency is lost: communication, load imbalance, waiting, start-up, or more computation?

What is lost is split by what regions do. Those that communicate or wait contain the waiting for the slowest
location, so the imbalance of useful time, as POP defines it, is taken out of them. Late senders and transfer
cannot be distinguished in profiles.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.region_class import Activity, region_class
from pipeline.models.prediction import LEVEL, Prediction
from pipeline.models.total import Groups
from pipeline.questions.groups import NAMES, NO_GROUPS, group_kernels
from pipeline.questions.runtime.estimate import from_prediction
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.losses import Losses, beyond_ideal
from pipeline.questions.runtime.pop import imbalance_at

IMBALANCE = "load imbalance"
WAITS = (NAMES[Activity.COMMUNICATION], NAMES[Activity.WAITING])


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A part of what is lost at a point.

    Attributes:
        name: what regions do, or ``load imbalance``.
        core_seconds: lost by it; below zero is gained.
        share: of all that is lost.
        interval: both ends of the 90 % interval of the share; None if it is measured or not between 0 and 1.
        region: the one that loses most by it; empty for load imbalance.
    """

    name: str
    core_seconds: float
    share: float
    interval: tuple[float, float] | None
    region: str


def loss_causes(study: RuntimeStudy, losses: Losses) -> tuple[Cause, ...]:
    """Split what is lost at a point by why, the largest part first.

    Returns:
        The parts, which add up to what is lost; none if nothing is lost, or all regions do the same. Without
        ``load imbalance``, it was not measured process by process.
    """
    if losses.total <= 0:
        return ()
    names, parts = _parts(study, losses)
    before = parts.value[:, 1]
    lost, lower, upper = (
        beyond_ideal(study, losses.point, end[:, 0], before)
        for end in (parts.value, parts.lower, parts.upper)
    )
    total = float(lost.sum())
    if len(names) < 2 or not total > 0:
        return ()
    shares = None if losses.measured else _shares(lost, lower, upper)
    regions = _largest_regions(study, losses)
    return tuple(
        Cause(
            name=names[n],
            core_seconds=float(lost[n]),
            share=float(lost[n]) / total,
            interval=None if shares is None or np.isnan(shares[0, n]) else (shares[0, n], shares[1, n]),
            region=regions.get(names[n], ""),
        )
        for n in np.argsort(-lost, kind="stable").tolist()
    )


def _parts(study: RuntimeStudy, losses: Losses) -> tuple[list[str], Prediction]:
    """Return what takes time at the point of the losses and at its reference, in two columns."""
    points = np.stack([losses.point, study.references(losses.point[None])[0]])
    known, place = study.measured_at(points)
    measured = known & [losses.measured, True]
    level = study.analysis.callpaths
    kernels, group = group_kernels(level.kernels, NO_GROUPS)
    seen = np.nan_to_num(kernels.mean[:, place])
    ahead = Groups(level.models, group, len(kernels)).predict(points, LEVEL)
    value, lower, upper = (np.where(measured, seen, end) for end in (ahead.value, ahead.lower, ahead.upper))
    found, names = Prediction(value, lower, upper), kernels.regions
    uneven = imbalance_at(study, points, measured)
    waits = np.isin(names, WAITS)
    if uneven is None or not waits.any():
        return names, found
    waiting = value[waits].sum(axis=0)
    taken = np.minimum(uneven.value[0], waiting)
    left = 1 - np.divide(taken, waiting, out=np.zeros(2), where=waiting > 0)
    of_uneven = np.divide(taken, uneven.value[0], out=np.zeros(2), where=uneven.value[0] > 0)
    ends = (
        np.vstack([np.where(waits[:, None], end * left, end), more * of_uneven])
        for end, more in ((value, uneven.value), (lower, uneven.lower), (upper, uneven.upper))
    )
    return [*names, IMBALANCE], Prediction(*ends)


def _shares(lost: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the ends of the intervals of shares, float64[2, n]; NaN where parts or rest are not lost."""
    below, above = (lost - lower) ** 2, (upper - lost) ** 2
    rest = lost.sum() - lost
    low, high = (np.sqrt(side.sum() - side) for side in (below, above))
    part = from_prediction(Prediction(lost[None], lower[None], upper[None]))
    ratio = part.over(from_prediction(Prediction(rest[None], (rest - low)[None], (rest + high)[None])))
    with np.errstate(invalid="ignore"):
        ends = np.stack([ratio.lower, ratio.upper])
        shares = np.where(np.isinf(ends), 1.0, ends / (1 + ends))
    return np.where((lost > 0) & (rest > 0), shares, np.nan)


def _largest_regions(study: RuntimeStudy, losses: Losses) -> dict[str, str]:
    """Return the region with the largest loss of each group."""
    kernels = study.analysis.regions.kernels
    paradigms = dict(zip(kernels.regions, kernels.paradigms, strict=True))
    found: dict[str, str] = {}
    for region, lost in zip(losses.regions, losses.core_seconds.tolist(), strict=True):  # the largest first
        if lost > 0:
            found.setdefault(NAMES[region_class(paradigms[region], region).activity], region)
    return found

"""What is lost against ideal scaling, region by region, so that the regions add up to the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.region_class import Activity, region_class
from pipeline.models.kernels import NOT_WORK
from pipeline.models.prediction import LEVEL, Prediction
from pipeline.models.total import Groups
from pipeline.questions.groups import GROUP_NAMES, NO_GROUPS, group_kernels
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.estimate import from_prediction
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.pop import imbalance_at
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import point_text, shorten_middle


@dataclass(frozen=True, eq=False, kw_only=True)
class Losses:
    """Effort at a point beyond that of its reference; below zero is gained."""

    point: FloatArray  # float64[D]
    measured: bool  # whether the efforts at the point are measured rather than predicted
    regions: tuple[str, ...]  # K names, the largest loss first
    # ``kernel``, or what is not the program's work: ``start-up and shut-down`` and ``measurement system``
    kinds: tuple[str, ...]
    core_seconds: FloatArray  # float64[K]

    @property
    def total(self) -> float:
        """Core-seconds lost in all."""
        return float(self.core_seconds.sum())


def losses(study: RuntimeStudy, point: FloatArray, *, measured: bool) -> Losses | None:
    """Split what is lost at a point, as measured there or predicted, by region.

    Under strong scaling it is the effort there less that at the reference; under weak scaling the time of a
    location there less that at the reference, times the locations. None if nothing scales or the number of
    locations is needed and unknown.
    """
    if not study.scales:
        return None
    reference = study.references(point[None])
    here = _region_totals(study, point, measured=measured)
    before = _region_totals(study, reference[0], measured=bool(study.measured_at(reference)[0][0]))
    lost = _beyond_ideal(study, point, here, before)
    if not np.isfinite(lost).all():
        return None
    kernels = study.analysis.regions.kernels
    names = kernels.regions
    order = np.argsort(-lost, kind="stable")
    return Losses(
        point=point,
        measured=measured,
        regions=tuple(names[k] for k in order.tolist()),
        kinds=tuple(kind(kernels.paradigms[k], names[k]) for k in order.tolist()),
        core_seconds=lost[order],
    )


def _beyond_ideal(study: RuntimeStudy, point: FloatArray, here: FloatArray, before: FloatArray) -> FloatArray:
    """Return what parts lose, core-seconds, float64[K], from what they take at a point and its reference."""
    if not study.per_location:
        return here - before
    locations = study.locations(np.stack([point, study.references(point[None])[0]]))
    weak = study.comparison is Comparison.WEAK
    return np.asarray(here * locations[0] - before * locations[0 if weak else 1])


def _region_totals(study: RuntimeStudy, point: FloatArray, *, measured: bool) -> FloatArray:
    """Return the measured or predicted values of the regions at a point, float64[K]."""
    regions = study.analysis.regions
    if not measured:
        return regions.models.predict(point[None]).value[:, 0]
    _, place = study.measured_at(point[None])
    return np.nan_to_num(regions.kernels.mean[:, place[0]])


def kind(paradigm: str, region: str) -> str:
    """Return ``kernel``, or the activity of a region that is not part of the program's work."""
    activity = region_class(paradigm, region).activity
    return activity.value if activity in NOT_WORK else "kernel"


_IMBALANCE = "load imbalance"
_LEAST_SHARE = 0.01  # of what is lost: smaller parts are not named
_NAME_WIDTH = 32
_WORDS = {GROUP_NAMES[Activity.COMPUTATION]: "more computation"}
_WAITS = (GROUP_NAMES[Activity.COMMUNICATION], GROUP_NAMES[Activity.WAITING])


@dataclass(frozen=True, kw_only=True)
class LossCause:
    """A part of what is lost at a point."""

    cause: str  # what regions do, or ``load imbalance``
    core_seconds: float  # lost by it; below zero is gained
    share: float  # of all that is lost
    # both ends of the 90 % interval of the share; None if it is measured or not between 0 and 1
    interval: tuple[float, float] | None
    region: str  # the one that loses most by it; empty for load imbalance


def causes_sentence(lost: Sequence[tuple[Mapping[str, float], Sequence[LossCause]]]) -> str:
    """Say why efficiency is lost at points; empty if that is unknown."""
    known = [one for one in lost if one[1]]
    found = [f"at {point_text(at)} to {causes_text(causes)}" for at, causes in known]
    uneven = any(one.cause == _IMBALANCE for _, causes in known for one in causes)
    return f"Lost {'; '.join(found)}{'' if uneven else '; load imbalance: unknown'}." if found else ""


def causes_text(causes: Sequence[LossCause]) -> str:
    """Name what loses with its shares, of the largest the region: ``communication 61 % (MPI_Send), ...``."""
    parts = [_part(one) for one in causes if abs(one.share) >= _LEAST_SHARE]
    region = causes[0].region
    if region and causes[0].cause != GROUP_NAMES[Activity.START_UP]:  # which says by itself what it is
        parts[0] += f" ({shorten_middle(shown_name(region), _NAME_WIDTH)})"
    return ", ".join(parts)


def main_cause(causes: Sequence[LossCause], than: str = "") -> str:
    """Write the largest share and what it goes to, unless that is the same elsewhere: ``90 % by waiting``."""
    first = causes[0]
    share = f"{100 * first.share:.0f} %"
    return share if first.cause == than else f"{share} by {_WORDS.get(first.cause, first.cause)}"


def _part(one: LossCause) -> str:
    text = f"{_WORDS.get(one.cause, one.cause)} {100 * one.share:.0f} %"
    if one.interval is None:
        return text
    low, high = one.interval
    return f"{text} ({100 * low:.0f} to {100 * high:.0f} %)"


def loss_causes(study: RuntimeStudy, losses: Losses) -> tuple[LossCause, ...]:
    """Split what is lost at a point by why, the largest part first.

    The parts add up to what is lost; there are none if nothing is lost, or all regions do the same. Without
    ``load imbalance``, it was not measured process by process.
    """
    if losses.total <= 0:
        return ()
    names, parts = _parts(study, losses)
    before = parts.value[:, 1]
    lost, lower, upper = (
        _beyond_ideal(study, losses.point, end[:, 0], before)
        for end in (parts.value, parts.lower, parts.upper)
    )
    total = float(lost.sum())
    if len(names) < 2 or not total > 0:
        return ()
    shares = None if losses.measured else _shares(lost, lower, upper)
    regions = _largest_regions(study, losses)
    return tuple(
        LossCause(
            cause=names[n],
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
    waits = np.isin(names, _WAITS)
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
    return [*names, _IMBALANCE], Prediction(*ends)


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
            found.setdefault(GROUP_NAMES[region_class(paradigms[region], region).activity], region)
    return found

"""What is lost against ideal scaling, region by region, so that the regions add up to the whole."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.region_class import region_class
from pipeline.models.kernels import NOT_WORK
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.figures import RuntimeStudy


@dataclass(frozen=True, eq=False, kw_only=True)
class Losses:
    """Effort at a point beyond that of its reference; below zero is gained.

    Attributes:
        point: float64[D].
        measured: whether the efforts at the point are measured rather than predicted.
        regions: K names, the largest loss first.
        kinds: ``kernel``, or what does not belong to the program's work: ``start-up and shut-down`` and
            ``measurement system``.
        core_seconds: float64[K].
    """

    point: FloatArray
    measured: bool
    regions: tuple[str, ...]
    kinds: tuple[str, ...]
    core_seconds: FloatArray

    @property
    def total(self) -> float:
        """Core-seconds lost in all."""
        return float(self.core_seconds.sum())


def losses(study: RuntimeStudy, point: FloatArray, *, measured: bool) -> Losses | None:
    """Split what is lost at a point by region.

    Under strong scaling it is the effort there less that at the reference; under weak scaling the time of a
    location there less that at the reference, times the locations.

    Args:
        study: the study.
        point: float64[D].
        measured: whether to take what was measured there; else it is predicted.

    Returns:
        The losses; None if nothing scales or the number of locations is needed and unknown.
    """
    if not study.scales:
        return None
    reference = study.references(point[None])
    here = region_totals(study, point, measured=measured)
    before = region_totals(study, reference[0], measured=bool(study.measured_at(reference)[0][0]))
    lost = beyond_ideal(study, point, here, before)
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


def beyond_ideal(study: RuntimeStudy, point: FloatArray, here: FloatArray, before: FloatArray) -> FloatArray:
    """Return what parts lose, core-seconds, float64[K], from what they take at a point and its reference."""
    if not study.per_location:
        return here - before
    locations = study.locations(np.stack([point, study.references(point[None])[0]]))
    weak = study.comparison is Comparison.WEAK
    return np.asarray(here * locations[0] - before * locations[0 if weak else 1])


def region_totals(study: RuntimeStudy, point: FloatArray, *, measured: bool) -> FloatArray:
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

"""What if some kernels took more or less time, or all locations took the mean?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError
from ingest.region_class import Activity, region_class
from pipeline.models.kernels import Kernels, is_time, start_up
from pipeline.questions.analysis import Analysis
from pipeline.questions.bottlenecks import shares
from pipeline.questions.groups import named_kernels
from pipeline.questions.runtime.figures import Figures, RuntimeStudy
from pipeline.questions.runtime.pop import predicted_imbalance
from pipeline.questions.scaled_study import scaled_study

OPTION = "--what-if"
HINT = "write 'MPI_Allreduce=0.5', 'communication=0' or 'balanced'"
BALANCED = "balanced"
WAITS = (Activity.COMMUNICATION, Activity.WAITING)


@dataclass(frozen=True)
class Change:
    """A factor of the time of what a name stands for: a group, a region, a call path or a pattern."""

    name: str
    factor: float


def read_changes(texts: Sequence[str]) -> tuple[list[Change], bool]:
    """Read changes, and whether all locations are to take the mean.

    Raises:
        UsageError: a text is none.
    """
    found = []
    for text in texts:
        name, equals, number = text.rpartition("=")
        if text.strip() == BALANCED:
            continue
        try:
            factor = float(number)
        except ValueError:
            factor = math.nan
        if not equals or not name.strip() or not 0 <= factor < math.inf:
            raise UsageError(f"'{text}' is no change", where=OPTION, hint=HINT)
        found.append(Change(name.strip(), factor))
    return found, len(found) < len(texts)


def what_if(analysis: Analysis, texts: Sequence[str]) -> Analysis:
    """Return a study as it would be after changes; that of no change is the study itself.

    A kernel that several changes name takes all of their factors. Where all locations take the mean, nobody
    waits for the longest: communication and waiting are shorter by the imbalance of useful time.

    Raises:
        UsageError: a change is none, names nothing, or the study is not of times.
    """
    if not texts:
        return analysis
    changes, balanced = read_changes(texts)
    kernels = analysis.callpaths.kernels
    if not (analysis.additive and is_time(kernels.metric, kernels.unit)):
        hint = analysis.how_to_model_time
        raise UsageError(f"the models are of {kernels.metric}, not of time", where=OPTION, hint=hint)
    constant = np.ones(len(kernels))
    for change in changes:
        named = named_kernels(kernels, analysis.own_groups, change.name, OPTION, HINT)
        constant[named] *= change.factor
    if balanced:
        return _balanced(analysis, constant)
    if (constant == 1).all():
        return analysis
    return scaled_study(analysis, lambda points: np.repeat(constant[:, None], len(points), axis=1))


def _of_activities(kernels: Kernels, activities: Sequence[Activity]) -> BoolArray:
    pairs = zip(kernels.paradigms, kernels.regions, strict=True)
    return np.array([region_class(*pair).activity in activities for pair in pairs], dtype=np.bool_)


def _balanced(analysis: Analysis, constant: FloatArray) -> Analysis:
    study = RuntimeStudy(analysis)
    waits = _of_activities(analysis.callpaths.kernels, WAITS)
    if predicted_imbalance(study, analysis.experiment.points[:1]) is None or not waits.any():
        hint = "profiles with the times of each process have it"
        raise UsageError("it is unknown who waits for whom", where=f"{OPTION} {BALANCED}", hint=hint)

    def factors(points: FloatArray) -> FloatArray:
        imbalance = predicted_imbalance(study, points)
        assert imbalance is not None
        waiting = analysis.callpaths.models.expected(points)[waits].sum(axis=0)
        gone = np.divide(imbalance, waiting, out=np.zeros(len(points)), where=waiting > 0)
        left = np.where(waits[:, None], np.clip(1 - gone, 0.0, 1.0), 1.0)
        return np.asarray(left * constant[:, None])

    return scaled_study(analysis, factors)


@dataclass(frozen=True, eq=False, kw_only=True)
class Effect:
    """What changes do at Q points.

    Attributes:
        points: float64[Q, D].
        before, after: what is predicted of the study as it is, and as it would be.
        largest: the region that takes most then, at each point, besides start-up and shut-down.
        share: float64[Q], of the total that it takes then.
    """

    points: FloatArray
    before: Figures
    after: Figures
    largest: tuple[str, ...]
    share: FloatArray


def effect(before: Analysis, after: Analysis, points: FloatArray) -> Effect:
    """Compare a study with what it would be at points float64[Q, D]."""
    predicted = np.zeros(len(points), dtype=np.bool_)
    values = after.regions.models.expected(points)
    apart = start_up(after.regions.kernels)
    largest = np.where(apart[:, None], -1.0, values).argmax(axis=0)
    names = after.regions.kernels.regions
    return Effect(
        points=points,
        before=RuntimeStudy(before).figures(points, predicted),
        after=RuntimeStudy(after).figures(points, predicted),
        largest=tuple(names[k] for k in largest.tolist()),
        share=shares(values)[largest, np.arange(len(points))],
    )

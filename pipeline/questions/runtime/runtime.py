"""The runtime of a study: its figures at measured points and targets, its limits, losses and trust."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray
from ingest.run_checks import worst_share
from ingest.scaling import OTHERWISE
from pipeline.models.back_test import BackTest
from pipeline.models.kernels import is_time, start_up
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.models.total import wild_last_run
from pipeline.questions.analysis import Analysis, largest_point
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.figures import Figures, RuntimeStudy
from pipeline.questions.runtime.limits import Limit, efficient_up_to, fastest, scales_in_view, up_to, within
from pipeline.questions.runtime.losses import LossCause, Losses, loss_causes, losses
from pipeline.questions.runtime.pop import PopParts, pop_parts
from pipeline.questions.runtime.trust import Verdict, noise_of, verdict

_UNEVEN = 1.05  # longest location over the mean, from which wall time is doubted


@dataclass(frozen=True, eq=False, kw_only=True)
class Runtime:
    """How long a program takes, how far it scales and what is lost."""

    parameter: str  # the one that scales
    comparison: Comparison  # what scales are compared by
    effort_unit: str  # of efforts and losses: ``core-s``, ``node-s`` or, as times of accelerators, ``GPU-s``
    per: str  # what times are of, such as ``per visit of solve``; empty if of whole runs
    rate_unit: str  # of the rate that times were made from: ``ns/day``; empty without one
    figures: Figures  # at the measured points in their order, then at the targets in theirs
    of_work: Figures | None  # at the measured points, without start-up and shut-down; None if there is none
    threshold: float  # the efficiency that `efficient_up_to` asks for
    # the scale of the least wall time up to the last target; None unless under strong scaling
    fastest: Limit | None
    efficient_up_to: Limit | None  # the largest scale of the efficiency asked for; None if there is none
    losses: tuple[Losses, ...]  # at the largest measured point, and at the last target
    causes: tuple[tuple[LossCause, ...], ...]  # why each of these is lost
    # the parts of the POP efficiencies at the targets; None if communication was not measured
    pop: PopParts | None
    # predicting the largest measured scale from the smaller ones; None if too few are left
    back_test: BackTest | None
    trust: Verdict  # how far the predictions can be trusted, and why
    notices: tuple[str, ...]  # what limits the figures, one sentence each
    observed: str  # as of the analysis: measured, or projected


def runtime(
    analysis: Analysis, targets: FloatArray, min_efficiency: float = MIN_EFFICIENCY
) -> Runtime | None:
    """Derive the runtime of a study of time that adds up from its measurements and models; else None.

    Limits, the scale of the least efficiency among them, and losses are those up to the last target. With too
    few scales to predict from, there are none: all is measured.
    """
    figures = runtime_figures(analysis, targets)
    if figures is None:
        return None
    study, target, targets = RuntimeStudy(analysis), targets[-1], figures.points[~figures.measured]
    everything = scales_in_view(study, target)
    along = up_to(everything, study, figures)
    limit = efficient_up_to(study, everything, min_efficiency)
    lost = _losses(study, target)
    return Runtime(
        parameter=analysis.parameter,
        comparison=study.comparison,
        effort_unit=study.effort_unit,
        per=analysis.experiment.per.text if analysis.experiment.per else "",
        rate_unit=study.rate.text if study.rate else "",
        figures=figures,
        of_work=_figures_of_work(analysis),
        threshold=min_efficiency,
        fastest=fastest(study, along),
        efficient_up_to=within(limit, along),
        losses=lost,
        causes=tuple(loss_causes(study, one) for one in lost),
        pop=pop_parts(study, targets) if len(targets) else None,
        back_test=analysis.back_test,
        trust=_trust(study, figures),
        notices=tuple(_notices(study, figures)),
        observed=analysis.observed,
    )


def runtime_figures(analysis: Analysis, targets: FloatArray) -> Figures | None:
    """Return the figures of a `Runtime`; None if the models are not of time."""
    kernels = analysis.callpaths.kernels
    if not (analysis.additive and is_time(kernels.metric, kernels.unit)):
        return None
    measured = analysis.experiment.points
    points = measured if analysis.is_profile else np.vstack([measured, targets])
    return RuntimeStudy(analysis).figures(points, np.arange(len(points)) < len(measured))


def runtimes_along(analysis: Analysis, found: Runtime, targets: FloatArray) -> Iterator[Runtime]:
    """Yield the runtime of a study at each of some targets, which differ in what scales alone.

    What is lost, and to what, stays that of `found`, since it takes models of every region.
    """
    study, measured = RuntimeStudy(analysis), analysis.experiment.points
    known = np.arange(len(measured))
    figures = study.figures(
        np.vstack([measured, targets]), np.arange(len(measured) + len(targets)) < len(measured)
    )
    farthest = len(measured) + int(targets[:, study.column].argmax())
    everything = scales_in_view(study, figures.points[farthest])
    limit = efficient_up_to(study, everything, found.threshold)
    for q in range(len(measured), len(figures.points)):
        here = figures.take(np.append(known, q))
        along = up_to(everything, study, here)
        yield replace(
            found,
            figures=here,
            fastest=fastest(study, along),
            efficient_up_to=within(limit, along),
            trust=_trust(study, here),
            notices=tuple(_notices(study, here)),
        )


def _trust(study: RuntimeStudy, figures: Figures) -> Verdict:
    """Judge the farthest target, or what was measured if there is none."""
    analysis = study.analysis
    rows = np.flatnonzero(~figures.measured) if not figures.measured.all() else np.arange(len(figures.points))
    ahead = rows[figures.extrapolation[rows].argmax()]
    total = figures.wall if study.per_location else figures.effort
    return verdict(
        scales=len(np.unique(analysis.experiment.points[:, study.column])),
        repetitions=analysis.experiment.shape[1],
        noise=noise_of(analysis.callpaths.kernels.total.values[0]),
        extrapolation=float(study.extrapolated(figures.points[[ahead]])[0]),
        spread=float(np.exp(total.below[ahead] + total.above[ahead])),
        back_test=analysis.back_test,
        correction=analysis.experiment.correction,
        overhead_left=analysis.experiment.overhead_left,
        covered=worst_share([run.attributes for run in analysis.experiment.runs]),
    )


def _figures_of_work(analysis: Analysis) -> Figures | None:
    measured = analysis.experiment.points
    if not start_up(analysis.callpaths.kernels).any():
        return None
    return RuntimeStudy(analysis, of_work=True).figures(measured, np.ones(len(measured), dtype=np.bool_))


def _losses(study: RuntimeStudy, target: FloatArray) -> tuple[Losses, ...]:
    """Losses at the largest measured point, with the other parameters of the target if any is, and there."""
    measured = study.analysis.experiment.points
    others = np.delete(measured, study.column, axis=1)
    same = np.flatnonzero((others == np.delete(target, study.column)).all(axis=1))
    rows = same if len(same) else np.arange(len(measured))
    largest = measured[rows][largest_point(measured[rows], study.column)]
    found = [losses(study, largest, measured=True)]
    if not study.analysis.is_profile:
        found.append(losses(study, target, measured=False))
    return tuple(one for one in found if one is not None)


def _notices(study: RuntimeStudy, figures: Figures) -> list[str]:
    models = study.analysis.callpaths.models
    found = wild_last_run(models if models.whole is None else models.whole)
    if OTHERWISE in study.analysis.decision.reason:
        found.append(study.analysis.decision.reason)
    if study.comparison is Comparison.UNKNOWN:
        found.append(
            f"whether the problem grows with {study.analysis.parameter} is unknown, so there is no speed-up "
            "and no efficiency; use --scaling strong or weak"
        )
    elif study.comparison is not Comparison.SIZE and study.analysis.experiment.is_series:
        found.append(f"the number of locations is taken to be {study.analysis.parameter}")
    elif (np.isnan(figures.locations) & np.isnan(figures.wall.value)).any():
        found.append("the number of locations at some points is unknown, so there is no wall time")
    if study.rate is not None and np.isnan(figures.rate.value).any():
        found.append(
            f"{study.rate.text} is not known everywhere: runs do neither equally much work nor equally much"
            " on each location"
        )
    uneven = figures.longest > _UNEVEN * figures.wall.value
    if uneven.any():
        most = (figures.longest[uneven] / figures.wall.value[uneven]).max()
        found.append(
            f"the longest location takes up to {most:.2g} times the mean: wall times, which are "
            "effort over locations, are too short by that"
        )
    return found

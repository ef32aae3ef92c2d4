"""True times from instrumented programs: the overhead of measuring is taken out of an experiment."""

from dataclasses import replace

import numpy as np

from filters.event_cost import EventCost, Visited, contradiction, usual_cost
from filters.known_plain import RUN_SPREAD, TAIL, KnownPlain
from filters.plain_time import PlainTimes, estimate_plain_times, measurable_callers
from filters.rejected_visits import Hooks, RejectedVisits, hook_times
from ingest.alignment import REDUCTIONS
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.experiment import TIME, VISITS, Experiment, OverheadCorrection, RunRecord
from ingest.number_text import figure, percent
from ingest.reduction import Reduction
from ingest.run_settings import not_instrumented

_NOTICEABLE = 0.05  # of the measured computing time, from which overhead distorts models
_UNCERTAIN = 1.5  # factor either way, from which a further measurement is worth proposing
_UNCOUNTED_HOOKS = (
    "a filter rejected visits at run time, and nothing tells how many: give runs without the filter "
    "(--calibrate) or a run time without instrumentation (--baseline-time)"
)
_NOISE = 3.0  # standard deviations of run times, by which they differ from one run to the next
_LONG = 0.5  # of the longest run that is known plain
OTHER_RUNS = "a run was disturbed, or they are of other runs"
_TINY = 1e-300  # core-seconds
_MOST_DEVIATION = 1.5  # of a logarithm, that a part contributes to a sum


def runs_of(experiment: Experiment) -> tuple[Visited, IntArray, IntArray] | None:
    """Return the runs with visits and times, and the point and repetition of each; None without any.

    Timers of logs and tables and functions of profilers have no visits that cost what those of instrumented
    regions do.
    """
    if experiment.is_series or not {TIME, VISITS} <= set(experiment.values):
        return None
    if any(not_instrumented(run.attributes) for run in experiment.runs):
        return None
    visits, time = (experiment.values[name].sum for name in (VISITS, TIME))
    point, repetition = np.nonzero(np.isfinite(visits).all(axis=0) & np.isfinite(time).all(axis=0))
    if not len(point):
        return None
    at = (slice(None), point, repetition)
    visited = Visited(
        tree=experiment.tree,
        regions=experiment.regions,
        visits=np.maximum(visits[at], 0.0),
        time=np.maximum(time[at], 0.0),
    )
    return visited, point, repetition


def has_noticeable_overhead(
    experiment: Experiment, cost: EventCost | None = None, rejected: RejectedVisits | None = None
) -> bool:
    """Return whether visits, rejected ones included, take a few per cent of the time.

    At most points, or at the one that computes longest, which says most about what is to come.
    """
    found = runs_of(experiment)
    if found is None:
        return False
    runs, point, _ = found
    cost = cost or usual_cost(runs)
    taken = cost.recorded * runs.events_computing
    if rejected is not None and rejected.counted:
        taken = taken + cost.filtered * rejected.visits[runs.computing].sum(axis=0)
    shares = np.divide(taken, runs.measured, out=np.zeros(len(taken)), where=runs.measured > 0)
    shares = np.minimum(shares, 1.0)
    runs_of_point = [point == p for p in np.unique(point).tolist()]
    by_point = [float(np.median(shares[some])) for some in runs_of_point]
    longest = int(np.argmax([runs.measured[some].mean() for some in runs_of_point]))
    return max(float(np.median(by_point)), by_point[longest]) > _NOTICEABLE


def correct_overhead(
    experiment: Experiment,
    cost: EventCost | None = None,
    known: KnownPlain | None = None,
    rejected: RejectedVisits | None = None,
) -> Experiment:
    """Take the overhead of measuring out of the times of all runs.

    The time of call paths whose corrected time is within the uncertainty of the correction is attributed to
    their nearest callers that can be measured, as a filter would do. The computing time of every location is
    reduced in proportion. Minima and maxima over locations follow their sum. Without visits or times it is
    returned as it is.

    The cost of a visit is by default what the runs show; plain computing times are of the runs of `runs_of`;
    `rejected` is None if no filter, or one at compile time, was applied.
    """
    found = runs_of(experiment)
    if found is None:
        return experiment
    runs, point, repetition = found
    before, measured = runs.time, runs.measured
    supported = cost is not None or known is not None
    cost = cost or usual_cost(runs)
    contradicted = contradiction_of_times(runs, known, rejected)
    hooks = None if rejected is None else hook_times(runs, rejected, cost, known)
    if hooks is not None:
        runs = replace(runs, time=runs.time - hooks.time)
    plain = estimate_plain_times(runs, cost, known)
    if hooks is not None:
        plain = _less_sure(plain, runs, hooks, known)
    home = measurable_callers(runs, plain.callpath, plain.cost, plain.measurable)
    time = np.zeros(plain.callpath.shape)
    np.add.at(time, home, plain.callpath)
    correction = _correction(runs, plain, home, cost, measured)
    correction = replace(correction, supported=supported, contradiction=contradicted)
    if hooks is not None and rejected is not None:
        share = float(hooks.time[runs.computing].sum() / max(measured.sum(), _TINY))
        correction = replace(correction, hooks=share, hooks_counted=rejected.counted)
    kept = {
        place: shares
        for place, *shares in zip(
            zip(point.tolist(), repetition.tolist(), strict=True),
            *(_kept(before, plain.callpath, rows).tolist() for rows in (runs.computing, ~runs.computing)),
            strict=True,
        )
    }
    at = (slice(None), point, repetition)
    values = {**experiment.values, TIME: _reduced(experiment.values[TIME], at, time)}
    return replace(
        experiment,
        values=values,
        runs=tuple(
            taking_less(run, *kept.get((run.point, run.repetition), (1.0, 1.0))) for run in experiment.runs
        ),
        notices=(*experiment.notices, correction_sentence(correction)),
        correction=correction,
    )


def contradiction_of_times(
    runs: Visited, known: KnownPlain | None, rejected: RejectedVisits | None = None
) -> str:
    """Say that plain times leave a visit more or less than it can cost; empty if they do not.

    What run times differ by from one run to the next says nothing, nor do short runs. A visit that a filter
    rejects at run time costs no more than a recorded one.
    """
    if known is None or (rejected is not None and not rejected.counted):
        return ""
    hooked = 0.0 if rejected is None else rejected.visits[runs.computing].sum(axis=0)
    measured, events, usual = runs.measured, runs.events_computing + hooked, usual_cost(runs)
    some = np.isfinite(known.total) & (events > 0) & (measured > 0)
    if not some.any():
        return ""
    some &= measured >= _LONG * measured[some].max()
    spent = (measured - known.total)[some]
    noise = _NOISE * np.hypot(known.spread, RUN_SPREAD)[some] * measured[some]
    beyond = np.median(np.abs(spent - usual.recorded * events[some]) / noise)
    cost = float(np.median(spent / events[some]))
    if beyond < 1.0 or (rejected is not None and cost < usual.recorded):
        return ""
    return contradiction(cost, usual)


def with_overhead_left(
    experiment: Experiment, cost: EventCost | None = None, rejected: RejectedVisits | None = None
) -> Experiment:
    """Note how much of the measured computing time overhead is expected to take, and leave it there."""
    found = runs_of(experiment)
    if found is None:
        notice = "overhead is unknown, since the runs have no visits of instrumented regions"
        return replace(experiment, notices=(*experiment.notices, notice))
    runs, _, _ = found
    cost, measured = cost or usual_cost(runs), runs.measured
    if rejected is not None:
        runs = replace(runs, time=runs.time - hook_times(runs, rejected, cost).time)
    share = 1.0 - float(estimate_plain_times(runs, cost).total.sum() / measured.sum())
    notice = f"instrumentation takes {percent(share)} of the measured computing time; times are as measured"
    return replace(experiment, notices=(*experiment.notices, notice), overhead_left=share)


def _less_sure(plain: PlainTimes, runs: Visited, hooks: Hooks, known: KnownPlain | None) -> PlainTimes:
    """Add what hooks leave uncertain; totals that are all known are not."""
    time = np.where(runs.computing[:, None], hooks.time, 0.0)
    of_total = float(hooks.deviation(plain.total.sum(), time.sum()))
    if known is not None and np.isfinite(known.total).all():
        of_total = 0.0
    return replace(
        plain,
        deviation=np.hypot(plain.deviation, hooks.deviation(plain.callpath.sum(axis=1), time.sum(axis=1))),
        total_deviation=float(np.hypot(plain.total_deviation, of_total)),
    )


def _correction(
    runs: Visited, plain: PlainTimes, home: IntArray, cost: EventCost, measured: FloatArray
) -> OverheadCorrection:
    weight = plain.callpath.sum(axis=1)
    error = np.minimum(plain.deviation, _MOST_DEVIATION) * weight
    count = len(home)
    time, errors = np.bincount(home, weight, count), np.bincount(home, error, count)
    everything, computing = float(weight.sum()), float(plain.total.sum())
    before = max(float(measured.sum()), _TINY)
    taken = np.minimum(plain.cost * runs.events_computing, runs.measured - plain.total)
    overhead = float((measured - runs.measured + taken).sum()) / before
    return OverheadCorrection(
        share=overhead,
        disturbed=max(1.0 - computing / before - overhead, 0.0),
        cost=float(np.median(plain.cost)),
        deviation=np.divide(errors, time, out=np.zeros(count), where=time > 0),
        total_deviation=plain.total_deviation * (computing / everything if everything > 0 else 0.0),
        measurable=home == np.arange(count),
        source=cost.source,
    )


def _reduced(measured: Reduction, at: tuple[slice, IntArray, IntArray], time: FloatArray) -> Reduction:
    """Put new sums into a reduction; the other values follow in proportion."""
    old = measured.sum[at]
    factor = np.divide(time, old, out=np.zeros(time.shape), where=old > 0)
    mean = measured.mean[at]
    locations = np.divide(
        old.sum(axis=0), mean.sum(axis=0), out=np.ones(old.shape[1]), where=mean.sum(axis=0) > 0
    )
    even = time / locations
    found = {}
    for name in REDUCTIONS:
        array = getattr(measured, name).copy()
        array[at] = time if name == "sum" else np.where(old > 0, array[at] * factor, even)
        found[name] = array
    return Reduction(**found)


def _kept(before: FloatArray, plain: FloatArray, rows: BoolArray) -> FloatArray:
    """Return what is left of the time of some call paths, float64[R]."""
    before, after = (time[rows].sum(axis=0) for time in (before, plain))
    return np.asarray(np.divide(after, before, out=np.ones(len(before)), where=before > 0))


def taking_less(run: RunRecord, computing: float, beside: float) -> RunRecord:
    """Reduce what every location computes, and what else it does, to shares of what was measured."""
    left = run.class_time * np.where(run.computes, computing, beside)[:, None]
    dilation = run.dilation * float(run.class_time.sum() / max(left.sum(), _TINY)) if left.any() else 1.0
    return replace(run, class_time=left, dilation=dilation)


def correction_sentence(correction: OverheadCorrection) -> str:
    """Say what was corrected and how sure it is."""
    factor = float(np.exp(TAIL * correction.total_deviation))
    hidden, count = int((~correction.measurable).sum()), len(correction.measurable)
    sure = f", the corrected total is uncertain by a factor of {figure(factor, 2)}"
    much = correction.disturbed > _NOTICEABLE
    disturbed = f" and {percent(correction.disturbed)} something else" if much else ""
    parts = [
        f"instrumentation takes {percent(correction.share)} of the measured computing time"
        + _hooks_text(correction)
        + disturbed,
        "times are corrected"
        + (sure if correction.total_deviation else " and add up to the given run times"),
    ]
    if hidden:
        parts.append(
            f"{hidden} of {count} call paths are not measurable, their time is attributed to their callers"
        )
    if correction.contradiction:
        parts.append(f"by the plain times given {correction.contradiction}: {OTHER_RUNS}")
    if not correction.hooks_counted:
        parts.append(_UNCOUNTED_HOOKS)
    elif factor > _UNCERTAIN:
        parts.append("a run without instrumentation at one scale (--baseline-time) would tell more")
    return "; ".join(parts)


def _hooks_text(correction: OverheadCorrection) -> str:
    """Say what of the overhead is that of visits which a filter rejects at run time; empty without one."""
    if correction.hooks is None:
        return ""
    doubt = "" if correction.hooks_counted else "perhaps "
    return f" ({doubt}{percent(correction.hooks)} by hooks of visits that the filter rejects at run time)"

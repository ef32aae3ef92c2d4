"""Plain times at scales without a profile: points of the total, which tell how far all totals are off."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from filters.correction import correction_sentence, runs_of, taking_less
from ingest.arrays import BoolArray, FloatArray
from ingest.experiment import TIME, Experiment, OverheadCorrection, PlainTotals
from ingest.scaling import decide_scaling
from pipeline.config.options import Options
from pipeline.models.fit import fit
from pipeline.models.plain_totals import SharedError, distances, shared_error
from pipeline.questions.analysis import SCALES_NEEDED, scaling_of, too_few_scales
from pipeline.questions.locations import locations_of
from pipeline.questions.runtime.estimate import plain_spread
from pipeline.stages.plain_time_file import PlainRun
from pipeline.wording.quantities import counted, point_text, signed_percent, times

# of a correction's deviation, that no other scale tells, and of what is left after plain times at profiled
# scales; learned from 32 programs
_OF_EACH_SCALE, _OF_WHAT_IS_LEFT = 0.2, 0.5
_ASTRAY = 3.0  # standard deviations from what the profiles lead to, from which a plain time is doubted


def with_plain_points(
    experiment: Experiment, runs: Sequence[PlainRun], elsewhere: Sequence[PlainRun], options: Options
) -> Experiment:
    """Let plain runs count as points of the total.

    What they say of the error that corrected totals share moves the times of all scales without a plain run.

    Args:
        experiment: corrected for overhead, with plain times at profiled scales for totals there.
        runs: all plain runs.
        elsewhere: those at points without a profile.
    """
    correction, parameters = experiment.correction, experiment.parameters
    if correction is None or not runs:
        return experiment
    at = _times(runs, parameters)
    known = (distances(experiment.points, at.points) == 0).any(axis=1)
    if not elsewhere and (known.all() or not correction.total_deviation):
        return experiment
    decision = decide_scaling(experiment, scaling_of(options.scaling))
    locations = locations_of(experiment, decision)(at.points)
    if reason := _unusable(experiment, locations):
        notice = (f"{_named(elsewhere)} not used: {reason}",) if elsewhere else ()
        return replace(experiment, notices=(*experiment.notices, *notice))
    totals = experiment.values[TIME].sum.sum(axis=0, keepdims=True)
    unsure = ~known if not too_few_scales(experiment.points[~known]) else np.ones_like(known)
    away = distances(at.points, experiment.points[unsure])
    plain = PlainTotals(
        points=tuple(map(tuple, at.points.tolist())),
        total=tuple((at.seconds * locations).tolist()),
        locations=tuple(locations.tolist()),
        spread=tuple(at.spread.tolist()),
        away=tuple(np.where(away > 0, away, np.inf).min(axis=1).tolist()),
        common=correction.total_deviation,
    )
    models = fit(parameters, experiment.points[unsure], totals[:, unsure], options.models)
    found = shared_error(models, plain)
    of_each = _OF_WHAT_IS_LEFT if known.any() else _OF_EACH_SCALE
    deviation = float(np.hypot(found.deviation, of_each * correction.total_deviation))
    computing = _computing(experiment)
    share = float(np.nansum(experiment.values[TIME].sum[computing]) / np.nansum(totals))
    factor = np.where(known, 1.0, _factor(found.mean, share))
    moved = _moved(experiment, computing, factor)
    corrected = replace(
        correction,
        deviation=_without_common(correction, deviation, share),
        total_deviation=deviation,
        supported=True,
        elsewhere=replace(plain, common=found.deviation),
    )
    before = (one for one in experiment.notices if one != correction_sentence(correction))
    notices = [*before, correction_sentence(corrected)]
    if elsewhere:
        after = moved.values[TIME].sum.sum(axis=0)
        notices.append(_sentence(elsewhere, float(np.nanmedian(np.log(after / totals[0])))))
    doubtful = _doubtful(found, plain, parameters)
    return replace(moved, correction=corrected, notices=(*notices, *doubtful))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Times:
    """Plain times of n points."""

    points: FloatArray  # float64[n, D]
    seconds: FloatArray  # float64[n], medians
    spread: FloatArray  # float64[n], standard deviations of their logarithms


def _times(runs: Sequence[PlainRun], parameters: Sequence[str]) -> _Times:
    """Take medians by point; all runs show how far one scatters."""
    at = _logs(runs, parameters)
    noise = _noise(at.values())
    count = np.array([len(logs) for logs in at.values()])
    startup = [max(run.doubt for run in runs if run.place(parameters) == place) for place in at]
    return _Times(
        points=np.array([*at]),
        seconds=np.exp([np.median(logs) for logs in at.values()]),
        spread=np.hypot(plain_spread(noise, count), startup),
    )


def _logs(runs: Sequence[PlainRun], parameters: Sequence[str]) -> dict[tuple[float, ...], list[float]]:
    """Logarithms of the times of runs by their points."""
    found: dict[tuple[float, ...], list[float]] = {}
    for run in runs:
        found.setdefault(run.place(parameters), []).append(float(np.log(run.of_program)))
    return found


def _noise(points: Iterable[Sequence[float]]) -> float | None:
    """Standard deviation of the logarithm of a run; None if nothing was repeated."""
    apart = [np.array(logs) - np.mean(logs) for logs in points if len(logs) > 1]
    if not apart:
        return None
    degrees = sum(len(logs) - 1 for logs in apart)
    return float(np.sqrt(sum((logs**2).sum() for logs in apart) / degrees))


def _unusable(experiment: Experiment, locations: FloatArray) -> str:
    if too_few_scales(experiment.points):
        return f"fewer than {SCALES_NEEDED} scales were profiled, so nothing is predicted"
    return "" if np.isfinite(locations).all() else "the number of locations there is unknown"


def _computing(experiment: Experiment) -> BoolArray:
    """Which call paths compute, bool[N]: their times were corrected, the others are as measured."""
    found = runs_of(experiment)
    assert found is not None  # since times were corrected
    return found[0].computing


def _factor(error: float, share: float) -> float:
    """By what computing, a share of the total, is multiplied for an error of the logarithm of the total."""
    factor = 1 + np.expm1(abs(error)) / share
    return float(factor if error > 0 else 1 / factor)


def _moved(experiment: Experiment, computing: BoolArray, factor: FloatArray) -> Experiment:
    """Multiply computing times by factors of the points, float64[P]; the rest is as it was measured."""
    of_each = np.where(computing[:, None], factor, 1.0)[:, :, None]
    values = {**experiment.values, TIME: experiment.values[TIME].each(lambda array: array * of_each)}
    return replace(
        experiment,
        values=values,
        runs=tuple(taking_less(run, float(factor[run.point]), 1.0) for run in experiment.runs),
    )


def _without_common(correction: OverheadCorrection, left: float, share: float) -> FloatArray:
    """Take out of the errors of call paths what is known now of the one that all share."""
    known = (correction.total_deviation**2 - left**2) / share**2
    return np.asarray(np.sqrt(np.maximum(correction.deviation**2 - known, 0.0)))


def _named(runs: Sequence[PlainRun]) -> str:
    points = "; ".join(dict.fromkeys(point_text(run.at) for run in runs))
    return f"{counted(len(runs), 'plain time')} at {points}"


def _sentence(runs: Sequence[PlainRun], by: float) -> str:
    points = f"{_named(runs)}, where no run was profiled, are points of the total"
    return f"{points}; they change corrected times by {signed_percent(np.expm1(by))}"


def _doubtful(found: SharedError, plain: PlainTotals, parameters: Sequence[str]) -> list[str]:
    """Name plain times that are far from what the profiles lead to."""
    return [
        f"the plain time at {point_text(dict(zip(parameters, point, strict=True)))} is {times(ratio)} "
        "what the profiles lead to: was it the same program with the same input?"
        for point, ratio, away in zip(plain.points, found.ratio.tolist(), found.astray, strict=True)
        if abs(away) > _ASTRAY
    ]

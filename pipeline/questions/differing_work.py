"""How much work runs did: what differs between them, and whether dividing by it explains their times.

Runs that made 6 to 12 iterations are not one series, their iterations are. What grows with a parameter, such
as messages or the iterations of a solver on more processes, is no reason to divide: at the target it is
unknown.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.experiment import VISITS, Experiment, counted_work
from ingest.number_text import percent
from ingest.run_settings import METADATA, SETTING, WORK, counts_work, stated
from ingest.scaling import BY_DESIGN, power_law_residuals, stated_counts, visits_of
from pipeline.models.fit import fit
from pipeline.models.kernels import mean_over_repetitions, named
from pipeline.questions.analysis import Analysis
from pipeline.questions.question import Question, TargetForecast
from pipeline.wording.escaping import shown_name, visible

_HOLDS = 0.5  # of the time of a run, that a region whose visits count its work includes
_DIFFERS = 1.1  # factor between the runs with most and with least work
_FEWEST_SCALES = 4  # from which a gain can be distinguished from chance
_LEFT_OUT = 5  # scales, the largest ones, that are left out in turn
_CLEARLY = 2 / 3  # of the error, that dividing leaves at most
_LEAST_GAIN = 0.02  # of the total, that the error falls at least
_LARGEST_ERROR = 0.5  # that dividing leaves at most: larger ones mean that something else differs, too
_ALIKE = 0.99  # of what a region leaves, that one inside must fall below to be better


@dataclass(frozen=True, kw_only=True)
class DifferingWork:
    """What differs between runs, counts their work, and should be divided by."""

    per: str  # the region or the stated count, as `--per` takes it
    least: float  # and `most`: how often runs did it
    most: float
    error: float  # mean relative error of the total at scales that are left out in turn
    error_per: float  # the same of the total divided by it

    @property
    def sentence(self) -> str:
        """What the runs should be divided by, and what that gains; without a full stop."""
        made = counted_work(self.least, self.most, self.per)
        made += "" if counts_work(self.per) else f" of {shown_name(self.per)}"
        option = f"--per {visible(shlex.quote(self.per))}"
        before, after = percent(self.error), percent(self.error_per)
        return (
            f"The runs made {made}: {option} would bring the error of predicting scales "
            f"that are left out from {before} to {after}"
        )


def _differing_work(asked: TargetForecast) -> DifferingWork | None:
    """Find what differs between runs of time and explains their total clearly better if divided by it.

    Whole and divided runs are judged alike: the largest scales are left out in turn and predicted. A line in
    logarithms decides which count is worth that.
    """
    analysis = asked.analysis
    experiment, kernels = analysis.experiment, analysis.callpaths.kernels
    points = experiment.points
    if analysis.metric != "time" or experiment.per is not None or len(points) < _FEWEST_SCALES:
        return None
    total = kernels.total.values
    whole = mean_over_repetitions(total)[0]
    if analysis.is_profile or not (whole > 0).all():
        return None
    found, least = None, _CLEARLY * _off_a_line(points, whole)
    for per, counts in _counts(analysis).items():
        off = _off_a_line(points, mean_over_repetitions(total / counts)[0])
        if off < least:
            found, least = (per, counts), _ALIKE * off
    if found is None:
        return None
    per, counts = found
    error, error_per = (_left_out_error(analysis, values) for values in (total, total / counts))
    if not error_per <= min(_CLEARLY * error, error - _LEAST_GAIN, _LARGEST_ERROR):
        return None
    if not counts_work(per) and len(named(experiment.callpaths, per, "--per")) != _callpaths_of(
        experiment, per
    ):
        return None  # it has the name of another region, without its parameters
    least, most = float(np.nanmin(counts)), float(np.nanmax(counts))
    return DifferingWork(per=per, least=least, most=most, error=error, error_per=error_per)


def _callpaths_of(experiment: Experiment, region: str) -> int:
    return int((experiment.tree.region == experiment.regions.name.index(region)).sum())


def _counts(analysis: Analysis) -> dict[str, FloatArray]:
    """Return what counts the work of runs and differs other than by the parameters, float64[P, R] by name."""
    experiment = analysis.experiment
    names = {
        name
        for run in experiment.runs
        for kind in (SETTING, METADATA)
        for name in stated(run.attributes, kind)
    }
    found = {name: stated_counts(experiment, name) for name in (WORK[0], *sorted(names)) if counts_work(name)}
    if VISITS in experiment.values:
        for name, callpaths in _holding(analysis):
            found.setdefault(name, visits_of(experiment, callpaths))
    measured = np.isfinite(analysis.callpaths.kernels.values).any(axis=0)
    return {
        name: counts
        for name, counts in found.items()
        if (counts[measured] > 0).all() and _differs(experiment.points, counts)
    }


def _holding(analysis: Analysis) -> Iterator[tuple[str, IntArray]]:
    """Yield the regions that include most of the time at the largest scale, the largest first: call paths."""
    tree, names = analysis.experiment.tree, analysis.experiment.regions.name
    time = np.nan_to_num(analysis.experiment.values["time"].sum[:, analysis.largest]).sum(axis=1)
    inclusive = tree.inclusive(time)
    nodes = np.flatnonzero(inclusive >= _HOLDS * time.sum())
    order = nodes[np.argsort(-inclusive[nodes], kind="stable")]
    for region in dict.fromkeys(tree.region[order].tolist()):
        yield names[region], np.flatnonzero(tree.region == region)


def _differs(points: FloatArray, counts: FloatArray) -> bool:
    """Return whether counts of runs, float64[P, R], differ, and not steadily with a parameter."""
    if not np.nanmax(counts) >= _DIFFERS * np.nanmin(counts):
        return False
    logs = np.log(mean_over_repetitions(counts))
    steps = np.diff(logs[np.lexsort(points.T[::-1])])
    if points.shape[1] == 1 and steps.any() and ((steps >= 0).all() or (steps <= 0).all()):
        return False
    return float((power_law_residuals(points, logs) ** 2).sum()) >= (1 - BY_DESIGN) * float(
        ((logs - logs.mean()) ** 2).sum()
    )


def _off_a_line(points: FloatArray, values: FloatArray) -> float:
    return float(np.sqrt((power_law_residuals(points, np.log(values), left_out=True) ** 2).mean()))


def _left_out_error(analysis: Analysis, values: FloatArray) -> float:
    """Leave out the largest points in turn, fit float64[1, P, R] and return the mean relative error there."""
    points, names = analysis.experiment.points, analysis.experiment.parameters
    mean, errors = mean_over_repetitions(values)[0], []
    for place in np.lexsort((*points.T[::-1], points[:, analysis.column]))[-_LEFT_OUT:].tolist():
        others = np.arange(len(points)) != place
        models = fit(names, points[others], values[:, others])
        errors.append(abs(float(models.expected(points[place][None])[0, 0]) / mean[place] - 1))
    return float(np.mean(errors))


QUESTION = Question(
    key="differing_work",
    order=60,
    ask=_differing_work,
    sentences=lambda found: [(found.sentence, "yellow")],
    remark=True,
)

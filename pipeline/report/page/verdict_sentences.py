"""The result in three sentences: who dominates and until when, what the target costs, how far to trust it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ingest.arrays import FloatArray
from ingest.scaling import Scaling
from pipeline.models.agreeing_formulas import prediction_formulas
from pipeline.models.growth import UNCLEAR, stated_laws
from pipeline.models.kernels import mean_over_repetitions
from pipeline.models.prediction import in_parts
from pipeline.questions.analysis import (
    NOTEWORTHY_SHARE,
    Analysis,
    Outlook,
    along_parameter,
    anchors_between,
    measured_total,
    too_few_scales_sentence,
)
from pipeline.questions.crossovers import measured_line
from pipeline.report.page.sections import repetitions_text
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import (
    counted,
    estimate_text,
    figure,
    percent,
    point_text,
    shorten_middle,
    times,
    value_text,
)

_GRID_POINTS = 400
_NAME_WIDTH = 60
SPACE = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, eq=False)
class Findings:
    """Inputs of the verdict."""

    analysis: Analysis  # the modelled experiment
    callpaths: Outlook  # the outlook of its call paths, whose sum is the program
    regions: Outlook  # the outlook of its regions, which are named
    target: FloatArray  # float64[D], the point looked at

    @property
    def measured_end(self) -> float:
        """The largest measured scale."""
        return float(self.analysis.experiment.points[self.analysis.largest, self.analysis.column])

    @property
    def goal(self) -> float:
        """The target scale."""
        return float(self.target[self.analysis.column])

    def at(self, scale: float) -> str:
        """Write a scale that no line break tears apart: ``p = 32``."""
        return _unbroken({self.analysis.parameter: scale})

    def place(self, point: FloatArray | Sequence[float]) -> str:
        """Write a point so that no line break tears a value from its name: ``p = 32, n = 100``."""
        return _unbroken(dict(zip(self.analysis.experiment.parameters, point, strict=True)))

    def name(self, region: int) -> str:
        """Return a region's name for a sentence."""
        return sentence_name(self.analysis.regions.kernels.regions[region])


def _unbroken(point: Mapping[str, float]) -> str:
    """Write a point whose values stay beside their names."""
    return point_text(point).replace(" = ", f"{SPACE}={SPACE}")


def sentence_name(region: str) -> str:
    """Return a region's name for a sentence."""
    return shorten_middle(shown_name(region), _NAME_WIDTH)


def verdict(findings: Findings) -> list[str]:
    """Return three sentences."""
    if findings.analysis.is_profile:
        return _measured(findings)
    return [dominance(findings), _cost(findings), _trust(findings)]


def _measured(findings: Findings) -> list[str]:
    """Say what one or two scales show, from which nothing is predicted."""
    return [f"{_largest_measured(findings)}.", too_few_scales_sentence(findings.analysis)]


def _measured_leader(findings: Findings) -> str:
    """Say what is largest now, if the models of regions that may lead miss the measurements."""
    return (
        f"{_largest_measured(findings)}{_overtook(findings)}; "
        f"which region dominates at {findings.at(findings.goal)} is unclear, "
        "since models of the largest regions miss the measurements."
    )


def _largest_measured(findings: Findings) -> str:
    work = np.where(findings.regions.standing.start_up, 0.0, findings.regions.share_measured)
    largest = int(work.argmax())
    metric = findings.analysis.callpaths.kernels.metric
    at = findings.at(findings.measured_end)
    return f"{findings.name(largest)} takes {percent(float(work[largest]))} of the {metric} at {at}"


def _overtook(findings: Findings) -> str:
    """Say what the region that is largest now has overtaken last, if that was seen."""
    work = np.where(findings.regions.standing.start_up, 0.0, findings.regions.share_measured)
    seen = [c for c in findings.regions.crossovers if c.seen and c.overtakes == int(work.argmax())]
    if not seen:
        return ""
    last = max(seen, key=lambda c: c.at)
    name = findings.name(last.overtaken)
    return f" and has overtaken {name} {last.named(findings.analysis.parameter).place}"


def leaders(findings: Findings) -> list[tuple[int, float]]:
    """Return the regions that lead one after the other up to the target, and from which scale on.

    They are measured up to the largest scale, and predicted beyond it, as in the list of crossovers.
    Start-up and shut-down do not take part.
    """
    points, column = findings.analysis.experiment.points, findings.analysis.column
    regions = findings.analysis.regions
    ends = float(points[:, column].min()), max(findings.measured_end, findings.goal)
    anchors = anchors_between(findings.analysis, ends)
    curve = regions.models.curve(partial(along_parameter, findings.target, column), anchors)
    line = measured_line(points, regions.kernels.values, findings.target, column)
    ahead = np.geomspace(*ends, _GRID_POINTS)
    ahead = ahead[ahead > line.scales.max(initial=0.0)]
    measured = np.nan_to_num(mean_over_repetitions(line.values))
    values = [measured, *(curve(part) for part in in_parts(ahead, len(measured)) if len(part))]
    start_up = findings.regions.standing.start_up[:, None]
    largest = np.concatenate([np.where(start_up, -np.inf, part).argmax(axis=0) for part in values])
    scales = np.concatenate([line.scales, ahead])
    changes = np.flatnonzero(np.diff(largest, prepend=-1))
    return [(int(largest[i]), float(scales[i])) for i in changes]


def dominance(findings: Findings) -> str:
    """Say which region dominates, and until when."""
    metric = findings.analysis.callpaths.kernels.metric
    if not findings.regions.share_target.any():
        return f"No region is predicted to take any {metric} at {findings.at(findings.goal)}."
    sequence = leaders(findings)
    if any(not findings.regions.standing.conclusive[region] for region, _ in sequence):
        return _measured_leader(findings)
    last, since = sequence[-1]
    name = findings.name(last)
    now, then = (percent(float(share[last])) for share in _shares(findings))
    here = f"of the {metric} at {findings.at(findings.measured_end)}"
    goal = findings.at(findings.goal)
    if len(sequence) == 1:
        return f"{name} dominates at every scale: {now} {here}, {then} at {goal}."
    before = sequence[-2][0]
    while_before = f"{_reign(findings, sequence)} {findings.name(before)} dominates"
    if since <= findings.measured_end:
        return f"{while_before}, from there on {name}: {now} {here}, {then} at {goal}."
    earlier = percent(float(_shares(findings)[0][before]))
    return f"{while_before} ({earlier} {here}); beyond that, {name} overtakes it and takes {then} at {goal}."


def _shares(findings: Findings) -> tuple[FloatArray, FloatArray]:
    return findings.regions.share_measured, findings.regions.share_target


def _reign(findings: Findings, sequence: Sequence[tuple[int, float]]) -> str:
    """Say in which range the previous leader leads."""
    end = _about(findings, sequence[-1], sequence[-2])
    if len(sequence) == 2:
        return f"Up to about {findings.at(end)}"
    return f"From about {findings.at(_about(findings, sequence[-2], sequence[-3]))} to {value_text(end)}"


def _about(findings: Findings, later: tuple[int, float], earlier: tuple[int, float]) -> float:
    """Return the scale of a change of leaders to three digits, as the list of crossovers has it."""
    pair = (later[0], earlier[0])
    found = [c.at for c in findings.regions.crossovers if (c.overtakes, c.overtaken) == pair]
    return float(f"{found[-1] if found else later[1]:.3g}")


def _cost(findings: Findings) -> str:
    kernels, total = findings.analysis.callpaths.kernels, findings.callpaths.total
    value, low, high = (float(a[0, -1]) for a in (total.value, total.lower, total.upper))
    now = float(np.nan_to_num(measured_total(findings.analysis)[findings.analysis.largest]))
    cost = estimate_text(value, low, high, kernels.unit)
    text = f"At {findings.at(findings.goal)} the predicted total is {cost} ({kernels.metric}, 90 % interval)"
    if now > 0:
        there = findings.at(findings.measured_end)
        text += f", {_roughly(value / now)} the {findings.analysis.observed} total at {there}"
    if findings.analysis.decision.scaling is not Scaling.NONE:
        text += "; perfect scaling would keep it constant"
    return f"{text}{_driver(findings)}."


def _roughly(factor: float) -> str:
    """Write a factor with two significant digits: ``2.3 times``, ``510 times``."""
    return times(float(f"{factor:.2g}"))


def _driver(findings: Findings) -> str:
    """Name the region that adds most between the largest measured point and the target."""
    models = findings.analysis.regions.models
    here = models.predict(findings.analysis.experiment.points[findings.analysis.largest][None, :]).value[:, 0]
    added = findings.regions.prediction.value[:, -1] - here
    most = int(added.argmax())
    if added[most] <= 0:
        return ""
    (formula,) = prediction_formulas(models, findings.regions.within, np.array([most]))
    (growth,) = stated_laws(models.take(np.array([most])), [formula.growth])
    known = growth not in ("1", UNCLEAR)
    return f"; {findings.name(most)} adds most" + (f", growing like {growth}" if known else "")


def _trust(findings: Findings) -> str:
    models, experiment = findings.analysis.regions.models, findings.analysis.experiment
    matters = findings.regions.share_target >= NOTEWORTHY_SHARE
    points, repetitions = experiment.shape
    text = f"The models are fitted to {counted(points, 'point')} with {repetitions_text(repetitions)}"
    if findings.goal > findings.measured_end:
        ratio = _roughly(findings.goal / findings.measured_end)
        text += f" and extrapolated to {ratio} the largest measured scale"
    if matters.any():
        error = figure(float(np.median(models.quality.cv_smape[matters])), 2)
        text += f"; the median error of a point left out of the fit is {error} %"
    missed = int((matters & findings.regions.standing.unreliable).sum())
    if missed:
        of_all = f"all {missed}" if missed == matters.sum() else f"{missed} of {int(matters.sum())}"
        text += (
            f"; models of {of_all} regions above {100 * NOTEWORTHY_SHARE:g} % miss measurements by far, so "
            "nothing is concluded from them"
        )
    return f"{text}."

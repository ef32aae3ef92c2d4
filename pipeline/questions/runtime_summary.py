"""How long does it take, how far does it scale, what is lost: the runtime as a record with its verdict."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.record_codec import entry
from pipeline.models.back_test import BackTest
from pipeline.questions.analysis import largest_point
from pipeline.questions.locations import Comparison
from pipeline.questions.question import Question, Said, TargetForecast
from pipeline.questions.runtime.figures import Figures
from pipeline.questions.runtime.limits import Limit, limit_interval, limit_interval_text
from pipeline.questions.runtime.losses import LossCause, Losses, causes_sentence, main_cause
from pipeline.questions.runtime.pop import PopParts
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime.trust import Verdict, extrapolation_text
from pipeline.wording.escaping import shown_name, visible
from pipeline.wording.lines import JOIN
from pipeline.wording.quantities import (
    WIDEST,
    Figure,
    counted,
    estimate_text,
    figure,
    given_percent,
    known,
    number,
    numbers,
    percent,
    point_json,
    point_text,
    quantity,
    shorten_middle,
    times,
    value_text,
)

_FIGURES = ("wall_seconds", "effort", "core_hours", "speedup", "efficiency", "weak_efficiency", "work_rate")
_WHERE_MEASURED = ("rate", "gpu_hours", "gpu_busy")
_LOSSES_SHOWN = 4
_MOST_SHOWN = 3  # regions that the first screen names
_ENOUGH = 0.9  # of what is lost: further regions are not named
_NAME_WIDTH = 32


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The figures of a measured point or a target; None for what is not available."""

    point: Mapping[str, float]
    measured: bool
    reference: Mapping[str, float]
    locations: float | None
    extrapolation: float
    reach: str
    longest_seconds: float | None
    wall_seconds: Figure | None
    effort: Figure | None
    core_hours: Figure | None
    speedup: Figure | None
    efficiency: Figure | None
    weak_efficiency: Figure | None
    work_rate: Figure | None
    rate: Figure | None
    gpu_hours: Figure | None
    gpu_busy: Figure | None
    without_start_up: Mapping[str, Figure | None] | None
    pop: Mapping[str, float | None] | None


@dataclass(frozen=True, kw_only=True)
class EfficientUpTo:
    """The largest scale of the efficiency asked for; None for what there is not."""

    threshold: float
    point: Mapping[str, float] | None = None
    measured: bool | None = None
    efficiency: float | None = None
    at_the_end: bool | None = None
    interval: Mapping[str, float | None] | None = None
    below_at: Annotated[float | None, "the next measured scale, where it is less"] = None

    def text(self, parameter: str, point: Mapping[str, float], observed: str) -> str:
        """Say up to which point efficiency is high enough, or where it was measured to fall below."""
        asked, sure = given_percent(self.threshold), limit_interval_text(self.interval, parameter, len(point))
        if self.below_at is None:
            more = " or beyond" if self.at_the_end and not sure else ""
            return f"{asked} efficient up to {point_text(point)}{more}{sure}"
        if self.interval == {"lower": point[parameter], "upper": self.below_at}:
            sure = ""
        others = point_text({name: value for name, value in point.items() if name != parameter})
        between = f"{point_text({parameter: point[parameter]})} and {value_text(self.below_at)}"
        return f"falls below {asked} between {between}{others and f' at {others}'}{sure}, {observed}"


@dataclass(frozen=True, kw_only=True)
class LossAt:
    """What is lost at a point, and why."""

    at: Mapping[str, float]
    measured: bool
    core_seconds: float
    causes: tuple[LossCause, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RegionLoss:
    """What a region loses at a point."""

    region: str
    kind: str
    at: Mapping[str, float]
    measured: bool
    core_seconds: float


@dataclass(frozen=True, kw_only=True)
class HeldOutScale:
    """The total at the largest scale, predicted from the smaller ones."""

    at: Mapping[str, float]
    extrapolation: float
    predicted: Mapping[str, float]
    measured: float
    judged_by: str
    relative_error: float
    inside: bool


@dataclass(frozen=True)
class AddedUp:
    """A sum and its largest parts as texts with the same decimals, so that what is shown adds up."""

    total: str  # the sum
    named: tuple[tuple[int, str], ...]  # number and text of the parts shown, the largest first
    rest: str  # the sum of all others; empty if there are none or they are zero as shown


def added_up(total: float, parts: Sequence[float], most: int = _LOSSES_SHOWN) -> AddedUp:
    """Round a sum to three digits and its parts to the same decimals; what rounding leaves is in the rest.

    At most `most` parts are named, fewer if those leave little.
    """
    decimals = max(2 - math.floor(math.log10(abs(total))), 0) if total else 2
    named: list[tuple[int, str]] = []
    left = round(total, decimals)
    for place in sorted(range(len(parts)), key=lambda one: -abs(parts[one])):
        if len(named) == most or abs(left) <= (1 - _ENOUGH) * abs(total):
            break
        named.append((place, f"{parts[place]:,.{decimals}f}"))
        left = round(left - round(parts[place], decimals), decimals)
    rest = f"{left:,.{decimals}f}" if left and len(named) < len(parts) else ""
    return AddedUp(f"{total:,.{decimals}f}", tuple(named), rest)


@dataclass(frozen=True, kw_only=True)
class RuntimeSummary:
    """Wall time, speed-up, limits and losses, and how far to trust them."""

    verdict: str
    parameter: str
    compared_by: str
    effort_unit: str
    rate_unit: str
    at: tuple[Scale, ...]
    fastest: Mapping[str, float] | None
    fastest_measured: bool | None
    fastest_wall_seconds: float | None
    efficient_up_to: EfficientUpTo
    lost: tuple[LossAt, ...]
    losses: tuple[RegionLoss, ...]
    back_test: HeldOutScale | None
    trust: Verdict
    notices: Sequence[str]
    observed: Annotated[
        str, "what values at measured scales are: measured, or projected from another machine"
    ] = field(default="measured", metadata=entry(may_lack=True))

    growth: Annotated[str, "how time grows with a problem's size, in words; empty for other studies"] = field(
        default="", metadata=entry(may_lack=True)
    )

    @property
    def limits_sentence(self) -> str:
        """Where a program is fastest and up to where it is efficient; empty if neither is known."""
        sentences, parameter = [], self.parameter
        last = max(entry.point[parameter] for entry in self.at)
        fastest, efficient = self.fastest, self.efficient_up_to
        if fastest is not None:
            place = ", the largest scale considered" if fastest[parameter] >= last else ""
            sentences.append(f"Fastest at {point_text(fastest)}{_origin(self.fastest_measured)}{place}.")
        if efficient.point is not None:
            text = efficient.text(parameter, efficient.point, self.observed)
            subject = "" if efficient.below_at is None else "Efficiency "
            sentences.append(f"{subject}{text}{_origin(efficient.measured)}.")
        return " ".join(sentences)

    @property
    def lost_sentence(self) -> str:
        """What is lost at the largest measured scale by region, whose numbers add up; empty if unknown."""
        lost = next((one for one in self.lost if one.measured), None)
        if lost is None:
            return ""
        verb, parts = "Lost" if lost.core_seconds >= 0 else "Gained", self._added_up(lost)
        texts = self._named(lost, parts)
        if parts.rest:
            others = len(self._rows_at(lost)) - len(parts.named)
            texts.append(f"{counted(others, 'other')}{JOIN}{parts.rest}")
        place = f"{point_text(lost.at)} ({parts.total} {self.effort_unit})"
        return f"{verb} at {place}: {', '.join(texts)}."

    @property
    def why_sentence(self) -> str:
        """What most of the measured loss goes to, there and at the target, and the regions that lose most."""
        lost = next((one for one in self.lost if one.measured), None)
        if lost is None or not lost.causes or lost.causes[0].share > 1.0 or lost.core_seconds <= 0:
            return self.lost_sentence
        parts, ahead = self._added_up(lost), next((one for one in self.lost if not one.measured), None)
        text = f"Why: of {parts.total} {self.effort_unit} lost at {point_text(lost.at)}, "
        text += main_cause(lost.causes)
        if ahead is not None and ahead.causes:
            text += f" ({main_cause(ahead.causes, than=lost.causes[0].cause)} at {point_text(ahead.at)})"
        return f"{text}; most in {', '.join(self._named(lost, parts)[:_MOST_SHOWN])}."

    def _rows_at(self, lost: LossAt) -> list[RegionLoss]:
        return [row for row in self.losses if row.measured and row.at == lost.at]

    def _added_up(self, lost: LossAt) -> AddedUp:
        sign = 1 if lost.core_seconds >= 0 else -1
        return added_up(sign * lost.core_seconds, [sign * row.core_seconds for row in self._rows_at(lost)])

    def _named(self, lost: LossAt, parts: AddedUp) -> list[str]:
        rows = self._rows_at(lost)
        names = [shorten_middle(shown_name(rows[place].region), _NAME_WIDTH) for place, _ in parts.named]
        return [f"{name}{JOIN}{text}" for name, (_, text) in zip(names, parts.named, strict=True)]

    @property
    def sentences(self) -> Iterator[Said]:
        """How time grows with a size, or why efficiency is lost."""
        if self.growth:
            yield self.growth, ""
        if self.why_sentence:
            yield self.why_sentence, ""

    @property
    def details(self) -> Iterator[str]:
        """How far the program scales, what is lost, and why there and at the target."""
        causes = causes_sentence([(one.at, one.causes) for one in self.lost])
        yield from filter(None, (self.limits_sentence, self.lost_sentence, causes))


def _origin(measured: bool | None) -> str:
    return "" if measured else " (predicted)"


@dataclass(frozen=True, kw_only=True)
class VerdictLine:
    """What terminal, page, proposal and ``summary.json`` say first."""

    text: str  # ``10.9 s (6.4 to 47 s) at p = 32, slower than 5.15 s at p = 2: do not go beyond p = 2``
    trust: str  # ``low``, ``medium`` or ``high``

    @property
    def sentence(self) -> str:
        """The text, and how far to trust it."""
        return f"{self.text} (trust: {self.trust})"


def verdict_line(found: Runtime, parameters: Sequence[str]) -> VerdictLine:
    """Judge the last target, measured if it was; the largest measured point if nothing is predicted."""
    figures = found.figures
    predicts = not figures.measured.all()
    here = figures.take(np.array([_judged(figures, list(parameters).index(found.parameter))]))
    measured = bool(here.measured[0])
    wall = bool(np.isfinite(here.wall.value[0]))
    shown, unit = (here.wall, "s") if wall else (here.effort, found.effort_unit)
    value, lower, upper = (float(end[0]) for end in (shown.value, shown.lower, shown.upper))
    place = point_text(point_json(parameters, here.points[0]))
    if upper > WIDEST * lower:
        said = f"the time at {place} cannot be predicted from these scales"
        return VerdictLine(text=said, trust=found.trust.verdict.value)
    text = f"{estimate_text(value, lower, upper, unit)} {f'{found.per} ' if found.per else ''}"
    text += f"{f'{found.observed} ' if measured else ''}at {place}"
    said, advice = _compared(found, here, parameters)
    if predicts and extrapolation_text(float(here.extrapolation[0])) == "very far":
        advice = "too far beyond the measurements to decide on"
    text += f"{said}{advice and ': '}{advice}" + ("" if predicts else "; too few scales to predict from")
    return VerdictLine(text=text, trust=found.trust.verdict.value)


def _judged(figures: Figures, scaled: int) -> int:
    """Return the row of the point that is judged."""
    if figures.measured[-1]:
        return largest_point(figures.points, scaled)
    there = figures.measured & (figures.points == figures.points[-1]).all(axis=1)
    return int(there.argmax()) if there.any() else len(figures.points) - 1


def _compared(found: Runtime, here: Figures, parameters: Sequence[str]) -> tuple[str, str]:
    """Return what the time at a point is beside others, after a comma, and what to do; either may lack."""
    if found.comparison is Comparison.SIZE:
        return _grown(found, here, parameters), ""
    if found.comparison is Comparison.UNKNOWN:
        return "", "whether it scales is unknown, state --scaling"
    if found.fastest is not None and not _is_at(found.fastest, here):
        return _slower(found.fastest, here, parameters)
    limit, asked = found.efficient_up_to, given_percent(found.threshold)
    share = float(here.of_scaling.value[0])
    text = f", {percent(share)} efficient" if np.isfinite(share) else ""
    if limit is None:
        return text, f"below {asked} at every scale"
    column = list(parameters).index(found.parameter)
    within = limit.point[column] >= here.points[0, column] and share >= found.threshold
    if within or _is_at(limit, here):
        unsure = here.of_scaling.lower[0] < found.threshold
        return text, f"{'probably ' if unsure else ''}still above {asked}"
    efficient = efficient_up_to(limit, found.threshold, parameters)
    return text, efficient.text(found.parameter, _apart(parameters, limit.point, here), found.observed)


def _slower(fastest: Limit, here: Figures, parameters: Sequence[str]) -> tuple[str, str]:
    place = point_text(_apart(parameters, fastest.point, here))
    origin = "" if fastest.measured else " (predicted)"
    there = f"{quantity(fastest.value, 's')} at {place}{origin}"
    beyond = fastest.point.sum() > here.points[0].sum()  # they differ in one parameter
    if here.wall.value[0] <= fastest.value:  # but not clearly less, so that it is not the fastest
        return f", about as fast as {there}", f"little to gain {'from' if beyond else 'beyond'} {place}"
    than = f"slower than {there}"
    if beyond:
        return f", {than}", f"go on to {place}"
    if here.wall.lower[0] > fastest.value:
        return f", {than}", f"do not go beyond {place}"
    return f", probably {than}", f"little to gain beyond {place}"


def _grown(found: Runtime, here: Figures, parameters: Sequence[str]) -> str:
    """Compare a size with the largest measured one."""
    known = found.figures.take(np.flatnonzero(found.figures.measured))
    largest = largest_point(known.points, list(parameters).index(found.parameter))
    factor = float(here.wall.value[0] / known.wall.value[largest])
    if (known.points[largest] == here.points[0]).all() or not np.isfinite(factor):
        return ""
    there = point_text(point_json(parameters, known.points[largest]))
    return f", {times(float(f'{factor:.2g}'))} that {found.observed} at {there}"


def time_growth(found: Runtime, parameters: Sequence[str]) -> str:
    """Say how time grows with a size to the target; empty if sizes are not compared, or nothing is known.

    It grows from the largest measured size, or from the smallest to a target that lies before that.
    """
    if found.comparison is not Comparison.SIZE:
        return ""
    figures, column = found.figures, list(parameters).index(found.parameter)
    scales, others = figures.points[:, column], np.delete(figures.points, column, axis=1)
    target = figures.take(np.array([len(scales) - 1]))
    along = np.flatnonzero(figures.measured & (others == others[-1]).all(axis=1))
    ends = along[np.argsort(scales[along])[[0, -1]]] if len(along) else along
    start = next((place for place in ends[::-1].tolist() if scales[place] < scales[-1]), None)
    if start is None:
        return ""
    ratio = target.wall.over(figures.take(np.array([start])).wall)
    value, lower, upper = (float(end[0]) for end in (ratio.value, ratio.lower, ratio.upper))
    if not value > 0 or upper > WIDEST * lower:
        return ""
    name, size = found.parameter, math.log(scales[-1] / scales[start])
    power, *ends_of = (f"{visible(name)}^{figure(math.log(end) / size, 2)}" for end in (value, lower, upper))
    there = f"{point_text({name: scales[start]})} to {value_text(scales[-1])}"
    return f"Time grows like {power} ({' to '.join(ends_of)}) from {there}."


def _is_at(limit: Limit, here: Figures) -> bool:
    return bool((limit.point == here.points[0]).all())


def _apart(parameters: Sequence[str], point: FloatArray, here: Figures) -> dict[str, float]:
    """Return the values of a point that are not those of the place judged: the others are said already."""
    place = point_json(parameters, here.points[0])
    return {name: value for name, value in point_json(parameters, point).items() if value != place[name]}


def runtime_summary(found: Runtime | None, parameters: Sequence[str]) -> RuntimeSummary | None:
    """Return the ``runtime`` of a summary; None if the models are not of time."""
    if found is None:
        return None
    fastest, efficient = found.fastest, found.efficient_up_to
    return RuntimeSummary(
        verdict=verdict_line(found, parameters).sentence,
        parameter=found.parameter,
        compared_by=found.comparison.value,
        effort_unit=found.effort_unit,
        rate_unit=found.rate_unit,
        at=tuple(scales(found.figures, parameters, found.of_work, found.pop)),
        fastest=None if fastest is None else point_json(parameters, fastest.point),
        fastest_measured=None if fastest is None else fastest.measured,
        fastest_wall_seconds=None if fastest is None else fastest.value,
        efficient_up_to=efficient_up_to(efficient, found.threshold, parameters),
        lost=tuple(
            LossAt(
                at=point_json(parameters, one.point),
                measured=one.measured,
                core_seconds=one.total,
                causes=causes,
            )
            for one, causes in zip(found.losses, found.causes, strict=True)
        ),
        losses=tuple(row for one in found.losses for row in _losses(one, parameters)),
        back_test=_back_test(found.back_test, parameters),
        trust=found.trust,
        notices=found.notices,
        observed=found.observed,
        growth=time_growth(found, parameters),
    )


def scales(
    figures: Figures, parameters: Sequence[str], work: Figures | None = None, parts: PopParts | None = None
) -> Iterator[Scale]:
    """Yield the figures of each point, with others of a `Runtime` if they are known."""
    shown = _figures(figures, (*_FIGURES, *_WHERE_MEASURED))
    of_work = [] if work is None else _figures(work, _FIGURES)
    pop = _pop(parts, len(figures.points))
    for q in range(len(figures.points)):
        yield Scale(
            point=point_json(parameters, figures.points[q]),
            measured=bool(figures.measured[q]),
            reference=point_json(parameters, figures.reference[q]),
            locations=known(figures.locations[q]),
            extrapolation=number(figures.extrapolation[q]),
            reach=extrapolation_text(float(figures.extrapolation[q])),
            longest_seconds=known(figures.longest[q]),
            without_start_up=of_work[q] if q < len(of_work) else None,  # of measured points only
            pop=pop[q],
            **shown[q],
        )


def _figures(figures: Figures, names: Sequence[str]) -> list[dict[str, Figure | None]]:
    """Return the figures of each point by their names in documents."""
    columns = [getattr(figures, name.removesuffix("_seconds")).known for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _pop(found: PopParts | None, count: int) -> list[dict[str, Any] | None]:
    """Return the predicted efficiencies of the last of some points, None for the others."""
    if found is None:
        return [None] * count
    targets = len(found.overall)
    rows: list[dict[str, Any] | None] = [
        {name: known(values[q]) for name, values in vars(found).items()} for q in range(targets)
    ]
    return [None] * (count - targets) + rows


def efficient_up_to(found: Limit | None, threshold: float, parameters: Sequence[str]) -> EfficientUpTo:
    """Return the limit of efficiency as documents have it."""
    if found is None:
        return EfficientUpTo(threshold=threshold)
    return EfficientUpTo(
        threshold=threshold,
        point=point_json(parameters, found.point),
        measured=found.measured,
        efficiency=found.value,
        at_the_end=found.at_the_end,
        interval=limit_interval(found),
        below_at=known(found.below_at),
    )


def _losses(found: Losses, parameters: Sequence[str]) -> list[RegionLoss]:
    at = point_json(parameters, found.point)
    rows = zip(found.regions, found.kinds, numbers(found.core_seconds), strict=True)
    return [
        RegionLoss(region=region, kind=kind, at=at, measured=found.measured, core_seconds=lost)
        for region, kind, lost in rows
    ]


def _back_test(found: BackTest | None, parameters: Sequence[str]) -> HeldOutScale | None:
    if found is None:
        return None
    return HeldOutScale(
        at=point_json(parameters, np.array(found.point)),
        extrapolation=found.extrapolation,
        predicted={"value": found.value, "lower": found.lower, "upper": found.upper},
        measured=found.measured,
        judged_by=found.judged_by,
        relative_error=found.relative_error,
        inside=found.inside,
    )


def _runtime(asked: TargetForecast) -> RuntimeSummary | None:
    return runtime_summary(asked.runtime, asked.analysis.experiment.parameters)


QUESTION = Question(key="runtime", order=20, ask=_runtime, sentences=lambda found: found.sentences)

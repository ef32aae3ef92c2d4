"""The report as one HTML file, and its result in sentences: who dominates until when, cost, trust."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.reduction import SmallFloatArray
from ingest.scaling import Scaling
from pipeline.columns.answers import held_out_tables
from pipeline.columns.cells import DataTable
from pipeline.models.agreeing_formulas import prediction_formulas
from pipeline.models.growth import UNCLEAR, stated_laws
from pipeline.models.kernel_locations import KernelLocations, PointLocations, folded
from pipeline.models.kernels import mean_over_repetitions
from pipeline.models.prediction import in_parts
from pipeline.projection.rooflines.rooflines import StudyRoofline
from pipeline.questions import held_out, pop_efficiency, what_if
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
from pipeline.questions.planning import next_measurement
from pipeline.questions.question import Answers, Said, TargetForecast
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.losses import LossCause, Losses, loss_causes, losses
from pipeline.questions.runtime.runtime import Runtime, runtimes_along
from pipeline.questions.runtime.trust import Reason, Trust
from pipeline.questions.runtime_summary import time_growth, verdict_line
from pipeline.report.page.embedding import compressed, integers, packed, packed_script, page_text, style_sheet
from pipeline.report.page.page_data import (
    levels_shown,
    metric_data,
    metrics_of_tree,
    page_data,
    program_data,
    short_unit,
)
from pipeline.report.page.payload import (
    LevelsPayload,
    LocationsPayload,
    MetricPayload,
    PointLocationsPayload,
    ReportPayload,
    Steps,
)
from pipeline.report.page.positions import Positions, positions_of
from pipeline.report.page.sections import (
    attributes,
    configuration_rows,
    dates,
    efficiency_table,
    facts,
    heading,
    machine,
    model_warnings,
    predicted_efficiency,
    prediction_text,
    repetitions_text,
)
from pipeline.report.page.shown_kernels import ShownKernels
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import (
    counted,
    display_unit,
    estimate_text,
    figure,
    percent,
    point_text,
    readable_unit,
    shorten_middle,
    times,
    value_text,
)

if TYPE_CHECKING:
    from pipeline.columns.two_machines import StudyOnTwoMachines

_GRID_POINTS = 400
_NAME_WIDTH = 60  # of a region in a sentence
_SPACE = "\N{NO-BREAK SPACE}"
_BREAKS = "What breaks first"
_FOLLOWED = 8000  # call paths times lines of positions, up to which answers are made for all lines
_UNBROKEN = re.compile(r" (?==)|(?<==) |(?<=\d) (?=(?:ms|s|min|h)\b)")  # what no line break tears apart
_NAMED = 2  # regions of the largest losses
_REGIONS = 12  # shown of two machines

RANGES = (256, 128, 64, 32, 16)  # of locations at a point, as many as there is room for
_STEPS = 65534  # between zero and the largest value of a kernel at a point
_UNKNOWN = 65535
MOST_CHARACTERS = 1_000_000  # of the page, about, with up to 1000 call paths
_USUAL_CALLPATHS, _LARGEST = 1000, 1.3  # pages of more call paths grow with them, up to so many times that
_LEAST_LOCATIONS, _MOST_LOCATIONS = (
    60_000,
    200_000,
)  # characters of values per location, whatever else there is
_LEAST_REST = 60_000  # characters of charts, imbalance, filter and what else a page has beside levels


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
        return _sentence_name(self.analysis.regions.kernels.regions[region])


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """What a report is made of."""

    ahead: TargetForecast  # the models at the targets; the page opens at the last
    provenance: Mapping[str, Any]  # the content of ``run.json``
    # the content of ``app.filter.json``; None without a filter
    filter_evidence: Mapping[str, Any] | None = None
    machines: "StudyOnTwoMachines | None" = None  # if the study was projected
    # what limits the kernels on the machine measured on; None leaves the section out
    roofline: StudyRoofline | None = None
    files: Sequence[date] = ()  # when the input files were last changed, for studies that state no date
    locations: Sequence[KernelLocations] = ()  # the largest kernels on each location, of one metric each


def report_html(report: Report) -> str:
    """Return the HTML text. It needs no network, and shows whatever names contain as text."""
    ahead, provenance = report.ahead, report.provenance
    analysis, outlooks, found, asked = ahead.analysis, ahead.outlooks, ahead.runtime, ahead.answers
    findings = Findings(analysis, *outlooks, ahead.targets[-1])
    reserved = _LEAST_LOCATIONS if report.locations else 0
    callpaths = len(analysis.callpaths.kernels)
    room = int(MOST_CHARACTERS * min(max(callpaths / _USUAL_CALLPATHS, 1.0), _LARGEST))
    room -= len(packed_script()) + len(style_sheet()) + reserved
    positions = positions_of(analysis, ahead.targets)
    levels = levels_shown(analysis, *outlooks, positions, room - _LEAST_REST)
    program, said, brief = None, None, []
    if found is not None:
        said = _said_at(findings, found)
        brief = _in_brief(findings, found, said, asked)
        along = _brief_along(ahead, findings, positions, dict(brief))
        program = program_data(analysis, found, positions, along | _said_along(findings, found, positions))
    data = page_data(
        *(analysis, levels, positions, report.filter_evidence, program, report.roofline, room - _LEAST_REST)
    )
    room -= len(compressed(data))
    folded = [text for name, shown in levels.items() if (text := _folding_text(name, shown))]
    others, rest = _that_fit(ahead, positions, 0 if folded else room)
    data = replace(data, others=others, observed=analysis.observed)
    room -= len(compressed(others))
    locations, few = _locations(report, data, levels["callpaths"], room + reserved)
    place = machine(analysis.experiment) if report.machines is None else ""  # two are named in a section
    return page_text(
        "report",
        replace(data, locations=locations),
        title=heading(analysis, provenance)
        + ("" if report.machines is None else f", on {report.machines.there.name}"),
        origin=[text for text in (place, dates(analysis.experiment, report.files)) if text],
        verdict=verdict(findings),
        said=said,
        brief=brief,
        headed=asked.headed,
        charts=[] if program is None else program.charts,
        surface=None if program is None else program.surface,
        notices=[
            *(sentence for sentence, _ in asked.sentences(remarks=True)),
            *([] if found is None else found.notices),
            *few,
            *_left_out(data, analysis, rest),
        ],
        folded=folded,
        facts=facts(analysis),
        provenance=provenance,
        warnings=model_warnings(analysis.callpaths.models),
        attributes=attributes(analysis.experiment),
        configuration=configuration_rows(provenance),
        efficiency=efficiency_table(
            asked.of(pop_efficiency.QUESTION).points,
            predicted_efficiency(analysis.experiment.parameters, found),
        ),
        unavailable=asked.of(pop_efficiency.QUESTION).notices,
        held_out=held_out_tables(asked.of(held_out.QUESTION)),
        parameter=analysis.parameter,
        parameters=analysis.experiment.parameters,
        machines=report.machines,
        tables=[] if report.machines is None else _tables_of_both(report.machines),
        imbalance=data.imbalance is not None,
        filtered=None if data.filter is None else report.filter_evidence,
        roofline=data.roofline,
        callpaths=callpaths,
        predictions=prediction_text(analysis.parameter, positions.scales),
    )


def _tables_of_both(machines: "StudyOnTwoMachines") -> list[DataTable]:
    """Return times on both machines, and the largest regions there."""
    from pipeline.columns.two_machines import study_projection_table, times_table

    regions = study_projection_table(machines, by="regions", limit=_REGIONS)
    return [times_table(machines), *([regions] if regions.columns[0].values else [])]


def _locations(
    report: Report, data: ReportPayload, callpaths: ShownKernels, room: int
) -> tuple[list[LocationsPayload], list[str]]:
    """Return the values per location in the room that is left, and a notice on what is left out."""
    nodes = callpaths.kernels.node.tolist()
    shown = Shown(
        metrics={report.ahead.analysis.metric: data.metric}
        | {
            name: has_room.metric
            for name, has_room in zip(_metrics_of_callpaths(report.ahead), data.others, strict=False)
        },
        regions={row.name: i for i, row in enumerate(data.regions)},
        callpaths={node: k for k, node in enumerate(nodes) if node >= 0},
    )
    return locations_data(report.locations, shown, min(max(room, _LEAST_LOCATIONS), _MOST_LOCATIONS))


def _folding_text(name: str, shown: ShownKernels) -> str:
    """Say what of a level the page does not show by itself; empty if it shows all."""
    if not shown.folded:
        return ""
    kind = {"callpaths": "call paths", "regions": "regions"}[name]
    whole = shown.folded + len(shown.members)
    text = (
        f"the page shows {len(shown.members)} of {whole} {kind}, those that take or lead to most; the other "
        f"{shown.folded} are folded into one kernel, others, their sum; models.parquet has them all"
    )
    if name == "callpaths":
        text += "; in the call tree, inclusive values are those of the call paths shown"
    return text


def _left_out(data: ReportPayload, analysis: Analysis, rest: Sequence[str]) -> list[str]:
    """Say what of the study, and which metrics (`rest`), the page has no room for."""
    of_tree = ", ".join(metric.name for metric in metrics_of_tree(analysis)[len(data.metrics) :])
    texts = [_left_out_text(data.levels)]
    if of_tree:
        texts.append(f"the page has no room for measured values of {of_tree} in the call tree")
    if rest:
        texts.append(
            f"the page has no room for the metrics {', '.join(rest)}; `pipeline bottlenecks OUT --metric "
            "NAME` shows them"
        )
    return [text for text in texts if text]


def _left_out_text(levels: LevelsPayload) -> str:
    """Say of how many kernels the page has single repetitions; empty if of all."""
    counts = {
        noun: (len(level.repetitions.kernels), len(level.region))
        for level, noun in ((levels.regions, "regions"), (levels.callpaths, "call paths"))
        if level.repetitions.count > 1
    }
    if all(kept == whole for kept, whole in counts.values()):
        return ""
    largest = " and ".join(f"the {kept} largest of {whole} {noun}" for noun, (kept, whole) in counts.items())
    return f"the page has room for the single repetitions of {largest}; of the others it shows means"


def _that_fit(
    ahead: TargetForecast, positions: Positions, room: int
) -> tuple[list[MetricPayload], list[str]]:
    """Return the metrics for which there is room, in characters, and the names of all others."""
    shown: list[MetricPayload] = []
    names = _metrics_of_callpaths(ahead)
    for name in names if room > 0 else ():
        found = metric_data(ahead, positions, name, room)
        room -= len(compressed(found))
        if room < 0:
            break
        shown.append(found)
    return shown, names[len(shown) :]


def _metrics_of_callpaths(ahead: TargetForecast) -> list[str]:
    """Return all metrics beside the chosen one that call paths have, not whole runs alone."""
    return [name for name in ahead.of_others if name not in ahead.analysis.experiment.metrics_of_runs]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the page shows, by what it is called in the study."""

    metrics: Mapping[str, str]  # the names of metrics on the page
    regions: Mapping[str, int]  # the indices of regions in its table
    callpaths: Mapping[int, int]  # the kernels of call paths


def locations_data(
    found: Sequence[KernelLocations], shown: Shown, room: int
) -> tuple[list[LocationsPayload], list[str]]:
    """Return values per location of kernels that the page shows, and a notice if some of them have no room.

    Locations are folded into as few ranges as the room, in characters, demands; then the smallest kernels
    are left out.
    """
    whole = [_shown_part(one, shown) for one in found if one.metric in shown.metrics]
    for most in RANGES:
        parts = [folded(one, most) for one in whole]
        data = [_metric_data(one, shown) for one in parts]
        if len(compressed(data)) <= room:
            return data, []
    while len(compressed(data)) > room:
        parts = [one.take(np.arange(len(one.region) // 2)) for one in parts]
        data = [_metric_data(one, shown) for one in parts]
    kept, count = (sum(len(one.region) for one in some) for some in (parts, whole))
    what = f"the values per location of {kept} of {count} kernels"
    return data, [f"the page has room for {what}; locations.parquet has all"]


def _shown_part(found: KernelLocations, shown: Shown) -> KernelLocations:
    """Return the kernels that the page shows by themselves."""
    kept = [
        region in shown.regions and (callpath < 0 or callpath in shown.callpaths)
        for region, callpath in zip(found.region, found.callpath.tolist(), strict=True)
    ]
    return found.take(np.flatnonzero(kept))


def _metric_data(found: KernelLocations, shown: Shown) -> LocationsPayload:
    columns = found.region, found.callpath.tolist(), found.alone.tolist()
    return LocationsPayload(
        metric=shown.metrics[found.metric],
        unit=short_unit(found.unit),
        accelerators=found.on_accelerators,
        kernels=[
            (shown.regions[region], shown.callpaths.get(callpath, -1), int(alone))
            for region, callpath, alone in zip(*columns, strict=True)
        ],
        points=list(map(_point_data, found.points)),
    )


def _point_data(point: PointLocations) -> PointLocationsPayload:
    top = np.nan_to_num(point.high).max(axis=1, initial=0.0)
    ranges = point.folded
    return PointLocationsPayload(
        point=point.point,
        nodes=[(name, len(list(same))) for name, same in groupby(point.node)],
        process=integers(point.process),
        thread=_unless_zero(point.thread),
        last_process=integers(point.last_process) if ranges else None,
        last_thread=_unless_zero(point.last_thread) if ranges else None,
        count=integers(point.count) if ranges else None,
        top=packed(top.astype(np.float64)),
        mean=_steps(point.mean, top),
        low=_steps(point.low, top) if ranges else None,
        high=_steps(point.high, top) if ranges else None,
    )


def _unless_zero(numbers: IntArray) -> list[int] | None:
    return integers(numbers) if numbers.any() else None


def _steps(values: SmallFloatArray, top: SmallFloatArray) -> Steps:
    """Return values in steps of the kernel's largest as little-endian uint16."""
    share = np.divide(
        values, top[:, None], out=np.zeros(values.shape, dtype=np.float32), where=top[:, None] > 0
    )
    steps = np.where(np.isfinite(values), np.clip(np.rint(share * _STEPS), 0, _STEPS), _UNKNOWN)
    return Steps(steps.astype("<u2").tobytes())


def _said_at(findings: Findings, found: Runtime) -> dict[str, str]:
    """Say what differs from target to target: the verdict, how far to trust it, and some of the answers."""
    verdict = verdict_line(found, findings.analysis.experiment.parameters)
    growth = time_growth(found, findings.analysis.experiment.parameters)
    return {
        "How time grows": _UNBROKEN.sub(_SPACE, growth),
        "verdict": _UNBROKEN.sub(_SPACE, verdict.text),
        "trust": verdict.trust,
        "doubt": ", ".join(reason.text for reason in _doubts(found.trust.reasons)[:1]),
        "Confidence": _how_sure(findings, found),
    }


def _said_along(findings: Findings, found: Runtime, positions: Positions) -> dict[str, list[str | None]]:
    """Return what `_said_at` says at all positions; None on lines that would take too long.

    Too few scales to predict from say the same everywhere.
    """
    analysis = findings.analysis
    lines = 1 if len(analysis.callpaths.kernels) * len(positions.lines) > _FOLLOWED else len(positions.lines)
    rows: list[Mapping[str, str | None]] = []
    if not analysis.is_profile:
        followed = (
            runtimes_along(analysis, found, positions.points[positions.on_line(i)]) for i in range(lines)
        )
        rows += [
            _said_at(replace(findings, target=one.figures.points[-1]), one)
            for one in chain.from_iterable(followed)
        ]
    nothing = dict.fromkeys(_said_at(findings, found))
    rows += [nothing] * (len(positions.points) - len(rows))
    return {name: [row[name] for row in rows] for name in nothing}


def _brief_along(
    ahead: TargetForecast, findings: Findings, positions: Positions, brief: Mapping[str, str]
) -> dict[str, list[str | None]]:
    """Return the answers in brief by position: of the target, of others asked for, and of measured scales.

    Elsewhere they are None, which would take models of every region; no measurement is planned for one.
    """
    analysis, found = findings.analysis, ahead.runtime
    study, asked = RuntimeStudy(analysis), ahead.targets.tolist()
    said: dict[str, list[str | None]] = {name: [None] * len(positions.points) for name in brief}
    measured = study.measured_at(positions.points)[0]
    for i, point in enumerate(positions.points):
        if point.tolist() == asked[-1]:
            for name, text in brief.items():
                said[name][i] = text
        elif found is not None and _BREAKS in brief and (measured[i] or point.tolist() in asked):
            lost = losses(study, point, measured=bool(measured[i]))
            few = len(analysis.callpaths.kernels) <= _USUAL_CALLPATHS and i < len(positions.scales)
            causes = loss_causes(study, lost) if lost and few else ()
            text = _lost(findings, lost, causes, found.effort_unit) if lost else ""
            said[_BREAKS][i] = _UNBROKEN.sub(_SPACE, text) or None
    return said


def _in_brief(findings: Findings, found: Runtime, said: Mapping[str, str], asked: Answers) -> list[Said]:
    """Say how time grows, what breaks or dominates, and what to do next, each in a few words."""
    potential, plan = asked.of(what_if.QUESTION), asked.of(next_measurement.QUESTION)
    gain = potential.sentence if potential else ""
    largest = ("What dominates", f"{_dominance(findings)} {gain}".strip())
    if found.losses:
        lost = _lost(findings, found.losses[-1], found.causes[-1], found.effort_unit)
        largest = (_BREAKS, f"{lost and f'{lost}. '}{gain}".strip())
    brief = (
        ("How time grows", said.get("How time grows", "")),
        largest,
        ("What next", plan.first_step if plan else ""),
    )
    return [(name, _UNBROKEN.sub(_SPACE, text)) for name, text in brief if text]


def _lost(findings: Findings, lost: Losses, causes: Sequence[LossCause], unit: str) -> str:
    """Say how much is lost at a point, to what most of it, and in which regions; empty if nothing is."""
    if lost.total <= 0:
        return ""
    factor, unit = readable_unit(lost.total, unit)
    text = f"{figure(lost.total * factor)} {unit} lost at {findings.place(lost.point)}"
    if causes:
        cause = f"{causes[0].cause[:1].upper()}{causes[0].cause[1:]}"
        text = f"{cause}, {100 * causes[0].share:.0f} % of the {text}"
    rows = zip(lost.regions, lost.kinds, lost.core_seconds.tolist(), strict=True)
    named = [(region, part) for region, kind, part in rows if kind == "kernel" and part > 0][:_NAMED]
    listed = ", ".join(f"{_sentence_name(region)}{_SPACE}{figure(part * factor)}" for region, part in named)
    return f"{text}, most in {listed}" if listed and len(lost.regions) > 1 else text


def _doubts(reasons: Sequence[Reason]) -> list[Reason]:
    """Return the reasons against trust, the worst first; all reasons if none is against it."""
    doubts = sorted((one for one in reasons if one.trust < Trust.HIGH), key=lambda one: one.trust)
    return doubts or list(reasons)


def _how_sure(findings: Findings, found: Runtime) -> str:
    trust, test = found.trust, found.back_test
    reasons = [reason for reason in trust.reasons if reason.name != "back-test" or test is None]
    listed = ", ".join(reason.text for reason in _doubts(reasons))
    text = f"Trust is {trust.verdict.value}: {listed}."
    if test is None:
        return text
    unit = findings.analysis.callpaths.kernels.unit
    factor, unit = display_unit(unit, max(test.value, test.measured))
    value, lower, upper = (number * factor for number in (test.value, test.lower, test.upper))
    inside = "inside" if test.inside else "outside"
    return (
        f"{text} Back-test: without {findings.place(test.point)} the models predict "
        f"{estimate_text(value, lower, upper, unit)} there; {figure(test.measured * factor)} {unit} "
        f"were {test.judged_by}, {inside} the interval."
    )


def _unbroken(point: Mapping[str, float]) -> str:
    """Write a point whose values stay beside their names."""
    return point_text(point).replace(" = ", f"{_SPACE}={_SPACE}")


def _sentence_name(region: str) -> str:
    """Return a region's name for a sentence."""
    return shorten_middle(shown_name(region), _NAME_WIDTH)


def verdict(findings: Findings) -> list[str]:
    """Return three sentences."""
    if findings.analysis.is_profile:
        return [f"{_largest_measured(findings)}.", too_few_scales_sentence(findings.analysis)]
    return [_dominance(findings), _predicted_cost(findings), _trust(findings)]


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


def _dominance(findings: Findings) -> str:
    """Say which region dominates, and until when."""
    metric = findings.analysis.callpaths.kernels.metric
    if not findings.regions.share_target.any():
        return f"No region is predicted to take any {metric} at {findings.at(findings.goal)}."
    sequence = leaders(findings)
    if any(not findings.regions.standing.conclusive[region] for region, _ in sequence):
        return (
            f"{_largest_measured(findings)}{_overtook(findings)}; which region dominates at "
            f"{findings.at(findings.goal)} is unclear, since models of the largest regions miss the "
            "measurements."
        )
    last, since = sequence[-1]
    name = findings.name(last)
    shares = findings.regions.share_measured, findings.regions.share_target
    now, then = (percent(float(share[last])) for share in shares)
    here = f"of the {metric} at {findings.at(findings.measured_end)}"
    goal = findings.at(findings.goal)
    if len(sequence) == 1:
        return f"{name} dominates at every scale: {now} {here}, {then} at {goal}."
    before = sequence[-2][0]
    while_before = f"{_reign(findings, sequence)} {findings.name(before)} dominates"
    if since <= findings.measured_end:
        return f"{while_before}, from there on {name}: {now} {here}, {then} at {goal}."
    earlier = percent(float(shares[0][before]))
    return f"{while_before} ({earlier} {here}); beyond that, {name} overtakes it and takes {then} at {goal}."


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


def _predicted_cost(findings: Findings) -> str:
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

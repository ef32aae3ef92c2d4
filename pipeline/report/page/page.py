"""The report as one HTML file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ingest.arrays import FloatArray
from pipeline.columns.held_out import held_out_tables
from pipeline.columns.target_sentences import work_sentence
from pipeline.models.kernel_locations import KernelLocations
from pipeline.projection.rooflines.rooflines import StudyRoofline
from pipeline.questions.analysis import Analysis, Outlook
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.page.embedding import compressed, packed_script, page_text, style_sheet
from pipeline.report.page.first_screen import (
    answers,
    expectations,
    in_brief,
    other_notices,
    resources,
    said_along,
    said_at,
)
from pipeline.report.page.location_data import Shown, locations_data
from pipeline.report.page.page_data import (
    MetricOutlook,
    levels_shown,
    metric_data,
    metrics_of_tree,
    page_data,
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
)
from pipeline.report.page.shown_kernels import ShownKernels
from pipeline.report.page.verdict_sentences import Findings, verdict

MOST_CHARACTERS = 1_000_000  # of the page, about, with up to 1000 call paths
USUAL_CALLPATHS, LARGEST = 1000, 1.3  # pages of more call paths grow with them, up to so many times that
LEAST_LOCATIONS, MOST_LOCATIONS = 60_000, 200_000  # characters of values per location, whatever else there is
LEAST_REST = 60_000  # characters of charts, imbalance, filter and what else a page has beside levels


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """What a report is made of.

    Attributes:
        analysis: the modelled experiment.
        callpaths: what its call paths do at the targets.
        regions: what its regions do at the targets.
        targets: float64[Q, D], the points the outlooks predict; the page opens at the last.
        provenance: the content of ``run.json``.
        filter_evidence: the content of ``app.filter.json``; None without a filter.
        efficiency: the ``efficiency`` of ``summary.json``; None leaves the section out.
        work: the ``differing_work`` of ``summary.json``.
        runtime: wall time, speed-up and losses at the targets; None if the models are not of time.
        next_measurement, potential, resource_use, expectations, held_out: those of ``summary.json``.
        others: all other metrics; the page carries as many as its size allows.
        machines: what `pipeline.report.study_projection` returns, if the study was projected.
        roofline: what limits the kernels on the machine measured on; None leaves the section out.
        files: when the input files were last changed, for studies that state no date.
        locations: the largest kernels on each location, of one metric each.
    """

    analysis: Analysis
    callpaths: Outlook
    regions: Outlook
    targets: FloatArray
    provenance: Mapping[str, Any]
    filter_evidence: Mapping[str, Any] | None = None
    efficiency: Mapping[str, Any] | None = None
    work: Mapping[str, Any] | None = None
    runtime: Runtime | None = None
    next_measurement: Mapping[str, Any] | None = None
    potential: Mapping[str, Any] | None = None
    resource_use: Sequence[Mapping[str, Any]] = ()
    expectations: Sequence[Mapping[str, Any]] = ()
    held_out: Mapping[str, Any] | None = None
    others: Sequence[MetricOutlook] = ()
    machines: Mapping[str, Any] | None = None
    roofline: StudyRoofline | None = None
    files: Sequence[date] = ()
    locations: Sequence[KernelLocations] = ()


def report_html(report: Report) -> str:
    """Return the HTML text. It needs no network, and shows whatever names contain as text."""
    analysis, provenance, found = report.analysis, report.provenance, report.runtime
    outlooks = report.callpaths, report.regions
    findings = Findings(analysis, *outlooks, report.targets[-1])
    reserved = LEAST_LOCATIONS if report.locations else 0
    callpaths = len(analysis.callpaths.kernels)
    room = int(MOST_CHARACTERS * min(max(callpaths / USUAL_CALLPATHS, 1.0), LARGEST))
    room -= len(packed_script()) + len(style_sheet()) + reserved
    positions = positions_of(analysis, report.targets)
    levels = levels_shown(analysis, *outlooks, positions, room - LEAST_REST)
    data = page_data(
        *(analysis, levels, positions, report.filter_evidence, found, report.roofline, room - LEAST_REST)
    )
    if found is not None:
        data["program"]["said"] = said_along(findings, found, positions)
    room -= len(compressed(data))
    folded = [text for name, shown in levels.items() if (text := _folding_text(name, shown))]
    data["others"], rest = _that_fit(report, positions, 0 if folded else room)
    room -= len(compressed(data["others"]))
    data["locations"], few = _locations(report, data, levels["callpaths"], room + reserved)
    return page_text(
        "report",
        data,
        title=heading(analysis, provenance)
        + ("" if report.machines is None else f", on {report.machines['on']['name']}"),
        origin=_origin(report),
        verdict=verdict(findings),
        said=None if found is None else said_at(findings, found),
        brief=[] if found is None else in_brief(findings, found, report.next_measurement, report.potential),
        answers=[]
        if found is None
        else [
            *answers(findings, found, report.next_measurement),
            *expectations(report.expectations),
            *resources(report.resource_use),
        ],
        charts=[] if data["program"] is None else data["program"]["charts"],
        surface=None if data["program"] is None else data["program"]["surface"],
        notices=[
            *filter(None, [work_sentence(report.work)]),
            *([] if found is None else other_notices(found)),
            *few,
            *_left_out(data, analysis, rest),
        ],
        folded=folded,
        facts=facts(analysis, provenance),
        provenance=provenance,
        warnings=model_warnings(analysis.callpaths.models),
        attributes=attributes(analysis.experiment),
        configuration=configuration_rows(provenance),
        efficiency=None
        if report.efficiency is None
        else efficiency_table(report.efficiency, predicted_efficiency(analysis.experiment.parameters, found)),
        held_out=held_out_tables(report.held_out),
        parameter=analysis.parameter,
        parameters=analysis.experiment.parameters,
        machines=_machines_section(report),
        imbalance=data["imbalance"] is not None,
        filtered=data["filter"],
        roofline=data["roofline"],
        callpaths=callpaths,
        predictions=prediction_text(analysis.parameter, positions.scales),
    )


def _locations(
    report: Report, data: Mapping[str, Any], callpaths: ShownKernels, room: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the values per location in the room that is left, and a notice on what is left out."""
    nodes = callpaths.kernels.node.tolist()
    shown = Shown(
        metrics={report.analysis.metric: data["metric"]}
        | {
            other.analysis.metric: has_room["metric"]
            for other, has_room in zip(report.others, data["others"], strict=False)
        },
        regions={row["name"]: i for i, row in enumerate(data["regions"])},
        callpaths={node: k for k, node in enumerate(nodes) if node >= 0},
    )
    return locations_data(report.locations, shown, min(max(room, LEAST_LOCATIONS), MOST_LOCATIONS))


def _origin(report: Report) -> list[str]:
    """Return the machine measured on and when; a projection names its machines by itself."""
    experiment = report.analysis.experiment
    place = machine(experiment) if report.machines is None else ""
    return [text for text in (place, dates(experiment, report.files)) if text]


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


def _left_out(data: Mapping[str, Any], analysis: Analysis, rest: Sequence[str]) -> list[str]:
    """Say what of the study the page has no room for.

    Args:
        data: of the page.
        analysis: the modelled experiment.
        rest: metrics that the reader cannot switch to.
    """
    of_tree = ", ".join(metric.name for metric in metrics_of_tree(analysis)[len(data["metrics"]) :])
    texts = [_left_out_text(data["levels"])]
    if of_tree:
        texts.append(f"the page has no room for measured values of {of_tree} in the call tree")
    if rest:
        texts.append(
            f"the page has no room for the metrics {', '.join(rest)}; `pipeline bottlenecks OUT --metric "
            "NAME` shows them"
        )
    return [text for text in texts if text]


def _left_out_text(data: Mapping[str, dict[str, Any]]) -> str:
    """Say of how many kernels the page has single repetitions; empty if of all."""
    counts = {
        noun: (len(data[name]["repetitions"]["kernels"]), len(data[name]["region"]))
        for name, noun in (("regions", "regions"), ("callpaths", "call paths"))
        if data[name]["repetitions"]["count"] > 1
    }
    if all(kept == whole for kept, whole in counts.values()):
        return ""
    largest = " and ".join(f"the {kept} largest of {whole} {noun}" for noun, (kept, whole) in counts.items())
    return f"the page has room for the single repetitions of {largest}; of the others it shows means"


def _that_fit(report: Report, positions: Positions, room: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the metrics for which there is room, in characters, and the names of all others."""
    shown: list[dict[str, Any]] = []
    for other in report.others if room > 0 else ():
        found = metric_data(report.analysis, positions, other, room)
        room -= len(compressed(found))
        if room < 0:
            break
        shown.append(found)
    return shown, [other.analysis.metric for other in report.others[len(shown) :]]


def _machines_section(report: Report) -> dict[str, Any] | None:
    """Return what the page says of two machines; its module takes sympy, which takes most of a second."""
    if report.machines is None:
        return None
    from pipeline.report.page.machine_comparison import machines_section

    return machines_section(report.machines)

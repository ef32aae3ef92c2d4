"""What the templates show: title, machine, date, facts, efficiency table, warnings, two machines."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ingest.arrays import FloatArray
from ingest.errors import RunNameError
from ingest.experiment import Experiment
from ingest.profile import NODE
from ingest.run_names import parse_run_name
from ingest.run_settings import counts_work, described_as, metadata_of
from ingest.scaling import Scaling
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis
from pipeline.questions.pop_efficiency import (
    EFFICIENCY_METRICS,
    FAIR,
    GOOD,
    MeasuredEfficiency,
    PopEfficiency,
    pop_efficiency,
)
from pipeline.questions.runtime.runtime import Runtime
from pipeline.questions.runtime_summary import Scale
from pipeline.report.page.page_data import warning_texts
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import (
    Figure,
    counted,
    display_unit,
    estimate_text,
    figure,
    interval_text,
    percent,
    point_text,
    quantity,
    range_text,
    value_text,
)

if TYPE_CHECKING:
    from pipeline.columns.two_machines import KernelOnBoth, StudyOnTwoMachines

_REGIONS = 12  # shown of two machines
_NAME_WIDTH = 60
_NO_NAME = "Scaling study"
_EFFICIENCY_DEPTH = {"overall": 0, "parallel": 1, "load_balance": 2, "communication": 2, "computation": 1}
_DEEPEST = 2
_APPLICATION = ("application", "app", "program", "executable", "cmdline", "cmd")
"""What runs may state the application under; the first counts."""

_HOSTS = ("hosts", NODE)
_DATES = ("date", "launchdate", "Starting Timestamp")
"""What runs may state their date under: as text, in seconds, in microseconds since 1970."""

_LISTED = 3  # machines that are named
_WIDEST = 48  # characters of a statement
_LEAST_SECONDS, _MOST_SECONDS = 1e8, 1e11  # since 1970, from 1973 on; beyond are microseconds


def heading(analysis: Analysis, provenance: Mapping[str, Any]) -> str:
    """Return the title: ``hpcg: p = 1 to 8, weak scaling``."""
    experiment = analysis.experiment
    columns = zip(experiment.parameters, experiment.points.T.tolist(), strict=True)
    parts = [_range(name, values) for name, values in columns]
    if analysis.decision.scaling is not Scaling.NONE:
        parts.append(f"{analysis.decision.scaling.value} scaling")
    return f"{application(experiment, provenance)}: {', '.join(parts)}"


def application(experiment: Experiment, provenance: Mapping[str, Any]) -> str:
    """Return what was measured: as the runs state it, then as their names begin, else the folder's name."""
    stated = _common(_program(run.attributes) for run in experiment.runs)
    named = _common(_prefix(run.source) for run in experiment.runs)
    if named.lower() in stated.lower():
        named = ""
    return " ".join(filter(None, (stated, named))) or study_name(provenance)


def study_name(provenance: Mapping[str, Any]) -> str:
    """Return the name of the directory that holds all inputs, or of the one file that was read."""
    paths = [entry["path"] for entry in provenance["inputs"]]
    if not paths:
        return _NO_NAME
    common = PurePath(paths[0] if len(paths) == 1 else os.path.commonpath(paths))
    return common.stem if len(paths) == 1 else common.name or _NO_NAME


def machine(experiment: Experiment) -> str:
    """Return the machines of the runs; empty if none is stated."""
    found = list(dict.fromkeys(filter(None, (_machine(run.attributes) for run in experiment.runs))))
    rest = len(found) - _LISTED
    return ", ".join(found[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def dates(experiment: Experiment, files: Sequence[date] = ()) -> str:
    """Return when the runs were made, as they state it, else when their files were last changed."""
    stated = sorted(found for run in experiment.runs if (found := _date(run.attributes)))
    if stated:
        return f"measured {_span(stated)}"
    return f"input files of {_span(sorted(files))}" if files else ""


def _range(name: str, values: Sequence[float]) -> str:
    low, high = value_text(min(values)), value_text(max(values))
    return f"{name} = {low}" if low == high else f"{name} = {low} to {high}"


def _common(texts: Iterable[str]) -> str:
    """Return the text that all share; empty if they differ."""
    found = set(texts)
    return found.pop() if len(found) == 1 else ""


def _program(attributes: Mapping[str, str]) -> str:
    """Return the name of the program: of a command its file."""
    for name in _APPLICATION:
        if text := described_as(attributes, name):
            first = text.split()[0]
            return (
                PurePath(first).name[:_WIDEST] if "/" in first or name.startswith("cmd") else text[:_WIDEST]
            )
    return ""


def _prefix(source: str) -> str:
    """Return the leading name of a run: ``hpcg`` of ``study/hpcg.p4.r1/profile.cubex``."""
    for part in reversed(PurePath(source).parts):
        for name in (part, PurePath(part).stem):
            try:
                run = parse_run_name(name)
            except RunNameError:
                continue
            if run.parameters:
                return run.prefix
    return ""


def _machine(attributes: Mapping[str, str]) -> str:
    stated = metadata_of(attributes).get("machine", "")
    return (stated or next(filter(None, (attributes.get(name, "") for name in _HOSTS)), ""))[:_WIDEST]


def _date(attributes: Mapping[str, str]) -> date | None:
    for name in _DATES:
        text = described_as(attributes, name)
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if seconds >= _LEAST_SECONDS:
            seconds /= 1e6 if seconds > _MOST_SECONDS else 1.0
            return datetime.fromtimestamp(min(seconds, _MOST_SECONDS), UTC).date()
        try:
            return date.fromisoformat(text[:10])
        except ValueError:
            continue
    return None


def _span(days: Sequence[date]) -> str:
    return f"{days[0]}" if days[0] == days[-1] else f"{days[0]} to {days[-1]}"


def facts(analysis: Analysis) -> list[tuple[str, str]]:
    """Return what was measured as pairs of a heading and a text; what is not known is left out."""
    experiment = analysis.experiment
    points, repetitions = experiment.shape
    columns = zip(experiment.parameters, experiment.points.T.tolist(), strict=True)
    ranges = "; ".join(range_text(name, values) for name, values in columns)
    found = [
        ("Measurements", f"{counted(points, 'point')}: {ranges}; {repetitions_text(repetitions)}"),
        ("Scaling", analysis.decision.reason),
        ("Values", _values(experiment)),
        ("GPUs", _per_run(run.device_time.shape[1] for run in experiment.runs)),
    ]
    return [(name, text) for name, text in found if text]


def repetitions_text(count: int) -> str:
    """Write how many repetitions a point has at most."""
    return "one repetition" if count == 1 else f"up to {count} repetitions"


def _per_run(counts: Iterable[int]) -> str:
    """Write how many of something runs have; empty if none has any."""
    found = sorted(set(counts))
    if not found or not found[-1]:
        return ""
    return f"{found[0]} per run" if found[0] == found[-1] else f"{found[0]} to {found[-1]} per run"


def _values(experiment: Experiment) -> str:
    """Say of what values are that are not of whole runs."""
    if experiment.per is None:
        return ""
    visits = experiment.per.of_a_run
    times = "once" if visits == 1 else f"{value_text(visits)} times"
    does = "makes" if counts_work(experiment.per.region) else "visits"
    return f"{experiment.per.text}, which a run {does} {times} (median)"


def attributes(experiment: Experiment) -> list[tuple[str, Any]]:
    """Return what the measurement systems of the runs say of themselves, each statement once."""
    return list(dict.fromkeys(chain.from_iterable(run.attributes.items() for run in experiment.runs)))


@dataclass(frozen=True, kw_only=True)
class EfficiencySection:
    """Efficiencies at points as the template shows them."""

    points: Sequence[str]
    # name, depth of its indentation, and a text with a rating per point
    rows: Sequence[tuple[str, int, Sequence[tuple[str, str]]]]
    notices: Sequence[str]  # what is not available


def efficiency_table(
    measured: MeasuredEfficiency, predicted: Sequence[PopEfficiency] = ()
) -> EfficiencySection:
    """Return the rows of efficiencies, without metrics that are unknown at all points.

    Args:
        predicted: the same at targets, as of `predicted_efficiency`; measured ones are left out.
    """
    known = [row.at for row in measured.points]
    points = [*measured.points, *(row for row in predicted if row.at not in known)]
    texts = [point_text(row.at) for row in points]
    count = len(measured.points)
    return EfficiencySection(
        points=[*texts[:count], *(f"{text} (predicted)" for text in texts[count:])],
        rows=[
            (name, _EFFICIENCY_DEPTH.get(key, _DEEPEST), [_rated(row.known.get(key)) for row in points])
            for key, name in EFFICIENCY_METRICS.items()
            if any(key in row.known for row in points)
        ],
        notices=measured.notices,
    )


def predicted_efficiency(parameters: Sequence[str], found: Runtime | None) -> list[PopEfficiency]:
    """Return the efficiencies at the targets; nothing if they are not available."""
    if found is None or found.pop is None:
        return []
    points = found.figures.points[-len(found.pop.overall) :].tolist()
    return [
        pop_efficiency(dict(zip(parameters, point, strict=True)), found.pop, q)
        for q, point in enumerate(points)
    ]


def _rated(value: float | None) -> tuple[str, str]:
    if value is None:
        return "–", "none"
    return f"{100 * value:.1f} %", "good" if value >= GOOD else "fair" if value >= FAIR else "poor"


def model_warnings(models: ScalingModels) -> list[tuple[str, int]]:
    """Return the warnings with the number of kernels that they concern, the most frequent first."""
    return Counter(chain.from_iterable(warning_texts(models))).most_common()


def configuration_rows(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the options of the run as pairs of a name and JSON."""
    return [(key, json.dumps(value)) for key, value in provenance["configuration"].items()]


def prediction_text(scaled: str, scales: FloatArray) -> str:
    """Say what the page's predictions are, known at some scales."""
    first, last = (value_text(float(scales[i])) for i in (0, -1))
    return (
        f"Predictions and intervals are those of pipeline predict, computed at {len(scales)} scales from "
        f"{scaled} = {first} to {last}, where the slider stops. Lines connect them. Intervals of kernels "
        "that take less than 0.1 % are known at measured and requested scales."
    )


@dataclass(frozen=True, kw_only=True)
class MachinesSection:
    """What the template shows of a study on two machines."""

    names: Sequence[str]  # and `short`: of the machines
    short: Sequence[str]
    times: Sequence[tuple[str, Sequence[str]]]  # scales, with times and efficiencies on both
    limits: Sequence[tuple[str, str]]  # sentences, by machine
    at: str  # and `unit`: of the regions
    unit: str
    regions: Sequence[tuple[str, Sequence[str]]]  # names, with shares on both, value and interval there
    ways: Mapping[str, Sequence[str]]  # how regions go over, with those that do


def machines_section(study: "StudyOnTwoMachines") -> MachinesSection:
    """Return what the template shows of a projection: the regions are those largest on the other machine."""
    from pipeline.columns.two_machines import leading_kernels

    sides, short = study.sides, [shown_name(side.machine) for side in study.sides]
    leading = leading_kernels(study, by="regions", limit=_REGIONS)
    unit = leading[0].there["unit"] if leading else ""
    factor, unit = display_unit(unit, max((one.prediction["value"] for one in leading), default=0.0))
    names = distinct_texts([one.there["callpath"] for one in leading], _NAME_WIDTH)
    ways: dict[str, list[str]] = {}
    for name, one in zip(names, leading, strict=True):
        ways.setdefault(one.way.way.value, []).append(name)
    runtimes = [side.summary.runtime for side in sides]
    return MachinesSection(
        names=[side.name for side in sides],
        short=short,
        times=_times(*(runtime.at if runtime else () for runtime in runtimes)),
        limits=[
            (name, runtime.limits_sentence) for name, runtime in zip(short, runtimes, strict=True) if runtime
        ],
        at=point_text(leading[0].prediction["at"]) if leading else "",
        unit=unit,
        regions=[(name, _cells(one, factor)) for name, one in zip(names, leading, strict=True)],
        ways=ways,
    )


def _times(here: Sequence[Scale], there: Sequence[Scale]) -> list[tuple[str, list[str]]]:
    return [
        (
            point_text(a.point) + ("" if a.measured else " (predicted)"),
            [*(_estimate(side.wall_seconds) for side in (a, b)), *map(_efficiency, (a, b))],
        )
        for a, b in zip(here, there, strict=True)
    ]


def _estimate(found: Figure | None) -> str:
    if found is None or found.value is None:
        return "–"
    if found.lower is None or found.upper is None:
        return quantity(found.value, "s")
    return estimate_text(found.value, found.lower, found.upper, "s")


def _efficiency(entry: Scale) -> str:
    found = entry.efficiency or entry.weak_efficiency
    return "–" if found is None or found.value is None else percent(found.value)


def _cells(one: "KernelOnBoth", factor: float) -> list[str]:
    there = one.prediction
    return [
        percent(one.here["share_at_target"]),
        percent(one.there["share_at_target"]),
        figure(there["value"] * factor),
        interval_text(there["lower"] * factor, there["upper"] * factor),
    ]

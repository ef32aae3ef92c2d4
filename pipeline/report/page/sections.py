"""What the templates show: title, machine, date, facts, efficiency table, warnings."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import PurePath
from typing import Any

from ingest.arrays import FloatArray
from ingest.errors import RunNameError
from ingest.experiment import Experiment
from ingest.profile import NODE
from ingest.run_names import parse_run_name
from ingest.run_settings import counts_work, described_as, metadata_of
from ingest.scaling import Scaling
from pipeline.columns.answers import efficiency_columns
from pipeline.columns.cells import Cells
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis
from pipeline.questions.pop_efficiency import PopEfficiency, pop_efficiency
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.page.page_data import warning_texts
from pipeline.wording.quantities import counted, range_text, value_text

_NO_NAME = "Scaling study"
_EFFICIENCY_DEPTH = {"overall": 0, "parallel": 1, "load_balance": 2, "communication": 2, "computation": 1}
_DEEPEST = 2
_INDENT = "\u2003"
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


def efficiency_table(measured: Sequence[PopEfficiency], predicted: Sequence[PopEfficiency]) -> list[Cells]:
    """Return the columns of efficiencies, names indented below what they are factors of."""
    columns = efficiency_columns(measured, predicted)
    return [
        replace(
            names,
            texts=[
                f"{_INDENT * _EFFICIENCY_DEPTH.get(str(key), _DEEPEST)}{text}"
                for key, text in zip(names.values, names.texts, strict=True)
            ],
        )
        for names in columns[:1]
    ] + columns[1:]


def predicted_efficiency(parameters: Sequence[str], found: Runtime | None) -> list[PopEfficiency]:
    """Return the efficiencies at the targets; nothing if they are not available."""
    if found is None or found.pop is None:
        return []
    points = found.figures.points[-len(found.pop.overall) :].tolist()
    return [
        pop_efficiency(dict(zip(parameters, point, strict=True)), found.pop, q)
        for q, point in enumerate(points)
    ]


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

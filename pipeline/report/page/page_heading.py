"""What the head of the page says of a study: application, parameters, machine and date."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import PurePath
from typing import Any

from ingest.errors import RunNameError
from ingest.experiment import Experiment
from ingest.profile import NODE
from ingest.run_names import parse_run_name
from ingest.run_settings import described_as, metadata_of
from ingest.scaling import Scaling
from pipeline.questions.analysis import Analysis
from pipeline.report.page.sections import scale_text, study_name

APPLICATION = ("application", "app", "program", "executable", "cmdline", "cmd")
"""What runs may state the application under; the first counts."""

HOSTS = ("hosts", NODE)
DATES = ("date", "launchdate", "Starting Timestamp")
"""What runs may state their date under: as text, in seconds, in microseconds since 1970."""

LISTED = 3  # machines that are named
WIDEST = 48  # characters of a statement
LEAST_SECONDS, MOST_SECONDS = 1e8, 1e11  # since 1970, from 1973 on; beyond are microseconds


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


def machine(experiment: Experiment) -> str:
    """Return the machines of the runs; empty if none is stated."""
    found = list(dict.fromkeys(filter(None, (_machine(run.attributes) for run in experiment.runs))))
    rest = len(found) - LISTED
    return ", ".join(found[:LISTED]) + (f" and {rest} more" if rest > 0 else "")


def dates(experiment: Experiment, files: Sequence[date] = ()) -> str:
    """Return when the runs were made, as they state it, else the dates of their files.

    Args:
        experiment: the runs.
        files: when the input files were last changed.
    """
    stated = sorted(found for run in experiment.runs if (found := _date(run.attributes)))
    if stated:
        return f"measured {_span(stated)}"
    return f"input files of {_span(sorted(files))}" if files else ""


def _range(name: str, values: Sequence[float]) -> str:
    low, high = scale_text(min(values)), scale_text(max(values))
    return f"{name} = {low}" if low == high else f"{name} = {low} to {high}"


def _common(texts: Iterable[str]) -> str:
    """Return the text that all share; empty if they differ."""
    found = set(texts)
    return found.pop() if len(found) == 1 else ""


def _program(attributes: Mapping[str, str]) -> str:
    """Return the name of the program: of a command its file."""
    for name in APPLICATION:
        if text := described_as(attributes, name):
            first = text.split()[0]
            return PurePath(first).name[:WIDEST] if "/" in first or name.startswith("cmd") else text[:WIDEST]
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
    return (stated or next(filter(None, (attributes.get(name, "") for name in HOSTS)), ""))[:WIDEST]


def _date(attributes: Mapping[str, str]) -> date | None:
    for name in DATES:
        text = described_as(attributes, name)
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if seconds >= LEAST_SECONDS:
            seconds /= 1e6 if seconds > MOST_SECONDS else 1.0
            return datetime.fromtimestamp(min(seconds, MOST_SECONDS), UTC).date()
        try:
            return date.fromisoformat(text[:10])
        except ValueError:
            continue
    return None


def _span(days: Sequence[date]) -> str:
    return f"{days[0]}" if days[0] == days[-1] else f"{days[0]} to {days[-1]}"

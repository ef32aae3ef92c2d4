"""What stands at the head of the page: the name of the study and what was measured."""

import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ingest.experiment import Experiment
from pipeline.models.analysis import Analysis

TOOL = ("creator", "generator")
MACHINE = ("hosts", "machine", "system")


def study_name(provenance: Mapping[str, Any]) -> str:
    """Return the name of the directory that holds all inputs, or of the one file that was read."""
    paths = [entry["path"] for entry in provenance["inputs"]]
    if not paths:
        return "Scaling report"
    common = PurePath(paths[0] if len(paths) == 1 else os.path.commonpath(paths))
    return common.stem if len(paths) == 1 else common.name or "Scaling report"


def facts(analysis: Analysis, provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what was measured as pairs of a heading and a text."""
    experiment = analysis.experiment
    repetitions = experiment.shape[1]
    found = [
        (
            "Measured",
            f"{len(experiment.points)} points, {_ranges(experiment)}; "
            + ("one repetition" if repetitions == 1 else f"up to {repetitions} repetitions"),
        ),
        (
            "Call tree",
            f"{len(analysis.callpaths.kernels)} call paths in {len(analysis.regions.kernels)} regions",
        ),
        ("Scaling", analysis.decision.reason),
        ("Locations", _locations(experiment)),
        ("Measured with", _attribute(experiment, TOOL)),
        ("Machine", _attribute(experiment, MACHINE)),
        ("Filter", provenance["filter"]),
    ]
    return [(name, text) for name, text in found if text]


def _ranges(experiment: Experiment) -> str:
    columns = zip(experiment.parameters, experiment.points.T, strict=True)
    return ", ".join(_range(name, sorted(set(values.tolist()))) for name, values in columns)


def _range(name: str, values: Sequence[float]) -> str:
    if len(values) > 8:
        return f"{name} = {values[0]:g} … {values[-1]:g} ({len(values)} values)"
    return f"{name} = {' '.join(f'{value:g}' for value in values)}"


def _locations(experiment: Experiment) -> str:
    counts = sorted({len(run.process) for run in experiment.runs})
    if not counts:
        return ""
    if counts[0] == counts[-1]:
        return f"{counts[0]} in every run"
    return f"{counts[0]} to {counts[-1]} in a run"


def _attribute(experiment: Experiment, keys: Sequence[str]) -> str:
    """Join what the runs say under one of the keys, each text once."""
    found = [
        str(value)
        for run in experiment.runs
        for key, value in run.attributes.items()
        if key.lower() in keys and value
    ]
    return ", ".join(dict.fromkeys(found))

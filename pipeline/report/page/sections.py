"""What the templates show beside the verdict: name of the study, facts, efficiency table, warnings."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import STATED_STEPS, Experiment
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.analysis import Analysis
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.page.kernel_data import warning_texts
from pipeline.report.summary import EFFICIENCY_METRICS, FAIR, GOOD
from pipeline.wording.quantities import counted

NO_NAME = "Scaling study"
LISTED_VALUES = 8  # values of a parameter are listed up to this many, else their range
WHOLE = 1e15  # beyond, even whole numbers are written with an exponent
TOOL = ("creator", "generator")
MACHINE = ("hosts", "machine", "system")
EFFICIENCY_DEPTH = {"overall": 0, "parallel": 1, "load_balance": 2, "communication": 2, "computation": 1}
DEEPEST = 2


def study_name(provenance: Mapping[str, Any]) -> str:
    """Return the name of the directory that holds all inputs, or of the one file that was read."""
    paths = [entry["path"] for entry in provenance["inputs"]]
    if not paths:
        return NO_NAME
    common = PurePath(paths[0] if len(paths) == 1 else os.path.commonpath(paths))
    return common.stem if len(paths) == 1 else common.name or NO_NAME


def facts(analysis: Analysis, provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what was measured as pairs of a heading and a text; what is not known is left out."""
    experiment = analysis.experiment
    points, repetitions = experiment.shape
    found = [
        (
            "Measurements",
            f"{counted(points, 'point')}, {_ranges(experiment)}; {repetitions_text(repetitions)}",
        ),
        (
            "Call tree",
            f"{counted(len(analysis.callpaths.kernels), 'call path')} in "
            f"{counted(len(analysis.regions.kernels), 'region')}",
        ),
        ("Scaling", analysis.decision.reason),
        ("Values", _values(experiment)),
        ("Locations", _per_run(len(run.process) for run in experiment.runs)),
        ("GPUs", _per_run(run.device_time.shape[1] for run in experiment.runs)),
        ("Measured with", _attribute(experiment, TOOL)),
        ("Machine", _attribute(experiment, MACHINE)),
        ("Filter", provenance["filter"]),
    ]
    return [(name, text) for name, text in found if text]


def repetitions_text(count: int) -> str:
    """Write how many repetitions a point has at most."""
    return "one repetition" if count == 1 else f"up to {count} repetitions"


def scale_text(value: float, digits: int = 6) -> str:
    """Write a value of a parameter: whole numbers whole, all else with some significant digits."""
    return f"{value:.0f}" if value == round(value) and abs(value) < WHOLE else f"{value:.{digits}g}"


def _ranges(experiment: Experiment) -> str:
    columns = zip(experiment.parameters, experiment.points.T, strict=True)
    return ", ".join(_range(name, sorted(set(values.tolist()))) for name, values in columns)


def _range(name: str, values: Sequence[float]) -> str:
    if len(values) > LISTED_VALUES:
        return f"{name} = {scale_text(values[0])} … {scale_text(values[-1])} ({len(values)} values)"
    return f"{name} = {' '.join(map(scale_text, values))}"


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
    times = "once" if visits == 1 else f"{scale_text(visits)} times"
    does = "makes" if experiment.per.region == STATED_STEPS else "visits"
    return f"{experiment.per.text}, which a run {does} {times} (median)"


def _attribute(experiment: Experiment, keys: Sequence[str]) -> str:
    """Join what the runs say under one of the keys, each text once."""
    return ", ".join(
        dict.fromkeys(str(value) for key, value in attributes(experiment) if key.lower() in keys and value)
    )


def attributes(experiment: Experiment) -> list[tuple[str, Any]]:
    """Return what the measurement systems of the runs say of themselves, each statement once."""
    return list(dict.fromkeys(chain.from_iterable(run.attributes.items() for run in experiment.runs)))


def efficiency_table(
    efficiency: Mapping[str, Any], predicted: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return the rows of the ``efficiency`` of a summary, without metrics that are unknown at all points.

    Args:
        efficiency: of the measured points.
        predicted: the same at targets, as of `predicted_efficiency`; measured ones are left out.
    """
    known = [row["at"] for row in efficiency["points"]]
    points = [*efficiency["points"], *(row for row in predicted if row["at"] not in known)]
    texts = [
        ", ".join(f"{name} = {scale_text(value)}" for name, value in row["at"].items()) for row in points
    ]
    measured = len(efficiency["points"])
    return {
        "points": [*texts[:measured], *(f"{text} (predicted)" for text in texts[measured:])],
        "rows": [
            {
                "name": name,
                "depth": EFFICIENCY_DEPTH.get(key, DEEPEST),
                "cells": [_efficiency_cell(row[key]) for row in points],
            }
            for key, name in EFFICIENCY_METRICS.items()
            if any(row[key] is not None for row in points)
        ],
        "notices": efficiency["notices"],
    }


def predicted_efficiency(parameters: Sequence[str], found: Runtime | None) -> list[dict[str, Any]]:
    """Return the efficiencies at the targets; nothing if they are not available."""
    if found is None or found.pop is None:
        return []
    count = len(found.pop.overall)
    return [
        {"at": dict(zip(parameters, point, strict=True)), **dict.fromkeys(EFFICIENCY_METRICS)}
        | {name: float(values[q]) for name, values in vars(found.pop).items() if np.isfinite(values[q])}
        for q, point in enumerate(found.figures.points[-count:].tolist())
    ]


def _efficiency_cell(value: float | None) -> dict[str, str]:
    if value is None:
        return {"text": "–", "rating": "none"}
    rating = "good" if value >= GOOD else "fair" if value >= FAIR else "poor"
    return {"text": f"{100 * value:.1f} %", "rating": rating}


def model_warnings(models: ScalingModels) -> list[tuple[str, int]]:
    """Return the warnings with the number of kernels that they concern, the most frequent first."""
    return Counter(chain.from_iterable(warning_texts(models))).most_common()


def configuration_rows(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the options of the run as pairs of a name and JSON."""
    return [(key, json.dumps(value)) for key, value in provenance["configuration"].items()]


def prediction_text(scaled: str, scales: FloatArray) -> str:
    """Say what the page's predictions are, known at some scales."""
    first, last = (scale_text(float(scales[i]), 4) for i in (0, -1))
    return (
        f"Predictions and intervals are those of pipeline predict, computed at {len(scales)} scales from "
        f"{scaled} = {first} to {last}, where the slider stops. Lines connect them. Intervals of kernels "
        "that take less than 0.1 % are known at measured and requested scales."
    )

"""What `pipeline inspect` shows: what is in a profile or a directory of runs, without models."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ingest.alignment import experiment_from_series
from ingest.discovery import Run
from ingest.errors import InputError
from ingest.profile import Metric, Profile
from ingest.readers import SeriesReader
from ingest.reduction import reduce_profile
from ingest.run_names import RunSpec
from ingest.run_settings import (
    OVERLAPPING_TIME,
    RECONCILED,
    SETTING,
    STATISTIC,
    differing_settings,
    stated,
)
from pipeline.stages.ingest import locate, skipped_entry


def inspect_path(path: Path, explicit: Sequence[RunSpec] = (), *, totals: bool = False) -> dict[str, Any]:
    """Look into a profile, a series file or a directory of runs.

    Args:
        path: what to look into.
        explicit: runs named by the configuration; they replace discovery.
        totals: whether values are read too and summed.

    Returns:
        ``path`` and ``parameters``; per run its path, format, parameter values, repetition, call paths,
        regions, locations, processes, metrics, totals of metrics (none unless requested) and notices;
        ``series`` instead of runs for a series file; ``skipped`` with reasons; ``notices`` on the whole. Runs
        whose values are not measured on every location have ``statistic``, what the values are of these, and
        ``reconciled``, how much of the stated total they are; a single one also ``overlapping``, the timers
        that are in no sum.

    Raises:
        InputError: there is nothing that can be read.
    """
    found = locate(path, explicit).found
    if isinstance(found, SeriesReader):
        series = experiment_from_series(found.read(path))
        return {
            "path": str(path),
            "parameters": list(series.parameters),
            "runs": [],
            "series": {
                "format": found.name,
                "points": len(series.points),
                "repetitions": series.shape[1],
                "callpaths": len(series.tree),
                "metrics": [m.name for m in series.metrics],
            },
            "skipped": [],
            "notices": list(series.notices),
        }
    skipped = [skipped_entry(entry) for entry in found.skipped]
    runs = []
    attributes = []
    for run in found.runs:
        try:
            profile = run.reader.read(run.path)
            described = _describe(run, profile) | {"totals": _totals(profile) if totals else {}}
            if len(found.runs) == 1 and (rows := _overlapping(profile)):
                described["overlapping"] = rows
            runs.append(described)
            attributes.append(profile.attributes)
        except InputError as error:
            skipped.append({"path": str(run.path), "reason": error.what})
    return {
        "path": str(path),
        "parameters": list(found.parameters),
        "runs": runs,
        "skipped": skipped,
        "notices": [*found.notices, *differing_settings(attributes)],
    }


def _describe(run: Run, profile: Profile) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "format": stated(profile.attributes, SETTING).get("program", run.reader.name),
        "at": list(run.parameters),
        "repetition": run.repetition,
        "callpaths": len(profile.tree),
        "regions": len(profile.regions),
        "locations": int(profile.locations.cpu.sum()),
        "processes": len(set(profile.locations.process.tolist())),
        "metrics": list(map(_named, profile.metrics)),
        "notices": list(profile.notices),
    } | _stated_of(profile.attributes)


def _stated_of(attributes: Mapping[str, str]) -> dict[str, Any]:
    """Return what values are of the processes and how much of a stated total they are, if a log says so."""
    if STATISTIC not in attributes:
        return {}
    return {"statistic": attributes[STATISTIC], "reconciled": stated(attributes, RECONCILED)}


def _overlapping(profile: Profile) -> list[tuple[str, float]]:
    """Return the timers that overlap others, the longest first, with seconds summed over locations."""
    if OVERLAPPING_TIME not in {metric.name for metric in profile.metrics}:
        return []
    seconds = profile.values(OVERLAPPING_TIME).sum(axis=1)
    paths = profile.tree.paths(profile.regions.name)
    rows = [(_in_group(paths[node]), float(seconds[node])) for node in np.argsort(-seconds).tolist()]
    return [row for row in rows if row[1] > 0]


def _in_group(path: tuple[str, ...]) -> str:
    """Return the name of a timer with that of the group it stands in, if there is one."""
    group = path[:-2]  # the last but one is the region of overlapping timers
    return f"{path[-1]} ({', '.join(group)})" if group else path[-1]


def _totals(profile: Profile) -> dict[str, float]:
    """Sum the exclusive values of every metric that may be summed, over call paths and CPU locations."""
    reduced = reduce_profile(profile, [metric.name for metric in profile.metrics])
    return {_named(metric): float(reduced.values[metric.name].sum.sum()) for metric in reduced.metrics}


def _named(metric: Metric) -> str:
    return f"{metric.name} [{metric.unit}]" if metric.unit else metric.name

"""What is in a path, read without modelling: the content of `pipeline inspect`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.alignment import experiment_from_series
from ingest.discovery import Run, discover
from ingest.errors import InputError
from ingest.profile import Metric, Profile
from ingest.readers import find_series_reader
from ingest.reduction import reduce_profile
from ingest.run_names import RunSpec
from pipeline.stages.ingest import skipped_entry


def inspect_path(path: Path, explicit: Sequence[RunSpec] = (), *, totals: bool = False) -> dict[str, Any]:
    """Look into a profile, a series file or a directory of runs.

    Args:
        path: what to look into.
        explicit: runs named by the configuration; they replace discovery.
        totals: whether values are read too and summed.

    Returns:
        ``parameters``; per run its path, format, parameter values, repetition, call paths, regions,
        locations, processes, metrics, totals of metrics (none unless asked for) and notices; ``skipped``
        with reasons.

    Raises:
        InputError: where there is nothing that can be read.
    """
    if path.is_file() and (reader := find_series_reader(path)) is not None:
        series = experiment_from_series(reader.read(path))
        return {
            "parameters": list(series.parameters),
            "runs": [],
            "series": {
                "format": reader.name,
                "points": len(series.points),
                "repetitions": series.shape[1],
                "callpaths": len(series.tree),
                "metrics": [m.name for m in series.metrics],
            },
            "skipped": [],
        }
    found = discover(path, explicit or None)
    skipped = [skipped_entry(entry) for entry in found.skipped]
    runs = []
    for run in found.runs:
        try:
            profile = run.reader.read(run.path)
            runs.append(_describe(run, profile) | {"totals": _totals(profile) if totals else {}})
        except InputError as error:
            skipped.append({"path": str(run.path), "reason": error.what})
    return {"parameters": list(found.parameters), "runs": runs, "skipped": skipped}


def _describe(run: Run, profile: Profile) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "format": run.reader.name,
        "at": list(run.parameters),
        "repetition": run.repetition,
        "callpaths": len(profile.tree),
        "regions": len(profile.regions),
        "locations": int(profile.locations.cpu.sum()),
        "processes": len(set(profile.locations.process.tolist())),
        "metrics": list(map(_named, profile.metrics)),
        "notices": list(profile.notices),
    }


def _totals(profile: Profile) -> dict[str, float]:
    """Sum the exclusive values of every metric that may be summed, over call paths and CPU locations."""
    reduced = reduce_profile(profile, [metric.name for metric in profile.metrics])
    return {_named(metric): float(reduced.values[metric.name].sum.sum()) for metric in reduced.metrics}


def _named(metric: Metric) -> str:
    return f"{metric.name} [{metric.unit}]" if metric.unit else metric.name

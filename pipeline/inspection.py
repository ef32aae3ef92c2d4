"""What is in a path, read without modelling: the content of `pipeline inspect`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.alignment import experiment_from_series
from ingest.discovery import Run, RunSpec, discover
from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import find_series_reader
from pipeline.stages import skipped_entry


def inspect_path(path: Path, explicit: Sequence[RunSpec] = ()) -> dict[str, Any]:
    """Look into a profile, a series file or a directory of runs.

    Returns:
        ``parameters``; per run its path, format, parameter values, repetition, call paths, regions,
        locations, processes, metrics and notices; ``skipped`` with reasons.

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
            runs.append(_describe(run, run.reader.read(run.path)))
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
        "metrics": [f"{m.name} [{m.unit}]" if m.unit else m.name for m in profile.metrics],
        "notices": list(profile.notices),
    }

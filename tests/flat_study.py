"""A smaller study of the same runs: every region once, below the program."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingest.discovery import discover
from ingest.profile import MetricKind, Profile
from tests.cubex_writer import GroupSpec, MetricSpec, RegionSpec, write_cubex

METRICS = ("time", "visits", "bytes_sent", "bytes_received")


def write_flat_study(study: Path, folder: Path) -> Path:
    """Write the runs of a study with the values of regions, so that what is done per call path is quick."""
    for run in discover(study).runs:
        write_flat(run.reader.read(run.path), folder / run.path.parent.name / "profile.cubex")
    return folder


def write_flat(profile: Profile, path: Path) -> None:
    """Write a profile whose call tree has two levels."""
    path.parent.mkdir(parents=True)
    root = int(profile.tree.region[np.argmax(profile.values("time", inclusive=True).sum(axis=1))])
    used: Sequence[int] = [root, *sorted(set(profile.tree.region.tolist()) - {root})]
    place = np.zeros(len(profile.regions), dtype=np.int64)
    place[used] = np.arange(len(used))
    metrics = []
    for name in METRICS:
        sums = np.zeros((len(used), len(profile.locations)))
        np.add.at(sums, place[profile.tree.region], profile.values(name))
        metrics.append(MetricSpec(name, sums, MetricKind.EXCLUSIVE.name, unit=profile.metric(name).unit))
    table = profile.regions
    write_cubex(
        path,
        parent=[-1, *[0] * (len(used) - 1)],
        regions=[RegionSpec(table.name[i], paradigm=table.paradigm[i]) for i in used],
        metrics=metrics,
        groups=[GroupSpec(rank) for rank in range(profile.processes)],
        attributes={"Creator": profile.attributes["Creator"]},
    )

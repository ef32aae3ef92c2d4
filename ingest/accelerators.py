"""Time on accelerators: GPU-seconds of kernels, copies and idle time, in metrics of their own.

Streams of a device are summed, so that a location is an accelerator. Core-seconds and GPU-seconds are never
added: a host that waits for a kernel and the kernel are the same time twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import IntArray, places_in_groups
from ingest.calltree import CallTree
from ingest.profile import Block, LocationTable, Profile, RegionTable
from ingest.region_class import CLASSES, GPU_IDLE, RegionClass

GPU = "gpu_"
"""What the names of metrics begin with that were measured on accelerators: ``gpu_time``, ``gpu_visits``."""
GPU_TIME = GPU + "time"
IDLE = "GPU idle"
"""The region of the time in which a device does nothing."""
DEVICE_CLASSES = (RegionClass.KERNEL, RegionClass.COPY, RegionClass.IDLE)
"""What devices do; all that is neither a copy nor idle time is a kernel."""


@dataclass(frozen=True, eq=False)
class Devices:
    """The accelerators of a run."""

    streams: IntArray  # int64[L], the locations that are streams, ordered by their device
    first: IntArray  # int64[D], the first stream of each device among them

    @classmethod
    def of(cls, profile: Profile) -> "Devices":
        """Return the accelerators that a profile has streams of, by ascending number."""
        streams = np.flatnonzero(profile.locations.accelerator)
        device = profile.locations.device[streams]
        order = np.argsort(device, kind="stable")
        _, first = np.unique(device[order], return_index=True)
        return cls(streams[order], first)

    def __len__(self) -> int:
        return len(self.first)

    def table(self, locations: LocationTable) -> LocationTable:
        """Return the accelerators as locations: each is of the process of its first stream."""
        table = locations.take(self.streams[self.first])
        return replace(table, thread=places_in_groups(table.process))

    def blocks(self, profile: Profile, metric: str) -> Iterator[Block]:
        """Yield exclusive values summed over the streams of each device.

        Yields:
            int64[k], call paths, and float64[k, D], their values; all others are zero.
        """
        streams = profile.locations.accelerator
        place = np.cumsum(streams)[self.streams] - 1  # of each stream in a block
        for nodes, values in profile.exclusive_blocks(metric, streams):
            yield nodes, np.add.reduceat(values[:, place], self.first, axis=1)


def device_rows(classes: IntArray) -> IntArray:
    """Return for classes of regions, places in `CLASSES`, those in `DEVICE_CLASSES`: what a device does."""
    row = {CLASSES.index(found): i for i, found in enumerate(DEVICE_CLASSES)}
    return np.array([row.get(found, 0) for found in classes.tolist()], dtype=np.int64)


def with_idle_region(tree: CallTree, regions: RegionTable) -> tuple[CallTree, RegionTable]:
    """Add a root of the region `IDLE` behind all call paths."""
    added = CallTree(np.append(tree.parent, -1), np.append(tree.region, len(regions)))
    return added, RegionTable.joined([regions, RegionTable.named((IDLE,), (GPU_IDLE,))])

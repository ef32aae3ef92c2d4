"""Tiny files of TALP, as DLB 3.5 writes them."""

import json
from collections.abc import Mapping, Sequence

S = 1_000_000_000  # nanoseconds
Parts = Sequence[float]  # useful time, MPI, load imbalance, scheduling and serialization of OpenMP, seconds

_SUMS = ("usefulTime", "mpiTime", "ompLoadImbalanceTime", "ompSchedulingTime", "ompSerializationTime")
_OF_ONE = (
    "useful",
    "notUsefulMPI",
    "notUsefulOMPLoadBalance",
    "notUsefulOMPScheduling",
    "notUsefulOMPSerialization",
)


def talp(
    regions: Mapping[str, tuple[float, Sequence[Parts]]],
    *,
    cpus: int = 2,
    processes: bool = True,
    gpus: int = 0,
) -> str:
    """A file of regions by name, the whole first: elapsed seconds, and the parts of each rank."""
    ranks = len(next(iter(regions.values()))[1])
    application = {
        name: {
            "numCpus": ranks * cpus,
            "numMpiRanks": ranks,
            "numMeasurements": 3 * ranks,
            "elapsedTime": int(elapsed * S),
            **{key: int(sum(part) * S) for key, part in zip(_SUMS, zip(*parts, strict=True), strict=True)},
            "parallelEfficiency": 0.75,
        }
        for name, (elapsed, parts) in regions.items()
    }
    listed = [
        {
            "name": name,
            "process": [
                {
                    "rank": rank,
                    "elapsedTime": int(elapsed * S),
                    **{key: int(part * S) for key, part in zip(_OF_ONE, row, strict=True)},
                }
                for rank, row in enumerate(parts)
            ],
        }
        for name, (elapsed, parts) in regions.items()
    ]
    resources = {"numCpus": ranks * cpus, "numNodes": 1, "numMpiRanks": ranks, "numGpus": gpus}
    content = {"dlbVersion": "3.5", "resources": resources, "Application": application}
    return json.dumps(content | ({"region": listed} if processes else {}), indent=1)


WHOLE = (10.0, [(12.0, 4.0, 1.0, 0.5, 0.5), (14.0, 2.0, 1.0, 0.5, 0.5)])
PART = (4.0, [(6.0, 2.0, 0.0, 0.0, 0.0), (7.0, 1.0, 0.0, 0.0, 0.0)])

TALP: Mapping[str, str] = {
    "whole": talp({"Application": WHOLE}),
    "side by side": talp({"Application": WHOLE, "solve": PART, "write": PART}),
    "nested": talp({"Application": WHOLE, "steps": WHOLE, "solve": PART}),
    "sums": talp({"Global": WHOLE, "solve": PART}, processes=False, gpus=2),
}

"""SeriesBuilder of accelerators by other people, beside the project, with the totals that READMEs state."""

from pathlib import Path

import pytest

from ingest.readers import find_profile_reader
from ingest.region_class import CLASSES, RegionClass, region_classes

LOGS = Path(__file__).parents[5] / "shared" / "data" / "logs"
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the samples lie beside the project")

KERNELS, COPIES, CALLS, IDLE = (
    RegionClass.KERNEL,
    RegionClass.COPY,
    RegionClass.OFFLOAD,
    RegionClass.IDLE,
)
NSYS = {  # folder: (number, nanoseconds) of kernels, of copies and of calls; names of kernels, capture
    "heat.run3/report3": ((50, 1071243791), (200, 26207455433), (312, 27354083401), 1, 30917254685),
    "heat.run4/report4": ((50, 1064111711), (3, 337975176), (167, 1429589563), 1, 5111341508),
    "heat.run5/report5": ((50, 209754472), (3, 320812772), (167, 554449535), 1, 3917458401),
    "heat.run6/report6": ((50, 663653621), (3, 313893104), (167, 1223731168), 1, 4908973289),
}
ROCPROF = ((1, 3431611), (3, 1066407390), (13, 2154335636))
OMNIPERF = {"bmm1": 5201166.73, "bmm2": 6460504.49, "bmm3": 3851227.25}


def read(place, reader):
    found = find_profile_reader(LOGS / place)
    assert found.name == reader
    return found.read(LOGS / place)


def by_class(profile):
    """Number of visits and nanoseconds by class of region, and the number of call paths of each."""
    classes = region_classes(profile.regions)[profile.tree.region]
    found = {}
    for place in set(classes.tolist()):
        mine = classes == place
        sums = (profile.values(metric)[mine].sum() for metric in ("visits", "time"))
        number, seconds = map(float, sums)
        found[CLASSES[place]] = (number, pytest.approx(1e9 * seconds, rel=1e-12), int(mine.sum()))
    return found


@pytest.mark.parametrize("name", NSYS)
def test_nsight_systems(name):
    *sums, names, capture = NSYS[name]
    profile = read(f"nsys-sqlite/{name}.sqlite", "Nsight Systems")
    found = by_class(profile)
    assert [found[of][:2] for of in (KERNELS, COPIES, CALLS)] == sums
    assert found[KERNELS][2] == names
    by_location = profile.values("time").sum(axis=0)
    assert profile.locations.device.tolist() == [-1, 0]
    assert by_location[0] == pytest.approx(1e-9 * capture, rel=1e-12)  # nothing overlaps on the device
    assert by_location[1] == pytest.approx(1e-9 * capture, rel=1e-12)


@pytest.mark.parametrize(
    "name", ["", "results.db", "results.json", "results.stats.csv", "results.copy_stats.csv"]
)
def test_rocprof(name):
    reader = "GPU summary tables" if name.endswith("csv") else "rocprof"
    found = by_class(read(f"rocprof/v1-vectoradd/{name}", reader))
    assert tuple(found[of][:2] for of in (KERNELS, COPIES, CALLS)) == ROCPROF
    assert [found[of][2] for of in (KERNELS, COPIES, CALLS)] == [1, 2, 7]
    assert (IDLE in found) == (reader == "rocprof")


@pytest.mark.parametrize("name", OMNIPERF)
def test_omniperf(name):
    profile = read(f"rocprof/omniperf-{name}/pmc_kernel_top.csv", "GPU summary tables")
    assert len(profile.regions) == 2
    assert 1e9 * profile.values("time").sum() == pytest.approx(OMNIPERF[name], abs=0.005)
    assert profile.attributes["metadata: GPU"] == "MI300X_A1"

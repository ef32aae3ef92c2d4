"""TALP's JSON: useful time, what was lost to MPI and OpenMP, and idle CPUs."""

import json

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.profile import OVERLAPPING
from ingest.readers import talp
from ingest.reduction import reduce_profile
from ingest.region_class import USEFUL_WORK, regions_in
from tests.ingest.readers.by_path import sums_by_path

from . import talp_files
from .talp_files import TALP, WHOLE

FORMAT, FILE = "TALP", "out.json"


def test_the_whole_is_elapsed_time_on_all_cpus_and_only_useful_time_is_useful(read):
    profile = read(TALP["whole"])
    assert sums_by_path(profile, "time") == pytest.approx(
        {
            ("Application",): 26.0,
            ("Application", "MPI"): 6.0,
            ("Application", "OpenMP load imbalance"): 2.0,
            ("Application", "OpenMP scheduling"): 1.0,
            ("Application", "OpenMP serialization"): 1.0,
            ("Application", "idle CPUs"): 4.0,
        }
    )
    useful = regions_in(profile.regions, USEFUL_WORK)
    assert [name for name, found in zip(profile.regions.name, useful, strict=True) if found] == [
        "Application"
    ]
    assert profile.values("time").sum(axis=0) == pytest.approx([10.0] * 4)
    assert profile.values("visits").sum() == 6
    assert profile.locations.process.tolist() == [0, 0, 1, 1]
    assert (
        "40.00000000 CPU-seconds of 4 CPUs, parallelEfficiency 0.75 stated"
        in profile.attributes["reconciled: "]
    )


def test_regions_that_fit_side_by_side_are_below_the_whole(read):
    profile = read(TALP["side by side"])
    found = sums_by_path(profile, "time")
    assert found[("Application", "solve")] == 13.0
    assert found[("Application", "solve", "MPI")] == 3.0
    assert ("Application", "MPI") not in found
    assert sum(found.values()) == pytest.approx(40.0)


def test_a_region_on_some_of_the_ranks_holds_their_cpus_alone(read):
    on_one = (4.0, [(6.0, 2.0, 0.0, 0.0, 0.0), (0.0,) * 5])
    content = json.loads(talp_files.talp({"Application": WHOLE, "root": on_one}, processes=False))
    content["Application"]["root"] |= {"numMpiRanks": 1, "numCpus": 2}
    found = sums_by_path(read(json.dumps(content)), "time")
    assert {path[2:]: value for path, value in found.items() if "root" in path} == {(): 6.0, ("MPI",): 2.0}
    assert sum(found.values()) == pytest.approx(40.0)


def test_regions_that_do_not_fit_are_in_no_sum(read):
    profile = read(TALP["nested"])
    assert OVERLAPPING in profile.regions.paradigm
    reduced = reduce_profile(profile, ["time"])
    assert reduced.values["time"].sum.sum() == pytest.approx(40.0)
    assert sums_by_path(profile, "overlapping_time")[("Application", talp.APART_TIMERS, "solve")] == 16.0
    assert profile.notices == (
        "2 regions lie inside or around each other, which TALP does not state: only the whole is modelled",
    )


def test_sums_are_the_mean_of_all_processes(read):
    profile = read(TALP["sums"])
    assert np.ptp(profile.values("time").sum(axis=0)) == pytest.approx(0)
    assert profile.attributes["statistic"] == "mean of 2 processes"
    assert profile.notices == (
        "sums over the processes: all have the mean, so there is no load balance",
        "the times of accelerators are not read",
    )


def test_the_processes_are_a_parameter(tmp_path):
    (tmp_path / FILE).write_text(TALP["whole"])
    assert talp.READER.processes(tmp_path / FILE) == 2


@pytest.mark.parametrize(
    ("where", "value", "error"),
    [
        (("Application",), {}, "no region in it"),
        (("Application", "Application", "elapsedTime"), "x", "'elapsedTime' is no number: x"),
        (("Application", "Application", "usefulTime"), -1, "'usefulTime' is no number"),
        (("Application", "Application", "numCpus"), 10**9, "more than any run has"),
        (("Application", "Application", "numCpus"), 10**6 * 8, "more than any run has"),
        (("region",), 3, "'region' should be"),
    ],
)
def test_damage_is_named(read, where, value, error):
    content = json.loads(TALP["sums"].replace("Global", "Application"))
    *above, last = where
    record = content
    for key in above:
        record = record[key]
    record[last] = value
    text = json.dumps(content)
    with pytest.raises(InputError, match=error):
        read(
            text
            if '"elapsedTime"' in text[:4000]
            else text.replace("{", '{"x": ["elapsedTime", "usefulTime"], ', 1)
        )

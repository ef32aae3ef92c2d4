"""Logs of the partitions of one run of LAMMPS (``lmp -partition 4x2``)."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.run_settings import RECONCILED, SETTING
from tests.ingest.readers.timer_logs import lammps

UNIVERSE = "LAMMPS (4 Jan 2019)\nRunning on {} partitions of processors\nSetting up regular NEB ...\n"


def partition(number, seconds, tasks=2):
    log = lammps((seconds, 100, [("Pair", 0.75 * seconds), ("Other", 0.25 * seconds)]), tasks=tasks)
    first, _, rest = log.partition("\n")
    return f"{first}\nProcessor partition = {number}\n{rest}"


def write(folder, *seconds, name="log.lammps.{}", universe=0, tasks=(2, 2, 2, 2)):
    folder.mkdir(parents=True, exist_ok=True)
    for number, took in enumerate(seconds):
        if took:
            (folder / name.format(number)).write_text(partition(number, took, tasks[number]))
    if universe:
        (folder / name.format("").rstrip(".")).write_text(UNIVERSE.format(universe))


def found_in(folder):
    return [(run.path, run.parameters, run.repetition) for run in discover(folder).runs]


@pytest.mark.parametrize("name", ["log.lammps.{}", "screen.{}", "neb.log.{}"])
def test_the_partitions_of_a_run_are_one_run(tmp_path, name):
    for p in (8, 16):
        write(tmp_path / f"neb.p{p}", 4.0, 4.25, 4.5, 5.0, name=name, universe=4, tasks=(p // 4,) * 4)
    first = name.format(0)
    assert found_in(tmp_path) == [
        (tmp_path / "neb.p8" / first, (8.0,), 1),
        (tmp_path / "neb.p16" / first, (16.0,), 1),
    ]
    reader = find_profile_reader(tmp_path / "neb.p8" / first)
    profile = reader.read(tmp_path / "neb.p8" / first)
    seconds = profile.values("time").sum(axis=0).tolist()
    assert seconds == [4.0, 4.0, 4.25, 4.25, 4.5, 4.5, 5.0, 5.0]
    assert profile.processes == 8
    assert profile.attributes[SETTING + "partitions"] == "4"
    assert profile.attributes[RECONCILED].startswith("4 partitions, of the longest: timers 10 s = 100.00 %")
    assert reader.processes(tmp_path / "neb.p8" / first) == 8
    others = [tmp_path / "neb.p8" / name.format(number) for number in (1, 2, 3)]
    assert [*reader.beside(tmp_path / "neb.p8" / first)] == others


def test_partitions_of_several_runs_in_one_folder(tmp_path):
    write(tmp_path, 4.0, 5.0, name="neb.p4.log.{}")
    write(tmp_path, 2.0, 3.0, name="neb.p8.log.{}", tasks=(4, 4))
    assert found_in(tmp_path) == [
        (tmp_path / "neb.p4.log.0", (4.0,), 1),
        (tmp_path / "neb.p8.log.0", (8.0,), 1),
    ]


def test_partitions_of_other_sizes_and_timers(tmp_path):
    write(tmp_path, 4.0, 5.0, tasks=(1, 3))
    log = tmp_path / "log.lammps.1"
    log.write_text(log.read_text().replace("Pair ", "Kspace "))
    profile = find_profile_reader(tmp_path / "log.lammps.0").read(tmp_path / "log.lammps.0")
    by_name = {
        profile.regions.name[r]: row
        for r, row in zip(profile.tree.region, profile.values("time"), strict=True)
    }
    assert by_name["Pair"].tolist() == [3.0, 0.0, 0.0, 0.0]
    assert by_name["Kspace"].tolist() == [0.0, 3.75, 3.75, 3.75]


@pytest.mark.parametrize(
    ("seconds", "universe", "what"),
    [
        ((4.0, 0.0, 4.0, 4.0), 0, "partition 1 of 4 is missing"),
        ((0.0, 4.0, 4.0, 4.0), 0, "partition 0 of 4 is missing"),
        ((4.0, 4.0), 3, "partition 2 of 3 is missing"),
        ((0.0,), 2, "partition 1 of 2 is missing"),
    ],
)
def test_a_missing_partition_is_named(tmp_path, seconds, universe, what):
    write(tmp_path, *seconds, universe=universe)
    (log,) = [file for file in sorted(tmp_path.iterdir()) if find_profile_reader(file)]
    with pytest.raises(InputError, match=what):
        find_profile_reader(log).read(log)

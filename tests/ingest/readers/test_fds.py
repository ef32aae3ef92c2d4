"""FDS's seconds of each rank by part of the program."""

import pytest

from ingest.errors import InputError
from ingest.readers import fds
from ingest.reading.stacks import PROGRAM
from tests.ingest.readers.by_path import sums_by_path

from .fds_files import FDS, HEADER, ROW
from .fds_files import fds as file_of

FORMAT, FILE = "FDS", "case_cpu.csv"


def test_ranks_are_locations_and_what_the_parts_miss_is_the_programs(read, tmp_path):
    profile = read(FDS["two ranks"])
    found = sums_by_path(profile, "time")
    assert found[(PROGRAM, "PRES")] == 7.0
    assert found[(PROGRAM,)] == 1.0
    assert profile.values("time").sum(axis=0) == pytest.approx([8.0, 8.0])
    assert profile.attributes["reconciled: "] == "parts 15 s = 93.75 % of the stated 16 s"
    assert fds.READER.processes(tmp_path / FILE) == 2


def test_communication_is_told_from_computing(read):
    regions = read(FDS["one rank"]).regions
    assert dict(zip(regions.name, regions.paradigm, strict=True))["COMM"] == "mpi"


def test_a_rounded_rest_below_zero_is_none(read):
    assert (PROGRAM, "MAIN") not in sums_by_path(read(FDS["one rank"]), "time")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (file_of(), "no rank in it"),
        (file_of(ROW, ROW), "rank 0 is there twice"),
        (file_of(ROW.replace("8.000E+00", "6.000E+00")), "rank 0: the parts exceed their total"),
        (file_of(ROW + ", 1"), "line 2: not the numbers of a rank"),
        (file_of(ROW, "x"), "line 3: not the numbers of a rank"),
        (file_of(ROW.replace("2.000E+00", "nan")), "line 2: not the numbers"),
    ],
)
def test_damage_is_named(read, content, error):
    with pytest.raises(InputError, match=error):
        read(content)


@pytest.mark.parametrize("header", ["Rank,time", HEADER.replace("Rank", "p"), HEADER.replace("MAIN", "a b")])
def test_other_tables_are_not_of_fds(tmp_path, header):
    (tmp_path / FILE).write_text(file_of(ROW, header=header))
    assert not fds.matches(tmp_path / FILE)

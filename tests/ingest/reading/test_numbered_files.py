"""Which files of a folder differ in one number."""

from pathlib import Path

import pytest

from ingest.reading.textfile import numbered_files


def numbered(*names):
    before, found = numbered_files([Path("folder") / name for name in names])
    return before, [file.name for file in found]


@pytest.mark.parametrize(
    ("names", "before"),
    [
        (("rank1.out", "rank0.out"), "rank"),
        (("out.2", "out.1", "out.3"), "out."),
        (("a2.0.n4.db", "a2.1.n4.db"), "a2."),
        (tuple(f"x{number}" for number in range(12)), "x"),
        (tuple(f"x{number:04d}" for number in range(12)), "x"),
    ],
)
def test_files_come_in_the_order_of_their_numbers(names, before):
    assert numbered(*names) == (before, sorted(names, key=lambda name: (len(name), name)))


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("rank0",),
        ("rank0", "rank2"),
        ("rank2", "rank3"),
        ("rank0", "task1"),
        ("rank0", "rank1.txt"),
        ("rank0", "notes"),
        ("0.0", "1.1"),
        ("rank1", "rank01"),
    ],
)
def test_other_files_are_not_numbered(names):
    assert numbered(*names) == ("", [])

"""Profiles of gperftools of before the protocol buffers: samples of the processor and waits for locks."""

import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader
from tests.ingest.readers.by_path import sums_by_path

from .gperftools_files import CPU, STACKS, WAITS, cpu, waits

BY_PLACE = {("app+0x100", "app+0x200"): 3.0, ("app+0x100", "libm.so.6+0x1040"): 2.0, ("app+0x100",): 1.0}


@pytest.fixture
def read(tmp_path):
    """Write a file of any name, look who reads it, and read it."""

    def go(content, format="gperftools"):
        path = tmp_path / "out"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        reader = find_profile_reader(path)
        assert reader.name == format
        return reader.read(path)

    return go


@pytest.mark.parametrize("name", ["64 bit", "big endian", "longer header"])
def test_samples_are_read_whatever_the_machine_was(read, name):
    profile = read(CPU[name])
    assert sums_by_path(profile, "samples") == BY_PLACE
    assert sums_by_path(profile, "time") == pytest.approx({path: n / 100 for path, n in BY_PLACE.items()})
    assert "functions have no names" in profile.notices[0]


def test_words_of_32_bits(read):
    assert read(CPU["32 bit"]).values("samples").sum() == 6


def test_names_are_those_before_the_profile(read):
    profile = read(CPU["with names"])
    assert sums_by_path(profile, "samples")[("main", "solve(int)")] == 3
    assert profile.notices == ()


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (cpu(end=(), maps=""), "the samples end early"),
        (cpu([(0, (5,))]), "damaged at word 5: no stack"),
        (cpu([(1, ())]), "damaged at word 5"),
        (cpu([*STACKS, (1, range(1, 20_000))]), "damaged at word 17"),
    ],
)
def test_damaged_samples_are_refused(read, content, error):
    with pytest.raises(InputError, match=error):
        read(content)


@pytest.mark.parametrize("name", ["contentionz", "mutex"])
def test_waits_stand_for_all_that_were_not_sampled(read, name):
    profile = read(WAITS[name], "gperftools waits")
    assert sums_by_path(profile, "contentions") == {("app+0x100", "app+0x200"): 20.0}
    assert profile.values("delay").sum() == 30.0


def test_without_a_clock_waits_are_counted_only(read):
    assert [metric.name for metric in read(WAITS["no clock"], "gperftools waits").metrics] == ["contentions"]


def test_waits_with_names(read):
    profile = read(WAITS["with names"], "gperftools waits")
    assert sums_by_path(profile, "contentions")[("main", "solve(int)")] == 20


def test_damaged_waits_are_refused_with_their_line(read):
    with pytest.raises(InputError, match="line 5: neither a setting nor a wait"):
        read(waits("x 2 @ 0x1\n"), "gperftools waits")
    with pytest.raises(InputError, match="no stack in it"):
        read(waits(""), "gperftools waits")

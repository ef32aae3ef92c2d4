"""pprof's profiles: stacks with several values, from their protocol buffer."""

import gzip

import pytest

from ingest.errors import InputError
from ingest.readers import pprof
from tests.ingest.readers.by_path import sums_by_path

from . import profiler_files
from .profiler_files import PPROF, field

FORMAT, FILE = "pprof", "cpu.out"
PATHS = {("main", "solve", "dot"): 2, ("main",): 1, ("[unknown]",): 0}


@pytest.mark.parametrize("name", ["packed", "plain"])
def test_values_of_stacks_with_inlined_functions(read, name):
    profile = read(PPROF[name])
    assert sums_by_path(profile, "samples") == {("main", "solve", "dot"): 3, ("main",): 1}
    assert sums_by_path(profile, "time") == pytest.approx({("main", "solve", "dot"): 3e-8, ("main",): -1e-8})
    assert profile.regions.file == ("a.c", "a.c", "a.c")
    assert profile.attributes["reconciled: "] == (
        "2 stacks with 4 samples occ, 2e-08 time s, the program ran 2 s, no total is stated"
    )
    assert profile.notices == ()


def test_fields_may_be_in_any_order(read):
    assert sums_by_path(read(PPROF["as Go does"]), "samples") == sums_by_path(read(PPROF["plain"]), "samples")


@pytest.mark.parametrize("factor", [1, 1 << 40, -1])
def test_blocks_of_samples_and_numbers_of_locations_change_nothing(read, monkeypatch, factor):
    monkeypatch.setattr(pprof, "_BLOCK_BYTES", 30)
    samples = tuple(((1, 2) if i % 3 else (2,) if i % 2 else (), (i, 10**i)) for i in range(18))
    content = profiler_files.pprof(samples=samples, location=lambda number: factor * number)
    profile = read(content)
    of = {path: [i for i, (stack, _) in enumerate(samples) if len(stack) == n] for path, n in PATHS.items()}
    assert sums_by_path(profile, "samples") == {path: sum(rows) for path, rows in of.items()}
    assert sums_by_path(profile, "time") == pytest.approx(
        {path: sum(1e-9 * 10**i for i in rows) for path, rows in of.items()}
    )


def test_other_values_keep_their_units(read):
    profile = read(PPROF["memory"])
    assert [(m.name, m.unit) for m in profile.metrics] == [("inuse_space", "bytes")]
    assert sums_by_path(profile, "inuse_space") == {("main", "solve", "dot"): 64, ("[unknown]",): 32}
    delay = read(profiler_files.pprof((("contentions", "count"), ("delay", "nanoseconds"))))
    assert [(m.name, m.unit) for m in delay.metrics] == [("contentions", "occ"), ("delay time", "s")]
    both = read(profiler_files.pprof((("wall", "microseconds"), ("cpu", "milliseconds"))))
    assert [(m.name, m.unit) for m in both.metrics] == [("wall time", "s"), ("time", "s")]
    assert sums_by_path(both, "time") == pytest.approx({("main", "solve", "dot"): 0.03, ("main",): -0.01})


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (PPROF["packed"][:-20], "the gzip data ends early"),
        (PPROF["plain"][:-3], "not a profile of pprof: it ends early; is the file truncated"),
        (PPROF["plain"] + b"\x0b", "a field of kind 3"),
        (PPROF["plain"] + b"\x50" + 10 * b"\xff" + b"\x01", "a number of more than ten bytes"),
        (profiler_files.pprof(samples=(((9,), (1, 1)),)), "the location 9 is not known"),
        (profiler_files.pprof(samples=(((1,), (1,)),)), "a sample has 1 values of 2"),
        (
            profiler_files.pprof((("cpu", "count"), ("cpu", "bytes"))),
            "two types of values have the same name",
        ),
        (field(1, field(1, 99) + field(2, 1)) + field(6, b""), "the text 99 is not in its table"),
        (profiler_files.pprof((("samples", "count"),), ()), "no stack in it"),
    ],
)
def test_damage_is_named(read, content, error):
    with pytest.raises(InputError, match=error):
        read(content)


def test_other_files_are_not_recognised(tmp_path):
    file = tmp_path / "x.prof"
    for content in (b"", b"\n", b"\n\nlog of a run\n", gzip.compress(b"<cube>"), b"\x1f\x8bno"):
        file.write_bytes(content)
        assert not pprof.matches(file)
    assert not pprof.matches(tmp_path)

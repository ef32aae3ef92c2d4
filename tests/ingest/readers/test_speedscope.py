"""speedscope's JSON: sampled and evented profiles."""

import json

import pytest

from ingest.errors import InputError
from ingest.readers import speedscope
from tests.ingest.readers.by_path import sums_by_path

from . import profiler_files
from .profiler_files import SPEEDSCOPE, evented, sampled

FORMAT, FILE = "speedscope", "x.json"


def test_weights_of_samples_are_seconds_if_their_unit_is_a_time(read):
    profile = read(SPEEDSCOPE["sampled"])
    chain = ("main", "solve")
    expected = {(*chain, "dot"): 6e-3, chain: 1e-3, (*chain, "solve", "solve"): 3e-3}
    assert sums_by_path(profile) == pytest.approx(expected)
    assert profile.attributes["generator"] == "py-spy@0.4.0"
    assert profile.attributes["reconciled: "] == (
        "1 profile with 0.01 s = 100.00 % of the stated range of 0.01"
    )
    assert profile.regions.file[0] == "a.c"
    assert profile.notices == ()


def test_time_between_events_is_that_of_the_innermost_open_frame(read):
    profile = read(SPEEDSCOPE["evented"])
    expected = {("main",): 1 + 1 + 2, ("main", "solve"): 3, ("main", "io"): 2}
    assert sums_by_path(profile) == expected
    assert "9 s = 75.00 % of the stated range of 12" in profile.attributes["reconciled: "]


def test_profiles_are_locations(read):
    profile = read(SPEEDSCOPE["two"])
    assert profile.locations.process.tolist() == [0, 1]
    assert profile.values("time").sum(axis=0) == pytest.approx([0.01, 0.01])
    threads = read(profiler_files.speedscope(sampled(), sampled()))
    assert threads.locations.process.tolist() == [0, 0]
    assert threads.locations.thread.tolist() == [0, 1]


def test_without_a_unit_there_are_no_seconds(read):
    profile = read(SPEEDSCOPE["counts"])
    assert [metric.name for metric in profile.metrics] == ["samples"]
    assert profile.values("samples").sum() == 19
    assert profile.notices == (
        "neither a unit nor an interval is stated: values are numbers of samples, not seconds",
    )


def test_bytes_are_bytes_and_profiles_may_have_different_units(read):
    profile = read(profiler_files.speedscope(sampled("bytes"), evented()))
    assert {m.name: m.unit for m in profile.metrics} == {"bytes": "bytes", "time": "s"}
    assert profile.values("bytes").sum(axis=0).tolist() == [10, 0]
    assert profile.attributes["reconciled: "].endswith("no total is stated")


def test_samples_without_weights_and_empty_stacks(read):
    profile = read(
        profiler_files.speedscope(sampled("none") | {"samples": [[0], [], [0, 1]], "weights": None})
    )
    assert sums_by_path(profile, "samples") == {("main",): 1, ("main", "solve"): 1}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"unit": "parsecs"}, "the unit 'parsecs' is not known"),
        ({"unit": ["seconds"]}, "is not known"),
        ({"weights": [1]}, "profile 0: 4 samples have 1 weights"),
        ({"samples": [[9]], "weights": [1]}, "profile 0: the frame 9 is not in the list of frames"),
        ({"samples": [[True]], "weights": [1]}, "the frame True is not in"),
        ({"samples": 3}, "profile 0: samples: a list is missing"),
        ({"samples": [[0]], "weights": ["1"]}, "profile 0: not a number: 1"),
        ({"samples": [[0]], "weights": [1e300]}, "not a number: 1e"),
        ({"type": "evented", "events": [{"type": "C", "frame": 0, "at": 1}]}, "closes a frame that is not"),
        ({"type": "evented", "events": [{"type": "O", "frame": 0, "at": 1}]}, "1 frames are not closed"),
        (
            {"type": "evented", "events": [{"type": "O", "frame": 0, "at": 1}, {"at": 0, "frame": 0}]},
            "follows one at 1",
        ),
    ],
)
def test_damage_is_named(read, change, error):
    with pytest.raises(InputError, match=error):
        read(profiler_files.speedscope(sampled() | change))


def test_truncated_and_other_files(read, tmp_path):
    with pytest.raises(InputError, match=r"not JSON.*; is the file truncated\?"):
        read(SPEEDSCOPE["sampled"][:-20])
    with pytest.raises(InputError, match="profile 0: not a number: nan"):
        read(SPEEDSCOPE["sampled"].replace("[4, 1, 2, 3]", "[4, NaN, 2, 3]"))
    with pytest.raises(InputError, match="no stack in it"):
        read(profiler_files.speedscope())
    with pytest.raises(InputError, match="frames: a list is missing"):
        read("{}", "x.speedscope.json")
    file = tmp_path / "x.json"
    for text in ("", "[]", json.dumps({"traceEvents": []}), "speedscope.app/file-format-schema"):
        file.write_text(text)
        assert not speedscope.matches(file)
    assert not speedscope.matches(tmp_path)

"""Callgrind's output: costs of functions without those of their calls."""

import shutil
import subprocess

import pytest

from ingest.errors import InputError
from ingest.readers import callgrind
from tests.ingest.readers.by_path import sums_by_function

from . import profiler_files
from .profiler_files import CALLGRIND

FORMAT, FILE = "callgrind", "callgrind.out.7"


def test_costs_of_calls_are_not_those_of_the_caller(read):
    profile = read(CALLGRIND["plain"])
    vector = "std::vector<int>::size() const"
    assert sums_by_function(profile, "Ir") == {"main": 16, "solve": 600, vector: 100}
    assert sums_by_function(profile, "visits") == {"solve": 3, vector: 40}
    assert profile.attributes["reconciled: "] == "functions 716 Ir = 100.00 % of the stated 716 Ir"
    assert profile.regions.file == ("a.c", "a.c", "vector.h")
    assert profile.notices == ()


def test_several_events_and_positions(read):
    profile = read(CALLGRIND["events"])
    assert sums_by_function(profile, "Ir") == {"main": 16}
    assert sums_by_function(profile, "Dr") == {"main": 4}
    assert [m.unit for m in profile.metrics] == ["occ", "occ"]


def test_costs_relative_to_the_one_before(read):
    assert sums_by_function(read(CALLGRIND["relative"]), "Ir") == {"f": 10 + 6 + 12 + 5}


def test_parts_of_threads_are_locations(read):
    profile = read(CALLGRIND["threads"])
    assert profile.values("Ir").tolist() == [[4, 2]]
    assert profile.locations.process.tolist() == [0, 0]
    assert profile.attributes["reconciled: "] == "functions 6 Ir = 100.00 % of the stated 6 Ir"


def test_costs_of_a_part_are_not_those_of_the_last_function_of_the_part_before(read):
    with pytest.raises(InputError, match="costs before the first function"):
        read(CALLGRIND["threads"] + "part: 4\nthread: 9\n\n1 5\n")


def test_xdebug_writes_the_format_too(read):
    profile = read(CALLGRIND["xdebug"])
    assert sums_by_function(profile, "Time_(10ns)") == {"{main}": 2}
    assert profile.attributes["reconciled: "] == "functions 2 Time_(10ns), no total is stated"


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("fn=(2)\n", "fn=(9)\n", r"line \d+: the name \(9\) is not known"),
        ("8 600", "8 x600", r"line \d\d: not a cost: x600"),
        ("8 600", "8 6 6", r"line \d\d: more costs than events"),
        ("8 600", "what is this", r"line \d\d: not a line of callgrind: what is this"),
        ("calls=40 7", "calls=many", "not a number of calls: many"),
        ("events: Ir", "events: Ir Ir", "not a list of different events"),
        ("events: Ir", "desc: x", "a call before|costs before|more costs"),
        ("fn=(1) main\n", "", "costs before the first function"),
        ("totals: 716", "totals: x", "not a total: x"),
        ("\nfl=(2)\n", "events: Dr\nfl=(2)\n", "its parts have different events"),
    ],
)
def test_damaged_lines_are_named(read, before, after, error):
    assert before in CALLGRIND["plain"]
    with pytest.raises(InputError, match=error):
        read(CALLGRIND["plain"].replace(before, after, 1))


def test_a_truncated_file_is_refused_or_does_not_reach_its_total(read):
    text = CALLGRIND["plain"]
    with pytest.raises(InputError, match="the cost of its last call is missing; is the file truncated"):
        read(text[: text.index("+1 100")])
    stated = text.replace("version: 1", "version: 1\nsummary: 716")
    cut = read(stated[: stated.index("fl=(2)\nfn=(3)")])
    assert cut.attributes["reconciled: "] == "functions 616 Ir = 86.03 % of the stated 716 Ir"


def test_other_texts_are_not_recognised(tmp_path):
    file = tmp_path / "callgrind.out.1"
    for text in ("", "fn=1\n", "events: of today\n", profiler_files.folded()):
        file.write_text(text)
        assert not callgrind.matches(file)
    file.write_text("# callgrind format\n")
    with pytest.raises(InputError, match="no events are named in it"):
        callgrind.read(file)


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_sums_are_those_that_valgrind_states(read, tmp_path):
    out = tmp_path / "callgrind.out.real"
    command = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--cache-sim=yes", "--collect-jumps=yes"]
    subprocess.run([*command, f"--callgrind-out-file={out}", "true"], check=True, capture_output=True)
    profile = read(out.read_text())
    assert "= 100.00 % of the stated" in profile.attributes["reconciled: "]
    assert {"Ir", "Dr", "Dw", "visits"} <= {metric.name for metric in profile.metrics}

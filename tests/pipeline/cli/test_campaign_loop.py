"""`pipeline campaign next` and `loop`: rounds of runs until a question is answered."""

import json
import re
import shutil
import signal
import subprocess
import sys

import pytest

from tests.campaigns import PATIENCE, begin, change, made, start, until

pytestmark = pytest.mark.slow

PROGRAM = '''\
"""Prints the timers that a run would have, as LAMMPS does; notes that it was started."""
import math, os, pathlib, random, sys, time
n = int(sys.argv[1])
here = pathlib.Path(__file__).parent
with open(here / "made", "a+") as made:
    print(n, file=made, flush=True)
    made.seek(0)
    run = made.read().split().count(str(n))
if (here / f"fail{n}").exists():
    sys.exit("cannot allocate")
while (here / f"hang{n}").exists():
    time.sleep(0.05)
if (here / f"slow{n}").exists():
    (here / f"slow{n}").unlink()
    time.sleep(8)
if (here / "steady").exists():
    time.sleep(0.3)  # so that a busy machine makes little difference
random.seed(f"{n} {run}")  # whatever the folder is called
pair = 1e-5 * n**3 * random.gauss(1, 0.01)
if (here / "rough").exists():
    pair = 1e-5 * n**3 * (1 + 0.05 * math.sin(n))  # no law, and repetitions say nothing
print(f"""LAMMPS (29 Sep 2021)
Loop time of {pair:.6f} on 1 procs for 300 steps with {4 * n**3} atoms
99.0% CPU use with 1 MPI tasks x 1 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | {pair:.6f} | {pair:.6f} | {pair:.6f} | 0.0 | 100

Nlocal: 1 ave 1 max 1 min
Total wall time: 0:00:00""")
'''

DESCRIPTION = f"""\
[campaign]
repetitions = 3
seed = 7
[application]
name = "melt"
command = "{sys.executable} {{folder}}/timers.py {{n}}"
[scales]
n = [8, 12, 16, 24, 32]
[question]
at = "n=48"
quantity = "time"
width = 0.5
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A campaign of a small program, in the current directory."""
    return begin(tmp_path, monkeypatch, DESCRIPTION, timers_py=PROGRAM)


def sizes(folder):
    """The sizes of the runs that were made, in order."""
    return [int(line) for line in made(folder)]


def summary_of(call, command, *options):
    code, printed, error = call("campaign", command, "--json", "-", *options)
    return code, json.loads(printed), error


def test_a_loop_answers_the_question(call, folder):
    code, printed, error = call("campaign", "loop")
    assert code == 0
    assert "Time at n = 48: " in printed
    words = " ".join(printed.split())
    assert "50.0 % is wanted: answered. Answers are about what the program measures: " in words
    measured = re.search(
        r"measures: (\d+) ms at n = 32. Costs are about its command: .* there, a difference of .* m?s\.$",
        words,
    )
    assert measured is not None
    assert float(measured[1]) == pytest.approx(1e-2 * 32**3, rel=0.05)  # the mean of runs that scatter by 1 %
    assert "round 2 (series)" in error
    _, summary, _ = summary_of(call, "plan")
    assert summary["ending"] == "answered"
    first, *_, last = summary["rounds"]
    assert (first["purpose"], first["runs"]) == ("pilot", 3)
    assert last["answer"]["lower"] <= 1e-5 * 48**3 <= last["answer"]["upper"]
    assert last["width"] <= 0.5
    assert all(one["done"] == one["runs"] for one in summary["rounds"])
    assert len(sizes(folder)) == sum(one["runs"] for one in summary["rounds"]) < 15
    assert (folder / "results/report.html").is_file()


def test_next_decides_and_submit_makes(call, folder):
    code, _, error = call("campaign", "next")
    assert code == 2
    assert error.endswith("runs not made yet: 3; start them with `pipeline campaign submit`\n")
    call("campaign", "submit")
    assert sorted(sizes(folder)) == [8, 12, 16]
    code, summary, _ = summary_of(call, "next")
    assert (code, summary["rounds"][1]["purpose"]) == (0, "series")
    assert len(sizes(folder)) == 3
    again = summary_of(call, "plan")[1]
    assert [run["name"] for run in again["runs"]] == [run["name"] for run in summary["runs"]]
    planned = [run for run in summary["runs"] if run["status"] == "planned"]
    assert all(run["expected_core_seconds"] > 0 for run in planned)


def test_an_answered_question_may_be_asked_more_precisely(call, folder):
    (folder / "rough").touch()
    change(folder, "width = 0.5", "width = 3.0")
    call("campaign", "loop")
    before = len(sizes(folder))
    _, summary, _ = summary_of(call, "loop")
    assert (summary["ending"], len(sizes(folder))) == ("answered", before)
    change(folder, "width = 3.0", "width = 0.001")
    code, summary, _ = summary_of(call, "loop")
    assert code == 3
    assert summary["ending"] == "nothing helps"
    found = summary["way_on"]
    assert (found["limit"], found["point"], found["runs"]) == ("scales", {"n": 48}, 2)
    assert 0 < found["width"] < summary["rounds"][-1]["width"]
    beside = max(run["seconds"] for run in summary["runs"])  # of runs in which nearly all is start-up
    assert 2 * 0.9 < found["cost"] < 2 * (1.4 + beside)  # the program says 1.1 s
    printed = " ".join(call("campaign", "loop")[1].split())
    assert "Larger scales are not allowed: 2 further runs at n = 48, about " in printed
    assert printed.endswith("; add n = 48 to [scales].")
    change(folder, "24, 32]", "24, 32, 48]")
    change(folder, "width = 0.001", "width = 1.0")
    _, summary, _ = summary_of(call, "loop")
    assert (summary["ending"], summary["way_on"]) == ("answered", None)


def test_the_budget_ends_the_loop(call, folder):
    (folder / "steady").touch()
    change(folder, "seed = 7", 'seed = 7\nbudget = "0.9 core-s"')
    change(folder, "width = 0.5", "width = 0.001")
    code, summary, _ = summary_of(call, "loop")
    assert (code, summary["ending"]) == (3, "budget")
    assert summary["way_on"]["limit"] in ("budget", "scales")
    largest = max(run["seconds"] or 0 for run in summary["runs"])
    assert summary["spent_core_seconds"] <= 0.9 + largest
    count = len(sizes(folder))
    assert summary_of(call, "loop")[0] == 3
    assert len(sizes(folder)) == count


def test_a_budget_that_does_not_pay_for_the_pilot(call, folder):
    change(folder, "seed = 7", 'seed = 7\nbudget = "0.001 core-s"')
    code, summary, _ = summary_of(call, "loop")
    assert (code, summary["ending"]) == (3, "budget")
    assert len(sizes(folder)) == 1


def test_a_pilot_that_is_known_to_cost_more_than_the_budget_is_not_begun(call, folder, tmp_path):
    assert call("campaign", "loop")[0] == 0
    (folder / "results").rename(folder / "known")
    shutil.rmtree(folder / "work")
    shutil.rmtree(folder / "profiles")
    change(folder, "seed = 7", 'seed = 7\nbudget = "0.001 core-s"')
    code, printed, error = call("campaign", "plan", "--results", "known")
    assert (code, printed, len(error.splitlines())) == (2, "", 1)
    assert (
        "campaign.toml: the budget of 0.00100 core-s does not pay for the pilot, which costs about" in error
    )


def test_a_scale_that_always_fails_is_left_out(call, folder):
    (folder / "fail32").touch()
    code, summary, error = summary_of(call, "loop")
    assert "n = 32 is left out: all runs failed there" in error
    assert sizes(folder).count(32) == 2
    assert code == (0 if summary["ending"] == "answered" else 3)
    assert {run["point"]["n"] for run in summary["runs"] if run["status"] == "done"} >= {8, 12, 16, 24}


def test_the_only_scale_of_a_round_may_fail(call, folder):
    change(folder, "[8, 12, 16, 24, 32]", "[8, 12, 16, 24]")
    change(folder, "repetitions = 3", "repetitions = 1")
    (folder / "fail24").touch()
    _, summary, error = summary_of(call, "loop")
    assert "n = 24 is left out: all runs failed there" in error
    assert summary["request"] == ""
    assert sizes(folder).count(24) == 2


def test_a_round_in_which_all_fails_stops_the_loop(call, folder):
    for n in (8, 12, 16):
        (folder / f"fail{n}").touch()
    code, _, error = call("campaign", "loop")
    assert code == 3
    assert error.splitlines()[-1].startswith("pipeline: no run of the round ended well: correct what failed")
    for n in (8, 12, 16):
        (folder / f"fail{n}").unlink()
    assert call("campaign", "loop")[0] == 0


def test_a_killed_loop_goes_on_and_makes_nothing_twice(call, folder):
    (folder / "hang24").touch()
    process = start(folder, "loop", stderr=subprocess.DEVNULL)
    until(lambda: 24 in sizes(folder))
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=PATIENCE)
    (folder / "hang24").unlink()
    code, summary, _ = summary_of(call, "loop")
    assert (code, summary["ending"]) == (0, "answered")
    assert len(sizes(folder)) == len(summary["runs"]) == summary["counts"]["done"]


@pytest.mark.parametrize("killed", [False, True])
def test_an_outlying_run_is_set_aside_and_made_again(call, folder, killed):
    text = DESCRIPTION[: DESCRIPTION.index("[question]")]
    (folder / "campaign.toml").write_text(text)
    (folder / "steady").touch()
    (folder / "slow16").touch()
    if killed:  # after the profiles were moved, before that was noted
        call("campaign", "submit")
        _, summary, _ = summary_of(call, "status")
        slow = max(summary["runs"], key=lambda run: run["seconds"])["name"]
        (folder / "profiles-outlying").mkdir()
        (folder / "profiles" / slow).rename(folder / "profiles-outlying" / slow)
    code, summary, error = summary_of(call, "loop")
    assert (code, summary["ending"]) == (0, "measured")
    assert "is outlying: it is in profiles-outlying/ now and made again" in error
    (outlying,) = (folder / "profiles-outlying").glob("*n16*")
    assert sizes(folder).count(16) == 4
    assert not (folder / "profiles" / outlying.name).exists()
    assert len(list((folder / "profiles").glob("*n16*"))) == 3
    assert [one["purpose"] for one in summary["rounds"]][:2] == ["all", "again"]

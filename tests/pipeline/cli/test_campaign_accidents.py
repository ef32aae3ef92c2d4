"""Accidents of campaigns: each ends in a sentence and a way on, nothing is run twice, nothing is lost."""

import json
import re
import shutil
import sys

import pytest

from tests.campaigns import begin, change, made

PROGRAM = '''\
"""Writes the timers that a run would have, as LAMMPS does, into a file; notes that it was started."""
import pathlib, sys
n, steps = int(sys.argv[1]), int(sys.argv[2])
here = pathlib.Path(__file__).parent
with open(here / "made", "a") as made:
    print(n, file=made)
pair = 1e-8 * n**3 * steps
text = f"""LAMMPS (29 Sep 2021)
Loop time of {pair:.6f} on 1 procs for {steps} steps with {4 * n**3} atoms
99.0% CPU use with 1 MPI tasks x 1 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | {pair:.6f} | {pair:.6f} | {pair:.6f} | 0.0 | 100

Nlocal: 1 ave 1 max 1 min
Total wall time: 0:00:00
"""
if n == 12 and (here / "clock").exists():
    (here / "clock").rename(here / "set")
kind = (here / "kind").read_text() if (here / "kind").exists() else ""
print(f"a program with {n}")
pathlib.Path("timers.log").write_text({"": text, "empty": "", "partial": text[:120]}[kind])
'''

DESCRIPTION = f"""\
[campaign]
repetitions = 1
seed = 7
[application]
name = "melt"
command = "{sys.executable} {{folder}}/timers.py {{n}} 300"
collect = ["timers.log"]
[scales]
n = [8, 12, 16]
"""

QUESTION = '[question]\nat = "n=24"\nquantity = "time"\nwidth = 9.0\n'
UNREADABLE = "its output cannot be read: "
FORGOTTEN = ('collect = ["timers.log"]\n', "")
WAY_ON = "Name the files that the program writes in `collect` of [application]: `pipeline campaign submit`"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A campaign of a small program that writes a file, in the current directory."""
    return begin(tmp_path, monkeypatch, DESCRIPTION, timers_py=PROGRAM)


def states(call):
    """The states of the runs, and why they failed."""
    summary = json.loads(call("campaign", "status", "--json", "-")[1])
    return {run["name"]: (run["status"], run["reason"]) for run in summary["runs"]}


def all_done(call):
    return {status for status, _ in states(call).values()} == {"done"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("collect", "reason"),
    [
        (FORGOTTEN, f"{UNREADABLE}no profile found in its 1 entries (run.log)"),
        (('"timers.log"', '"timers.txt"'), "no file matches timers.txt"),
        (('"timers.log"', '"../run.log"'), None),
    ],
)
def test_forgotten_or_wrong_collect(call, folder, refused, collect, reason):
    change(folder, *collect)
    if reason is None:
        assert "lies outside of the working directory" in refused("campaign", "submit")
        return
    code, printed, _ = call("campaign", "submit")
    assert code == 3
    assert set(states(call).values()) == {("failed", reason)}
    assert WAY_ON in " ".join(printed.split())
    assert not [one for one in (folder / "profiles").iterdir() if one.name[0] != "."]
    change(folder, *reversed(collect)) if collect[1] else change(
        folder, "[scales]", 'collect = ["timers.log"]\n[scales]'
    )
    code, printed, error = call("campaign", "submit")
    assert (code, "collected again what 3 runs wrote: 3 can be read" in error) == (0, True)
    assert all_done(call)
    assert len(made(folder)) == 3
    assert call("run", "profiles")[0] == 0


@pytest.mark.slow
def test_a_loop_stops_at_forgotten_collect_and_goes_on_when_it_is_there(call, folder):
    change(folder, *FORGOTTEN)
    (folder / "campaign.toml").write_text((folder / "campaign.toml").read_text() + QUESTION)
    for _ in range(2):
        code, _, error = call("campaign", "loop")
        assert (code, error.splitlines()[-1].startswith(f"pipeline: {WAY_ON}")) == (3, True)
        assert len(made(folder)) == 3
    change(folder, "[scales]", 'collect = ["timers.log"]\n[scales]')
    assert call("campaign", "loop")[0] == 0
    assert len(made(folder)) == len(states(call))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("empty", "its output is empty"),
        (
            "partial",
            "its output cannot be read: LAMMPS, 1 process, stopped before the end: no table of timers in it",
        ),
    ],
)
def test_empty_or_partial_output(call, folder, kind, reason):
    (folder / "kind").write_text(kind)
    (folder / "timers.py").write_text(PROGRAM.replace('print(f"a program with {n}")\n', ""))
    assert call("campaign", "submit")[0] == 3
    assert set(states(call).values()) == {("failed", reason)}
    (folder / "kind").unlink()
    assert call("campaign", "submit")[0] == 3  # what they wrote is still the same
    assert len(made(folder)) == 3
    code, printed, _ = call("campaign", "submit", "--failed")
    assert (code, "3 of 3 runs done" in printed) == (0, True)
    assert len(made(folder)) == 6


def test_a_run_is_reset_and_made_anew(call, folder, refused):
    assert call("campaign", "submit")[0] == 0
    spent = json.loads(call("campaign", "status", "--json", "-")[1])["spent_core_seconds"]
    code, printed, error = call("campaign", "reset", "melt.n12.r1")
    assert (code, "2 of 3 runs done" in printed) == (0, True)
    assert (
        error == "pipeline: melt.n12.r1 is planned again; what it left is kept in work/melt.n12.r1.attempt*\n"
    )
    summary = json.loads(call("campaign", "status", "--json", "-")[1])
    assert summary["spent_core_seconds"] == pytest.approx(spent)
    assert not (folder / "profiles/melt.n12.r1").exists()
    assert (folder / "work/melt.n12.r1.attempt1/profiles.reset/timers.log").is_file()
    assert call("campaign", "submit")[0] == 0
    assert (made(folder)[-1], len(made(folder)), all_done(call)) == ("12", 4, True)
    assert "no run melt.n12.r2; did you mean 'melt.n12.r1'?" in refused("campaign", "reset", "melt.n12.r2")


def changed_command(folder):
    change(folder, "{n} 300", "{n} 600")


def changed_input(folder):
    (folder / "timers.py").write_text(PROGRAM + "# another one\n")


def wrong_machine(folder):
    file = folder / "work/made_from.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "machine": "elsewhere"}))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("accident", "sentence"),
    [
        (changed_command, "changed since 3 runs began: command was "),
        (changed_input, "changed since 3 runs began: timers.py was "),
        (wrong_machine, "changed since 3 runs began: machine was elsewhere, is "),
    ],
)
def test_what_runs_are_made_of_has_changed(call, folder, refused, accident, sentence):
    assert call("campaign", "submit")[0] == 0
    accident(folder)
    change(folder, "[8, 12, 16]", "[8, 12, 16, 24]")
    error = refused("campaign", "submit")
    assert sentence in error
    assert error.endswith("put these runs away and make all anew with --accept-change\n")
    assert len(made(folder)) == 3
    code, printed, _ = call("campaign", "submit", "--accept-change")
    assert (code, "4 of 4 runs done" in printed) == (0, True)
    assert len(made(folder)) == 7
    assert len(list((folder / "work").glob("*.attempt1/profiles.reset/timers.log"))) == 3
    assert call("campaign", "submit")[0] == 0
    assert len(made(folder)) == 7


def moved(folder):
    return folder.rename(folder.with_name("elsewhere"))


def copied(folder):
    return shutil.copytree(folder, folder.with_name("elsewhere"))


def of_an_earlier_version(folder):
    """The path of the program stood in what runs were made from."""
    file = folder / "work/made_from.json"
    written = file.read_text()
    assert "'{folder}/timers.sh'" in written
    file.write_text(written.replace("'{folder}/timers.sh'", str(folder / "timers.sh")))
    return folder


@pytest.mark.parametrize("accident", [moved, copied, of_an_earlier_version])
def test_a_campaign_that_is_moved_or_copied_goes_on(call, tmp_path, monkeypatch, accident):
    (tmp_path / "campaign").mkdir()
    command = f"{sys.executable} {{folder}}/timers.py"
    description = DESCRIPTION.replace(command, "./timers.sh")
    program = f'#!/bin/sh\nexec {sys.executable} "$(dirname "$0")"/timers.py "$@"\n'
    folder = begin(tmp_path / "campaign", monkeypatch, description, timers_py=PROGRAM, timers_sh=program)
    (folder / "timers.sh").chmod(0o755)
    assert call("campaign", "submit")[0] == 0
    there = accident(folder)
    monkeypatch.chdir(there)
    change(there, "[8, 12, 16]", "[8, 12, 16, 24]")
    code, printed, error = call("campaign", "submit")
    assert (code, "4 of 4 runs done" in printed) == (0, True), error
    assert len(made(there)) == 4 and made(there)[-1] == "24"


def test_changed_description(call, folder, refused):
    """Further scales are a further round; scales that are left out keep what was measured."""
    assert call("campaign", "submit")[0] == 0
    change(folder, "[8, 12, 16]", "[8, 24]")
    code, printed, _ = call("campaign", "submit")
    assert (code, "4 of 4 runs done" in printed) == (0, True)
    assert made(folder)[3:] == ["24"]
    change(folder, "n = [8, 24]", "m = [8, 24]")
    assert "unknown placeholder {n}" in refused("campaign", "submit")


@pytest.mark.parametrize(("moved", "seconds"), [("-1 hour", -3600), ("+1 hour", 3600)])
def test_a_clock_that_is_set_while_a_run_is_made(call, folder, moved, seconds):
    """The cost is that of a clock that nobody sets, and a run whose times may be wrong is made again."""
    set_clock = f'date() {{ [ -e {folder}/set ] && command date -d \'{moved}\' "$@" || command date "$@"; }}'
    change(folder, "[scales]", f"prepare = ['''{set_clock}''']\n[scales]")
    (folder / "clock").touch()
    code, _, error = call("campaign", "submit")
    said = re.search(r"melt.n12.r1: failed: the clock was set by (-?[0-9]+) s while it ran", error)
    assert said and abs(int(said[1]) - seconds) <= 1
    assert (code, len(made(folder))) == (3, 3)
    summary = json.loads(call("campaign", "status", "--json", "-")[1])
    assert all(0 <= run["seconds"] < 600 for run in summary["runs"])
    assert {run["name"] for run in summary["runs"] if run["status"] == "failed"} == {"melt.n12.r1"}
    assert call("campaign", "submit")[0] == 0
    assert all_done(call)
    assert sorted(made(folder)) == ["12", "12", "16", "8"]


def test_what_commands_take_and_what_programs_measure_stand_apart(call, folder):
    assert call("campaign", "submit")[0] == 0
    summary = json.loads(call("campaign", "status", "--json", "-")[1])
    for run in summary["runs"]:
        assert run["measured_seconds"] == pytest.approx(1e-8 * run["point"]["n"] ** 3 * 300, abs=1e-6)
        assert run["seconds"] != run["measured_seconds"]
    _, head, first, *_ = call("campaign", "status")[1].splitlines()
    assert head.endswith("command takes [s]  program measures [s]  difference [s]")
    assert first.split()[-2] == "0.00154"

"""Wrong inputs, each with its line and exit code; proposals for names that do not follow the convention."""

import os
import tomllib

import pytest

from tests.foam_cases import write_foam_case
from tests.ingest.readers.timer_logs import castep

INCOMPLETE, REFUSED = 3, 2


@pytest.fixture
def study(tmp_path):
    """A study of p = 1, 2, 4, 8 whose runs are described by (name, processes)."""

    def write(*described, times=None):
        for name, processes in described:
            wobble = 1.0 + 0.001 * described.index((name, processes))  # equal contents would be copies
            case = {"main": wobble, **{f"kernel{i}": 4.0 / processes for i in range(6)}}
            write_foam_case(tmp_path / "study" / name, (times or {}).get(name, case), processes=processes)
        return tmp_path / "study"

    return write


@pytest.fixture
def run(call, tmp_path):
    """Run a study with --strict: returns exit code and the lines on standard error."""

    def go(directory, *options):
        code, _, error = call(
            "run", directory, "--out", tmp_path / "out", "--strict", "--limit", "1", *options
        )
        return code, error.splitlines()

    return go


SOUND = [("a.p1", 1), ("a.p2", 2), ("a.p4", 4), ("a.p8", 8)]


def test_a_run_named_for_more_processes_than_it_has_is_left_out(study, run):
    folder = study(*SOUND, ("a.p16", 8))
    code, lines = run(folder)
    assert code == INCOMPLETE
    assert lines == [
        f"pipeline: skipped {folder / 'a.p16'}: p = 16 by its name, but the profile has 8 processes;"
        " rename it, or list the runs in pipeline.toml"
    ]


def test_swapped_runs_are_refused(study, run):
    folder = study(("a.p1", 8), ("a.p2", 2), ("a.p4", 4), ("a.p8", 1))
    code, lines = run(folder)
    assert code == REFUSED
    assert lines == [
        f"pipeline: {folder / 'a.p1'}: p = 1 by its name, but the profile has 8 processes (swapped with"
        f" {folder / 'a.p8'}?), and 2 of 4 runs contradict their names; rename the runs, or list them in"
        " pipeline.toml"
    ]


@pytest.mark.slow
def test_a_list_of_runs_is_right_but_the_contradiction_is_said(study, run):
    folder = study(*SOUND, ("a.p16", 8))
    entries = [
        f'[[run]]\npath = "{name}"\nparameters = {{p = {name[3:]}}}\n' for name, _ in [*SOUND, ("a.p16", 8)]
    ]
    (folder / "pipeline.toml").write_text("\n".join(entries))
    code, lines = run(folder)
    assert code == 0
    assert len(lines) == 1 and "p = 16 by its name, but the profile has 8 processes" in lines[0]


def test_a_run_of_another_program_is_left_out(study, run):
    other = {"main": 1.0, **{f"another{i}": 1.0 for i in range(6)}}
    folder = study(*SOUND, ("a.p8.r2", 8), times={"a.p8.r2": other})
    code, lines = run(folder)
    assert code == INCOMPLETE
    assert lines == [
        f"pipeline: skipped {folder / 'a.p8.r2'}: shares less than 20 % of its call paths with the other"
        " runs, so it is another program or another kind of instrumentation; move it to a directory of its"
        " own"
    ]


@pytest.mark.slow
def test_a_slow_repetition_is_said(study, run):
    slow = {"main": 2.0, **{f"kernel{i}": 1.0 for i in range(6)}}
    folder = study(*SOUND, ("a.p8.r2", 8), times={"a.p8.r2": slow})
    code, lines = run(folder)
    assert code == 0
    assert lines == [
        f"pipeline: {folder / 'a.p8.r2'} took 2.0 times as long as its repetitions, over all kernels"
        " together; leave it out or measure it again if the machine was busy"
    ]


NAMES = {
    "score-p": ["scorep-20260101_1200_12345", "scorep-20260101_1201_23456", "scorep-20260101_1202_34567"],
    "scalasca": ["scorep_hpcg_1_sum", "scorep_hpcg_2_sum", "scorep_hpcg_4_sum"],
    "counted": ["hpcg_1", "hpcg_2", "hpcg_3"],
    "runs": ["run1", "run2", "run3"],
}


@pytest.mark.slow
@pytest.mark.parametrize("names", NAMES.values(), ids=list(NAMES))
def test_names_without_parameters_work_and_get_a_proposal_that_works(study, run, call, tmp_path, names):
    folder = study(*zip(names, (1, 2, 4), strict=True))
    code, lines = run(folder)
    assert code == 0 and len(lines) == 1
    assert lines[0].startswith("pipeline: parameters from the profiles, names do not give them: p is the")
    code, text, error = call("inspect", folder)
    assert code == 0 and "inspect DIR --propose" in text
    assert "p = 1, 2, 4" in text.splitlines()[0]
    code, text, error = call("inspect", folder, "--propose")
    assert code == 0
    listed = tomllib.loads(text)["run"]
    assert [entry["parameters"] for entry in listed] == [{"p": 1}, {"p": 2}, {"p": 4}]
    assert [entry["repetition"] for entry in listed] == [1, 1, 1]
    assert error.splitlines()[-1].startswith("pipeline: OK: 3 runs, ")
    file = tmp_path / "pipeline.toml"
    file.write_text(text)
    assert run(folder, "--config", file) == (0, [])


def test_logs_get_a_proposal(call, tmp_path):
    for size, processes in ((10, 2), (20, 2), (20, 4)):
        file = tmp_path / f"case-{processes}_x_log.n{size}"
        file.write_text(castep(processes=processes, stamps=(5.0, 15.0, size + 20.0)))
    listed = tomllib.loads(call("inspect", tmp_path, "--propose")[1])["run"]
    assert [entry["parameters"] for entry in listed] == [
        {"p": 2, "n": 10},
        {"p": 2, "n": 20},
        {"p": 4, "n": 20},
    ]


def test_repetitions_of_a_proposal_are_in_the_order_of_time(study, call):
    folder = study(("hpcg_1", 1), ("hpcg_2", 1), ("hpcg_3", 2))
    os.utime(folder / "hpcg_1", (2e9, 2e9))
    listed = tomllib.loads(call("inspect", folder, "--propose")[1])["run"]
    found = [(entry["path"].rsplit("/", 1)[1], entry["repetition"]) for entry in listed]
    assert found == [("hpcg_2", 1), ("hpcg_1", 2), ("hpcg_3", 1)]


def test_a_proposal_goes_to_a_file_and_leaves_out_what_cannot_be_read(study, call, tmp_path):
    folder = study(("hpcg_1", 1), ("hpcg_2", 2), ("hpcg_3", 4))
    (folder / "hpcg_3" / "processor0" / "1" / "uniform" / "profiling").write_text("torn {")
    file = tmp_path / "runs.toml"
    code, text, error = call("inspect", folder, "--propose", "-o", file)
    assert (code, text) == (0, "") and f"pipeline: wrote {file}" in error
    assert f"left out {folder / 'hpcg_3'}" in error
    assert len(tomllib.loads(file.read_text())["run"]) == 2


@pytest.mark.slow
def test_many_foreign_files_are_one_line(study, call):
    folder = study(*SOUND)
    for number in range(1000):
        (folder / f"field{number:04}.dat").write_text("1 2 3")
    code, _, error = call("inspect", folder)
    assert code == 0
    assert [line for line in error.splitlines() if "skipped" in line] == [
        f"pipeline: skipped 1,000 entries of {folder} (field0000.dat, field0001.dat, field0002.dat ...):"
        " not a profile"
    ]


def test_an_inspection_begins_with_ok_or_with_the_problems(study, call):
    folder = study(*SOUND)
    assert call("inspect", folder)[1].splitlines()[0] == (
        "OK: 4 runs, p = 1, 2, 4, 8, once each, 111 core-s (1 core per process)"
    )
    (folder / "a.p16").mkdir()
    study(("a.p32", 8), times={"a.p32": {"main": 2.0}})
    code, text, _ = call("inspect", folder)
    assert code == 0
    assert " ".join(text.split()).startswith(
        f"2 problems 1. {folder / 'a.p16'}: contains no profile"
        f" 2. {folder / 'a.p32'}: p = 32 by its name, but the profile has 8 processes; rename it, or list"
        " the runs in pipeline.toml 4 of 5 runs, "
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--propose", "--totals"], "--totals: cannot be combined with --propose; omit one of them"),
        (["--propose", "--config", "x"], "--config: cannot be combined with --propose; omit one of them"),
        (["-o", "x"], "--out: only --propose writes a file; add --propose"),
    ],
)
def test_contradictory_options_of_an_inspection(study, call, options, message):
    code, _, error = call("inspect", study(*SOUND), *options)
    assert (code, error) == (2, f"pipeline: {message}\n")


def test_a_proposal_needs_a_directory_of_runs(refused, study, tmp_path):
    folder = study(*SOUND)
    assert "not a directory of runs; give the directory of runs" in refused(
        "inspect", folder / "a.p1", "--propose"
    )
    (tmp_path / "empty").mkdir()
    assert "no profile found" in refused("inspect", tmp_path / "empty", "--propose")


@pytest.mark.slow
@pytest.mark.parametrize("out", ["a.p64", "full", ""])
def test_results_hide_no_measurements_beside_them(study, run, call, tmp_path, out):
    folder = study(*SOUND)
    table = tmp_path / "tables" / "times.csv"
    table.parent.mkdir()
    table.write_text("p,function,seconds\n1,solve,8\n2,solve,4.1\n4,solve,2.2\n")
    for where in (folder, table.parent):
        before = call("inspect", where)
        assert run(where, "--out", where / out)[0] == 0
        assert call("inspect", where)[:2] == before[:2]
        assert call("run", where, "--out", tmp_path / f"again-{where.name}")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", ["model", "run"])
def test_results_are_no_measurements(study, run, call, command, tmp_path):
    assert run(study(*SOUND))[0] == 0
    results = tmp_path / "out"
    options = ("--out", tmp_path / "other") if command == "run" else ()
    code, told, error = call(command, results, *options)
    assert (code, told) == (REFUSED, "")
    assert error == (
        f"pipeline: {results}: a results directory, not measurements; give the profiles, or see its models "
        "with `pipeline predict` and `pipeline bottlenecks`\n"
    )

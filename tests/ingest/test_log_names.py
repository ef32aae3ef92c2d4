"""Names that people, schedulers and scripts give to logs, which state their processes and their size."""

import gzip

import pytest

from ingest.discovery import discover
from ingest.errors import InputError, RunNameError
from ingest.locate import locate
from pipeline.stages.ingest import ingest
from tests.ingest.readers.timer_logs import dealii, lammps

SCALES = (1, 2, 4, 8, 16)
RUNS = list(enumerate(SCALES))


def log(processes: int, *, atoms: int = 8000, seconds: float | None = None) -> str:
    """The log of a run that scales perfectly, if its time is not given."""
    loop = seconds or atoms / 8000 * 16 / processes
    rows = [("Pair", 0.8 * loop), ("Comm", 0.15 * loop), ("Other", 0.05 * loop)]
    return lammps((loop, 100, rows), tasks=processes, atoms=atoms)


def write(folder, logs):
    for name, text in logs.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def told(folder):
    found = discover(folder)
    return found.parameters, [(run.parameters, run.repetition) for run in found.runs]


NAMES = {
    "PBS": "melt.o{job}",
    "PBS, an array": "melt.o{job}-{i}",
    "SGE, an array": "melt.o1201997.{i}",
    "PBS, an array in brackets": "1201997[{i}].pbs01.OU",
    "Slurm": "slurm-{job}.out",
    "Slurm, an array": "slurm-1201997_{i}.out",
    "Slurm, %j": "{job}.out",
    "Slurm, %x-%j": "melt-{job}.out",
    "LSF": "lsf.{job}.txt",
    "LSF, %J": "lsf.o{job}",
    "a word for jobs": "job_{job}.log",
    "few digits": "melt.o{i}7",
    "days": "log.2026011{i}",
    "dates": "log-2026-01-1{i}.lammps",
    "dates and times": "melt_2026-01-10_12-0{i}-33.log",
    "a date after a number": "n{p}_20260110/log.lammps",
    "a date before one": "melt20260110.p{p}.log",
    "LAMMPS' own": "log.10Sep21.melt.g++.{p}",
    "processes": "log.lammps.{p}procs",
    "cores": "run-{p}-cores.log",
    "numbered folders": "run{i}/log.lammps",
    "folders of numbers": "out_files/0/{p}/log.lammps",
    "numbers": "{p}.out",
    "jobs on nodes": "job.{job}.node0{i}/log.lammps",
    "versions": "lmp_v1.2.{i}.log",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_processes_are_those_that_logs_state(tmp_path, name):
    write(tmp_path, {name.format(i=i, p=p, job=1201997 + 3 * i): log(p) for i, p in RUNS})
    assert told(tmp_path) == (("p",), [((p,), 1) for p in SCALES])


def test_what_schedulers_write_beside_outputs_is_no_run(tmp_path):
    write(tmp_path, {f"melt.o{1201997 + i}": log(p) for i, p in RUNS})
    write(tmp_path, {f"melt.{kind}{1201997 + i}": "" for i, _ in RUNS for kind in ("e", "po", "pe")})
    assert told(tmp_path) == (("p",), [((p,), 1) for p in SCALES])


def test_jobs_of_the_same_processes_are_repetitions(tmp_path):
    write(tmp_path, {f"{1201997 + i}.out": log(p, seconds=1.0 + i) for i, p in enumerate((2, 2, 4, 4, 4))})
    assert told(tmp_path) == (("p",), [((2,), 1), ((2,), 2), ((4,), 1), ((4,), 2), ((4,), 3)])


def test_numbers_of_jobs_are_no_processes_of_logs_that_state_none(tmp_path):
    write(tmp_path, {f"a.x{1201997 + 3 * i}.log": dealii([("Solve", 1.0)], total=2.0 + i) for i, _ in RUNS})
    with pytest.raises(RunNameError, match=r"'x' .* \(1201997 to 1202009\) seems to number"):
        discover(tmp_path)


@pytest.mark.parametrize("values", [(1000, 1100, 1200), (1331, 1728, 2197), (1024, 1536, 1920)])
def test_sizes_that_are_close_to_each_other_are_parameters(tmp_path, values):
    write(tmp_path, {f"a.n{n}.log": log(4, seconds=n / 100) for n in values})
    assert told(tmp_path) == (("n",), [((n,), 1) for n in values])


def test_numbers_that_count_nothing_of_what_logs_state_give_way(tmp_path):
    write(tmp_path, {f"run.x{7 - i}.log": log(p) for i, p in RUNS})
    assert told(tmp_path)[0][0] == "p"
    write(tmp_path / "nodes", {f"run.nodes{p}.log": log(4 * p) for p in SCALES})
    assert told(tmp_path / "nodes") == (("nodes",), [((p,), 1) for p in SCALES])


ATOMS = (1000, 4000, 16000)


@pytest.mark.parametrize("name", ["slurm-{i}.out", "log.p16.r{i}", "run{i}/log.lammps"])
def test_a_size_that_varies_between_runs_of_one_name_is_a_parameter(tmp_path, name):
    runs = [(atoms, r) for atoms in ATOMS for r in (1, 2)]
    write(
        tmp_path,
        {name.format(i=7000 + i): log(16, atoms=a, seconds=a + r) for i, (a, r) in enumerate(runs)},
    )
    found = discover(tmp_path)
    size = found.parameters.index("atoms")
    assert [(run.parameters[size], run.repetition) for run in found.runs] == [(a, r) for a, r in runs]
    assert any("atoms is stated" in notice for notice in found.notices)


def test_a_size_that_follows_from_the_processes_is_no_parameter_unless_it_is_named(tmp_path):
    write(tmp_path, {f"melt.p{p}.log": log(p, atoms=8000 * p) for p in SCALES})
    assert told(tmp_path) == (("p",), [((p,), 1) for p in SCALES])
    found = discover(tmp_path, stated=("atoms",))
    assert (found.parameters, found.runs[1].parameters) == (("p", "atoms"), (2, 16000))
    with pytest.raises(InputError, match="no 'cells' is stated"):
        discover(tmp_path, stated=("cells",))


def test_equal_files_count_once_whatever_they_are_called(tmp_path):
    write(tmp_path, {f"melt.p{p}.r1.log": log(p) for p in SCALES})
    write(tmp_path, {"melt.p16.r2.log": log(16), "melt.p4.copy.log": log(4)})
    found = discover(tmp_path)
    assert [run.parameters for run in found.runs] == [(p,) for p in SCALES]
    assert {entry.path.name: entry.damaged for entry in found.skipped} == {
        "melt.p16.r2.log": False,
        "melt.p4.copy.log": False,
    }


def test_an_equal_file_of_another_scale_is_a_problem(tmp_path):
    write(tmp_path, {f"melt.p{p}.log": log(p) for p in SCALES})
    write(tmp_path, {"melt.p32.log": log(16)})
    (copy,) = discover(tmp_path).skipped
    assert copy.damaged and copy.reason == "the same contents as melt.p16.log"


def test_names_that_no_log_agrees_with_are_said(tmp_path):
    write(tmp_path, {f"neb.p{p}.log": log(2, seconds=16 / p) for p in SCALES[2:]})
    (said,) = ingest(locate(tmp_path), "time").doubts
    assert said.startswith("p = 4 to 16 by the names, but the profiles have 2 processes")


def test_a_run_that_was_stopped_is_named(tmp_path):
    write(tmp_path, {f"{1201997 + i}.out": log(p) for i, p in RUNS})
    write(tmp_path, {"1202010.out": log(32).partition("Performance")[0]})
    (stopped,) = discover(tmp_path).skipped
    assert stopped.damaged and "LAMMPS, 32 processes, stopped before the end" in stopped.reason


def test_runs_that_lack_processes_of_the_number_in_their_names_are_left_out(tmp_path):
    for p, lost in ((2, 0), (4, 0), (8, 1), (16, 2)):
        write(tmp_path, {f"jac{p}_b/log.lammps": log(p - lost, seconds=16 / p)})
    found = discover(tmp_path)
    assert [run.parameters for run in found.runs] == [(2,), (4,)]
    assert [(one.damaged, one.reason) for one in found.skipped] == [
        (True, "16 processes by its name, but the profile has 14"),
        (True, "8 processes by its name, but the profile has 7"),
    ]


def test_a_packed_copy_counts_once(tmp_path):
    write(tmp_path, {f"{1201997 + i}.out": log(p) for i, p in RUNS})
    (tmp_path / "kept.log.gz").write_bytes(gzip.compress(log(4).encode()))
    (copy,) = discover(tmp_path).skipped
    assert (copy.path.name, copy.damaged) == ("kept.log.gz", False)


def test_packed_logs_are_the_same_as_plain_ones(tmp_path):
    for i, p in RUNS:
        (tmp_path / f"melt.o{1201997 + i}.gz").write_bytes(gzip.compress(log(p).encode()))
    assert told(tmp_path) == (("p",), [((p,), 1) for p in SCALES])

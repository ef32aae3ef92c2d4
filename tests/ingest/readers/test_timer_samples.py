"""Logs of other people's programs, beside the project: what is read sums to what their README states."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingest.readers import find_profile_reader
from ingest.run_settings import OVERLAPPING_TIME, SETTING, stated
from pipeline.stages.inspect import inspect_path

LOGS = Path(__file__).parents[4] / "shared" / "data" / "logs"
ROWS = re.compile(r"(?:timers|sum of all rows,?) (?P<rows>\S+) s\b")
TOTAL = re.compile(r"(?:stated total is|of the stated) (?P<total>\S+) s\b")

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the samples lie beside the project")


@dataclass(frozen=True)
class Expected:
    """What the README of a kind states about one log, in seconds summed over processes.

    Attributes:
        processes: how many.
        timers: number of rows.
        rows: their sum.
        total: what the program states; None if it states none.
        measured: sum of the profile; `total` if None.
    """

    processes: int
    timers: int
    rows: float
    total: float | None
    measured: float | None = None


EXPECTED = {
    "amber/sander.p1.r1": Expected(1, 19, 2.19, 2.20),
    "amrex-tinyprofiler/amrwind-abl-stable.p2080.r1": Expected(2080, 138, 488833, 488800),
    "amrex-tinyprofiler/amrwind-abl-unstable.p2080.r1": Expected(2080, 114, 828384, 828256),
    "amrex-tinyprofiler/amrwind-nrelvi.part1": Expected(288, 145, 3020040, 3188160),
    "amrex-tinyprofiler/amrwind-nrelvi.part2": Expected(288, 143, 6015106, 6336000),
    "amrex-tinyprofiler/amrwind-nrelvi.part3": Expected(288, 140, 13451420, 14008320),
    "amrex-tinyprofiler/amrwind-nrelvi.part4": Expected(288, 140, 26920390, 27979200),
    # phases, and two parts of the calculation; the phases sum to the stated total to 0.01 s of a process
    "castep/castep.p128.r1": Expected(128, 5, 517.67 * 128, 66260.48, 517.67 * 128),
    "castep/castep.p256.r1": Expected(256, 5, 100472.32, 100472.32),
    "castep/castep.p512.r1": Expected(512, 5, 80199.68, 80199.68),
    "castep/castep.p1024.r1": Expected(1024, 5, 124856.32, 124856.32),
    "castep/castep.p2048.r1": Expected(2048, 5, 117.62 * 2048, 240906.24, 117.62 * 2048),
    "cp2k/cp2k.p64.r1": Expected(64, 483, 1666.11, 1666.56),
    "cp2k/cp2k.p64.r2": Expected(64, 450, 1482.62, 1483.20),
    "cp2k/cp2k.p128.r1": Expected(128, 497, 2967.04, 2968.06),
    "cp2k/cp2k.p192.r1": Expected(192, 498, 4576.90, 4576.70),
    "cp2k/cp2k.p256.r1": Expected(256, 493, 6088.19, 6088.96),
    "cp2k/cp2k.p256.r2": Expected(256, 470, 5235.97, 5235.71),
    "dealii-timeroutput/phasefield.p1.r1": Expected(1, 7, 3890.291, 4128.0),
    "dealii-timeroutput/flow-routing": Expected(1, 13, 1.06823, 1.07),  # README: 1.0682, rounded
    # README counts the 568 rows with quotes, which sum to 28904100 s; 23 of PIO stand without
    "gptl/eam-v1.p320.r1": Expected(320, 591, 28920348.2, None, 7177.439 + 3230266 + 6.474),
    "gptl/eam.p320.r1": Expected(320, 731, 9868810, None, 1284105.458),
    "gptl/eam.p640.r1": Expected(640, 731, 10296100, None, 13736.60 + 1328713 + 18.212),
    "gptl/eam.p1280.r1": Expected(1280, 731, 10999700, None, 32298.72 + 1403106 + 58.129),
    "gptl/eam.p2432.r1": Expected(2432, 731, 12421900, None, 107372.5 + 1516988 + 206.767),
    "gptl/eam.p4352.r1": Expected(4352, 731, 16115600, None, 276414.8 + 1856896 + 585.343),
    "gptl/homme-cut.p1.r1": Expected(1, 42, 119.401, None, 30.88405),
    "gromacs/gromacs.p24.r1": Expected(24, 17 + 6, 39538.037, 39538.037),
    "gromacs/gromacs.p48.r1": Expected(48, 17 + 6, 39685.551, 39685.551),
    "gromacs/gromacs.p96.r1": Expected(96, 17 + 6, 43453.516, 43453.516),
    "gromacs/gromacs.p192.r1": Expected(192, 17 + 6, 47368.996, 47368.996),
    "gromacs/gromacs.p384.r1": Expected(384, 17 + 6, 65022.325, 65022.325),
    "gromacs/gromacs.p768.r1": Expected(768, 16 + 6, 74159.169, 74159.169),
    "lammps/spce-ehex.p1.r1": Expected(1, 8, 225.528, 225.532, 225.528),
    "lammps/spce-ehex.p4.r1": Expected(4, 8, 294.243, 294.244, 294.243),
    "lammps/spce-ehex.p32.r1": Expected(32, 8, 60984.6, 60985.0, 60984.6),
    "lammps/before-2015-protein.p1.r1": Expected(1, 7, 64.2105, 64.2105),
    "lammps/before-2015-protein.p4.r1": Expected(4, 7, 67.2892, 67.2892),
    "lammps/before-2015-1proc": Expected(1, 6, 244.608, 244.608),
    "lammps/modern-6procs": Expected(6, 8, 988.708, 988.716, 988.708),
    "lammps/modern-1proc": Expected(1, 6, 0.578955, 0.578956),
    "lammps/modern-minimise-1proc": Expected(1, 8, 1357.29, 1357.28, 1357.29),
    "nalu-wind/nalu-nrelvi.part1": Expected(1, 51, 9022.430, None, 9022.430),
    "nalu-wind/nalu-nrelvi.part2": Expected(1, 51, 18369.817, None, 18369.817),
    "nalu-wind/nalu-nrelvi.part3": Expected(1, 51, 37904.290, None, 37904.290),
    "nalu-wind/nalu-nrelvi.part4": Expected(1, 51, 72592.588, None, 72592.588),
    "namd/apoa1.p16.r1": Expected(16, 1, 1712.03, 1986.64),
    "namd/tiny.p1.r1": Expected(1, 1, 6.55466, 14.917022),
    # stages, and events that lie inside each other; rows are the stages
    "petsc-log-view/poisson.p24.r1": Expected(24, 3 + 96, 2728.92, 2728.8, 2728.92),
    "petsc-log-view/poisson.p48.r1": Expected(48, 3 + 96, 3098.13, 3098.4, 3098.13),
    "petsc-log-view/poisson.p96.r1": Expected(96, 3 + 96, 9309.96, 9310.08, 9309.96),
    "petsc-log-view/poisson.p192.r1": Expected(192, 3 + 97, 17821.8, 17821.4, 17821.8),
    "petsc-log-view/poisson.p384.r1": Expected(384, 3 + 97, 34424.3, 34441, 34424.3),
    "petsc-log-view/poisson.p1536.r1": Expected(1536, 3 + 97, 233576, 233626, 233576),
    # rows are init_run and electrons, the rest is the program's own time
    "quantum-espresso/pw.p128.r1": Expected(128, 29, 3648.92 * 128, 476160),
    "quantum-espresso/pw.p256.r1": Expected(256, 29, 2077.04 * 256, 561640.96),
    "quantum-espresso/pw.p512.r1": Expected(512, 29, 1110.28 * 512, 634106.88),
    "quantum-espresso/pw.p1024.r1": Expected(1024, 29, 641.16 * 1024, 790364.16),
    "quantum-espresso/pw.p2048.r1": Expected(2048, 29, 355.19 * 2048, 954327.04),
    # LOOP and LOOP+ hold the others
    "vasp/vasp.p32.r1": Expected(32, 15 + 2, 204316.23, 6415.848 * 32),
    "vasp/vasp.p64.r1": Expected(64, 15 + 2, 216963.93, 3418.942 * 64),
    "vasp/vasp.p128.r1": Expected(128, 15 + 2, 238677.52, 1892.086 * 128),
    "vasp/vasp.p256.r1": Expected(256, 15 + 2, 272876.29, 1095.838 * 256),
    "vasp/vasp.p512.r1": Expected(512, 15 + 2, 429552.90, 877.733 * 512),
}
NO_TIMERS = re.compile(r"\(.+\)|run [0-9]+")  # names of our own
EQUATIONS = 12  # headings of Nalu-Wind, which are call paths


def log_in(folder):
    (log,) = (path for path in (LOGS / folder).iterdir() if find_profile_reader(path))
    return log


def profile_of(folder):
    log = log_in(folder)
    return find_profile_reader(log).read(log)


def inspected(path):
    (run,) = inspect_path(path, totals=True)["runs"]
    return run


def seconds(profile, *, metric="time", per_process=False):
    """Seconds by name, summed over all call paths that end in it, and over processes."""
    sums = {}
    values = profile.values(metric)
    values = values[:, 0] if per_process else values.sum(axis=1)
    for region, value in zip(profile.tree.region.tolist(), values.tolist(), strict=True):
        name = profile.regions.name[region]
        sums[name] = sums.get(name, 0.0) + value
    return sums


@pytest.mark.parametrize("folder", EXPECTED)
def test_totals_are_those_of_other_tools(folder):
    expected = EXPECTED[folder]
    run = inspected(log_in(folder))
    assert run["processes"] == expected.processes
    measured = expected.total if expected.measured is None else expected.measured
    assert run["totals"]["time [s]"] == pytest.approx(measured, rel=5e-6)
    reconciled = run["reconciled"][""]
    rows = [float(found["rows"]) for found in ROWS.finditer(reconciled)]
    assert rows[-1] == pytest.approx(expected.rows, rel=5e-6)
    if expected.total is None:
        assert "no total is stated" in reconciled
    else:
        assert float(TOTAL.search(reconciled)["total"]) == pytest.approx(expected.total, rel=5e-6)


@pytest.mark.parametrize("folder", EXPECTED)
def test_every_row_is_read(folder):
    profile = profile_of(folder)
    names = [profile.regions.name[region] for region in profile.tree.region.tolist()]
    timers = [name for name in names if not NO_TIMERS.fullmatch(name) or name.startswith("(timers below")]
    groups = EQUATIONS if folder.startswith("nalu") else 0
    assert len(timers) - groups == EXPECTED[folder].timers


def test_runs_in_one_log_of_lammps():
    run = inspected(log_in("lammps/kappa-heat.p8.r1"))
    found = [(ROWS.search(text)["rows"], TOTAL.search(text)["total"]) for text in run["reconciled"].values()]
    expected = [("7.74224", "7.74226"), ("8.43829", "8.43824"), ("17.5351", "17.5352")]
    assert [tuple(f"{float(n):.6g}" for n in pair) for pair in found] == expected
    assert run["settings"]["steps"] == "1000, 2000"


def test_runs_in_one_log_of_homme_count_once():
    run = inspected(log_in("gptl/homme-log.p24.r1"))
    texts = run["reconciled"]
    assert [ROWS.search(texts[f"run {n}"])["rows"] for n in (1, 2)] == ["7163.973", "10192.96"]
    assert [re.search(r"(\d+) more timers", texts[f"run {n}"])[1] for n in (1, 2)] == ["63", "42"]
    profile = profile_of("gptl/homme-log.p24.r1")
    assert seconds(profile, metric=OVERLAPPING_TIME)["prim_run"] == pytest.approx(6909.956 + 9998.201)


def test_gromacs_cycles_and_parts_of_pme():
    profile = profile_of("gromacs/gromacs.p96.r1")
    assert seconds(profile)["Force"] == pytest.approx(32164.3, rel=1e-6)
    parents = {
        profile.regions.name[region]: profile.regions.name[profile.tree.region[parent]]
        for region, parent in zip(profile.tree.region.tolist(), profile.tree.parent.tolist(), strict=True)
        if parent >= 0
    }
    assert len(parents) == 6 and set(parents.values()) == {"PME mesh"}


@pytest.mark.parametrize(
    ("processes", "iterations", "first", "last"),
    [
        (128, 10, 214.07, 487.42),
        (256, 9, 190.75, 340.43),
        (512, 11, 5.53, 130.82),
        (1024, 11, 4.82, 103.84),
        (2048, 11, 8.26, 105.42),
    ],
)
def test_castep_iterations(processes, iterations, first, last):
    profile = profile_of(f"castep/castep.p{processes}.r1")
    assert seconds(profile, metric="visits", per_process=True)["SCF iterations"] == iterations
    found = seconds(profile, per_process=True)
    start = found["Initialisation"] + found["before the first SCF iteration"]
    assert start == pytest.approx(first, abs=0.011)
    assert found["SCF iterations"] == pytest.approx(last - first)


def test_petsc_events_by_stage():
    profile = profile_of("petsc-log-view/poisson.p24.r1")
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values(OVERLAPPING_TIME)[:, 0].tolist()
    warm = {
        path[-1]: v
        for path, v in zip(paths, values, strict=True)
        if path[0].startswith("2:") and len(path) > 2
    }
    assert len(warm) == 31
    for name, expected in {
        "KSPSolve": 6.8575,
        "PCApply": 4.1730,
        "PCSetUp": 2.1836,
        "SNESSolve": 7.8896,
    }.items():
        assert warm[name] == expected
    assert seconds(profile, per_process=True)["0: Main Stage"] == pytest.approx(96.462)


def test_quantum_espresso_exclusive_times():
    found = seconds(profile_of("quantum-espresso/pw.p256.r1"), per_process=True)
    expected = {"cegterg": 126.22, "h_psi": 3.85, "h_psi:pot": 0.04, "c_bands": 306.50, "sum_band": 309.32}
    expected |= {"PWSCF": 116.87, "electrons": 1.90, "vloc_psi": 951.64}
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=0.006), name
    assert sum(value != 0 for value in found.values()) == 22
    profile = profile_of("quantum-espresso/pw.p256.r1")
    assert sum(value > 0 for value in seconds(profile, metric=OVERLAPPING_TIME).values()) == 7


@pytest.mark.parametrize(
    ("processes", "whole", "loops", "elapsed"),
    [
        (32, 6386.9740, 4325.8248, 6415.848),
        (64, 3392.0547, 2296.7664, 3418.942),
        (128, 1866.6292, 1287.3987, 1892.086),
        (256, 1067.8652, 744.2060, 1095.838),
        (512, 841.0714, 645.4816, 877.733),
    ],
)
def test_vasp_loops_and_counts(processes, whole, loops, elapsed):
    profile = profile_of(f"vasp/vasp.p{processes}.r1")
    overlapping = seconds(profile, metric=OVERLAPPING_TIME, per_process=True)
    assert overlapping["LOOP+"] == pytest.approx(whole)
    assert overlapping["LOOP"] == pytest.approx(loops)
    visits = seconds(profile, metric="visits", per_process=True)
    counts = {name: n for name, n in visits.items() if n > 1 and not name.startswith("LOOP")}
    assert counts == {"TRIAL": 7, "CORREC": 7, "POTLOK": 5, "SETDIJ": 4, "CHARGE": 3}
    found = seconds(profile, per_process=True)
    assert sum(found.values()) == pytest.approx(elapsed)


def test_amber_rows_by_path():
    profile = profile_of("amber/sander.p1.r1")
    inclusive = dict(
        zip(
            (path[-1] for path in profile.tree.paths(profile.regions.name)),
            profile.values("time", inclusive=True)[:, 0].tolist(),
            strict=True,
        )
    )
    assert inclusive["Total time"] == pytest.approx(2.20)
    assert [inclusive[n] for n in ("Nonbond force", "Force time", "Runmd Time")] == pytest.approx(
        [1.84, 2.13, 2.13]
    )
    assert sum(name.startswith("Other") for name in inclusive) == 6


@pytest.mark.parametrize(("folder", "steps"), [("apoa1.p16.r1", 107.002), ("tiny.p1.r1", 6.55466)])
def test_namd_steps(folder, steps):
    profile = profile_of(f"namd/{folder}")
    assert seconds(profile, per_process=True)["time steps"] == pytest.approx(steps)
    assert stated(profile.attributes, SETTING)["steps"] == "500"


def test_steps_of_lammps_make_runs_comparable():
    totals = {p: inspected(log_in(f"lammps/spce-ehex.p{p}.r1"))["totals"] for p in (1, 4, 32)}
    per_step = {p: total["time_per_step [s/step]"] for p, total in totals.items()}
    assert per_step == pytest.approx({1: 225.528 / 2500, 4: 294.243 / 2500, 32: 60984.6 / 333333}, rel=1e-5)


def test_processes_of_nalu_wind_come_from_the_name(tmp_path):
    (tmp_path / "nalu.p1152.r1").symlink_to(LOGS / "nalu-wind" / "nalu-nrelvi.part1")
    run = inspected(tmp_path)
    assert run["processes"] == 1152
    assert run["totals"]["time [s]"] == pytest.approx(9022.430 * 1152, rel=1e-7)


def test_pages_with_tables_are_read():
    run = inspected(log_in("dealii-timeroutput/laser-heating"))
    assert run["totals"]["time [s]"] == pytest.approx(3.273)
    assert "2 tables of timers, reset in between, are added" in run["notices"]

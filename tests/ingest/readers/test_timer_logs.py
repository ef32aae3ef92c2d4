"""Logs with tables of timers of any kind: how they are recognised, processes, parents, damage."""

from contextlib import suppress
from pathlib import Path
from time import process_time

import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader, timer_tables
from ingest.reduction import reduce_profile

from . import timer_logs
from .timer_logs import AMREX_ROWS, GROMACS_ROWS, LOGS
from .timer_profiles import effort, overlapping, times

FORMAT, FILE = "timer table", "x.log"


def test_each_kind_is_recognised_by_its_content(tmp_path):
    for name, log in LOGS.items():
        file = tmp_path / name
        file.write_text(log())
        assert find_profile_reader(file).name == "timer table", name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing of the kind\n",
        "the table `R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G` is printed at the end\n",
        "`Loop time of 73.561 on 4 procs for 2500 steps with 3072 atoms`\n",
        "after TinyProfiler total time across processes comes a table\n",
        " vasp.6.4.2 20Jul23 (build Nov  3 2023 12:13:40) complex\n running on 4 total cores\n",
    ],
)
def test_other_texts_are_not_recognised(tmp_path, text):
    file = tmp_path / "README.md"
    file.write_text(text)
    assert not timer_tables.matches(file)
    assert not timer_tables.matches(tmp_path)
    with pytest.raises(InputError, match=r"no table of timers|empty"):
        timer_tables.read(file)


def test_a_page_is_recognised_if_the_table_in_it_has_values(tmp_path):
    page = tmp_path / "README.md"
    table = timer_logs.dealii([("Assemble", 2.0), ("Solve", 5.0)], total=10.0)
    page.write_text(f"The output is\n```\n{table}```\n")
    assert timer_tables.matches(page)
    page.write_text(f"The output is\n```\n{table.replace('2s', '...s').replace('5s', '...s')}```\n")
    assert not timer_tables.matches(page)


def test_a_binary_file_is_not_recognised(tmp_path):
    file = tmp_path / "x.log"
    file.write_bytes(timer_logs.namd().encode() + b"\0")
    assert not timer_tables.matches(file)


def test_processes_are_taken_from_another_part_of_the_log(read, tmp_path):
    (tmp_path / "app_header.log").write_text("MPI initialized with 32 MPI processes\n")
    profile = read(timer_logs.amrex(AMREX_ROWS, total=12.0, stated=False), "app_footer.log")
    assert len(profile.locations) == 32
    assert [*timer_tables.beside(tmp_path / "app_footer.log")] == [tmp_path / "app_header.log"]


def test_processes_of_another_run_are_not_taken(read, tmp_path):
    (tmp_path / "app_1.log").write_text(timer_logs.amrex(AMREX_ROWS, total=12.0))
    profile = read(timer_logs.amrex(AMREX_ROWS, total=12.0, stated=False), "app_2.log")
    assert len(profile.locations) == 1
    assert profile.notices == (
        "the number of processes is not stated: values of one are read; name runs like app.p64.r1",
    )


@pytest.mark.parametrize("name", ["app.p24.r1/x.log", "run.p24.r1.log", "log.p24", "ranks24.n3/x.out"])
def test_processes_are_taken_from_names(read, name):
    profile = read(timer_logs.dealii([("Assemble", 2.0)], total=10.0), name)
    assert len(profile.locations) == 24


def test_what_the_user_says_counts_more_than_what_is_known(read, tmp_path):
    (tmp_path / "timers.toml").write_text('[parents]\nPCApply = ""\n')
    assert times(read(timer_logs.petsc())) == {
        "0: Main Stage": 9.0,
        "1: P(#, #) Warm solve": 2.0,
        ("1: P(#, #) Warm solve", "KSPSolve"): 4.0,
    }
    (tmp_path / "timers.toml").write_text('[parents]\nKSPSolve = "nothing"\n')
    assert times(read(timer_logs.petsc())) == {"0: Main Stage": 9.0, "1: P(#, #) Warm solve": 6.0}


def test_parents_named_by_the_user_make_a_tree(read, tmp_path):
    (tmp_path / "timers.toml").write_text(
        '[parents]\nKSPSolve = ""\nPCApply = "KSPSolve"\nother = ""\n'
        '"Mesh Partition" = "CreateFunctionSpace"\n'
    )
    profile = read(timer_logs.petsc())
    assert times(profile) == {
        "0: Main Stage": 9.0,
        "1: P(#, #) Warm solve": 2.0,
        ("1: P(#, #) Warm solve", "KSPSolve"): 1.5,
        ("1: P(#, #) Warm solve", "KSPSolve", "PCApply"): 2.5,
    }
    assert effort(profile) == 120.0
    assert overlapping(profile) == {"Mesh Partition": 0.5, "CreateFunctionSpace": 1.0}
    assert profile.notices == ("timers.toml names timers that are not in the table: other",)


def test_all_timers_may_be_put_below_the_whole_run(read, tmp_path):
    (tmp_path / "timers.toml").write_text('[parents]\n"*" = ""\n')
    profile = read(timer_logs.dealii([("Assemble", 2.0), ("Solve", 5.0)], total=10.0), "app.p2.r1/x.log")
    expected = {"(whole run)": 3.0, ("(whole run)", "Assemble"): 2.0, ("(whole run)", "Solve"): 5.0}
    assert times(profile) == expected
    assert timer_tables.beside(tmp_path / "app.p2.r1" / "x.log")


@pytest.mark.parametrize("text", ["[parents", "x = 1", "[parents]\na = 1", "parents = 3"])
def test_a_wrong_file_of_parents_is_refused(read, tmp_path, text):
    (tmp_path / "timers.toml").write_text(text)
    with pytest.raises(InputError, match=r"timers\.toml"):
        read(timer_logs.petsc())


def test_circles_of_parents_stay_overlapping(read, tmp_path):
    (tmp_path / "timers.toml").write_text('[parents]\nKSPSolve = "PCApply"\nPCApply = "KSPSolve"\n')
    profile = read(timer_logs.petsc())
    assert set(overlapping(profile)) >= {"KSPSolve", "PCApply"}
    assert effort(profile) == 120.0


def test_overlapping_timers_are_no_call_paths_of_a_reduced_profile(read):
    reduced = reduce_profile(read(timer_logs.petsc()), ["time", "visits"])
    assert [reduced.regions.name[r] for r in reduced.tree.region] == [
        "0: Main Stage",
        "1: P(#, #) Warm solve",
        "KSPSolve",
        "PCApply",
    ]
    assert reduced.values["time"].sum.tolist() == [72.0, 16.0, 12.0, 20.0]


@pytest.mark.parametrize("processes", ["99999999", "999999999999"])
def test_too_many_processes_are_refused(read, processes):
    text = timer_logs.castep().replace("over   16 processes", f"over {processes} processes")
    with pytest.raises(InputError, match="more than any run has"):
        read(text)


def test_names_may_be_in_any_encoding(read):
    text = timer_logs.gptl([("Total", 8.0), ("na\u00efve", 4.0)]).encode("latin-1")
    assert overlapping(read(text)) == {"na\ufffdve": 1.0}


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
def test_line_ends_of_either_kind(read, newline):
    for name, log in LOGS.items():
        plain = read(log(), f"{name}.log")
        other = read(log().replace("\n", newline), f"{name}.other")
        assert times(other) == times(plain), name


def test_a_large_log_is_searched_for_its_table(tmp_path):
    file = tmp_path / "big.log"
    filler = "   DENS    -1.93514e+01   -2.19424e+00   -3.08296e+00 and more of it\n" * 60_000
    head, _, tail = timer_logs.gromacs(GROMACS_ROWS).partition("\tM E G A")
    file.write_text(head + filler + "\tM E G A" + tail + filler[: 1 << 19])
    assert timer_tables.matches(file)
    assert timer_tables.read(Path(file)).values("time").sum() == pytest.approx(50.0)


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("filler", [" ", "0 ", "0.0  ", "a ", "a  1 ", "|", "(", '"', "-- ", "1 (1) "])
def test_rows_that_are_hard_to_refuse_take_no_time(tmp_path, name, filler):
    text = LOGS[name]()
    middle = text.index("\n", len(text) // 2)
    file = tmp_path / "x.log"
    file.write_text(text[: middle + 1] + (filler * 1000)[:999] + "?\n" + text[middle + 1 :])
    begin = process_time()
    with suppress(InputError):
        timer_tables.read(file)
    assert process_time() - begin < 2.0

"""One model of a table: repetitions, statistics, clocks, parts, totals, units and what describes a run."""

import io

import numpy as np
import pandas as pd
import pytest

import pipeline as pl
from ingest.errors import InputError
from ingest.run_settings import METADATA, stated
from tests.ingest.tables.test_tables import efforts, read

WALL = {1: 25.5, 2: 13.5, 4: 7.5, 8: 4.5, 16: 3.0}
REST = "(outside all timers)"


def table(header, cells=lambda p, t: f"{t}"):
    """A row per number of processes, its cells of p and the wall time."""
    return f"p,{header}\n" + "".join(f"{p},{cells(p, t)}\n" for p, t in WALL.items())


def long_table(whole, parts=lambda t: {"solve": t - 1.5, "io": 1.5}):
    rows = [
        (name, p, s) for p, t in WALL.items() for name, s in ({whole: t} if whole else {} | parts(t)).items()
    ]
    rows += [(name, p, s) for p, t in WALL.items() for name, s in parts(t).items() if whole]
    return "kernel,p,time [s]\n" + "".join(f"{name},{p},{s!r}\n" for name, p, s in rows)


def walls(study):
    """Seconds of each run, summed over its kernels."""
    return [float(run.profile.values("time")[:, 0].sum()) for run in study.runs]


def kernels(study):
    return set(study.runs[0].profile.regions.name)


ROLES = {
    "runs and their mean": (
        table("Run 1 (s),Run 2 (s),Run 3 (s),Mean (s)", lambda p, t: f"{t},{t + 0.2},{t - 0.2},{t}"),
        "Run 1 .. 3: repetitions; Mean: left out",
        3,
    ),
    "times with numbers": (table("t1,t2,t3", lambda p, t: f"{t},{t},{t}"), "t1 .. 3: repetitions", 3),
    "trials": (table("trial1,trial 2", lambda p, t: f"{t},{t}"), "trial1, trial 2: repetitions", 2),
    "columns of pandas": (table("time,time.1", lambda p, t: f"{t},{t}"), "time, time.1: repetitions", 2),
    "statistics": (
        table("min,mean,max,stddev", lambda p, t: f"{t - 1},{t},{t + 1},0.5"),
        "mean: the time; min, max, stddev: left out",
        1,
    ),
    "median without a mean": (
        table("min [s],median [s]", lambda p, t: f"{t - 1},{t}"),
        "median: the time; min: left out",
        1,
    ),
    "deviation": (table("time [s],± [s]", lambda p, t: f"{t},0.1"), "±: left out", 1),
    "clocks": (
        table("real [s],user [s],sys [s]", lambda p, t: f"{t},{p * t},0.5"),
        "real: the time; user, sys: left out",
        1,
    ),
    "clocks without units": (
        table("elapsed,user,system", lambda p, t: f"{t},{p * t},0.5"),
        "elapsed: the time; user, system: left out",
        1,
    ),
    "wall and CPU time": (
        table("walltime,cputime", lambda p, t: f"{t},{p * t}"),
        "walltime: the time; cputime: left out",
        1,
    ),
    "total beside parts": (
        table("total [s],solve [s],io [s]", lambda p, t: f"{t},{t - 1.5},1.5"),
        "total: the whole, the others its parts",
        1,
    ),
    "total without units": (
        table("total,solve,io", lambda p, t: f"{t},{t - 1.5},1.5"),
        "",
        1,
    ),
    "parts of a wall time": (
        table("elapsed [s],solve [s]", lambda p, t: f"{t},{t - 1.5}"),
        f"elapsed: the whole, the others its parts, {REST} the rest",
        1,
    ),
    "a sum that is not called so": (
        table("app [s],solve [s],io [s]", lambda p, t: f"{t},{t - 1.5},1.5"),
        "app: the whole, the others its parts",
        1,
    ),
    "rows of a total": (long_table("Total"), "Total: the whole, the others its parts", 1),
    "rows of a sum": (long_table("main"), "main: the whole, the others its parts", 1),
    "units in a column": (table("time,unit", lambda p, t: f"{1000 * t},ms"), "unit: of the times", 1),
    "values with units": (
        table("value,time_unit", lambda p, t: f"{t / 60!r},min"),
        "time_unit: of the times",
        1,
    ),
    "a last row of averages": (table("time [s]") + "Average,10.8\n", "row Average: left out", 1),
    "rows of sums and averages": (
        table("time [s],what", lambda p, t: f"{t},a") + ",54,Sum\n,10.8,Mean\n",
        "rows Sum, Mean: left out",
        1,
    ),
    "ideal times": (
        table("time [s],ideal [s],speedup,efficiency", lambda p, t: f"{t},{25.5 / p},1,1"),
        "",
        1,
    ),
    "other times": (table("wall time [s],timeout [s],dt [s]", lambda p, t: f"{t},3600,0.1"), "", 1),
}


@pytest.mark.parametrize(("text", "said", "repetitions"), ROLES.values(), ids=ROLES)
def test_the_wall_time_is_that_of_the_run_whatever_stands_beside_it(tmp_path, text, said, repetitions):
    study = read(tmp_path, text)
    found = np.reshape(walls(study), (-1, repetitions))
    assert found.mean(axis=1).tolist() == pytest.approx(list(WALL.values()))
    assert [run.parameters for run in study.runs][::repetitions] == [(p,) for p in WALL]
    assert study.notices == ((said,) if said else ())
    assert not kernels(study) & {"total", "Total", "main", "app", "elapsed"}


@pytest.mark.parametrize("text", [text for text, _, _ in ROLES.values()], ids=ROLES)
def test_a_frame_is_read_as_its_file(tmp_path, text):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    of_file, of_frame = pl.read_study(tmp_path / "t.csv"), pl.read_frame(pd.read_csv(io.StringIO(text)))
    pd.testing.assert_frame_equal(of_file.measurements, of_frame.measurements)
    assert of_file.problems == of_frame.problems


def test_repetitions_of_kernels_and_of_parts(tmp_path):
    study = read(tmp_path, "kernel,p,rep,t1,t2\nf,2,1,3,4\ng,2,1,1,1\nf,2,2,5,6\ng,2,2,1,1\n")
    assert sorted(efforts(study)[(2, r, "f")] for r in (1, 2, 3, 4)) == [6, 8, 10, 12]
    study = read(tmp_path, "p,solve mean [s],solve std [s],io mean [s],io std [s]\n2,3,1,4,1\n")
    assert efforts(study) == {(2, 1, "solve"): 6, (2, 1, "io"): 8}
    study = read(tmp_path, "p,solve run 1 [s],solve run 2 [s],io run 1 [s],io run 2 [s]\n2,3,4,5,6\n")
    assert efforts(study) == {(2, 1, "solve"): 6, (2, 1, "io"): 10, (2, 2, "solve"): 8, (2, 2, "io"): 12}


def test_an_empty_cell_is_of_its_repetition_alone(tmp_path):
    study = read(tmp_path, "p,Run 1 (s),Run 2 (s)\n1,4,5\n2,2,\n")
    assert efforts(study) == {(1, 1, "(whole run)"): 4, (1, 2, "(whole run)"): 5, (2, 1, "(whole run)"): 4}
    assert [what for _, what in study.damaged] == ["line 3: 'Run 2 (s)' has no value"]


def test_what_a_total_leaves_is_a_kernel(tmp_path):
    study = read(tmp_path, table("total [s],solve [s],io [s]", lambda p, t: f"{t},{t / 2},1"))
    assert efforts(study)[(16, 1, REST)] == pytest.approx(16 * (3.0 - 1.5 - 1))
    assert walls(study) == pytest.approx(list(WALL.values()))
    equal = read(tmp_path, table("wall [s],total [s],solve [s]", lambda p, t: f"{t},{t * 1.001},{t / 2}"))
    assert walls(equal) == pytest.approx(list(WALL.values()))


def test_totals_of_ranks_are_each_their_own(tmp_path):
    text = "p,rank,kernel,seconds\n2,0,total,5\n2,0,f,2\n2,1,total,5\n2,1,f,4\n"
    profile = read(tmp_path, text).runs[0].profile
    found = dict(zip(profile.regions.name, profile.values("time").tolist(), strict=True))
    assert found == {REST: [3.0, 1.0], "f": [2.0, 4.0]}


@pytest.mark.parametrize(
    "text",
    [
        "kernel,p,time [s]\nmain->total,2,3\nmain->f,2,1\n",  # call paths have their own times
        "kernel,p,time [s]\nf,2,3\ng,2,2\nh,2,1\n",  # one run: a sum by chance
        "kernel,p,time [s]\nsum,2,1\nadd,2,4\n",  # a kernel that sums
    ],
)
def test_kernels_that_are_no_total_stay(tmp_path, text):
    study = read(tmp_path, text)
    assert (
        len([seconds for seconds in study.runs[0].profile.values("time")[:, 0] if seconds])
        == text.count("\n") - 1
    )
    assert study.notices == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            table("total [s],solve [s],io [s]", lambda p, t: f"{t},{t},{t}"),
            "line 2: total is 25.5 s, its parts 51 s; which is the time",
        ),
        (
            table("wall [s],total [s]", lambda p, t: f"{t},{2 * t}"),
            "line 2: wall is 25.5 s, total 51 s; which",
        ),
        (
            long_table("", lambda t: {"a": 3 * t, "b": t, "c": 2 * t}),
            "'a' is the sum of the others, by chance or as their total; call it total, or",
        ),
        (
            table("clock,time", lambda p, t: f"real,{t}\n{p},user,{t}"),
            "'clock' are of several clocks or statistics",
        ),
        (
            table("name,time", lambda p, t: f"mean,{t}\n{p},std,{t}"),
            "'name' are of several clocks or statistics",
        ),
        (
            table("time,unit", lambda p, t: f"{t},parsec"),
            "line 2: the unit 'parsec' is not known; known: s, ms",
        ),
        (table("time,unit", lambda p, t: f"{t},"), "line 2: the unit '' is not known"),
        (
            table("time", lambda p, t: f"{p:02}:30"),
            "'time': 01:30 may be minutes and seconds or hours and minutes",
        ),
    ],
)
def test_what_may_change_the_time_by_a_factor_is_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, text)
    assert len(str(raised.value).removeprefix(str(tmp_path))) <= 200


def test_a_stated_value_is_the_time(tmp_path):
    text = table("total [s],solve [s],io [s]", lambda p, t: f"{t},{t},{t}")
    assert walls(read(tmp_path, text, value=("total [s]",))) == list(WALL.values())
    text = long_table("", lambda t: {"a": 3 * t, "b": t, "c": 2 * t})
    assert walls(read(tmp_path, text, value=("time [s]",))) == [6 * t for t in WALL.values()]


@pytest.mark.parametrize(
    ("header", "cell", "seconds"),
    [
        ("time", "00:20:30", 1230),
        ("elapsed", "1-02:00:00", 93600),
        ("time", "20:30.5", 1230.5),
        ("time [mm:ss]", "20:30", 1230),
        ("time [hh:mm]", "20:30", 73800),
        ("time [hh:mm:ss]", "0:20:30", 1230),
        ("time", "1h 23m", 4980),
        ("time", "12.3s", 12.3),
        ("time", "5 ms", 0.005),
        ("time [ms]", "5 ms", 0.005),
        ("time", "0m20.512s", 20.512),
        ("time", "2 min 3 s", 123),
        ("time", "1.5 hours", 5400),
        ("time", "0 days 00:00:20.500000", 20.5),
    ],
)
def test_cells_of_times(tmp_path, header, cell, seconds):
    assert efforts(read(tmp_path, f"p,{header}\n2,{cell}\n")) == {
        (2, 1, "(whole run)"): pytest.approx(2 * seconds)
    }


def test_times_of_a_frame_may_be_time_deltas():
    frame = pd.DataFrame({"p": [1, 2], "time": pd.to_timedelta([20.5, 10.5], unit="s")})
    assert pl.read_frame(frame).measurements["time"].tolist() == [20.5, 10.5]


def test_two_columns_of_a_frame_with_one_name_are_refused():
    with pytest.raises(InputError, match="two columns are called 'time'"):
        pl.read_frame(pd.DataFrame([[1, 2.0, 2.0], [2, 1.0, 1.0]], columns=["p", "time", "time"]))


@pytest.mark.parametrize("frame", ["index", "columns"])
def test_an_index_with_a_name_would_be_lost(frame):
    table = pd.DataFrame({"p": [1, 2], "time": [2.0, 1.0]})
    if frame == "index":
        table = table.set_index("p")
    else:
        table.columns = pd.MultiIndex.from_product([["a"], table.columns])
    with pytest.raises(
        InputError, match=r"an index with names, or columns of several levels; use reset_index\(\)"
    ):
        pl.read_frame(table)


@pytest.mark.parametrize("name", ["jobid", "seed", "date", "timestamp", "#", "unknown"])
def test_numbers_that_say_which_run_it_is_are_no_parameters(tmp_path, name):
    rows = "".join(f"{p},{(1000, 2000)[r] + p},{8 / p + r / 10}\n" for p in (1, 2, 4) for r in (0, 1))
    study = read(tmp_path, f"p,{name},time\n{rows}")
    assert study.parameters == ("p",)
    assert [run.repetition for run in study.runs] == [1, 2] * 3
    assert stated(study.runs[0].profile.attributes, METADATA)[name] == "1001"
    with pytest.raises(InputError, match="they differ in 'mesh'"):  # values recur: perhaps a parameter
        read(tmp_path, "p,mesh,time\n1,1,3\n1,2,3.1\n2,1,2\n2,2,2.1\n")


@pytest.mark.parametrize("name", ["study-v2", "pr117", "ak2", "epyc7742", "gcc12.r3", "app.n100"])
def test_the_name_of_a_table_with_parameters_is_no_parameter(tmp_path, name):
    plain, named = read(tmp_path, table("time")), read(tmp_path, table("time"), f"{name}.csv")
    assert named.parameters == ("p",) and named.notices == ()
    assert efforts(named) == efforts(plain)
    (tmp_path / "runs").mkdir()
    assert read(tmp_path / "runs", "time\n3\n", "app.p4.csv").parameters == ("p",)


def test_size_in_proportion_to_processes_is_a_parameter_of_its_own(tmp_path):
    study = read(tmp_path, table("cells,time", lambda p, t: f"{1000000 * p},{t}"))
    assert study.parameters == ("p", "cells")


def rows(*lines):
    return "\n".join(lines) + "\n"


def test_rows_of_runs_that_failed_and_of_averages_are_left_out(tmp_path):
    failed = rows("p,state,time_s", "1,ok,8", "2,ok,4", "4,FAILED,0.1", "8,Timeout,60")
    study = read(tmp_path, failed)
    assert [run.parameters for run in study.runs] == [(1,), (2,)]
    assert study.roles == "1 row with state = FAILED: left out; 1 row with state = Timeout: left out"
    study = read(
        tmp_path, rows("p,rep,time [s]", "1,1,8", "1,2,9", "1,avg,8.5", "2,1,4", "2,2,5", "2,avg,4.5")
    )
    assert [(*run.parameters, run.repetition) for run in study.runs] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert "2 rows with rep = avg: left out" in study.roles


@pytest.mark.parametrize(
    "header",
    ["Code A (s),Code B (s)", "before (s),after (s)", "gcc [s],clang [s]", "version 1 [s],version 2 [s]"],
)
def test_columns_of_alternatives_are_no_parts(tmp_path, header):
    with pytest.raises(InputError, match="alternatives, no parts of one time"):
        read(tmp_path, rows(f"p,{header}", "1,8,9", "2,4,5"))


@pytest.mark.parametrize("header", ["Kernel A (s),Kernel B (s)", "phase 1 [s],phase 2 [s]"])
def test_columns_of_kernels_are_parts(tmp_path, header):
    assert sum(efforts(read(tmp_path, rows(f"p,{header}", "1,8,9", "2,4,5"))).values()) == 17 + 18


@pytest.mark.parametrize(
    "header",
    [
        "kernel,p,total [s],self [s]",
        "kernel,p,% time,self seconds",
        "kernel,p,cumulative seconds,self seconds",
    ],
)
def test_of_kernels_what_they_take_themselves_counts(tmp_path, header):
    table = rows(header, "main,2,102,1", "solve,2,101,101")
    assert efforts(read(tmp_path, table)) == {(2, 1, "main"): 2, (2, 1, "solve"): 202}


@pytest.mark.parametrize("header", ["Amdahl fit (s)", "Ideal time (s)", "model [s]"])
def test_what_a_law_says_is_no_time(tmp_path, header):
    study = read(tmp_path, rows(f"p,Measured time (s),{header}", "1,8,9", "2,4,5"))
    assert efforts(study) == {(1, 1, "(whole run)"): 8, (2, 1, "(whole run)"): 8}


def test_a_sign_of_a_number_begins_no_comment(tmp_path):
    assert read(tmp_path, rows("# of MPI ranks,time [s]", "1,8", "2,4")).parameters == ("ranks",)

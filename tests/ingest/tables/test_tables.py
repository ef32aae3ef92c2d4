"""Tables of one's own are read as runs whose sums are effort, or as a series if locations are unknown."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import InputError
from ingest.reading.csv_files import read_parquet
from ingest.run_settings import METADATA, STATISTIC, stated
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import find_tables
from tests.ingest.tables import table_files
from tests.ingest.tables.table_files import POINTS, seconds


def read(folder, text, name="t.csv", **mapping):
    (folder / name).write_text(text, encoding="utf-8")
    return find_tables(folder / name, TableMapping(**mapping)).read()


def efforts(study):
    """Core-seconds of each run by parameters, repetition and kernel, without kernels of no time."""
    return {
        (*run.parameters, run.repetition, path[-1]): effort
        for run in study.runs
        for path, effort in zip(
            run.profile.tree.paths(run.profile.regions.name),
            run.profile.values("time").sum(axis=1).tolist(),
            strict=True,
        )
        if effort
    }


TRUE = {
    (float(p), r, kernel): p * seconds(kernel, p, r)
    for p in POINTS
    for r in (1, 2)
    for kernel in ("solve", "io")
}


def test_a_row_per_kernel_and_run_is_recognised_without_a_mapping(tmp_path):
    study = read(tmp_path, table_files.long_form())
    assert study.parameters == ("p",)
    assert efforts(study) == pytest.approx(TRUE)
    assert [len(run.profile.locations) for run in study.runs] == [2, 2, 4, 4, 8, 8]
    assert study.damaged == () and study.notices == ()
    assert study.runs[0].profile.attributes[STATISTIC] == "mean of processes (2 processes)"


@pytest.mark.parametrize(
    ("change", "mapping"),
    [
        (lambda text: text.replace(",", ";"), {}),
        (lambda text: text.replace(".", ",").replace("p,rep", "p;rep"), None),
        (lambda text: text.replace(",", "\t"), {}),
        (lambda text: "# made on Monday\n\n" + text.replace("\n", "\r\n"), {}),
        (lambda text: "\ufeff" + text, {}),
        (lambda text: text.replace("p,repetition,kernel,seconds", "np,trial,region,time (s)"), {}),
        (
            lambda text: text.replace("p,repetition,kernel,seconds", "a,b,c,d"),
            {"parameters": ("a",), "repetition": "b", "kernel": "c", "value": ("d",), "locations": "a"},
        ),
    ],
)
def test_separators_and_names_of_columns_may_be_others(tmp_path, change, mapping):
    text = table_files.long_form()
    if mapping is None:  # as spreadsheets write it where commas separate decimals
        text, mapping = text.replace(",", ";").replace(".", ","), {}
    else:
        text = change(text)
    assert list(efforts(read(tmp_path, text, **mapping)).values()) == pytest.approx(list(TRUE.values()))


@pytest.mark.parametrize("header", ["time [us]", "time (us)", "duration_us", "time [µs]"])
def test_units_stand_in_headers(tmp_path, header):
    study = read(tmp_path, f"p,kernel,{header}\n2,solve,4e6\n")
    assert efforts(study) == {(2.0, 1, "solve"): pytest.approx(8.0)}


def test_a_unit_may_be_stated_instead(tmp_path):
    assert efforts(read(tmp_path, "p,kernel,time\n2,f,5000\n", unit="ms")) == {(2.0, 1, "f"): 10.0}
    with pytest.raises(InputError, match="'parsec' of 'time' is neither a time nor a rate; known: s, ms"):
        read(tmp_path, "p,kernel,time\n2,f,5000\n", unit="parsec")


@pytest.mark.parametrize(("statistic", "effort"), [("mean", 12.0), ("sum", 3.0), ("maximum", 12.0)])
def test_what_a_value_is_of_the_locations_is_stated(tmp_path, statistic, effort):
    study = read(tmp_path, "p,kernel,seconds,visits\n4,f,3,8\n", statistic=statistic)
    profile = study.runs[0].profile
    assert profile.values("time").sum() == pytest.approx(effort)
    assert profile.values("visits").sum() == pytest.approx(8 * effort / 3)
    assert ("a bound" in profile.attributes[STATISTIC]) == (statistic == "maximum")


def test_locations_come_from_a_column_a_number_or_processes_times_threads(tmp_path):
    def locations(text, **mapping):
        profile = read(tmp_path, text, **mapping).runs[0].profile
        return len(profile.locations), len(set(profile.locations.process.tolist()))

    assert locations("p,kernel,seconds,cores\n4,f,3,16\n") == (16, 4)
    assert locations("n,kernel,seconds,locations\n4,f,3,6\n") == (6, 6)
    assert locations("n,kernel,seconds\n4,f,3\n", locations="12") == (12, 12)
    assert locations("ranks,threads,kernel,seconds\n4,2,f,3\n") == (8, 4)
    assert locations("threads,kernel,seconds\n4,f,3\n") == (4, 4)


def test_without_locations_values_are_taken_as_they_are(tmp_path):
    study = read(tmp_path, "n,run,kernel,seconds\n10,1,a->b,3\n10,2,a->b,4\n20,1,a->b,\n20,2,a->b,7\n")
    assert study.runs == ()
    assert list(study.series.callpaths) == [("a",), ("a", "b")]
    nothing = np.nan
    np.testing.assert_array_equal(study.series.values["time"][1], [[3.0, 4.0], [nothing, 7.0]])
    assert study.notices[0] == "line 4: 'seconds' has no value; it counts as not measured"
    assert "the number of locations is not stated" in study.notices[1]


def test_repetitions_without_a_column_are_numbered_by_their_order(tmp_path):
    study = read(tmp_path, "p,kernel,seconds\n2,f,1\n2,g,5\n2,f,2\n2,g,6\n")
    assert efforts(study) == {(2.0, 1, "f"): 2, (2.0, 1, "g"): 10, (2.0, 2, "f"): 4, (2.0, 2, "g"): 12}


def test_repetitions_are_in_the_order_of_their_numbers(tmp_path):
    study = read(tmp_path, "p,run,kernel,seconds\n2,10,f,3\n2,9,f,1\n")
    assert efforts(study) == {(2.0, 1, "f"): 2, (2.0, 2, "f"): 6}


@pytest.mark.parametrize(
    ("separator", "path"),
    [
        ("->", ("main", "operator->", "f/g")),
        ("/", ("main->operator->->f", "g")),
        ("", ("main->operator->->f/g",)),
    ],
)
def test_call_paths_are_split_as_stated(tmp_path, separator, path):
    study = read(tmp_path, "p,kernel,seconds\n2,main->operator->->f/g,3\n", separator=separator)
    profile = study.runs[0].profile
    assert profile.tree.paths(profile.regions.name)[-1] == path


def test_inclusive_times_leave_callers_what_is_theirs(tmp_path):
    text = "p,kernel,seconds\n2,first->i,3\n2,main,10\n2,main->f,4\n2,main->f->g,1\n2,other->h,2\n"
    assert efforts(read(tmp_path, text, inclusive=True)) == {
        (2.0, 1, "i"): 6,
        (2.0, 1, "main"): 12,
        (2.0, 1, "f"): 6,
        (2.0, 1, "g"): 2,
        (2.0, 1, "h"): 4,
    }


def test_rows_of_single_ranks_keep_the_load_balance(tmp_path):
    study = read(tmp_path, "p,rank,kernel,seconds\n2,0,f,1\n2,1,f,3\n2,0,g,5\n")
    profile = study.runs[0].profile
    assert profile.values("time").tolist() == [[1.0, 3.0], [5.0, 0.0]]
    assert STATISTIC not in profile.attributes


def test_nodes_are_a_parameter_only_without_processes(tmp_path):
    study = read(tmp_path, "nodes,p,kernel,seconds\n1,2,f,1\n1,4,f,1\n")
    assert study.parameters == ("p",)
    assert stated(study.runs[1].profile.attributes, METADATA) == {"nodes": "1"}
    assert read(tmp_path, "nodes,kernel,seconds\n1,f,1\n2,f,1\n").parameters == ("nodes",)


def test_a_table_may_have_one_row_per_run(tmp_path):
    study = read(tmp_path, "p,host,solve [s],io [ms],flops\n2,a1,4,500,7\n4,a2,2,500,9\n")
    assert efforts(study) == {(p, 1, k): v for p in (2.0, 4.0) for k, v in (("solve", 8), ("io", 0.5 * p))}
    assert stated(study.runs[0].profile.attributes, METADATA) == {"host": "a1", "flops": "7"}
    assert efforts(read(tmp_path, "p,walltime\n2,4\n")) == {(2.0, 1, "(whole run)"): 8}


@pytest.mark.parametrize("gap", ["", "NA", "nan", "x", "1_0", "-3", "inf"])
def test_a_run_with_an_invalid_cell_is_left_out_with_its_line(tmp_path, gap):
    text = table_files.long_form().replace(f"4,2,io,{seconds('io', 4, 2)!r}", f"4,2,io,{gap}")
    study = read(tmp_path, text)
    assert efforts(study) == pytest.approx({key: v for key, v in TRUE.items() if key[:2] != (4.0, 2)})
    what = {
        "1_0": "is not a number: '1_0'",
        "x": "is not a number: 'x'",
        "-3": "is negative: -3 s",
        "inf": "is not a number: 'inf'",
    }
    ((name, reason),) = study.damaged
    assert name.endswith("t.csv (p = 4, repetition 2)")
    assert reason == f"line 9: 'seconds' {what.get(gap, 'has no value')}"


def test_lines_are_those_of_the_file(tmp_path):
    text = '# note\n\np,kernel,seconds\n2,"a\nb",1\n\n2,c,1\n4,c,x\n'
    assert read(tmp_path, text).damaged[0][1] == "line 8: 'seconds' is not a number: 'x'"


def test_a_kernel_without_a_row_counts_as_zero_there(tmp_path):
    study = read(tmp_path, "p,kernel,seconds\n2,f,1\n4,f,1\n4,g,1\n")
    assert efforts(study) == {(2.0, 1, "f"): 2, (4.0, 1, "f"): 4, (4.0, 1, "g"): 4}
    assert study.notices == ("1 kernel has no row in some of the runs and counts as zero there",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "p,repetition,kernel,seconds\n2,1,f,1\n2,1,f,2\n",
            r"line 3: 'f' stands there again .* as in line 2; number",
        ),
        (
            "p,res,kernel,GB\n2,1,f,1\n",
            r"no column of times is recognised \(p, res, kernel, GB\); call it seconds or time",
        ),
        (
            "kernel,seconds\nf,1\n",
            r"no column of a parameter is recognised \(kernel, seconds\); call it p or n",
        ),
        ("p,kernel,seconds\n2,,1\n", "line 2: no kernel is stated"),
        ("p,kernel,seconds\nfour,f,1\n", "line 2: the parameter 'p' is not a number: 'four'"),
        ("p,kernel,seconds\n,f,1\n", "line 2: the parameter 'p' has no value"),
        ("p,kernel,seconds\n2,f\n", "line 2: 2 cells, but 3 columns"),
        ("p,kernel,seconds,seconds\n2,f,1,2\n", "two columns are called 'seconds'"),
        ("p,kernel,,seconds\n2,f,1,2\n", "the column 3 has no name"),
        ("p,kernel,seconds\n", "it has no rows"),
        ("p,kernel,seconds\n2,f,x\n", "line 2: 'seconds' is not a number: 'x'; fill in"),
        ("p,kernel,seconds,cores\n2,f,1,0.5\n", "line 2: 0.5 locations"),
        ("p,kernel,seconds,cores\n2,f,1,4\n2,g,1,8\n", "line 2: the run has both 4 and 8 locations"),
        (
            "p,mesh,kernel,seconds\n2,1,f,1\n2,7,f,2\n",
            "line 3: the same parameters and kernel 'f' as in line 2; they differ in 'mesh': name it under",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, text)
    assert str(raised.value).startswith(str(tmp_path / "t.csv"))


def test_a_column_of_the_mapping_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        InputError, match=r"names the column 'regoin', which is not there; did you mean 'region'\?"
    ):
        read(tmp_path, "p,region,seconds\n2,f,1\n", kernel="regoin")


def test_columns_describe_runs_are_metrics_or_are_not_read(tmp_path):
    text = "p,run,kernel,seconds,machine,jobid,bytes,note\n2,1,f,1,alps,7,100,a\n2,1,g,1,alps,7,50,b\n"
    study = read(tmp_path, text, metrics=("bytes",))
    profile = study.runs[0].profile
    assert stated(profile.attributes, METADATA) == {"machine": "alps", "jobid": "7"}
    assert profile.values("bytes").sum() == 300
    assert study.notices == (
        "the column 'note' is not read: name it in [table] of pipeline.toml if it matters",
    )


def test_parquet_files_are_tables_too(tmp_path):
    columns = {"p": [2, 4], "kernel": ["f", "f"], "time [ms]": [500.0, np.nan], "machine": ["a", None]}
    pd.DataFrame(columns).to_parquet(tmp_path / "t.parquet")
    study = find_tables(tmp_path / "t.parquet", TableMapping()).read()
    assert efforts(study) == {(2.0, 1, "f"): 1.0}
    assert study.damaged[0][1] == "row 2: 'time [ms]' has no value"
    (tmp_path / "u.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"u.parquet: cannot be read as Parquet"):
        find_tables(tmp_path / "u.parquet", TableMapping()).read()
    pd.DataFrame({"p": [1], "v": [[1, 2]]}).to_parquet(tmp_path / "v.parquet")
    with pytest.raises(InputError, match="the column 'v' holds nested values"):
        find_tables(tmp_path / "v.parquet", TableMapping()).read()


def test_tables_of_a_directory_are_one_study(tmp_path):
    (tmp_path / "app.p2.r2").mkdir()
    (tmp_path / "app.p2.r2" / "timers.csv").write_text("kernel,seconds\nf,3\n")
    (tmp_path / "app.p2.r1.csv").write_text("kernel,seconds\nf,1\n")
    (tmp_path / "app.p4.csv").write_text("kernel,time [ms]\nf,2000\n")
    (tmp_path / "notes.csv").write_text("who,when\nme,now\n")
    found = find_tables(tmp_path, TableMapping())
    assert [entry.path.name for entry in found.skipped] == ["notes.csv"]
    study = found.read()
    assert study.parameters == ("p",)
    assert [(run.parameters, run.profile.values("time").sum()) for run in study.runs] == [
        ((2.0,), 2.0),
        ((2.0,), 6.0),
        ((4.0,), 8.0),
    ]
    (tmp_path / "x.csv").write_text("n,kernel,seconds\n3,f,3\n")
    with pytest.raises(InputError, match=r"x.csv: the tables do not agree on their parameters: n here, p in"):
        find_tables(tmp_path, TableMapping()).read()


@pytest.mark.parametrize("names", [("c00", "c01", "c02"), ("c00",), ("c0/t", "c1/t")])
def test_numbers_of_files_are_no_parameters(tmp_path, names):
    for i, name in enumerate(names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.csv").write_text(f"p,kernel,seconds\n{2**i},f,3\n")
    study = find_tables(tmp_path, TableMapping()).read()
    assert study.parameters == ("p",)
    assert [run.parameters for run in study.runs] == [(2.0**i,) for i in range(len(names))]
    assert "'c' in the names only counts the files: it is no parameter" in study.notices


def test_numbers_of_files_that_are_sizes_are_parameters(tmp_path):
    for n in (8, 16, 32):
        (tmp_path / f"n{n:02}.csv").write_text("p,kernel,seconds\n2,f,3\n")
    assert set(find_tables(tmp_path, TableMapping()).read().parameters) == {"p", "n"}


def test_a_file_that_the_mapping_names_goes_first(tmp_path):
    (tmp_path / "a.csv").write_text("p,kernel,seconds\n2,f,1\n")
    (tmp_path / "b.csv").write_text("p,kernel,seconds\n2,f,5\n")
    found = find_tables(tmp_path, TableMapping(file=(tmp_path / "b.csv",)))
    assert efforts(found.read()) == {(2.0, 1, "f"): 10.0}
    with pytest.raises(InputError, match=r"c.csv: no such file; correct file in \[table\]"):
        find_tables(tmp_path, TableMapping(file=(tmp_path / "c.csv",)))


def test_other_files_are_not_tables(tmp_path):
    for name, text in (("b.json", "{}"), ("c.log", "p|q|r|s\n"), ("d.txt", "p,seconds\n")):
        (tmp_path / name).write_text(text)
        assert find_tables(tmp_path / name, TableMapping()) is None
    assert find_tables(tmp_path, TableMapping()) is None


def test_a_cell_is_of_the_run_in_its_own_file(tmp_path):
    (tmp_path / "a.p2.csv").write_text("kernel,seconds\nf,1\n")
    (tmp_path / "a.p8796093022213.csv").write_text("kernel,seconds\nf,x\n")
    (tmp_path / "a.p8.csv").write_text("kernel,seconds\nf,1\n")
    study = find_tables(tmp_path, TableMapping()).read()
    assert [name.partition(" (")[2] for name, _ in study.damaged] == ["p = 8796093022213, repetition 1)"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "columns",
    [
        {"p": [1] * 20_000_000, "time": [1.0] * 20_000_000},
        {"p": [1, 2, 4], "region": ["x" * 90_000_000] * 3, "time": [4.0, 2.0, 1.0]},
    ],
)
def test_a_small_file_that_fills_the_memory_is_refused_before_it_is_read(tmp_path, columns):
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table(columns), path, compression="zstd")
    with pytest.raises(InputError, match="decompression bomb"):
        read_parquet(path)

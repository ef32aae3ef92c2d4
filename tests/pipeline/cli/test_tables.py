"""Tables from the command line: recognised, or described by pipeline.toml."""

import json

import pytest

from tests.ingest.tables import table_files

POINTS = (2, 4, 8, 16, 32)


@pytest.fixture
def table(tmp_path):
    """Write a table and return its path."""

    def write(text, name="timings.csv"):
        path = tmp_path / "tables" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def summary(call, tmp_path):
    """Run a path: returns summary.json and what stood on standard error."""

    def go(path, *options):
        code, _, error = call("run", path, "--out", tmp_path / "out", *options)
        assert code == 0, error
        return json.loads((tmp_path / "out" / "summary.json").read_text()), error

    return go


@pytest.mark.slow
def test_a_table_gives_wall_time_speedup_and_efficiency(table, summary):
    text = table_files.long_form(POINTS, extra=lambda p: ",3", header=",visits")
    found, error = summary(table(text), "--at", "p=64")
    assert error == "" and found["scaling"] == "strong"
    rows = {row["point"]["p"]: row for row in found["runtime"]["at"]}
    wall = {p: 1.005 * (8 / p + 0.25) for p in POINTS}
    for p in POINTS:
        assert rows[p]["wall_seconds"]["value"] == pytest.approx(wall[p])
        assert rows[p]["efficiency"]["value"] == pytest.approx(wall[2] * 2 / wall[p] / p)
    assert rows[64]["wall_seconds"]["lower"] < 1.005 * 0.375 < rows[64]["wall_seconds"]["upper"]


def test_a_directory_with_a_mapping(table, summary):
    text = table_files.long_form(POINTS).replace("p,repetition,kernel,seconds", "cpus,no,what,took")
    table("not,ours\n1,2\n", "others.csv")
    folder = table(text).parent
    (folder / "pipeline.toml").write_text(
        '[table]\nfile = "timings.csv"\nparameters = ["cpus"]\nlocations = "cpus"\nrepetition = "no"\n'
        'kernel = "what"\nvalue = "took"\nunit = "ms"\nstatistic = "sum"\n'
    )
    found, _ = summary(folder)
    row = next(row for row in found["runtime"]["at"] if row["point"] == {"cpus": 4})
    assert row["effort"]["value"] == pytest.approx(1.005e-3 * 2.25)


def test_runs_that_cannot_be_used_are_named_and_strict_says_so(table, call, tmp_path):
    path = table(table_files.long_form(POINTS) + "64,1,solve,oops\n")
    code, _, error = call("run", path, "--out", tmp_path / "out", "--strict")
    assert code == 3
    assert error == (
        f"pipeline: skipped {path} (p = 64, repetition 1): line 22: 'seconds' is not a number: 'oops'\n"
    )


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('kernel = "regoin"', "timings.csv: [table] names the column 'regoin', which is not there"),
        ("kernels = 3", "pipeline.toml:2: kernels: unknown key; did you mean 'kernel'?"),
        ('statistic = "median"', "pipeline.toml:2: statistic: invalid value 'median'"),
        ('file = "no.csv"', "no.csv: no such file; correct file in [table] of pipeline.toml"),
        ("parameters = [3]", "pipeline.toml:2: parameters: [3] is not a list of columns"),
        ("locations = 0", "pipeline.toml:2: locations: invalid locations 0"),
    ],
)
def test_mistakes_in_the_mapping_are_said_in_one_line(table, refused, tmp_path, toml, message):
    folder = table(table_files.long_form()).parent
    (folder / "pipeline.toml").write_text(f"[table]\n{toml}\n")
    assert message in refused("run", folder, "--out", tmp_path / "out")


def test_inspect_shows_runs_sums_and_metadata(table, call):
    text = table_files.long_form(extra=lambda p: f",{'alps' if p > 2 else 'daint'}", header=",machine")
    code, out, _ = call("inspect", table(text), "--totals")
    assert code == 0
    assert "(p = 4, repetition 2)" in out and "9.09" in out
    assert "Metadata: machine: daint (2 runs), alps (4 runs)" in out
    assert "OK: 6 runs, p = 2, 4, 8, 2 times each, " in out


def test_inspect_shows_a_series_if_locations_are_unknown(table, call):
    text = table_files.long_form().replace("p,repetition", "n,repetition")
    code, out, _ = call("inspect", table(text))
    assert code == 0
    assert "table: 3 measurement points, up to 2 repetitions, 2 call paths, metrics time" in out
    assert "the number of locations is not stated" in out


@pytest.mark.slow
@pytest.mark.parametrize("column", ["visits", "visits,rank"])
def test_no_filter_is_made_from_tables_and_no_overhead_taken_out(table, call, tmp_path, column):
    cells = ",100000000" if column == "visits" else ",100000000,0"
    path = table(table_files.long_form(POINTS, extra=lambda p: cells, header=f",{column}"))
    _, out, error = call("run", path, "--out", tmp_path / "out", "--overhead", "correct")
    assert "filter" not in out.replace(str(tmp_path), "")
    assert "times are not corrected for overhead" in error


@pytest.mark.parametrize("kind", ["perflog", "report", "ramble", "jube"])
def test_results_of_frameworks_give_models(table, summary, kind):
    name = {"perflog": "perflogs.log", "jube": "result.csv"}.get(kind, f"{kind}.json")
    found, _ = summary(table(getattr(table_files, kind)(POINTS), name).parent)
    (parameter,) = found["parameters"]
    row = next(row for row in found["runtime"]["at"] if row["point"] == {parameter: 16})
    assert row["wall_seconds"]["value"] == pytest.approx(0.75)
    assert {kernel["region"] for kernel in found["regions"]} == {"solve", "io"}


def test_an_unchanged_table_is_not_read_again(table, call, tmp_path):
    path = table(table_files.long_form())
    for state in ("written", "inputs unchanged", "written"):
        assert state in call("run", path, "--out", tmp_path / "out")[1]
        if state.startswith("inputs"):
            path.write_text(table_files.long_form(extra=lambda p: "1"))


def test_what_columns_mean_is_said_in_one_line(call, table, summary):
    said = "cores: processes; Run 1 .. 3: repetitions; Mean: left out"
    rows = "".join(f"{p},{8 / p},{8.1 / p},{7.9 / p},{8 / p}\n" for p in POINTS)
    path = table(f"cores,Run 1 (s),Run 2 (s),Run 3 (s),Mean (s)\n{rows}")
    found, error = summary(path)
    assert found["parameters"] == ["cores"] and error == f"pipeline: {said}\n"
    assert [row["efficiency"]["value"] for row in found["runtime"]["at"]][:2] == pytest.approx([1, 1])
    code, out, _ = call("inspect", path)
    assert code == 0 and f"Note: {said}" in out.replace("\n  ", " ")


def test_what_columns_of_a_series_mean_is_no_problem(call, table):
    _, out, _ = call("inspect", table("n,time,stddev\n1,2,0.1\n2,4,0.1\n4,8,0.1\n"))
    assert "Note: stddev: left out\n" in out and out.startswith("1 problem\n")


def test_the_name_of_a_table_does_not_count_against_a_baseline(call, table, tmp_path):
    text = table_files.long_form(POINTS)
    assert call("baseline", table(text, "base.csv"), "-o", tmp_path / "b.json")[0] == 0
    for name in ("pr117", "v2", "gcc12", "epyc7742"):
        code, out, error = call("check", table(text, f"{name}.csv"), "--baseline", tmp_path / "b.json")
        assert code == 0 and "No scalability regression" in out and error == ""


def test_a_rate_of_what_is_no_work_is_refused_with_the_next_step(call, table):
    code, out, error = call("run", table("p,foo/s\n1,2.5\n2,4.5\n"))
    assert (code, out) == (2, "")
    assert "no column of times is recognised (p, foo/s)" in error and 'table = {value = "foo/s"}' in error
    assert error.count("\n") == 1

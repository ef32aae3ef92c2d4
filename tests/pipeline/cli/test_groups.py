"""Runs grouped by what describes them."""

import json

import pytest

from tests.ingest.readers import table_files
from tests.ingest.readers.timer_logs import castep

POINTS = (2, 4, 8, 16)


@pytest.fixture
def table(tmp_path):
    """Two machines, one twice as fast, with the same numbers of repetitions."""
    lines = table_files.long_form(POINTS, header=",machine").splitlines()
    slow = [f"{line},alps" for line in lines[1:]]
    fast = [f"{line.rpartition(',')[0]},{float(line.rpartition(',')[2]) / 2!r},da/int" for line in lines[1:]]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([lines[0], *slow, *fast]) + "\n")
    return path


def test_each_value_is_a_study_of_its_own(table, call, tmp_path):
    code, out, error = call(
        "run", table, "--group-by", "machine", "--out", tmp_path / "out", "--format", "json"
    )
    assert (code, error) == (0, "")
    rows = json.loads(out)
    wall = {(row["machine"], row["p"]): row["wall [s]"] for row in rows if row["measured"]}
    for p in POINTS:
        assert wall["alps", p] == pytest.approx(1.005 * (8 / p + 0.25))
        assert wall["da/int", p] == pytest.approx(wall["alps", p] / 2)
    for folder in ("alps", "da-int"):
        summary = json.loads((tmp_path / "out" / folder / "summary.json").read_text())
        assert [point["p"] for point in summary["points"]] == list(POINTS)


def test_without_groups_the_difference_is_said(table, call, tmp_path):
    _, _, error = call("run", table, "--out", tmp_path / "out")
    assert (
        "differ in 'machine' (alps, da/int) and count as repetitions; --group-by machine separates" in error
    )


def test_unchanged_groups_are_not_computed_again(table, call, tmp_path):
    out = tmp_path / "out"
    call("run", table, "--group-by", "machine", "--out", out)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    call("run", table, "--group-by", "machine", "--out", out)
    assert before and {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before


def test_logs_are_grouped_by_what_they_state(call, tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    for version in ("21.11", "22.1"):
        for p in (4, 8, 16):
            stamps = (1.0, 1.0 + 40.0 / p, 1.0 + 80.0 / p)
            text = castep(processes=p, stamps=stamps).replace("21.11", version)
            (runs / f"app.p{p}.r{version.partition('.')[0]}.log").write_text(text)
    code, out, error = call(
        "run",
        runs,
        "--group-by",
        "version",
        "--out",
        tmp_path / "out",
        "--format",
        "csv",
        "--scaling",
        "strong",
    )
    assert code == 0, error
    rows = [line.split(",")[:2] for line in out.splitlines()[1:]]
    assert [row for row in rows if row[0] == "22.1"][:3] == [["22.1", "4"], ["22.1", "8"], ["22.1", "16"]]
    code, _, error = call("run", runs, "--group-by", "colour", "--out", tmp_path / "out")
    assert code == 2
    assert "--group-by: no run states 'colour'; they state program, " in error


@pytest.mark.parametrize("other", ["--details", "--json"])
def test_groups_cannot_be_combined_with_one_answer(table, call, tmp_path, other):
    given = [other, "-"] if other == "--json" else [other]
    code, _, error = call("run", table, "--group-by", "machine", "--out", tmp_path / "out", *given)
    assert code == 2
    assert f"{other}: cannot be combined with --group-by" in error

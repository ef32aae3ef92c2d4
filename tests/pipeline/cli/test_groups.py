"""Runs grouped by what describes them."""

import csv
import json
import re

import pytest

from tests.ingest.readers.timer_logs import castep
from tests.ingest.tables import table_files
from tests.pipeline.cli.published import require_valid

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


@pytest.mark.slow
def test_unchanged_groups_are_not_computed_again(table, call, tmp_path):
    out = tmp_path / "out"
    call("run", table, "--group-by", "machine", "--out", out)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    call("run", table, "--group-by", "machine", "--out", out)
    assert before and {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before


@pytest.mark.slow
def test_logs_are_grouped_by_what_they_state(call, tmp_path, refused):
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
    assert "--group-by: no run states 'colour'; they state program, " in refused(
        "run", runs, "--group-by", "colour", "--out", tmp_path / "out"
    )


def test_groups_cannot_be_combined_with_one_answer(table, refused, tmp_path):
    assert "--details: cannot be combined with --group-by" in refused(
        "run", table, "--group-by", "machine", "--out", tmp_path / "out", "--details"
    )


@pytest.mark.slow
def test_groups_are_one_document(call, table, tmp_path):
    _, text, _ = call("run", table, "--group-by", "machine", "--out", tmp_path / "out", "--json", "-")
    document = json.loads(text)
    assert (document["by"], list(document["studies"])) == ("machine", ["alps", "da/int"])
    for summary in document["studies"].values():
        require_valid(summary, "summary")


@pytest.fixture
def two_compilers(tmp_path):
    """Logs of runs with two compilers, one of which is 1.5 times as slow."""
    folder = tmp_path / "runs"
    for compiler, factor in (("gcc 12", 1.0), ("intel, new", 1.5)):
        for p in (4, 8, 16):
            for r in (1, 2, 3):
                run = folder / f"{compiler[:3]}.p{p}.r{r}"
                run.mkdir(parents=True)
                took = factor * (1 + r / 100)
                stamps = (1.0, 1.0 + took * 40.0 / p, 1.0 + took * 80.0 / p)
                (run / "x.castep").write_text(castep(processes=p, stamps=stamps))
                (run / "metadata.toml").write_text(f'compiler = "{compiler}"\n')
    return folder


@pytest.mark.slow
def test_runs_are_grouped_by_what_the_user_notes(two_compilers, call, tmp_path):
    _, text, _ = call("inspect", two_compilers)
    assert "Metadata: compiler: gcc 12 (9 runs), intel, new (9 runs)" in text
    out = tmp_path / "out"
    code, text, error = call(
        "run", two_compilers, "--group-by", "compiler", "--out", out, "--format", "csv", "--scaling", "strong"
    )
    assert code == 0, error
    assert {row["compiler"] for row in csv.DictReader(text.splitlines())} == {"gcc 12", "intel, new"}
    assert sorted(folder.name for folder in out.iterdir()) == ["gcc-12", "intel--new"]


@pytest.mark.slow
def test_changed_metadata_make_a_new_result(two_compilers, call, tmp_path):
    arguments = ("run", two_compilers, "--out", tmp_path / "out", "--scaling", "strong")
    call(*arguments)
    assert "inputs unchanged" in call(*arguments)[1]
    (two_compilers / "metadata.toml").write_text('machine = "alps"\n')
    assert "inputs unchanged" not in call(*arguments)[1]
    assert "inputs unchanged" in call(*arguments)[1]


@pytest.mark.parametrize(
    ("group", "better"),
    [("compiler", False), ("compiler=gcc 12,intel, new", False), ("compiler=intel, new,gcc 12", True)],
)
def test_two_groups_are_compared(two_compilers, call, group, better):
    code, text, error = call("compare", two_compilers, "--group-by", group, "--scaling", "strong")
    assert code == 0, error
    a, b = ("intel, new", "gcc 12") if better else ("gcc 12", "intel, new")
    assert text.startswith(f"compiler = {b} ") and f" compiler = {a} " in text.replace("\n ", "")
    assert re.search(
        r": [^;]+; better: [^;]+\.", " ".join(text.split())
    )  # the total that these logs state stays
    _, text, _ = call("compare", two_compilers, "--group-by", group, "--scaling", "strong", "--json", "-")
    document = json.loads(text)
    assert document["b"] == f"compiler = {b}"
    verdicts = {kernel["callpath"][-1]: kernel["verdict"] for kernel in document["kernels"]}
    assert verdicts["SCF iterations"] == ("improvement" if better else "regression")


def test_several_groups_are_compared_with_the_first(two_compilers, call, refused):
    for run in two_compilers.glob("*.r3"):
        (run / "metadata.toml").write_text('compiler = "other"\n')
    arguments = ("compare", two_compilers, "--group-by", "compiler", "--scaling", "strong")
    code, text, _ = call(*arguments)
    assert code == 0
    for one in ("intel, new", "other"):
        assert re.search(rf"^compiler = {one} .*compiler = gcc 12 ", text, re.MULTILINE)
    assert "--group-by: there are 3 values of 'compiler'; name two of them, as in compiler=A,B" in refused(
        *arguments, "--json", "-"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "compare: give two studies, or one and --group-by"),
        (("{runs}", "--group-by", "compiler"), "compare: give two studies, or one and --group-by"),
        (("--group-by", "version"), "--group-by: all runs state version = 21.11"),
        (
            ("--group-by", "compiler=gcc 12,clang"),
            "no runs of 'gcc 12,clang'; write two of gcc 12, intel, new",
        ),
        (("--group-by", "colour"), "no run states 'colour'; they state compiler, kind, program"),
    ],
)
def test_what_cannot_be_compared_is_said(two_compilers, call, arguments, message):
    code, out, error = call(
        "compare", two_compilers, *(text.format(runs=two_compilers) for text in arguments)
    )
    assert (code, out) == (2, "")
    assert message in error


@pytest.mark.slow
def test_runs_of_several_kinds_are_not_one_series(call, tmp_path):
    runs = tmp_path / "runs"
    for kind, points in (("weak", (2, 4, 8)), ("strong", POINTS)):
        (runs / kind).mkdir(parents=True)
        for p in points:
            stamps = (1.0, 1.0 + 40.0 / p, len(kind) + 80.0 / p)
            (runs / kind / f"{p}.out").write_text(castep(processes=p, stamps=stamps))
    code, out, error = call("run", runs, "--out", tmp_path / "out", "--format", "json")
    assert code == 0 and [row["p"] for row in json.loads(out) if row["measured"]] == list(POINTS)
    assert (
        "pipeline: kind is a label, no number to model over: 4 runs with kind = strong are used, 3 runs with"
        " kind = weak are left out; --group-by kind makes a study of each" in error.splitlines()
    )
    code, out, _ = call("run", runs, "--group-by", "kind", "--out", tmp_path / "groups", "--format", "json")
    points = [(row["kind"], row["p"]) for row in json.loads(out) if row["measured"]]
    assert code == 0 and points == [*(("strong", p) for p in POINTS), *(("weak", p) for p in (2, 4, 8))]

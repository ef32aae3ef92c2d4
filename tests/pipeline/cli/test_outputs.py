"""Where outputs go, what is said about them, and shares, targets and options that contradict each other."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from tests.foam_cases import write_foam_case

START = "from pipeline.cli import main; main()"


def series_file(path, metrics=("flops",)):
    lines = [
        {"params": {"p": p}, "callpath": "main", "metric": metric, "value": [2.0 * p, 2.1 * p]}
        for p in (1, 2, 4, 8, 16)
        for metric in metrics
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.slow
def test_files_that_are_written_are_said(call, results, tmp_path):
    for arguments, name in [
        (["plot", results, "sum", "-o"], "a.svg"),
        (["plot", results, "sum", "--png"], "a.png"),
        (["export", results, "--to", "csv", "-o"], "a.csv"),
        (["compare", results, results, "-o"], "a.html"),
        (["compare", results, results, "--html"], "b.html"),
        (["predict", results, "--json"], "a.json"),
        (["report", results, "-o"], "c.html"),
    ]:
        file = tmp_path / name
        code, _, error = call(*arguments, file)
        assert (code, error) == (0, f"pipeline: wrote {file}\n")
        assert file.stat().st_size > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["plot", "{out}", "sum", "--svg", "-"], b"<?xml"),
        (["plot", "{out}", "sum", "--png", "-"], b"\x89PNG"),
        (["baseline", "{out}", "-o", "-"], b'{\n "version"'),
        (["compare", "{out}", "{out}", "-o", "-"], b"<!DOCTYPE html>"),
        (["report", "{out}", "-o", "-"], b"<!DOCTYPE html>"),
        (["check", "{out}", "--baseline", "{base}", "--junit", "-"], b"<?xml"),
        (["check", "{out}", "--baseline", "{base}", "--markdown", "-"], b"#"),
        (["export", "{out}", "--to", "csv", "-o", "-"], b"id,kernel,"),
    ],
)
def test_a_dash_is_standard_output(call, results, tmp_path, monkeypatch, arguments, start):
    base = tmp_path / "base.json"
    call("baseline", results, "-o", base)
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    command = [text.format(out=results, base=base) for text in arguments]
    found = subprocess.run([sys.executable, "-c", START, *command], capture_output=True, check=True)
    assert found.stdout.lower().startswith(start.lower()) and found.stderr == b""
    assert set(tmp_path.iterdir()) == before


def test_the_plot_as_text_is_standard_output(call, results):
    assert call("plot", results, "sum", "-o", "-")[1] == call("plot", results, "sum")[1]


ONE_STREAM = "only one of them can go to standard output; give files"
WRONG = {
    "tree x --least 2": "--least: invalid share '2': it is 200 %; write 2% or 0.02",
    "tree x --least 200%": "--least: invalid share '200%'; write at most 100%",
    "tree x --least few": "--least: invalid share 'few'; write 5% or 0.05",
    "filter x --max-overhead 5": "--max-overhead: invalid share '5': it is 500 %; write 5% or 0.05",
    "filter x --max-overhead 0": "--max-overhead: invalid share '0'; write 5% or 0.05",
    "filter x --explain a --apply b": "--explain: cannot be combined with --apply; give one of them",
    "plot x k --png - --svg -": f"--png and --svg: {ONE_STREAM}",
    "plot x k -o x.gif": "--out: 'x.gif' is neither .png, .svg nor .pdf",
    "project setsm -o png": "--out: 'png' is neither .png, .svg nor .pdf",
    "compare x y -o - --json -": f"--out and --json: {ONE_STREAM}",
    "check x --junit - --json -": f"--junit and --json: {ONE_STREAM}",
    "check x --junit - --format csv": f"--junit and --format: {ONE_STREAM}",
    "project x -o - --json -": f"--out and --json: {ONE_STREAM}",
    "project --list --on x": "--list: lists everything; omit other arguments than --json and --format",
    "project x --at P=1 --at P=2": (
        "--at: P is given twice; give an input once; several values are a sweep, such as L=4:14 or L=4,8,16"
    ),
    "export x --to csv --efficiency 60%": "--efficiency: csv has no jobs; use --to proposal",
    "export x --to hatchet-json --at p=2": "--at: hatchet-json has no predictions; omit it, or use --to csv",
    "history add x --label a --at p=2 --at p=4": (
        "--at: a label has one target; add it under one label per target"
    ),
    "history add x --label a -o -": "--history: a history is a file that grows; name a file",
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.items(), ids=list(WRONG))
def test_values_and_options_that_cannot_be_meant(call, arguments, message):
    code, text, error = call(*arguments.split())
    assert (code, text, error) == (2, "", f"pipeline: {message}\n")


def test_a_share_may_be_written_in_per_cent(call, results):
    assert call("tree", results, "--least", "60%") == call("tree", results, "--least", "0.6")
    assert "call path below 60.0 % left out" in call("tree", results, "--least", "60%")[1]


TARGETS = ["--at", "p=64", "--at", "p=256"]


def test_what_commands_were_called_goes_on_working(call, results, refused):
    tree = ("--least", "2%", *TARGETS)
    assert call("tree", results, *tree) == call("bottlenecks", results, "--tree", *tree)
    plan = ("--budget", "1e9", *TARGETS)
    assert call("advise", results, *plan) == call("choose", results, "--measure", *plan)
    for options in (("--what-if", "balanced"), ("--on", "archer2"), ("--limit", "3"), ("--by", "group")):
        assert f"{options[0]}: cannot be combined with --tree" in refused("tree", results, *options)
    assert "--deadline: cannot be combined with --measure" in refused("advise", results, "--deadline", "1h")
    assert "add --tree" in refused("bottlenecks", results, "--least", "2%")


def test_models_alone_leave_no_results(call, strong_study, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = call("run", strong_study, "--no-results", "--by", "callpath", "--limit", "30")
    assert models == call("model", strong_study) and models[0] == 0 and not (tmp_path / "results").exists()
    assert call("model", strong_study, "--by", "region") == call(
        "run", strong_study, "--no-results", "--limit", "30"
    )
    refusal = "--out: cannot be combined with --no-results"
    assert refusal in refused("run", strong_study, "--no-results", "--out", tmp_path / "results")


@pytest.mark.slow
def test_models_that_are_asked_for_as_json_are_all_there(call, tmp_path):
    rows = [
        {"params": {"p": p}, "callpath": f"f{n}", "metric": "time", "value": float(p)}
        for n in range(1100)
        for p in (1, 2, 4, 8, 16)
    ]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    models = json.loads(call("model", tmp_path / "many.jsonl", "--json", "-")[1])
    assert len(models["kernels"]) == 1100 and models["not_listed"]["kernels"] == 0


def test_several_targets_are_all_shown(call, results):
    ranking = call("bottlenecks", results, *TARGETS)[1]
    assert "p = 64" in ranking and "p = 256" in ranking
    tree = call("tree", results, *TARGETS)[1]
    assert "predicted at p = 64" in tree and "predicted at p = 256" in tree
    plan = call("advise", results, "--budget", "1e9", *TARGETS)[1]
    assert "interval at p = 64 " in plan and "interval at p = 256 " in plan
    lines = call("plot", results, "sum", *TARGETS)[1].splitlines()
    assert lines[-2].startswith("p = 64: ") and lines[-1].startswith("p = 256: ")
    plans = json.loads(call("advise", results, "--budget", "1e9", *TARGETS, "--json", "-")[1])
    assert [entry["target"] for entry in plans] == [{"p": 64.0}, {"p": 256.0}]


def test_several_targets_are_columns_of_csv(call, results):
    rows = list(csv.DictReader(io.StringIO(call("export", results, "--to", "csv", *TARGETS)[1])))
    for row in rows:
        assert row["value at p=256"] == row["value_at_target"]
        assert float(row["lower at p=64"]) <= float(row["value at p=64"]) <= float(row["upper at p=64"])
    one = call("export", results, "--to", "csv", *TARGETS[:2])[1].splitlines()[0]
    assert one.endswith("upper_at_target")


def test_studies_of_two_programs_are_not_compared(call, tmp_path):
    for program in ("one", "two"):
        for p in (1, 2, 4, 8, 16):
            times = {"main": 1.0, **{f"{program}{i}": 1.0 / p for i in range(9)}}
            write_foam_case(tmp_path / program / f"a.p{p}.r1", times, processes=p)
    code, text, error = call("compare", tmp_path / "one", tmp_path / "two")
    assert (code, text) == (2, "")
    assert error.splitlines()[-1] == (
        f"pipeline: {tmp_path / 'one'} and {tmp_path / 'two'}: they have 1 of 10 call paths in common,"
        " so they are of two programs; compare studies of one program"
    )


@pytest.mark.slow
def test_a_series_file_runs_with_its_only_metric(call, tmp_path):
    out = tmp_path / "out"
    code, text, _ = call("run", series_file(tmp_path / "s.jsonl"), "--out", out)
    assert code == 0 and "flops" in text
    assert "flops" in call("bottlenecks", out)[1]
    assert call("compare", out, out)[0] == 0


def test_a_series_file_of_several_metrics_asks_for_one(call, tmp_path):
    file = series_file(tmp_path / "s.jsonl", ("flops", "bytes"))
    code, _, error = call("run", file, "--out", tmp_path / "out")
    assert code == 2
    assert error == "pipeline: --metric: the series has several metrics; choose one: flops, bytes\n"
    assert call("run", file, "--out", tmp_path / "out", "--metric", "bytes")[0] == 0


def into_closed_pipe(*arguments):
    """Return the exit code of a command whose output nobody reads, and its standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", START, *map(str, arguments)]
    found = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    return found.returncode, found.stderr.decode()


@pytest.mark.slow
def test_exit_codes_survive_a_closed_pipe(results, strong_study, tmp_path):
    assert into_closed_pipe("compare", results, results) == (0, "")
    assert into_closed_pipe("tree", results) == (0, "")
    base, other = tmp_path / "base.json", tmp_path / "other"
    assert into_closed_pipe("baseline", results, "-o", base) == (0, "")
    for p in (1, 2, 4, 8, 16):
        times = {"solve": 64.0 / p, "sum": 5.0 * p, "main": 0.25 / p}
        for repetition in (1, 2):
            write_foam_case(other / f"app.p{p}.r{repetition}", times, processes=p)
    strong = ["--scaling", "strong"]
    for output in ([], ["--json", "-"], ["--junit", "-"], ["--format", "csv"]):
        assert into_closed_pipe("check", other, "--baseline", base, *strong, *output)[0] == 1
    assert into_closed_pipe("predict", results, "--json", "-") == (0, "")
    (strong_study / "app.p32.r1").mkdir()
    for output in ([], ["--json", "-"]):
        command = ["run", strong_study, "--out", tmp_path / "out", "--strict", *output]
        assert into_closed_pipe(*command)[0] == 3
    write_foam_case(tmp_path / "named" / "app", {"main": 1.0})
    write_foam_case(tmp_path / "named" / "other", {"main": 2.0})
    assert into_closed_pipe("inspect", tmp_path / "named")[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("command", [["tree"], ["plot", "sum"], ["bottlenecks", "--by", "callpath"]])
def test_terminals_of_latin_1_get_similar_characters(results, command):
    name, *rest = command
    arguments = [sys.executable, "-c", START, name, str(results), *rest]
    texts = {}
    for encoding in ("latin-1", "utf-8"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        found = subprocess.run(arguments, env=environment, capture_output=True, check=True)
        assert found.stderr == b""
        texts[encoding] = found.stdout.decode(encoding)
    text, whole = texts.values()
    assert [len(line) for line in text.splitlines()] == [len(line) for line in whole.splitlines()]
    assert any(ord(character) > 255 for character in whole) and "?" not in text.replace(" ?", "")

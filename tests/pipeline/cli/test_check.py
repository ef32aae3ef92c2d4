import json
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from pipeline.wording.quantities import estimate_text
from tests.pipeline.report.page.studies import carried

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "docs" / "reference" / "schemas" / "check.schema.json"


@pytest.fixture
def baseline(call, studies, tmp_path):
    file = tmp_path / "baseline.json"
    code, out, error = call("baseline", studies("before", 1), "-o", file)
    assert (code, error) == (0, "")
    written = f"Baseline of 3 functions at 4 points in {file} Next: pipeline check DIR --baseline {file}"
    assert " ".join(out.split()) == written
    return file


def test_doubts_about_a_study_are_shown_when_it_becomes_a_baseline(call, tmp_path):
    rows = [("main", p, p) for p in (1, 2, 4, 8, 16)] + [("main->f", p, 1.0) for p in (1, 2, 4, 8)]
    lines = [
        json.dumps({"callpath": path, "metric": "time", "params": {"p": p}, "value": value})
        for path, p, value in rows
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    code, _, error = call("baseline", tmp_path / "a.jsonl", "-o", tmp_path / "b.json")
    assert code == 0
    assert "pipeline: time: 1 call paths lack some of the 5 points\n" in error


@pytest.mark.slow
def test_the_same_study_passes_from_runs_and_from_results(call, studies, baseline, tmp_path):
    code, out, error = call("check", tmp_path / "before", "--baseline", baseline)
    assert (code, error) == (0, "")
    assert "No scalability regression" in out
    call("run", tmp_path / "before", "--out", tmp_path / "out")
    assert call("check", tmp_path / "out", "--baseline", baseline)[0] == 0


def test_a_regression_is_exit_1_named_and_in_every_output(call, studies, baseline, tmp_path):
    files = {
        kind: tmp_path / f"check.{kind}" for kind in ("json", "junit", "sarif", "markdown", "code-quality")
    }
    options = [text for kind, file in files.items() for text in (f"--{kind}", file)]
    code, out, error = call("check", studies("after", 2), "--baseline", baseline, *options)
    assert code == 1
    assert sorted(error.splitlines()) == sorted(f"pipeline: wrote {file}" for file in files.values())
    assert re.match(r"REGRESSION +sum: [\d.]+ times slower at p = 8, about ", out)
    document = json.loads(files["json"].read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert {tuple(k["callpath"]) for k in document["kernels"] if k["verdict"] == "regression"} >= {
        ("main", "sum")
    }
    for file in files.values():
        assert "sum" in file.read_text()


def test_rules_alone(call, studies, tmp_path):
    study = studies("after", 2)
    (study / "pipeline.toml").write_text('[check]\n[[check.rule]]\nkernel = "*/sum"\ngrowth = "log2(p)"\n')
    code, out, _ = call("check", study)
    assert code == 1
    assert "grows faster than log2(p)" in out
    (study / "pipeline.toml").write_text('[check]\n[[check.rule]]\nkernel = "*/sum"\ngrowth = "p^2"\n')
    assert call("check", study)[0] == 0


def test_another_machine_is_exit_3(call, studies, tmp_path):
    study = studies("before", 1)
    call("baseline", study, "-o", tmp_path / "b.json", "--machine", "alps")
    code, out, _ = call("check", study, "--baseline", tmp_path / "b.json", "--machine", "jura")
    assert code == 3
    assert "measure the baseline again" in " ".join(out.split())
    assert call("check", study, "--baseline", tmp_path / "b.json", "--machine", "alps")[0] == 0


@pytest.mark.slow
def test_targets_come_from_the_command_line_then_from_check_then_from_analysis(
    call, studies, baseline, tmp_path
):
    study = tmp_path / "before"

    def targets(*options):
        out = call("check", study, "--baseline", baseline, "--json", "-", *options)[1]
        return [point["p"] for point in json.loads(out)["targets"]]

    assert targets() == [32]
    (study / "pipeline.toml").write_text('[analysis]\nat = ["p=16"]\n')
    assert targets() == [16]
    (study / "pipeline.toml").write_text('[analysis]\nat = ["p=16"]\n[check]\ntargets = ["p=64", "p=128"]\n')
    assert targets() == [64, 128]
    assert targets("--at", "p=256") == [256]


def test_notices_and_skipped_runs_go_to_standard_error(call, studies, baseline, tmp_path):
    (tmp_path / "before" / "app.p8.r4").mkdir()
    check, write = ["check", "--baseline", baseline], ["baseline", "-o", tmp_path / "b2.json"]
    for arguments in (check, write):
        _, out, error = call(*arguments, tmp_path / "before")
        assert "app.p8.r4" in error and "app.p8.r4" not in out
        assert error.startswith("pipeline: skipped ")


@pytest.mark.parametrize(
    ("command", "rows"), [(["check"], 15), (["compare"], 15), (["history", "show"], 30), (["baseline"], None)]
)
def test_the_help_names_the_default_number_of_rows(call, monkeypatch, command, rows):
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = call(*command, "--help")
    assert re.findall(r"(?i)rows to show, in every format\.\s+\[default: (\d+)\]", out) == (
        [str(rows)] if rows else []
    )


def test_missing_scales_are_exit_3_named_everywhere_unless_allowed(call, studies, baseline, tmp_path):
    study = studies("fewer", 1)
    for run in study.glob("app.p8.*"):
        shutil.rmtree(run)
    kinds = ("json", "junit", "sarif", "markdown")
    options = [text for kind in kinds for text in (f"--{kind}", tmp_path / f"c.{kind}")]
    code, out, _ = call("check", study, "--baseline", baseline, *options)
    assert code == 3
    assert "p = 8 of the baseline was not measured: measure it, or pass --allow-missing" in out
    for kind in kinds:
        assert "p = 8 of the baseline" in (tmp_path / f"c.{kind}").read_text()
    document = json.loads((tmp_path / "c.json").read_text())
    assert (document["missing"], document["causes"]) == ([{"p": 8}], ["missing points"])
    code, out, _ = call("check", study, "--baseline", baseline, "--allow-missing")
    assert code == 0
    assert "Note: not measured, which is allowed: p = 8 of the baseline" in out


def test_skipped_input_is_exit_3_if_strict(call, studies, baseline, tmp_path):
    (tmp_path / "before" / "app.p8.r4").mkdir()
    check = ("check", tmp_path / "before", "--baseline", baseline, "--details")
    assert call(*check)[0] == 0
    code, out, _ = call(*check, "--strict")
    assert code == 3
    assert "Inconclusive: input was skipped" in out and "app.p8.r4" in out


@pytest.mark.slow
def test_a_slower_machine_is_what_the_user_says(call, studies, baseline):
    slower = studies("slower", 1, wobbles=(1.2, 1.204, 1.197))
    for policy, code in ((), 3), (("--common", "fail"), 1), (("--common", "warn"), 0):
        found, out, _ = call("check", slower, "--baseline", baseline, *policy)
        assert found == code
        assert "all kernels together take 1.2 times the baseline" in out
    assert call("check", slower, "--baseline", baseline, "--common", "maybe")[0] == 2


def test_the_power_is_shown_and_can_be_required(call, baseline, tmp_path):
    check = ("check", tmp_path / "before", "--baseline", baseline, "--details")
    code, out, _ = call(*check, "--detect", "1.5")
    assert code == 0
    assert re.search(r"a change by a factor of [\d.]+ in the \w+", out)
    code, out, _ = call(*check, "--detect", "1.1")
    assert code == 3
    assert "a factor of 1.1 could have been missed" in out


def test_runs_in_turn_tell_the_program_from_the_machine(call, studies, tmp_path, refused):
    before = studies("a", 1, wobbles=(1.0, 1.3, 0.8, 1.1))
    after = studies("b", 1, wobbles=(1.1, 1.43, 0.88, 1.21))
    code, out, _ = call("check", after, "--paired-with", before)
    assert code == 1
    assert (
        "all kernels together take 1.1 times the baseline over all points, in runs beside those"
        in " ".join(out.split())
    )
    assert call("check", before, "--paired-with", before)[0] == 0
    assert "give one of --baseline, --paired-with and --history" in refused(
        "check", after, "--paired-with", before, "--baseline", tmp_path / "x.json"
    )


@pytest.mark.slow
def test_the_last_results_of_a_history_are_a_baseline(call, studies, tmp_path, refused):
    file = tmp_path / "h.parquet"
    for n, wobble in enumerate((1.0, 1.01, 0.99, 1.02, 1.0)):
        study = studies(f"day{n}", 1, wobbles=(wobble, wobble * 1.002, wobble))
        call("history", "add", study, "--label", f"c{n}", "--history", file)
    assert call("check", tmp_path / "day1", "--history", file, "--last", "4")[0] == 0
    code, out, _ = call("check", studies("after", 2), "--history", file)
    assert code == 1
    assert "sum: " in out and "nothing is said of other scales" in out
    assert "no such file" in refused("check", tmp_path / "day1", "--history", tmp_path / "none.parquet")


def test_rows_are_limited(call, studies, baseline):
    _, out, _ = call("check", studies("after", 2), "--baseline", baseline, "--limit", "1", "--details")
    assert "1 more left out; --limit shows them" in out


def test_json_on_standard_output_stands_alone_also_on_github(call, studies, baseline, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    code, out, error = call("check", studies("after", 2), "--baseline", baseline, "--json", "-")
    assert code == 1
    assert json.loads(out)["exit_code"] == 1
    assert error.startswith("::error ")
    assert "❌" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "{study}"], "nothing to check"),
        (["check", "{study}", "--baseline", "{tmp}/nix.json"], "cannot be read"),
        (["check", "{study}", "--baseline", "{tmp}/bad.json"], "is not valid JSON"),
        (["check", "{tmp}/nowhere", "--baseline", "{tmp}/baseline.json"], "no such file"),
        (["check", "{study}", "--baseline", "{tmp}/baseline.json", "--at", "q=3"], "no parameter 'q'"),
        (["check", "{study}", "--baseline", "{tmp}/baseline.json", "--metric", "visits"], "differ"),
        (["baseline", "{study}", "-o", "/proc/nowhere/b.json"], "cannot be written"),
        (["history", "show", "sum", "--history", "{tmp}/nix.parquet"], "no such file"),
        (["history", "show", "sum", "--history", "{tmp}/bad.json"], "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(call, baseline, tmp_path, arguments, message):
    (tmp_path / "bad.json").write_text("{")
    code, out, error = call(*(text.format(tmp=tmp_path, study=tmp_path / "before") for text in arguments))
    assert (code, out) == (2, "")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_compare_finds_nothing_in_the_same_and_the_changed_kernel_elsewhere(call, studies, tmp_path):
    before, after = studies("before", 1), studies("after", 2)
    code, out, _ = call("compare", before, before)
    assert code == 0
    assert "no function differs" in " ".join(out.split())
    page = tmp_path / "c.html"
    code, out, _ = call("compare", before, after, "--out", page, "--json", "-")
    assert code == 0
    worse = {tuple(k["callpath"]) for k in json.loads(out)["kernels"] if k["verdict"] == "regression"}
    assert worse - {("total",)} == {("main", "sum")}
    columns = {one["key"]: one["values"] for one in carried(page.read_text())["columns"]}
    assert ("main/sum", "worse") in set(zip(columns["kernel"], columns["verdict"], strict=True))
    assert (json.loads(out)["a"], json.loads(out)["b"]) == (str(before), str(after))
    assert call("compare", after, before)[1].splitlines()[0].startswith("before is ")


@pytest.mark.slow
def test_a_ratio_at_the_target_is_that_of_what_predict_says_however_the_results_were_made(
    call, studies, tmp_path
):
    outs = []
    for name, exponent, options in (("before", 1, ()), ("after", 1.5, ("--prior", "simple"))):
        runs, out = studies(name, exponent, wobbles=(1.0, 1.1, 0.93)), tmp_path / f"out-{name}"
        assert call("run", runs, "--out", out, *options)[0] == 0
        outs.append(out)
    predicted = []
    for out in outs:
        summary = json.loads(call("predict", out, "--at", "p=64", "--json", "-")[1])
        kernels = [*summary["kernels"], summary["total"]]
        predicted.append({tuple(k["callpath"]): k["predictions"][0] for k in kernels})
    _, text, _ = call("compare", *outs, "--at", "p=64", "--json", "-")
    compared = [k for k in json.loads(text)["kernels"] if k["level"] != "region"]
    assert {tuple(k["callpath"]) for k in compared} >= {("total",), ("main", "sum"), ("main", "solve")}
    for kernel in compared:
        a, b = (of_study[tuple(kernel["callpath"])] for of_study in predicted)
        assert kernel["target"][0]["ratio"] == pytest.approx(b["value"] / a["value"], rel=1e-8)
        for side, entry in (("baseline", a), ("candidate", b)):
            found = kernel[side]["predicted"][0]
            assert [found[end] for end in ("value", "upper")] == [entry[end] for end in ("value", "upper")]
    _, text, _ = call("compare", *outs, "--at", "p=64", "--details")
    ratio = next(k for k in compared if k["level"] == "total")["target"][0]
    estimate = estimate_text(ratio["ratio"], ratio["lower"], ratio["upper"])
    assert f" / {outs[0].name} {estimate}" in " ".join(text.split())


@pytest.mark.slow
def test_compare_takes_a_factor_targets_and_shows_renames(call, studies):
    before, after = studies("before", 1), studies("slower", 1, wobbles=(1.05, 1.054, 1.047))
    assert "no function differs" in " ".join(call("compare", before, after)[1].split())
    assert "all kernels together take 1.05 times" in call("compare", before, after, "--factor", "1.01")[1]
    _, out, _ = call("compare", before, after, "--at", "p=64", "--json", "-")
    assert json.loads(out)["targets"] == [{"p": 64}]
    renamed = studies("renamed", 1, solve="solve2")
    _, out, _ = call("compare", before, renamed)
    assert "Note: renamed: main › solve → main › solve2" in out and "Possibly" not in out


@pytest.mark.slow
def test_history_keeps_commits_and_shows_the_change(call, studies, tmp_path, refused):
    file = tmp_path / "h.parquet"
    before, after = studies("before", 1), studies("after", 2)
    for n in range(10):
        code, out, _ = call(
            "history", "add", before if n < 5 else after, "--label", f"c{n}", "--history", file
        )
        assert code == 0
    added = f"c9: no change against c8. Added c9 to {file}, which has 10 labels Next: pipeline"
    assert " ".join(out.split()) == f"{added} history show total --history {file}"
    assert "10 labels" in call("history", "add", after, "--label", "c9", "--history", file)[1]
    _, out, _ = call("history", "show", "main/sum", "--history", file, "--json", "-")
    (kernel,) = json.loads(out)["kernels"]
    assert [c["label"] for c in kernel["change_points"]] == ["c5"]
    _, out, _ = call("history", "show", "main/sum", "--history", file)
    assert "8.00 × before" in out
    assert "'nix' matches no kernel; try '*' or 'total'" in refused(
        "history", "show", "nix", "--history", file
    )


def test_history_keeps_verdicts_and_targets(call, studies, baseline, tmp_path):
    file, after = tmp_path / "h.parquet", studies("after", 2)
    call("check", after, "--baseline", baseline, "--json", tmp_path / "check.json")
    options = ("--history", file, "--check", tmp_path / "check.json", "--at", "p=16")
    assert call("history", "add", after, "--label", "c1", *options)[0] == 0
    (kernel,) = json.loads(call("history", "show", "total", "--history", file, "--json", "-")[1])["kernels"]
    (entry,) = kernel["entries"]
    assert entry["verdict"] == "regression"
    assert entry["value"] == pytest.approx(64 + 8 * 4 + 0.25, rel=0.01)
    assert entry["predicted"] == pytest.approx(64 + 16 * 8 + 0.25, rel=0.1)


def test_the_history_of_many_kernels_is_limited(call, studies, tmp_path):
    file = tmp_path / "h.parquet"
    call("history", "add", studies("before", 1), "--label", "c1", "--history", file)
    assert call("history", "show", "*", "--history", file)[1].count(" at p = 8: ") == 6
    assert call("history", "show", "*", "--history", file, "--limit", "2")[1].count(" at p = 8: ") == 2


@pytest.mark.slow
def test_the_examples_of_the_ci_page_exit_as_it_says(call, tmp_path, monkeypatch):
    """As a user would: every command of the page that states its exit code, in order, in one directory."""
    (page,) = (ROOT / "docs").rglob("ci.md")
    commands = page.read_text(encoding="utf-8").split("Try it without a cluster")[1].split("\n## ")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_profiles").symlink_to(ROOT / "sample_profiles")
    codes = []
    for line in re.findall(r"^(?:    |\$ )(\w.*)$", commands, re.MULTILINE):
        command, _, code = line.partition("# exit code ")
        if command.startswith("pipeline "):
            assert call(*command.split()[1:])[0] == int(code or 0), line
            codes.append(int(code or 0))
        else:
            subprocess.run(command, shell=True, check=True)
    assert {0, 1, 3} <= set(codes)


def test_findings_without_a_source_file_point_to_a_file_that_exists(call, studies, tmp_path):
    after, report = studies("after", 2), tmp_path / "code-quality.json"
    assert call("check", after, "--paired-with", studies("before", 1), "--code-quality", report)[0] == 1
    assert {entry["location"]["path"] for entry in json.loads(report.read_text())} == {str(after)}

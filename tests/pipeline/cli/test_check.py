import json
from pathlib import Path

import jsonschema
import pytest

from tests.foam_cases import write_foam_case

SCHEMA = Path(__file__).parents[3] / "docs" / "check.schema.json"


@pytest.fixture
def studies(tmp_path):
    """Make two studies: as it is, and with `sum` growing faster; three repetitions with a little noise."""

    def make(name, exponent):
        for p in (1, 2, 4, 8):
            for r, wobble in enumerate((1.0, 1.004, 0.997), 1):
                times = {
                    "solve": 64.0 / p * wobble,
                    "sum": 0.5 * p ** (exponent - 1) * wobble,
                    "main": 0.25 / p,
                }
                write_foam_case(tmp_path / name / f"app.p{p}.r{r}", times, processes=p)
        return tmp_path / name

    return make


@pytest.fixture
def baseline(call, studies, tmp_path):
    file = tmp_path / "baseline.json"
    code, told, error = call("baseline", studies("before", 1), "-o", file)
    assert (code, error) == (0, "")
    assert "at 4 points" in told
    return file


def test_the_same_study_passes_from_runs_and_from_results(call, studies, baseline, tmp_path):
    code, told, error = call("check", tmp_path / "before", "--baseline", baseline)
    assert (code, error) == (0, "")
    assert "No scalability regression" in told
    call("run", tmp_path / "before", "--out", tmp_path / "out")
    assert call("check", tmp_path / "out", "--baseline", baseline)[0] == 0


def test_a_regression_is_exit_1_named_and_in_every_output(call, studies, baseline, tmp_path):
    files = {
        kind: tmp_path / f"check.{kind}" for kind in ("json", "junit", "sarif", "markdown", "code-quality")
    }
    options = [text for kind, file in files.items() for text in (f"--{kind}", file)]
    code, told, _ = call("check", studies("after", 2), "--baseline", baseline, *options)
    assert code == 1
    assert "Scalability regression" in told and "main › sum" in told
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
    code, told, _ = call("check", study)
    assert code == 1
    assert "grows faster than log2(p)" in told
    (study / "pipeline.toml").write_text('[check]\n[[check.rule]]\nkernel = "*/sum"\ngrowth = "p^2"\n')
    assert call("check", study)[0] == 0


def test_another_machine_is_exit_3(call, studies, tmp_path):
    study = studies("before", 1)
    call("baseline", study, "-o", tmp_path / "b.json", "--machine", "alps")
    code, told, _ = call("check", study, "--baseline", tmp_path / "b.json", "--machine", "jura")
    assert code == 3
    assert "measure the baseline again" in told


def test_json_on_standard_output_stands_alone_also_on_github(call, studies, baseline, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    code, told, error = call("check", studies("after", 2), "--baseline", baseline, "--json", "-")
    assert code == 1
    assert json.loads(told)["exit_code"] == 1
    assert error.startswith("::error ")
    assert "❌" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "{study}"], "nothing to check"),
        (["check", "{study}", "--baseline", "{tmp}/nix.json"], "cannot be read"),
        (["check", "{study}", "--baseline", "{tmp}/bad.json"], "is not valid JSON"),
        (["check", "{study}", "--baseline", "{tmp}/list.json"], "is not a baseline"),
        (["check", "{tmp}/nowhere", "--baseline", "{tmp}/baseline.json"], "no such file"),
        (["check", "{study}", "--baseline", "{tmp}/baseline.json", "--at", "q=3"], "no parameter 'q'"),
        (["check", "{study}", "--baseline", "{tmp}/baseline.json", "--metric", "visits"], "differ"),
        (["baseline", "{study}", "-o", "/proc/nowhere/b.json"], "cannot be written"),
        (["history", "show", "sum", "--file", "{tmp}/nix.parquet"], "no such file"),
        (["history", "show", "sum", "--file", "{tmp}/bad.json"], "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(call, baseline, tmp_path, arguments, message):
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "list.json").write_text("[1]")
    code, told, error = call(*(text.format(tmp=tmp_path, study=tmp_path / "before") for text in arguments))
    assert (code, told) == (2, "")
    assert message in error
    assert error.count("\n") == 1


def test_compare_finds_nothing_in_the_same_and_the_changed_kernel_elsewhere(call, studies, tmp_path):
    before, after = studies("before", 1), studies("after", 2)
    code, told, _ = call("compare", before, before)
    assert code == 0
    assert "No kernel differs" in told
    page = tmp_path / "c.html"
    code, told, _ = call("compare", before, after, "--html", page, "--json", "-")
    assert code == 0
    worse = {tuple(k["callpath"]) for k in json.loads(told)["kernels"] if k["verdict"] == "regression"}
    assert worse - {("total",)} == {("main", "sum")}
    assert "main › sum" in page.read_text()


def test_history_keeps_commits_and_shows_the_change(call, studies, tmp_path):
    file = tmp_path / "h.parquet"
    before, after = studies("before", 1), studies("after", 2)
    for n in range(10):
        code, told, _ = call("history", "add", before if n < 5 else after, "--label", f"c{n}", "--file", file)
        assert code == 0
    assert "10 labels in all" in told
    assert "10 labels" in call("history", "add", after, "--label", "c9", "--file", file)[1]
    _, told, _ = call("history", "show", "main/sum", "--file", file, "--json", "-")
    (kernel,) = json.loads(told)["kernels"]
    assert [c["label"] for c in kernel["change_points"]] == ["c5"]
    _, told, _ = call("history", "show", "main/sum", "--file", file)
    assert "level changes by a factor of 8" in told

"""Expectations of growth, as `check` and `run` judge them."""

import json
from pathlib import Path

import jsonschema
import pytest

import pipeline as pl

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "docs" / "reference" / "schemas" / "check.schema.json"
EXPECTED = """
[[expect]]
region = "solve"
growth = "1"

[[expect]]
region = "sum"
growth = "p^(1/2)"
"""


def test_an_exceeded_expectation_is_an_exit_code_of_its_own_if_it_is_asked_for(call, studies, tmp_path):
    config, file = tmp_path / "expectations.toml", tmp_path / "check.json"
    config.write_text(EXPECTED)
    runs = studies("study", 2)
    asked = ("check", runs, "--config", config, "--json", file)
    assert call(*asked)[0] == 0
    assert call(*asked, "--expect")[0] == 4
    document = json.loads(file.read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert [row["judgement"] for row in document["expectations"]] == ["met", "exceeded"]
    assert document["expectations"][1]["place"] == f"{config}:8"
    code, out, _ = call("check", runs, "--config", config, "--expect", "--junit", tmp_path / "junit.xml")
    assert code == 4
    assert "1 of 2 expectations exceeded" in out
    assert (tmp_path / "junit.xml").read_text().count("<failure") == 1


def test_code_hosts_show_what_is_not_met_where_it_is_expected(call, studies, tmp_path, monkeypatch):
    config = tmp_path / "expectations.toml"
    config.write_text(EXPECTED)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    files = {name: tmp_path / name for name in ("sarif", "code-quality", "markdown")}
    options = [part for name, file in files.items() for part in (f"--{name}", file)]
    asked = ("check", studies("study", 2), "--config", config, "--source-root", tmp_path)
    code, out, error = call(*asked, "--expect", *options)
    assert code == 4
    annotation = next(line for line in (out + error).splitlines() if "Expectation" in line and "::" in line)
    assert annotation.startswith("::error file=expectations.toml,line=8,title=Expectation")
    (run,) = json.loads(files["sarif"].read_text())["runs"]
    (result,) = [one for one in run["results"] if one["ruleId"] == "expectation"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "expectation"
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("expectations.toml", 8)
    entries = json.loads(files["code-quality"].read_text())
    (entry,) = [one for one in entries if one["check_name"] == "expectation"]
    assert entry["location"] == {"path": "expectations.toml", "lines": {"begin": 8}}
    assert "Expectation on sum" in files["markdown"].read_text()


@pytest.mark.slow
def test_the_page_and_python_say_what_is_not_met(call, studies, tmp_path):
    config, runs, out = tmp_path / "expectations.toml", studies("study", 2), tmp_path / "results"
    config.write_text(EXPECTED)
    call("run", runs, "--config", config, "--out", out)
    said = "Expectation on sum, at most p^(1/2): exceeded"
    assert said in (out / "report.html").read_text()
    call("report", out, "--at", "p=64")
    page = (out / "report.html").read_text()
    assert said in page
    assert "to p = 64" in page
    found = pl.check(runs, config=config)
    assert found.expectations["judgement"].tolist() == ["met", "exceeded"]
    assert found.expectations["region"].tolist() == ["solve", "sum"]


@pytest.mark.slow
def test_run_names_only_what_is_not_met(call, studies, tmp_path):
    config, runs, out = tmp_path / "expectations.toml", studies("study", 2), tmp_path / "results"
    config.write_text(EXPECTED)
    code, text, error = call("run", runs, "--config", config, "--out", out)
    assert (code, "Expectation on sum, at most p^(1/2): exceeded" in text) == (0, True), error
    assert "Expectation on solve" not in text
    summary = json.loads((out / "summary.json").read_text())
    assert [row["judgement"] for row in summary["expectations"]] == ["met", "exceeded"]
    config.write_text(EXPECTED.replace("p^(1/2)", "p^2"))
    assert "2 of 2 expectations met." in call("run", runs, "--config", config, "--out", out)[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[expect]]\ngrowth = "2 * p"', ":2: growth: invalid growth '2 * p'"),
        ('[[expect]]\nregion = "sum"', ":1: growth: is missing"),
        ('[[expect]]\ngrowth = "p"\nat = 4', ":3: at: unknown key"),
        ('[[expect]]\nregion = "none"\ngrowth = "p"', ":3: nothing matches 'none'"),
        ("", "--expect: nothing is expected"),
    ],
)
def test_expectations_that_make_no_sense_are_refused_in_one_line(call, studies, tmp_path, text, message):
    config = tmp_path / "expectations.toml"
    config.write_text(text)
    code, _, error = call("check", studies("study", 1), "--config", config, "--expect")
    assert (code, error.count("\n")) == (2, 1)
    assert message in error

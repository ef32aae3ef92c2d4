"""The changes that CONTRIBUTING.md shows: each is applied to a copy of the project, and works."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.trial import copy_of

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHANGES = dict(re.findall(r"^### \d+\. (.*)\n(?s:.*?)^```diff\n((?s:.*?))^```$", TEXT, re.MULTILINE))
FILES = {"A metric derived per kernel": 2}  # all others touch one
SAMPLE = ROOT / "sample_profiles" / "hpcg-strong"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return copy_of(ROOT, tmp_path_factory.mktemp("project"))


@pytest.fixture
def changed(tree, tmp_path, monkeypatch):
    """Apply the change of a title; return a function that calls `pipeline` as it is with it."""
    monkeypatch.chdir(tmp_path)
    applied = []

    def apply(title):
        git(tree, CHANGES[title])
        applied.append(CHANGES[title])
        return pipeline

    def pipeline(*arguments):
        command = [sys.executable, "-m", "pipeline", *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": str(tree), "COLUMNS": "250", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield apply
    for diff in applied:
        git(tree, diff, "--reverse")


def git(tree, diff, *options):
    command = ["git", "apply", "--recount", "--unidiff-zero", *options]
    subprocess.run(command, cwd=tree, input=diff, text=True, check=True)


def series(name, values):
    """Write a file of one kernel for Extra-P, as which models are made."""
    points = [2**i for i in range(1, len(values) + 1)]
    lines = ["PARAMETER p", f"POINTS {' '.join(map(str, points))}", "REGION f", "METRIC time"]
    Path(name).write_text("\n".join([*lines, *(f"DATA {value!r}" for value in values)]) + "\n")
    return name


@pytest.mark.parametrize("title", CHANGES)
def test_a_change_touches_one_file(title):
    touched = re.findall(r"^\+\+\+ b/(.*)$", CHANGES[title], re.MULTILINE)
    assert len(touched) == FILES.get(title, 1)


def test_a_format(changed, tmp_path):
    for p in (1, 2, 4, 8):
        (tmp_path / "runs" / f"app.p{p}").mkdir(parents=True)
        (tmp_path / "runs" / f"app.p{p}" / "a.watch").write_text(f"solve {8 / p}\nsum {p}\n")
    pipeline = changed("A format")
    assert "stopwatch" in pipeline("inspect", "runs/app.p8")
    rows = json.loads(pipeline("model", "runs", "--json", "-"))["kernels"]
    assert {row["region"] for row in rows} == {"solve", "sum"}


def test_a_pair_of_exponents(changed):
    pipeline = changed("A pair of exponents")
    file = series("a.txt", [5 + 0.01 * p**3 * i**2 for i in range(1, 8) for p in [2**i]])
    assert formula(pipeline("model", file, "--json", "-")) == "5 + 0.01 * p^3 * log2(p)^2"


def test_a_kind_of_factor(changed):
    pipeline = changed("A kind of factor")
    file = series("a.txt", [7 + 3 * math.log2(i) for i in range(1, 14)])
    assert formula(pipeline("model", file, "--json", "-")) == "7 + 3 * log2(log2(p))"


def formula(printed):
    (kernel,) = json.loads(printed)["kernels"]
    return kernel["model"]["formula"]


def test_an_option_of_run(changed, tmp_path):
    pipeline = changed("An option of `run`")
    assert "--label TEXT" in " ".join(pipeline("run", "--help").split())
    pipeline("run", SAMPLE, "--out", "out", "--label", "before")
    assert json.loads((tmp_path / "out" / "run.json").read_text())["configuration"]["label"] == "before"


def test_a_column_of_kernels(changed, tmp_path):
    pipeline = changed("A column of kernels")
    pipeline("run", SAMPLE, "--out", "out")
    for row in kernels(tmp_path / "out"):
        assert row["depth"] == len(row["callpath"])
    for form in ("table", "csv", "md", "json"):
        assert re.search(r"\bdepth\b", pipeline("bottlenecks", "out", "--format", form)), form


def test_a_metric_derived_per_kernel(changed, tmp_path):
    changed("A metric derived per kernel")("run", SAMPLE, "--out", "out")
    found = [row["spread"] for row in kernels(tmp_path / "out")]
    assert 0 <= min(found) < max(found) <= 1


def kernels(out):
    return json.loads((out / "summary.json").read_text())["kernels"]


def test_a_format_of_export(changed):
    pipeline = changed("A format of `export`")
    pipeline("run", SAMPLE, "--out", "out")
    assert re.search(r"^MPI_Allreduce: .*p", pipeline("export", "out", "--to", "formulas"), re.MULTILINE)
    assert "hatchet-json|formulas|proposal" in "".join(re.findall(r"[a-z|-]+", pipeline("export", "--help")))


def test_a_machine(changed):
    listed = changed("A machine")("machine", "list")
    assert re.search(r"^desk +a computer on a desk; node +made up", listed, re.MULTILINE)


def test_a_command(changed):
    pipeline = changed("A command")
    pipeline("run", SAMPLE, "--out", "out")
    rows = json.loads(pipeline("formulas", "out", "--json", "-"))
    assert any(row["kernel"] == "MPI_Allreduce" and "p" in row["formula"] for row in rows)
    for form in ("table", "csv"):
        assert "MPI_Allreduce" in pipeline("formulas", "out", "--format", form), form
    assert "List the formula of every kernel." in " ".join(pipeline("--help").split())


def test_a_question(changed, tmp_path):
    screen = " ".join(changed("A question")("run", SAMPLE, "--out", "out").split())
    answer = json.loads((tmp_path / "out" / "summary.json").read_text())["grown_total"]
    (place,) = (f"{name} = {value}" for name, value in answer["at"].items())
    (said,) = re.findall(rf"At {place} the total is ([\d.]+) times the measured one\.", screen)
    assert float(said) == pytest.approx(answer["factor"], rel=0.01)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "How much more" in page and f"the total is {said} times the measured one." in page

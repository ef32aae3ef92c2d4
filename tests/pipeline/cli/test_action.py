"""The GitHub action: parsed, and its steps run in a shell as a runner does; what it uses is pinned."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from tests.foam_cases import write_foam_case

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
USES = re.compile(r"uses: (\S+)@(\S+)")


def step(name):
    (found,) = [one for one in ACTION["runs"]["steps"] if one["name"] == name]
    return found


def make_runs(folder, slower=1.0):
    for p in (1, 2, 4, 8):
        for r, wobble in enumerate((1.0, 1.004, 0.997), 1):
            times = {"solve": 64.0 / p * wobble, "sum": 8.0 * wobble * slower / p, "main": 0.25 / p}
            write_foam_case(folder / f"app.p{p}.r{r}", times, processes=p)
    return folder


@pytest.fixture
def runner(tmp_path):
    """Run a step as a runner does: inputs by the expressions of `env`, bash with errexit and pipefail."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "pipeline"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pipeline "$@"\n')
    program.chmod(0o755)
    python = programs / "python3"
    python.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/python-arguments"\n')
    python.chmod(0o755)

    def run(name, **inputs):
        values = {key: one.get("default", "") for key, one in ACTION["inputs"].items()}
        values |= {key.replace("_", "-"): str(value) for key, value in inputs.items()}
        values["steps.install.outputs.pipeline"] = str(program)
        expression = re.compile(r"\$\{\{ (?:inputs\.)?([a-z.-]+) \}\}")
        filled = {
            key: expression.sub(lambda m: values[m[1]], text)
            for key, text in step(name).get("env", {}).items()
        }
        output = tmp_path / "output"
        output.write_text("")
        environment = os.environ | filled
        environment |= {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path / "runner temp"),
            "PYTHONPATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_WORKSPACE": str(tmp_path),
            "GITHUB_ACTION_PATH": str(ROOT),
        }
        script = tmp_path / "step.sh"
        script.write_text(step(name)["run"])
        command = [shutil.which("bash"), "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        kept = {"env": environment, "cwd": tmp_path, "capture_output": True, "text": True}
        done = subprocess.run(command, check=False, **kept)
        return done, dict(line.split("=", 1) for line in output.read_text().splitlines())

    return run


@pytest.fixture
def baseline(call, tmp_path):
    call("baseline", make_runs(tmp_path / "before"), "-o", tmp_path / "base.json")
    return tmp_path / "base.json"


def test_every_input_reaches_the_step_and_every_variable_is_used():
    env, script = step("Check")["env"], step("Check")["run"]
    used = set(re.findall(r"inputs\.([a-z-]+)", " ".join(env.values())))
    assert used == set(ACTION["inputs"])
    assert all(f"${{{name}" in script or f"${name}" in script for name in env)
    assert "${{" not in script  # values of inputs never become part of the script
    assert ACTION["runs"]["using"] == "composite"
    assert {one["shell"] for one in ACTION["runs"]["steps"]} == {"bash"}


def test_the_project_is_installed_by_hash_into_its_own_environment(runner, tmp_path):
    done, output = runner("Install")
    assert done.returncode == 0, done.stderr
    environment = tmp_path / "runner temp/callpath-pipeline"
    assert output == {"pipeline": f"{environment}/bin/pipeline"}
    arguments = (tmp_path / "python-arguments").read_text().splitlines()
    assert arguments == [str(ROOT / "tools/make_environment.py"), str(environment), "runtime"]


def test_a_check_that_passes_writes_all_reports(runner, baseline, tmp_path):
    done, output = runner("Check", path=tmp_path / "before", baseline=baseline)
    assert (done.returncode, output) == (0, {"exit-code": "0"}), done.stderr
    written = tmp_path / "scalability-check"
    assert {file.name for file in written.iterdir()} == {"check.json", "check.xml", "check.sarif", "check.md"}
    assert ET.parse(written / "check.xml").getroot().tag == "testsuites"


def test_a_regression_fails_the_step(runner, baseline, tmp_path):
    done, output = runner("Check", path=make_runs(tmp_path / "after", slower=2.0), baseline=baseline)
    assert (done.returncode, output) == (1, {"exit-code": "1"}), done.stderr


@pytest.mark.parametrize(
    ("inputs", "status", "code"),
    [
        ({}, 0, "3"),
        ({"inconclusive": "fail"}, 3, "3"),
        ({"allow_missing": "true", "inconclusive": "fail"}, 0, "0"),
    ],
)
def test_an_inconclusive_check_warns_or_fails(runner, baseline, tmp_path, inputs, status, code):
    fewer = make_runs(tmp_path / "fewer")
    for run in fewer.glob("app.p8.*"):
        shutil.rmtree(run)
    done, output = runner("Check", path=fewer, baseline=baseline, **inputs)
    assert (done.returncode, output) == (status, {"exit-code": code}), done.stderr


def test_names_with_spaces_and_quotes_are_only_names(runner, baseline, tmp_path):
    odd = make_runs(tmp_path / "a b'$(touch pwned)")
    done, output = runner("Check", path=odd, paired_with=tmp_path / "before", detect="3")
    assert (done.returncode, output) == (0, {"exit-code": "0"}), done.stderr
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("file", [".github/workflows/test.yml", "docs/how-to/ci.md"])
def test_what_workflows_use_is_pinned_to_a_commit(file):
    found = USES.findall((ROOT / file).read_text(encoding="utf-8"))
    assert found
    for name, version in found:
        own = name == "your-organisation/callpath-pipeline"
        assert own or re.fullmatch("[0-9a-f]{40}", version), (name, version)

"""The component of GitLab: inputs filled in as GitLab does, its script run in a shell as a runner does."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
COMPONENT = (ROOT / "templates/scalability-check.yml").read_text(encoding="utf-8")
INPUT = re.compile(r"\$\[\[ inputs\.(\w+) \]\]")


def filled(**given):
    """Return the job with its inputs, which must be those that the component declares."""
    head, _, body = COMPONENT.partition("\n---\n")
    declared = yaml.safe_load(head)["spec"]["inputs"]
    assert set(given) <= set(declared)
    values = {name: given.get(name, one.get("default")) for name, one in declared.items()}
    assert set(INPUT.findall(body)) == set(declared)
    for name, value in values.items():
        assert value is not None, name
        assert value in declared[name].get("options", [value])
    return yaml.safe_load(INPUT.sub(lambda found: values[found[1]].replace('"', '\\"'), body))[
        "scalability-check"
    ]


@pytest.fixture
def runner(tmp_path):
    """Run the script of a job with `pipeline` from this source tree."""
    program = tmp_path / ".callpath-pipeline/bin/pipeline"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pipeline "$@"\n')
    program.chmod(0o755)

    def run(job):
        script = "\n".join(job["script"])
        variables = job["variables"] | {"CI_PROJECT_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            ["sh", "-e", "-c", script],
            cwd=tmp_path,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_release_that_is_installed_is_this_one():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert filled(path="runs")["variables"]["CHECK_VERSION"] == version
    assert f"scalability-check@{version}" in COMPONENT


@pytest.mark.slow
def test_a_rule_that_is_broken_fails_the_job_with_reports(runner, tmp_path):
    (tmp_path / "pipeline.toml").write_text("[check]\nparallel_efficiency = 0.6\n")
    samples = ROOT / "sample_profiles/hpcg-strong"
    job = filled(
        path=str(samples), at="p=16 p=32", options="--config pipeline.toml", measure="touch measured"
    )
    done = runner(job)
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "measured").exists()
    for report in (*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()):
        assert (tmp_path / report).stat().st_size, report
    assert "Scalability regression" in (tmp_path / "check.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_inputs_hold_is_no_command(runner, tmp_path):
    done = runner(filled(path="$(touch harm)", machine="; touch harm", baseline="`touch harm`"))
    assert done.returncode == 2
    assert not (tmp_path / "harm").exists()

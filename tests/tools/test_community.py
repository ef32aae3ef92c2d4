"""Workflows take actions by commit and few rights; forms and settings of the code host are complete."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted(
    set((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) - {ROOT / ".github/ISSUE_TEMPLATE/config.yml"}
)
READING = ({}, {"contents": "read"})


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_named_by_commit(path):
    uses = re.findall(r"uses: .*", path.read_text(encoding="utf-8"))
    assert uses
    for one in uses:
        assert re.fullmatch(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_rights_are_given_job_by_job(path):
    workflow = read(path)
    assert workflow["permissions"] in READING
    assert True not in workflow or "pull_request_target" not in workflow[True]  # YAML's name of the key `on`
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 60, name
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name
            assert "${{ github.event" not in step.get("run", ""), name


def test_only_what_publishes_may_and_it_builds_nothing():
    jobs = read(ROOT / ".github/workflows/release.yml")["jobs"]
    assert [name for name, job in jobs.items() if job["permissions"].get("id-token") == "write"] == [
        "publish"
    ]
    assert jobs["publish"]["needs"] == "build" and jobs["announce"]["needs"] == "publish"
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]
    commands = [step.get("run", "") for step in jobs["build"]["steps"]]
    assert any("tools/release_notes.py" in command for command in commands)
    assert "make dist" in commands


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_ask_something(path):
    form = read(path)
    assert form["name"] and form["description"]
    fields = [field for field in form["body"] if field["type"] in ("input", "textarea", "dropdown")]
    assert len({field["id"] for field in fields}) == len(fields) > 1
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_the_citation_can_be_read():
    citation = read(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)


def test_the_paper_cites_what_its_bibliography_has():
    cited = set(re.findall(r"@(\w+)", (ROOT / "paper/paper.md").read_text(encoding="utf-8")))
    listed = re.findall(
        r"^@\w+\{(\w+),$", (ROOT / "paper/paper.bib").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(cited) == sorted(listed)
    for picture in re.findall(r"\]\((\S+\.png)\)", (ROOT / "paper/paper.md").read_text(encoding="utf-8")):
        assert (ROOT / "paper" / picture).is_file()


def test_hooks_are_those_of_make_lint():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    for hook in repository["hooks"]:
        assert hook["entry"].replace(".venv/bin", "$(BIN)") in makefile, hook["id"]

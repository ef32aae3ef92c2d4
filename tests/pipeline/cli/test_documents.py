"""What `--json` writes: every command has its document, and every document the shape that is published."""

import json
from pathlib import Path

import jsonschema
import pytest
import typer

from pipeline.cli.app import app, register
from pipeline.projection.ports.loop_estimate import find_llvm_mca
from pipeline.stages.campaign import template
from tests.pipeline.cli.published import FOLDER, published, renamed, require_valid, validator
from tests.pipeline.projection.ports.stored_llvm_mca import replay
from tools.documents import DOCUMENTS, WITHOUT, WRITTEN, document_schema

LOOPS = Path(__file__).parents[1] / "projection" / "ports" / "loops"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_published_schemas_are_those_of_the_types(name, request):
    """``--update-snapshots`` writes them."""
    made = document_schema(name)
    if made is not None and request.config.getoption("--update-snapshots"):
        text = json.dumps(made, indent=1, ensure_ascii=False)
        (FOLDER / f"{name}.schema.json").write_text(f"{text}\n", encoding="utf-8")
    stated = published(name)
    jsonschema.Draft202012Validator.check_schema(stated)
    assert stated["title"] == DOCUMENTS[name].title
    assert made is None or stated == made


@pytest.mark.parametrize("name", DOCUMENTS)
def test_published_schemas_are_closed(name):
    for record in _records(published(name)):
        assert record["additionalProperties"] is False, record
        assert set(record["required"]) <= set(record["properties"])


def _records(schema):
    """Yield every object of a schema whose keys are named."""
    if isinstance(schema, list):
        for part in schema:
            yield from _records(part)
    elif isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield schema
        for part in schema.values():
            yield from _records(part)


def test_every_schema_is_of_a_document_and_every_document_of_a_command():
    assert {path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json")} == set(DOCUMENTS)
    assert {name for shapes in WRITTEN.values() for name in shapes.values()} == set(DOCUMENTS)


def test_every_command_has_json_or_a_reason_for_having_none():
    register()
    with_json, without = set(), set()
    for name, command in _commands(typer.main.get_command(app)):
        options = {flag for parameter in command.params for flag in parameter.opts}
        (with_json if "--json" in options else without).add(name)
    assert with_json == set(WRITTEN)
    assert without == set(WITHOUT)


def _commands(group, before=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{name} ")
            if command.invoke_without_command:
                yield f"{before}{name}", command
        elif not command.hidden:
            yield f"{before}{name}", command


@pytest.fixture
def written(call):
    """Call a command with ``--json -``: the document, which is all of standard output, as published."""

    def run(name, *arguments, code=0):
        found, text, error = call(*arguments, "--json", "-")
        assert found == code, error
        document = json.loads(text)
        require_valid(document, name)
        for other in renamed(document):
            with pytest.raises(jsonschema.ValidationError):
                validator(name).validate(other)
        return document

    return run


@pytest.mark.slow
def test_profiles_and_runs(written, strong_study, results, tmp_path):
    found = written("inspection", "inspect", strong_study, "--totals")
    assert (len(found["runs"]), found["extent"]["points"], found["usable"]) == (10, 5, True)
    assert written("intact", "inspect", results)["files"] >= 7
    written("summary", "run", strong_study, "--out", tmp_path / "again")
    written("summary", "model", strong_study)
    evidence = written("filter", "filter", strong_study, "-o", tmp_path / "app.filter")
    assert {region["region"] for region in evidence["regions"]} >= {"solve", "sum"}


@pytest.mark.slow
def test_stored_results(written, results):
    written("summary", "predict", results, "--at", "p=64")
    written("summary", "bottlenecks", results)
    written("summary", "tree", results)
    potential = written("potential", "bottlenecks", results, "--potential", "--at", "p=64")
    assert potential["kernels"][0]["gain"]["value"] > 0
    for arguments in (
        (),
        ("--deadline", "10s", "--price", "0.02/core-h"),
        ("--deadline", "1s", "--efficiency", "99%"),
    ):
        assert written("choice", "choose", results, *arguments)["parameter"] == "p"
    written("plan", "advise", results)
    assert len(written("plans", "advise", results, "--at", "p=64", "--at", "p=128")) == 2


@pytest.mark.slow
def test_two_studies(written, studies, tmp_path):
    before, after = studies("before", 1), studies("after", 2)
    base = tmp_path / "base.json"
    assert written("baseline", "baseline", before, "-o", base)["kernels"] == 7
    found = written("check", "check", after, "--baseline", base, code=1)
    assert found["exit_code"] == 1
    assert written("comparison", "compare", before, after)["b"] == str(after)
    history = tmp_path / "history.parquet"
    for label, study in (("one", before), ("two", after)):
        added = written("added", "history", "add", study, "--label", label, "--history", history)
    assert (added["labels"], added["label"]) == (2, "two")
    shown = written("history", "history", "show", "*sum", "--history", history)
    assert [entry["label"] for entry in shown["kernels"][0]["entries"]] == ["one", "two"]


def test_loops_on_processors(written, monkeypatch):
    replay(monkeypatch)
    loops = ("ports", LOOPS / "avx512.s", "--function", "polynomial", "--on", "skylake-x")
    assert written("ports", *loops)["loops"][0]["from"] is None
    both = written("ports", *loops, "--from", "silver-4116", "--time", "2 s")
    assert both["loops"][0]["time"]["lower"] <= both["loops"][0]["time"]["value"]
    find_llvm_mca.cache_clear()


@pytest.mark.slow
def test_a_study_on_another_machine(written, results):
    machines = ("--from", "archer2", "--on", "lumi-c")
    found = written("study-projection", "project", results, *machines, "--at", "p=64")
    assert found["on"]["summary"]["runtime"]["at"][-1]["point"] == {"p": 64}


def test_a_campaign(written, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "campaign.toml").write_text(template())
    assert {run["status"] for run in written("campaign", "campaign", "plan")["runs"]} == {"planned"}


@pytest.mark.slow
def test_projections(written):
    written("machines", "machine", "list")
    written("shipped", "project", "--list")
    written("projection", "project", "milc", "--on", "power5plus", "--at", "L=8,P=1024")
    assert len(written("sweep", "project", "milc", "--at", "L=4:6,P=1024")["projections"]) == 3
    shown = ("project", "milc", "--at", "L=8,P=1024", "--show")
    written("sensitivities", *shown, "sensitivities")

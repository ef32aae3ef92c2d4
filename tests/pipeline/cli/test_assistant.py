"""What an assistant may ask: the documents of the commands, their verdicts, and nothing outside the root."""

import json

import pytest

from ingest.errors import UsageError
from pipeline.cli.assistant import ANSWER_LIMIT, Assistant
from pipeline.config.options import Options
from pipeline.stages.check import baseline_text, read_study
from pipeline.stages.run import run
from pipeline.store.results import read_study as read_results
from tests.documents import stored_summary
from tests.pipeline.cli.published import require_valid


@pytest.fixture
def assistant(strong_study, tmp_path):
    (tmp_path / "made").mkdir()
    return Assistant(root=strong_study.parent, made=tmp_path / "made")


def files_below(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_every_answer_is_the_document_of_the_command_with_its_verdict(assistant, strong_study, tmp_path):
    out = tmp_path / "results"
    run(strong_study, Options(out=out))
    base = tmp_path / "base.json"
    base.write_text(baseline_text(read_study(strong_study, Options()), Options(), {})[0])
    before = files_below(strong_study) | files_below(out)
    answers = [
        assistant.inspect("study"),
        assistant.inspect("results"),
        assistant.run("study", at=["p=64"]),
        assistant.predict("results", at=["p=64"]),
        assistant.choose("run-1", at=["p=64"], deadline="1h"),
        assistant.compare("study", "run-1"),
        assistant.check("study", baseline="base.json"),
    ]
    for answer in answers:
        document = json.loads(json.dumps(answer.document, allow_nan=False))
        require_valid(document, answer.shape)
        assert answer.verdict and "\n" not in answer.verdict
    shapes = ["inspection", "intact", "summary", "summary", "choice", "comparison", "check"]
    assert [answer.shape for answer in answers] == shapes
    assert answers[0].verdict.startswith("OK: 10 runs, p = ")
    assert answers[2].results == "run-1"
    assert answers[2].verdict == answers[3].verdict == answers[3].document["runtime"]["verdict"]
    assert "64" in answers[3].verdict and "trust" in answers[3].verdict
    summary = stored_summary(read_results(out), [{"p": 64.0}], others=False)
    assert answers[3].document["kernels"] == summary["kernels"]
    assert answers[4].verdict.startswith("Use p = ")
    assert "no function differs significantly" in answers[5].verdict
    assert answers[6].document["outcome"] == "passed"
    assert files_below(strong_study) | files_below(out) == before


@pytest.mark.slow
def test_changes_are_answered_with_what_they_gain(assistant):
    assistant.run("study")
    changed = assistant.predict("run-1", at=["p=64"], what_if=["sum=0.5"])
    assert changed.notices[0].startswith("as if sum=0.5, at p = 64: ")
    usual, halved = (
        answer.document["total"]["predictions"][-1]["value"]
        for answer in (assistant.predict("run-1", at=["p=64"]), changed)
    )
    assert halved == pytest.approx(usual / 2, rel=0.1)


@pytest.mark.slow
def test_long_lists_are_cut_and_the_rest_is_counted(assistant):
    assert ANSWER_LIMIT >= 3
    answer = assistant.run("study", limit=1)
    assert len(answer.document["kernels"]) == len(answer.document["regions"]) == 1
    assert answer.document["not_listed"] == {"kernels": 2, "regions": 2}
    assert any(line.startswith("left out: 2 kernels, 2 regions") for line in answer.notices)
    assert assistant.predict("run-1").document["not_listed"] == {"kernels": 0, "regions": 0}


@pytest.mark.slow
def test_runs_of_one_directory_have_names_of_their_own(assistant):
    assert [assistant.run("study").results for _ in range(2)] == ["run-1", "run-2"]
    assert {path.name for path in assistant.made.iterdir()} >= {"run-1", "run-2"}


@pytest.mark.parametrize("name", ["..", "../else", "/", "study/../../else", "link", "link/app.p1.r1"])
def test_nothing_outside_the_root_is_looked_at(tmp_path, strong_study, name):
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(strong_study)
    assistant = Assistant(root=root, made=tmp_path)
    for ask in (
        assistant.inspect,
        assistant.run,
        assistant.predict,
        assistant.choose,
        assistant.check,
        lambda path: assistant.compare(path, path),
        lambda path: assistant.check(".", baseline=path),
    ):
        with pytest.raises(UsageError, match="lies outside the directory that is served"):
            ask(name)


def test_the_root_may_be_given_by_a_link(strong_study, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(strong_study.parent)
    assert Assistant(root=link, made=tmp_path).inspect("study").document["usable"]


def test_runs_are_no_results(assistant):
    for ask in (assistant.predict, assistant.choose):
        with pytest.raises(UsageError, match="is no results directory") as refused:
            ask("study")
        assert "call the tool run" in str(refused.value)

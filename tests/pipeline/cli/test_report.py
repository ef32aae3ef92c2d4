"""`pipeline run` leaves report.html, `pipeline report` writes it again."""

import pytest

from pipeline.store.lock import only_writer


@pytest.fixture
def results(call, strong_study, tmp_path):
    out = tmp_path / "results"
    assert call("run", strong_study, "--out", out, "--at", "p=64")[0] == 0
    return out


def test_a_run_leaves_a_report_for_its_target(results):
    text = (results / "report.html").read_text(encoding="utf-8")
    assert "at p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}64" in text
    assert "<title>study" in text


def test_the_report_is_written_again_from_what_is_stored(call, results):
    first = (results / "report.html").read_text(encoding="utf-8")
    (results / "report.html").unlink()
    code, told, error = call("report", results)
    assert (code, error) == (0, "")
    assert "report.html" in told
    again = (results / "report.html").read_text(encoding="utf-8")
    assert first.split("</header>")[0] == again.split("</header>")[0]


def test_another_target_can_be_asked_for(call, results):
    call("report", results, "--at", "p=256")
    text = (results / "report.html").read_text(encoding="utf-8")
    assert "at p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}256" in text


def test_no_report_is_written_while_a_run_holds_the_directory(call, results):
    before = (results / "report.html").read_bytes()
    with only_writer(results, print):
        code, told, error = call("report", results, "--at", "p=256")
    assert (code, told, len(error.splitlines())) == (2, "", 1)
    assert f"{results}: a run is writing to it; try again when that run has ended" in error
    assert (results / "report.html").read_bytes() == before
    assert call("report", results, "--at", "p=256")[0] == 0


def test_a_report_makes_no_directory(call, results, tmp_path):
    code, _, error = call("report", tmp_path / "nowhere")
    assert (code, len(error.splitlines())) == (2, 1)
    assert "not a results directory" in error
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "file").touch()
    code, _, error = call("report", tmp_path / "file")
    assert (code, len(error.splitlines())) == (2, 1)


def test_a_directory_without_a_whole_result_stays_as_it_is(call, tmp_path):
    code, _, error = call("report", tmp_path)
    assert code == 2
    assert "not a results directory" in error
    assert not list(tmp_path.iterdir())


def test_bad_input_is_one_line(call, results, tmp_path):
    assert call("report", tmp_path / "nowhere")[0] == 2
    code, _, error = call("report", results, "--at", "q=3")
    assert (code, len(error.splitlines())) == (2, 1)
    (results / "app.filter.json").write_text("{torn")
    code, _, error = call("report", results)
    assert code == 2
    assert "app.filter.json" in error

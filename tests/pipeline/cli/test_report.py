"""`pipeline run` leaves report.html, `pipeline report` writes it again."""

import json
import shutil

import numpy as np
import pytest

from pipeline.config.options import Options
from pipeline.stages.run import run
from pipeline.store.lock import only_writer
from tests.cubex_writer import MetricSpec, write_cubex
from tests.foam_cases import write_strong_study
from tests.pipeline.report.page.studies import carried


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """Results with a target, made once; not to be changed."""
    folder = tmp_path_factory.mktemp("reported")
    run(write_strong_study(folder / "study"), Options(out=folder / "out", at=({"p": 64.0},)))
    return folder / "out"


@pytest.fixture
def results(reported, tmp_path):
    return shutil.copytree(reported, tmp_path / "results")


def test_a_run_leaves_a_report_for_its_target(results):
    text = (results / "report.html").read_text(encoding="utf-8")
    assert "at p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}64" in text
    assert "<title>app: p = " in text


def test_the_report_is_written_again_from_what_is_stored(call, results):
    first = (results / "report.html").read_text(encoding="utf-8")
    (results / "report.html").unlink()
    code, told, error = call("report", results)
    assert (code, error) == (0, "")
    assert "report.html" in told
    again = (results / "report.html").read_text(encoding="utf-8")
    assert first.split("</header>")[0] == again.split("</header>")[0]


def test_a_copy_leaves_the_report_as_it_is(call, results, tmp_path):
    before = {path.name: path.read_bytes() for path in results.iterdir() if path.is_file()}
    copy = tmp_path / "copy.html"
    assert call("report", results, "--at", "p=256", "-o", copy) == (0, "", f"pipeline: wrote {copy}\n")
    assert "at p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}256" in copy.read_text(encoding="utf-8")
    assert {path.name: path.read_bytes() for path in results.iterdir() if path.is_file()} == before


def test_no_report_is_written_while_a_run_holds_the_directory(call, results, refused):
    before = (results / "report.html").read_bytes()
    with only_writer(results, print):
        assert f"{results}: a run is writing to it; try again when that run has ended" in refused(
            "report", results, "--at", "p=256"
        )
    assert (results / "report.html").read_bytes() == before
    assert call("report", results, "--at", "p=256")[0] == 0


def test_a_report_makes_no_directory(call, results, tmp_path):
    code, _, error = call("report", tmp_path / "nowhere")
    assert (code, len(error.splitlines())) == (2, 1)
    assert "not a results directory" in error
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "empty").mkdir()
    assert call("report", tmp_path / "empty")[0] == 2
    assert not list((tmp_path / "empty").iterdir())
    (tmp_path / "file").touch()
    code, _, error = call("report", tmp_path / "file")
    assert (code, len(error.splitlines())) == (2, 1)


def test_bad_input_is_one_line(call, results, tmp_path, refused):
    assert call("report", tmp_path / "nowhere")[0] == 2
    code, _, error = call("report", results, "--at", "q=3")
    assert (code, len(error.splitlines())) == (2, 1)
    (results / "app.filter.json").write_text("{torn")
    assert "app.filter.json" in refused("report", results)


@pytest.mark.slow
def test_the_roofline_of_the_machine_measured_on(call, tmp_path):
    for p in (4, 8, 16, 32):
        one = np.ones((1, p))
        folder = tmp_path / "study" / f"app.p{p}.r1"
        folder.mkdir(parents=True)
        metrics = [
            MetricSpec("time", 8 / p * np.vstack([0.1 * one, one])),
            MetricSpec("visits", np.vstack([one, 9 * one]), unit="occ"),
            MetricSpec("PAPI_FP_OPS", 1e9 * np.vstack([0 * one, one]), unit="#"),
            MetricSpec("PAPI_L3_TCM", 1e8 * np.vstack([0 * one, one]), unit="#"),
        ]
        write_cubex(folder / "profile.cubex", parent=[-1, 0], regions=["main", "sweep"], metrics=metrics)
    out, machine = tmp_path / "results", tmp_path / "node.toml"
    machine.write_text('name = "Some node"\n[values]\nbw_node = "100 GB/s"\npeak_dp = "1 Tflop/s"\n')
    assert call("run", tmp_path / "study", "--out", out)[0] == 0
    assert 'id="roofline"' not in (out / "report.html").read_text()
    assert call("report", out, "--from", machine)[0] == 0
    text = (out / "report.html").read_text()
    assert "a node of Some node" in text
    # 32 locations x 1e8 lines of 64 B in a quarter of a second.
    assert "DRAM 819 GB/s, 819 % of its ceiling" in json.dumps(
        carried(text), ensure_ascii=False, default=repr
    )
    code, _, error = call("report", out, "--from", tmp_path / "no.toml")
    assert (code, error.count("\n")) == (2, 1)
    assert "no such file, and no shipped machine of that name" in error


def test_a_study_without_counters_has_no_roofline(call, results):
    before = (results / "report.html").read_bytes()
    code, _, error = call("report", results, "--from", "blue-waters-xe6")
    assert code == 2
    assert error.startswith(
        "pipeline: --from: the study has no hardware counters that are known; measure with"
    )
    assert (results / "report.html").read_bytes() == before

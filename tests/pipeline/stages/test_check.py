"""Studies, baselines and outputs on disk."""

import json
import sys
from dataclasses import replace

import pytest

from ingest.alignment import MeasuredRun, align
from ingest.errors import InputError, UsageError
from ingest.reduction import reduce_profile
from pipeline.config.options import Options
from pipeline.gate.check_result import Ruling
from pipeline.gate.kernel_values import KernelId, Origin, Scope
from pipeline.stages import check as stage
from pipeline.stages.check import (
    REPORTS,
    GateStudy,
    baseline_text,
    read_baseline,
    read_study,
    read_verdicts,
    write_for_github,
)
from pipeline.stages.ingest import Ingested
from tests.foam_cases import write_foam_case
from tests.pipeline.gate.studies import many, study
from tests.pipeline.report.check.results import kernel, result
from tests.profiles import make_profile

MAIN, SOLVE = ("main",), ("main", "solve")


@pytest.fixture
def foam(tmp_path):
    """Two scales, two repetitions; the last run is damaged."""
    for p in (1, 2):
        for r in (1, 2):
            write_foam_case(
                tmp_path / "runs" / f"app.p{p}.r{r}", {"main": 1.0 + r, "solve": 8.0 / p}, processes=p
            )
    (tmp_path / "runs" / "app.p2.r3").mkdir()
    return tmp_path / "runs"


@pytest.fixture
def read_runs(monkeypatch):
    """Read runs with given attributes, one per scale, through `read_study`."""

    def read(*attributes, machine=""):
        runs = []
        for n, given in enumerate(attributes):
            profile = make_profile({"time": {MAIN: [1.0], SOLVE: [2.0]}}, source=f"run{n}.cubex")
            reduced = reduce_profile(replace(profile, attributes=given), ["time"])
            runs.append(MeasuredRun((2.0**n,), 1, reduced))
        found = Ingested(experiment=align(["p"], runs))
        monkeypatch.setattr(stage, "locate", lambda *arguments: None)
        monkeypatch.setattr(stage, "ingest", lambda *arguments, **options: found)
        return read_study(stage.Path("nowhere"), Options(), machine)

    return read


def test_runs_become_measurements(foam):
    found = read_study(foam, Options())
    assert found.measurements.points[:, 0].tolist() == [1, 2]
    assert KernelId(Scope.CALLPATH, SOLVE) in found.measurements.kernels
    assert found.measurements.metric == "effort"
    ((path, reason),) = [(entry["path"], entry["reason"]) for entry in found.damaged]
    assert path.endswith("app.p2.r3") and reason


def test_a_results_directory_keeps_its_own_metric_and_scaling(foam, call_pipeline):
    out = foam.parent / "out"
    call_pipeline("run", foam, "--out", out, "--metric", "visits", "--scaling", "weak")
    found = read_study(out, Options())
    assert (found.measurements.metric, found.measurements.scaling) == ("visits", "weak")
    assert len(found.damaged) == 1


def test_progress_is_shown_for_runs(foam):
    seen = []

    def watch(items, total):
        seen.append(total)
        yield from items

    read_study(foam, Options(), "", watch)
    assert seen and seen[0] >= 4


def test_runs_without_a_parameter_are_refused(tmp_path):
    write_foam_case(tmp_path / "app", {"main": 1.0, "solve": 8.0})
    with pytest.raises(InputError) as error:
        read_study(tmp_path / "app", Options())
    assert "the runs have no parameter, so their scaling is unknown" in str(error.value)
    assert "name run folders like app.p4.r1" in str(error.value)


def test_a_series_file_with_one_metric_needs_no_metric_named(tmp_path):
    file = tmp_path / "series.txt"
    file.write_text("PARAMETER p\nPOINTS 2 4 8\nREGION main\nMETRIC joules\nDATA 1 2\nDATA 2 3\nDATA 4 5\n")
    assert read_study(file, Options()).measurements.metric == "joules"
    file.write_text(file.read_text() + "METRIC watts\nDATA 1 2\nDATA 2 3\nDATA 4 5\n")
    with pytest.raises(UsageError, match="several metrics; choose one: joules, watts"):
        read_study(file, Options())
    with pytest.raises(InputError, match="no metric 'volts' was measured; metrics here: joules, watts"):
        read_study(file, Options(metric="volts"))
    assert read_study(file, Options(metric="watts")).measurements.metric == "watts"


@pytest.mark.parametrize("key", ["machine", "cluster", "hostname", "Hostname"])
def test_the_machine_is_what_the_first_run_says_unless_it_is_named(read_runs, key):
    assert read_runs({}, {key: "alps"}, {key: "jura"}).measurements.origin == Origin("alps", "", "measured")
    assert read_runs({key: "alps"}, {}, machine="jura").measurements.origin.machine == "jura"
    assert read_runs({}, {}).measurements.origin == Origin("", "", "measured")


def test_runs_under_several_filters_are_noticed(read_runs):
    one = read_runs({"pipeline::filter": "aa"}, {"pipeline::filter": "aa"}, {})
    assert (one.measurements.origin.filter, one.notices) == ("aa", ())
    two = read_runs({"pipeline::filter": "bb"}, {"pipeline::filter": "aa"})
    assert two.measurements.origin.filter == "aa+bb"
    assert any("2 filters" in notice for notice in two.notices)


def test_a_baseline_leaves_out_small_kernels_and_is_read_back(tmp_path):
    whole = study(many(tiny=0.3, small=0.5), origin=Origin("alps"))
    options = {"metric": "time"}
    text, kernels = baseline_text(GateStudy(whole, (), (), None, None), Options(), options)
    (tmp_path / "b.json").write_text(text)
    back = read_baseline(tmp_path / "b.json")
    assert len(kernels) == len(back.kernels) == 1 + 2 * 21
    assert "tiny" not in {k.region for k in back.kernels}
    assert back.smallest_share == 0.001
    assert back.origin == Origin("alps")
    assert json.loads((tmp_path / "b.json").read_text())["configuration"] == options


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("{", "is not valid JSON ("),
        ("[" * 100_000, "is not valid JSON ("),
        ("[1]", "is not a baseline"),
    ],
)
def test_what_is_not_a_baseline_is_refused(tmp_path, content, message):
    if content is not None:
        (tmp_path / "b.json").write_text(content)
    with pytest.raises(InputError, match="write it with `pipeline baseline") as error:
        read_baseline(tmp_path / "b.json")
    assert f"b.json: {message}" in str(error.value)


def test_verdicts_are_read_back_from_check_json(tmp_path):
    file = tmp_path / "check.json"
    one = result(kernel("f"), kernel("g", Ruling.NEW))
    file.write_bytes(REPORTS["json"](one, "", ""))
    assert read_verdicts(file) == {
        KernelId(Scope.CALLPATH, ("main", "f")): "regression",
        KernelId(Scope.CALLPATH, ("main", "g")): "new",
    }
    for content in ("{", "{}", '{"kernels": [{"level": "file"}]}', "[]"):
        file.write_text(content)
        with pytest.raises(InputError, match=r"is not a check\.json"):
            read_verdicts(file)


def test_reports_name_source_files_relative_to_the_root():
    one = result(kernel("f", file="/src/f.c", line=7))
    texts = {name: make(one, "/src", "").decode() for name, make in REPORTS.items()}
    assert texts["junit"].startswith("<?xml")
    assert texts["markdown"].startswith("## ")
    assert json.loads(texts["json"])["exit_code"] == 1
    assert json.loads(texts["code_quality"])[0]["location"]["path"] == "f.c"
    uri = json.loads(texts["sarif"])["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert uri["artifactLocation"]["uri"] == "f.c"


@pytest.fixture
def github(monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", "/work")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    return tmp_path / "summary.md"


def test_github_gets_annotations_and_a_summary(github, capsys):
    github.write_text("before\n")
    write_for_github(result(kernel(file="/work/f.c", line=7)), "", sys.stdout)
    out, error = capsys.readouterr()
    assert out.startswith("::error file=f.c,line=7,") and not error
    assert github.read_text().startswith("before\n## ❌ Scalability regression")


def test_a_summary_that_cannot_be_written_is_an_error(github, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/proc/nowhere/summary.md")
    with pytest.raises(UsageError, match="cannot be written"):
        write_for_github(result(kernel()), "", sys.stdout)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    write_for_github(result(kernel()), "", sys.stdout)


@pytest.fixture
def call_pipeline(monkeypatch):
    """Call the command line in this process."""
    from pipeline.cli import main

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["pipeline", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code

    return call

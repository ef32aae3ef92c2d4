import json
import subprocess
import sys

import pytest

from tests.cubex_writer import MetricSpec, write_cubex, write_visited
from tests.foam_cases import write_foam_case


def kernels(summary):
    return {tuple(kernel["callpath"]): kernel for kernel in summary["kernels"]}


@pytest.mark.slow
def test_run_models_ranks_and_fills_the_results_directory(call, strong_study, tmp_path):
    out = tmp_path / "results"
    code, told, error = call("run", strong_study, "--out", out, "--at", "p=64")
    assert (code, error) == (0, "")
    assert "study: p = 1, 2, 4, 8, 16, up to 2 repetitions, strong scaling\n" in told
    _, told, _ = call("run", strong_study, "--out", out, "--at", "p=64", "--details")
    assert "sum overtakes solve" in told
    for name in ("callpaths", "measurements", "models"):
        assert (out / f"{name}.parquet").is_file()
    summary = json.loads((out / "summary.json").read_text())
    assert summary["scaling"] == "strong"
    assert " ".join(told.split()).startswith(f"{summary['runtime']['verdict']}. study: ")
    found = kernels(summary)
    assert found["main", "solve"]["growth"] == "1"
    assert found["main", "sum"]["growth"] == "p^2"
    assert found["main", "sum"]["predictions"][0]["value"] == pytest.approx(0.5 * 64**2, rel=0.02)
    assert {"growing", "coming_bottleneck", "dominant_at_target"} <= set(found["main", "sum"]["flags"])
    assert not list(out.glob("**/*.partial"))


@pytest.mark.slow
def test_total_is_the_sum_of_the_kernels(call, strong_study, tmp_path):
    call("run", strong_study, "--out", tmp_path / "r")
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    total = sum(kernel["predictions"][0]["value"] for kernel in summary["kernels"])
    assert summary["total"]["predictions"][0]["value"] == pytest.approx(total, rel=1e-6)


@pytest.mark.slow
def test_a_second_run_reuses_the_result_and_a_changed_input_is_noticed(call, strong_study, tmp_path):
    out = tmp_path / "r"
    _, first, _ = call("run", strong_study, "--out", out)
    assert "(written)" in first
    _, again, _ = call("run", strong_study, "--out", out)
    assert "inputs unchanged, nothing recomputed" in " ".join(again.split())
    write_foam_case(strong_study / "app.p32.r1", {"main": 0.1, "solve": 2.0, "sum": 16.0}, processes=32)
    _, third, _ = call("run", strong_study, "--out", out)
    assert "(written)" in third
    assert "p = 1, 2, 4, 8, 16, 32, " in third


@pytest.mark.slow
def test_stored_models_predict_as_the_run_did(call, strong_study, tmp_path):
    out = tmp_path / "r"
    call("run", strong_study, "--out", out, "--at", "p=100")
    stored = json.loads((out / "summary.json").read_text())
    _, told, _ = call("predict", out, "--at", "p=100", "--json", "-")
    assert json.loads(told)["kernels"] == stored["kernels"]
    _, told, _ = call("bottlenecks", out, "--at", "p=50", "--at", "p=100", "--json", "-")
    assert [entry["at"] for entry in json.loads(told)["total"]["predictions"]] == [{"p": 50}, {"p": 100}]


def test_model_prints_formulas_without_a_results_directory(call, strong_study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, told, _ = call("model", strong_study)
    assert code == 0
    assert "main › sum" in told and "p^2" in told
    assert not (tmp_path / "results").exists()


def test_inspect_tells_runs_and_sizes(call, strong_study):
    code, told, _ = call("inspect", strong_study)
    assert code == 0
    assert told.startswith("OK: 10 runs, p = ")
    assert "time [s]" in told
    assert "total" not in told


def test_inspect_sums_every_metric_where_asked_to(call, tmp_path):
    values = [[1.5, 2.0], [0.25, 4.0]]
    metrics = [MetricSpec("time", values, unit="s"), MetricSpec("min_time", values, dtype="MINDOUBLE")]
    profile = write_cubex(tmp_path / "profile.cubex", parent=[-1, 0], metrics=metrics)
    code, told, _ = call("inspect", profile, "--totals")
    assert code == 0
    assert any(line.split()[-1:] == ["7.75"] for line in told.splitlines())
    assert "min_time" not in told.partition("Metrics:")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "{tmp}/nothing"], "no such file or directory"),
        (["run", "{tmp}"], "no profile found"),
        (["predict", "{tmp}"], "not a results directory"),
        (["run", "{study}", "--at", "q=4"], "no parameter 'q'"),
        (["run", "{study}", "--at", "four"], "--at: 'four' is not a target point"),
        (["run", "{study}", "--metric", "flops"], "no metric 'flops'"),
        (["run", "{study}", "--scaling", "odd"], "'odd' is not one of"),
        (["run", "{study}", "--by", "colour"], "'colour' is not one of"),
        (["run", "{study}", "--out", "/proc/nowhere"], "cannot be written"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(call, strong_study, tmp_path, monkeypatch, arguments, message):
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(tmp_path)
    code, told, error = call(*(text.format(tmp=empty, study=strong_study) for text in arguments))
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
    assert told == ""


def test_help_imports_none_of_the_heavy_packages():
    code = (
        "import sys; import pipeline.cli.app as app; app.register();"
        "print(sorted({'numpy', 'pandas', 'scipy', 'pyarrow', 'sklearn'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


_EXTRAS = {"matplotlib", "plotext", "dask", "distributed", "pandas", "sklearn", "IPython"}
_NOT_TO_READ = {*_EXTRAS, "scipy.special"}  # a tenth of a second and more


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["run", "{study}", "--out", "{tmp}/out"], _EXTRAS),
        (["predict", "{results}"], {*_NOT_TO_READ, "pyarrow.compute"}),
        (["inspect", "{study}"], {*_NOT_TO_READ, "pyarrow"}),
    ],
)
def test_a_command_imports_only_what_it_needs(strong_study, results, tmp_path, arguments, heavy):
    given = [text.format(study=strong_study, results=results, tmp=tmp_path) for text in arguments]
    code = f"""
import atexit, sys
atexit.register(lambda: print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr))
sys.argv = ["pipeline", *{given!r}]
from pipeline.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_reading_models_imports_neither_pandas_nor_the_readers(results):
    code = f"""
import sys
from pathlib import Path
from pipeline.config.job_options import read_job
from pipeline.stages.choose import chosen_jobs
from pipeline.store.results import read_study
chosen_jobs(read_study(Path({str(results)!r})).chosen, {{}}, (), read_job())
print(sorted({{"pandas", "sklearn", "ingest.locate"}} & set(sys.modules)))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_runs_under_different_filters_are_told(call, tmp_path):
    study = tmp_path / "study"
    for p in (1, 2, 4):
        folder = study / f"app.p{p}.r1"
        write_cubex(
            folder_made(folder) / "profile.cubex",
            parent=[-1, 0],
            metrics=[MetricSpec("time", [[1.0] * p, [4.0 / p] * p])],
        )
        name = "solve" if p == 4 else "setup"
        rules = f"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE {name}\nSCOREP_REGION_NAMES_END\n"
        (folder / "scorep.filter").write_text(rules)
    code, _, error = call("run", study, "--out", tmp_path / "r")
    assert code == 0
    assert "measured under 2 filters" in error


def folder_made(folder):
    folder.mkdir(parents=True)
    return folder


def targets(summary):
    return [prediction["at"] for prediction in summary["total"]["predictions"]]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "model"])
def test_targets_of_the_configuration_and_of_the_command_line_count(call, strong_study, tmp_path, command):
    out = ["--out", tmp_path / "r"] if command == "run" else []
    (strong_study / "pipeline.toml").write_text('[analysis]\nat = ["p=77", "p=99"]\n')
    _, text, _ = call(command, strong_study, *out, "--json", "-")
    assert targets(json.loads(text)) == [{"p": 77}, {"p": 99}]
    _, text, _ = call(command, strong_study, *out, "--json", "-", "--at", "p=55")
    assert targets(json.loads(text)) == [{"p": 55}]


@pytest.mark.slow
def test_stored_targets_are_those_of_the_last_run(call, strong_study, tmp_path):
    out = tmp_path / "r"
    for target in (64, 65):
        call("run", strong_study, "--out", out, "--at", f"p={target}")
        assert targets(json.loads((out / "summary.json").read_text())) == [{"p": target}]


@pytest.mark.slow
def test_the_configuration_named_on_the_command_line_counts(call, strong_study, tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('[analysis]\nscaling = "weak"\n')
    for command, out in (("run", ["--out", tmp_path / "r"]), ("model", [])):
        _, text, _ = call(command, strong_study, *out, "--config", file, "--json", "-")
        assert json.loads(text)["scaling"] == "weak"
        _, text, _ = call(command, strong_study, *out, "--config", file, "--scaling", "strong", "--json", "-")
        assert json.loads(text)["scaling"] == "strong"


def test_inspect_reads_the_runs_that_the_configuration_lists(call, strong_study, tmp_path):
    (strong_study / "pipeline.toml").write_text('[[run]]\npath = "app.p4.r1"\nparameters = {cores = 4}\n')
    assert " cores = " in call("inspect", strong_study)[1]
    (tmp_path / "own.toml").write_text(
        f'[[run]]\npath = "{strong_study}/app.p4.r1"\nparameters = {{q = 4}}\n'
    )
    assert " q = " in call("inspect", strong_study, "--config", tmp_path / "own.toml")[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damaged", "strict", "expected"),
    [(True, True, 3), (True, False, 0), (False, True, 0), (False, False, 0)],
)
def test_strict_counts_damaged_runs(call, strong_study, tmp_path, damaged, strict, expected):
    if damaged:
        (strong_study / "app.p4.r1" / "processor0" / "1" / "uniform" / "profiling").write_text("profiling {")
    options = ["--strict"] if strict else []
    for command in (["run", strong_study, "--out", tmp_path / "r"], ["model", strong_study]):
        code, text, error = call(*command, *options)
        assert code == expected and text
        assert ("skipped" in error) is damaged


@pytest.mark.slow
def test_notices_about_the_runs_are_shown_once(call, strong_study, tmp_path):
    for run in strong_study.glob("app.p1.r*"):
        run.rename(run.with_name(run.name.replace("app", "other")))
    for command in (["run", strong_study, "--out", tmp_path / "r"], ["model", strong_study]):
        error = call(*command)[2]
        assert error.count("runs with different leading names are read as one study: app, other") == 1


@pytest.mark.slow
def test_rows_of_call_paths_and_their_number_can_be_chosen(call, strong_study, tmp_path):
    chosen = ("--by", "callpath", "--limit", "1")
    _, text, _ = call("run", strong_study, "--out", tmp_path / "r", *chosen)
    assert "main › sum" in text and "Largest call paths" not in text
    _, text, _ = call("run", strong_study, "--out", tmp_path / "r", *chosen, "--details")
    assert "Largest call paths" in text and "2 more left out" in text
    _, text, _ = call("model", strong_study, "--by", "region", "--limit", "2")
    assert "main › sum" not in text and "1 more left out" in text


@pytest.mark.slow
def test_results_go_to_the_directory_named_and_say_so(call, strong_study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, text, _ = call("run", strong_study)
    assert "Results in results/ (written)" in text and (tmp_path / "results" / "run.json").is_file()
    assert "filter" not in text and (tmp_path / "results" / "app.filter").is_file()  # there is no overhead
    filter_file = tmp_path / "results" / "app.filter"
    assert filter_file.is_file() and (tmp_path / "results" / "app.filter.json").is_file()


def test_without_visits_there_is_no_filter(call, tmp_path):
    study = tmp_path / "study"
    for p in (1, 2, 4):
        folder_made(study / f"app.p{p}.r1")
        metrics = [MetricSpec("time", [[1.0] * p, [4.0 / p] * p])]
        write_cubex(study / f"app.p{p}.r1" / "profile.cubex", parent=[-1, 0], metrics=metrics)
    _, text, _ = call("run", study, "--out", tmp_path / "r")
    assert "filter" not in text
    _, text, _ = call("run", study, "--out", tmp_path / "r", "--details")
    assert "filter: none - it needs measured visits and times" in " ".join(text.split())
    assert not (tmp_path / "r" / "app.filter").exists()


def test_the_filter_of_a_run_follows_its_options_and_protects_what_grows(call, tmp_path):
    study = tmp_path / "study"
    for p in (1, 2, 4, 8, 16):
        time = [[0.01 / p] * p, [10.0 / p] * p, [1e-4 * p] * p, [0.01 / p] * p]
        visits = [[1] * p, [10] * p, [1000 * p] * p, [500] * p]
        names = [f"region_{i}" for i in range(4)]
        write_visited(study / f"app.p{p}.r1" / "profile.cubex", [-1, 0, 0, 0], names, visits, time)
    (study / "pipeline.toml").write_text('[filter]\ndrop = ["region_1"]\n')
    call("run", study, "--out", tmp_path / "r")
    regions = json.loads((tmp_path / "r" / "app.filter.json").read_text())["regions"]
    reasons = [region["reason"] for region in regions]
    assert reasons.count("growing") == 1

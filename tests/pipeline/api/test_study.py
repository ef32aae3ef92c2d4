"""Studies and models from Python."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import pipeline as pl
from ingest.locate import locate
from pipeline.config.options import Options
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled
from pipeline.stages.run import run
from tests.documents import summary_of
from tests.foam_cases import write_foam_case
from tests.pipeline.models.made import grid_of
from tests.resource_studies import lammps

SAMPLES = Path(__file__).parents[3] / "sample_profiles"
PATH = ("main", "sum")


@pytest.fixture
def study(strong_study):
    return pl.read_study(strong_study)


@pytest.fixture
def models(study):
    return study.fit()


def test_runs_are_a_table(study, strong_study):
    runs = study.runs
    assert list(runs.columns) == ["path", "p", "repetition", "processes", "locations"]
    assert len(runs) == 10
    row = runs[(runs.p == 8) & (runs.repetition == 2)].iloc[0]
    assert (row.path, row.processes, row.locations) == (str(strong_study / "app.p8.r2"), 8, 8)
    assert (study.parameters, study.problems) == (("p",), ())
    assert {"time", "visits"} <= set(study.metrics)


def test_metadata_are_columns_of_the_runs(strong_study):
    (strong_study / "metadata.toml").write_text('machine = "alps"\npath = "x"\n')
    (strong_study / "app.p8.r2" / "metadata.toml").write_text('commit = "ab12"\n')
    runs = pl.read_study(strong_study).runs
    assert list(runs.columns)[5:] == ["commit", "machine", "path_"]
    assert set(runs.machine) == {"alps"}
    assert runs[(runs.p == 8) & (runs.repetition == 2)].commit.tolist() == ["ab12"]
    assert runs.commit.tolist().count("") == 9


def test_measurements_are_a_table_of_call_paths_points_and_repetitions(study):
    rows = study.measurements
    assert list(rows.columns) == ["callpath", "region", "p", "repetition", "time", "effort", "visits"]
    assert len(rows) == 3 * 5 * 2
    row = rows[(rows.region == "sum") & (rows.p == 16) & (rows.repetition == 1)].iloc[0]
    assert row.callpath == PATH
    # sum takes 0.5 p seconds of each of p processes, 0.2 % more in the first repetition
    assert row.time == pytest.approx(0.5 * 16 * 1.002)
    assert row.effort == pytest.approx(16 * row.time)
    assert row.visits == 16


def test_what_was_not_measured_has_no_row(strong_study):
    for file in (strong_study / "app.p4.r2").rglob("profiling"):
        file.unlink()
    with pytest.warns(UserWarning, match="1 run could not be read"):
        rows = pl.read_study(strong_study).measurements
    assert len(rows) == 3 * (5 * 2 - 1)
    assert not ((rows.p == 4) & (rows.repetition == 2)).any()


def test_a_broken_run_is_a_warning_and_a_problem(strong_study):
    broken = strong_study / "app.p4.r1"
    (broken / "processor0" / "1" / "uniform" / "profiling").write_text("profiling { trig")
    with pytest.warns(UserWarning, match=r"1 run could not be read; see Study\.problems") as caught:
        study = pl.read_study(strong_study)
    assert caught[0].filename == __file__
    (problem,) = study.problems
    assert problem.startswith(f"{broken}: ")
    assert ", 1 problem)" in repr(study)


@pytest.mark.slow
def test_the_configuration_and_the_arguments_count(strong_study, tmp_path):
    noisy = {"solve": 17.0, "sum": 2.1, "main": 0.06}  # without noise there are no rivals
    write_foam_case(strong_study / "app.p4.r3", noisy, processes=4)
    file = tmp_path / "own.toml"
    file.write_text('[analysis]\nscaling = "weak"\n[models]\nmethod = "extra-p"\n')
    models = pl.read_study(strong_study, config=file).fit()
    assert models.scaling == "weak scaling, as requested"
    assert models.frame.unit[0] == "s"
    assert grid_of(models._analysis.regions.models).chosen.shape[1] == 1  # no rivals
    others = pl.read_study(strong_study, config=file).fit(scaling="strong", method="evidence", prior="simple")
    assert others.frame.unit[0] == "core-s"
    assert grid_of(others._analysis.regions.models).chosen.shape[1] > 1
    uniform = pl.read_study(strong_study, config=file).fit(scaling="strong", method="evidence")
    assert not uniform.predict(p=1e4).equals(others.predict(p=1e4))
    (strong_study / "pipeline.toml").write_text('[analysis]\nmetric = "visits"\n')
    assert pl.read_study(strong_study).fit().frame.metric[0] == "visits"
    assert pl.read_study(strong_study, metric="time").fit().frame.metric[0] == "effort"
    assert pl.read_study(strong_study).fit(metric="time").frame.metric[0] == "effort"


@pytest.mark.slow
def test_the_models_are_those_of_the_command_line(study, strong_study, models):
    summary = summary_of(modelled(ingest(locate(strong_study), "time"), Options(), "time"), ({"p": 64.0},))
    assert [k["region"] for k in summary["regions"]] == list(models.frame.kernel)
    assert [k["model"]["formula"] for k in summary["regions"]] == list(models.frame.formula)
    assert [tuple(k["callpath"]) for k in summary["kernels"]] == list(models.callpaths.frame.kernel)
    expected = {k["region"]: k["predictions"][0] for k in summary["regions"]}
    for row in models.predict(p=64).itertuples():
        for end in ("value", "lower", "upper"):
            assert getattr(row, end) == pytest.approx(expected[row.kernel][end], rel=1e-9)
    total = models.predict_total(p=64).iloc[0]
    assert total.value == pytest.approx(summary["total"]["predictions"][0]["value"], rel=1e-9)
    assert total.upper == pytest.approx(summary["total"]["predictions"][0]["upper"], rel=1e-9)
    assert models.summary(p=64)["kernels"] == summary["kernels"]


def test_the_runtime_has_a_row_per_measured_point_and_per_target(models):
    found = models.runtime(p=[32, 64], min_efficiency=0.5, full=True)
    assert list(found.p) == [1, 2, 4, 8, 16, 32, 64]
    assert found.measured.tolist() == [True] * 5 + [False] * 2
    expected = models.summary(p=[32, 64])["runtime"]
    for (_, row), entry in zip(found.iterrows(), expected["at"], strict=True):
        for name in ("wall_seconds", "effort", "core_hours", "speedup", "efficiency"):
            assert row[name] == pytest.approx(entry[name]["value"], rel=1e-9)
            assert row[f"{name}_lower"] == pytest.approx(entry[name]["lower"], rel=1e-9)
            assert row[f"{name}_upper"] == pytest.approx(entry[name]["upper"], rel=1e-9)
        assert row.locations == entry["locations"]
    assert found.attrs["losses"] == expected["losses"]
    assert found.attrs["efficient_up_to"]["threshold"] == 0.5
    assert "at" not in found.attrs
    assert not found.isna().all().any()
    usual = models.runtime(p=[32, 64])
    ends = ["wall_seconds", "wall_seconds_lower", "wall_seconds_upper"]
    assert list(usual) == ["p", "measured", *ends, "speedup", "efficiency", "core_hours"]
    assert usual.equals(found[list(usual)])


def test_a_plot_of_all_models_has_wall_time_and_efficiency(models):
    from matplotlib import pyplot

    wall, efficiency = models.plot(p=64).axes
    assert (wall.get_ylabel(), efficiency.get_ylabel()) == ("wall time [s]", "parallel efficiency [%]")
    runtime = models.runtime(p=64)
    for axes, shown in ((wall, runtime.wall_seconds), (efficiency, 100 * runtime.efficiency)):
        lines = {line.get_label(): line for line in axes.get_lines()}
        assert lines["model"].get_xydata()[-1] == pytest.approx([64, shown.iloc[-1]])
        assert len(axes.collections) > 1  # the band, and the bars of what was measured
    ideal = next(line for line in wall.get_lines() if line.get_label() == "ideal").get_ydata()
    assert ideal[0] / ideal[-1] == pytest.approx(64)
    assert (wall.get_yscale(), models.plot(p=64, logarithmic=False).axes[0].get_yscale()) == ("log", "linear")
    pyplot.close("all")


def test_only_times_have_a_runtime(study):
    with pytest.raises(pl.PipelineError, match="the models are of visits"):
        study.fit(metric="visits").runtime()


def test_the_frame_has_a_row_per_kernel_with_its_quality(models):
    frame = models.frame.set_index("kernel")
    assert list(frame.index) == ["sum", "solve", "main"]
    assert frame.growth["sum"] == "p^2"
    assert frame.probability_growing["sum"] > 0.99 > 0.5 > frame.probability_growing["solve"]
    assert frame.share_measured.sum() == pytest.approx(1.0)
    assert (frame.points == 5).all() and (frame.repetitions == 2).all()
    level = models._analysis.regions
    number = [path[0] for path in level.kernels.callpaths].index("sum")
    assert frame.cv_smape["sum"] == level.models.quality.cv_smape[number]
    assert frame.smape["sum"] == level.models.quality.smape[number]


def test_predictions_have_a_row_per_kernel_and_point_the_largest_first(models):
    found = models.predict(p=[64, 128])
    assert list(found.columns) == ["kernel", "p", "value", "lower", "upper"]
    assert list(found.kernel) == ["sum", "sum", "solve", "solve", "main", "main"]
    assert list(found.p) == [64, 128] * 3
    assert found.value[1] == pytest.approx(0.5 * 128**2, rel=0.02)
    assert ((found.lower <= found.value) & (found.value <= found.upper)).all()
    wider = models.predict(p=[64, 128], level=0.99)
    assert (wider.upper >= found.upper).all() and (wider.upper > found.upper).any()
    assert list(models.predict().p.unique()) == [64.0]  # 4 times the largest measured


def test_call_paths_are_tuples(models):
    assert set(models.callpaths.predict(p=64).kernel) == {("main",), ("main", "solve"), PATH}
    assert models.callpaths.regions.frame.equals(models.frame)
    assert (len(models), len(models.callpaths)) == (3, 3)
    assert [kernel.name for kernel in models.callpaths] == [("main",), ("main", "solve"), PATH]


def test_a_kernel_by_name_by_call_path_and_by_pattern(models):
    assert models["sum"].name == "sum"
    assert models["main/sum"].name == PATH
    assert models["su*"].formula == models["sum"].formula
    assert models["sum"].growth == "p^2"
    assert models["sum"].probability_growing > 0.99
    assert models["sum"].notes == models._analysis.regions.models.notes(2)
    with pytest.raises(pl.PipelineError, match="no kernel 'nothing'"):
        models["nothing"]
    with pytest.raises(
        pl.PipelineError, match=r"'s\*' matches 2 kernels \(sum 66.6 %, solve 33.3 %\); choose one"
    ):
        models["s*"]


def test_a_kernel_predicts_as_its_models_do(models):
    one = models["sum"].predict(p=[64, 128], level=0.5)
    pd.testing.assert_frame_equal(models["sum"].predict(p=64), models["sum"].predict(p=64, level=0.9))
    assert models["sum"].predict(p=64).upper[0] > models["sum"].predict(p=64, level=0.5).upper[0]
    every = models.predict(p=[64, 128], level=0.5)
    pd.testing.assert_frame_equal(one, every[every.kernel == "sum"].reset_index(drop=True))


def test_the_python_text_is_the_formula(models):
    text = models["main/sum"].python()
    names = {}
    exec(text, names)
    p = np.array([1, 2, 4, 40])
    predicted = models["main/sum"].predict(p=p.tolist())["value"]
    assert names["main_sum"](p) == pytest.approx(predicted.to_numpy(), rel=0.1)
    assert "Return effort [core-s] of main/sum, for p = 1 .. " in names["main_sum"].__doc__


def test_latex_text(models):
    assert r" \cdot p^{2}, \quad 1 \le p \le " in models["sum"].latex()


def test_a_plot_has_the_measured_points_and_the_model(models):
    from matplotlib import pyplot

    axes = models["sum"].plot(p=256)
    (model, measured) = axes.get_lines()
    assert (model.get_xdata().min(), model.get_xdata().max()) == pytest.approx((1.0, 256.0))
    assert len(measured.get_xdata()) == 10
    assert (axes.get_xscale(), axes.get_ylabel()) == ("log", "effort [core-s]")
    assert axes.get_title().startswith("sum: ")
    own = pyplot.subplots()[1]
    assert models["sum"].plot(own, logarithmic=False) is own
    assert own.get_xscale() == "linear"
    assert own.get_lines()[0].get_xdata().max() == pytest.approx(64.0)
    pyplot.close("all")


@pytest.mark.slow
def test_results_of_a_run_are_read_back(strong_study, models, tmp_path):
    run(strong_study, Options(out=tmp_path / "out"))
    stored = pl.read_results(tmp_path / "out")
    pd.testing.assert_frame_equal(stored.frame, models.frame)
    with pytest.raises(pl.PipelineError, match="not a results directory"):
        pl.read_results(tmp_path)


def test_the_call_tree_goes_to_hatchet(models, monkeypatch):
    hatchet = SimpleNamespace(GraphFrame=SimpleNamespace(from_literal=lambda literal: literal))
    monkeypatch.setitem(sys.modules, "hatchet", hatchet)
    (root,) = models.to_hatchet()
    assert root["frame"]["name"] == "main"
    assert [child["frame"]["name"] for child in root["children"]] == ["solve", "sum"]
    assert root["children"][1]["metrics"]["effort"] == pytest.approx(0.5 * 256 * 1.003)


def test_hatchet_itself_reads_the_call_tree(models):
    pytest.importorskip("hatchet", reason="the extra `hatchet` is not installed")
    frame = models.to_hatchet().dataframe
    assert dict(zip(frame["name"], frame["effort"], strict=True))["sum"] == pytest.approx(0.5 * 256 * 1.003)


def test_without_hatchet_one_line_says_what_to_install(models, monkeypatch):
    monkeypatch.setitem(sys.modules, "hatchet", None)
    with pytest.raises(pl.PipelineError, match=r"hatchet is not installed; pip install .*\[hatchet\]"):
        models.to_hatchet()


def test_a_series_file_is_a_study(tmp_path):
    file = tmp_path / "series.jsonl"
    lines = [
        {"params": {"p": p}, "callpath": "main", "metric": metric, "value": [2.0 * p * factor]}
        for p in (1, 2, 4, 8, 16)
        for metric, factor in (("bytes", 1), ("flops", 10))
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    study = pl.read_study(file)
    assert len(study.runs) == 0
    assert list(study.measurements.columns) == ["callpath", "region", "p", "repetition", "bytes", "flops"]
    assert study.measurements.flops.tolist() == [20.0, 40.0, 80.0, 160.0, 320.0]
    assert repr(study) == f"Study('{file}': 5 points of p, 1 call path, scaling: none)"
    with pytest.raises(pl.PipelineError, match=r"several metrics; choose one: bytes, flops"):
        study.fit()
    assert study.fit(metric="flops")["main"].growth == "p"


def test_two_parameters_and_names_that_are_taken(tmp_path):
    for p in (1, 2, 4):
        for region in (10, 20, 40):
            times = {"main": 1.0 * region, "solve": 1.0 * p}
            write_foam_case(tmp_path / f"app.p{p}.region{region}.r1", times, processes=p)
    study = pl.read_study(tmp_path)
    assert list(study.measurements.columns[:4]) == ["callpath", "region", "p", "region_"]
    assert sorted(study.measurements.region_.unique()) == [10, 20, 40]
    models = study.fit()
    found = models.predict({"region": [10, 80]}, p=8)
    assert list(found.region) == [10, 80, 10, 80]
    assert list(models.predict(p=8).region.unique()) == [40]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"q": 4}, "no parameter 'q'"),
        ({"p": -4}, "is not a target point"),
        ({"p": "many"}, "is not a target point"),
        ({"p": []}, "no value of p; give numbers, or lists of the same length"),
        ({"p": [1, 2], "n": [1, 2, 3]}, "2 values of p, but 3 of another parameter"),
    ],
)
def test_points_that_are_none(models, values, message):
    with pytest.raises(pl.PipelineError, match=message):
        models.predict(**values)


def test_points_may_be_arrays(models):
    pd.testing.assert_frame_equal(models.predict(p=np.array([64, 128])), models.predict(p=[64.0, 128.0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scaling": "sideways"}, "scaling: invalid value 'sideways'; choose auto, strong or weak"),
        ({"prior": "wild"}, "prior: invalid prior 'wild'; choose learned, uniform, simple or a TOML file"),
        ({"metric": "flops"}, "no metric 'flops' was measured"),
    ],
)
def test_invalid_options_are_one_line(study, options, message):
    with pytest.raises(pl.PipelineError) as error:
        study.fit(**options)
    assert str(error.value).startswith(message)


def test_invalid_options_of_reading_are_one_line(strong_study):
    with pytest.raises(
        pl.PipelineError, match=r"^jobs: invalid value 0; write a whole number of at least 1$"
    ):
        pl.read_study(strong_study, jobs=0)


def test_objects_print_something_short_and_show_a_table_in_notebooks(study, strong_study, models):
    assert repr(study) == (
        f"Study('{strong_study}': 10 runs at 5 points of p, 3 call paths, scaling: strong)"
    )
    assert repr(models) == "Models(effort of 3 regions over p at 5 points)"
    assert repr(models.callpaths) == "Models(effort of 3 call paths over p at 5 points)"
    assert repr(models["sum"]) == f"Kernel(sum: {models['sum'].formula})"
    assert "app.p16.r2" in study._repr_html_()
    assert "p^2" in models._repr_html_() and "&lt;" not in models._repr_html_()
    html = models["sum"]._repr_html_()
    assert "<th>probability that it grows</th><td>100 %</td>" in html


def test_html_is_escaped_and_says_how_many_rows_it_leaves_out(tmp_path):
    for p in (1, 2, 4):
        times = {"main": 1.0} | {f"<b>{i}</b>": 1.0 * p for i in range(20)}
        write_foam_case(tmp_path / f"app.p{p}.r1", times, processes=p)
    html = pl.read_study(tmp_path).fit()._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;" in html
    assert "<p>and 6 more rows</p>" in html


def test_call_paths_have_the_ids_of_the_commands(models):
    rows = models.callpaths.frame
    assert {row.id: row.kernel for row in rows.itertuples()} == {
        1: ("main",),
        2: ("main", "solve"),
        3: ("main", "sum"),
    }
    assert models["#3"].name == PATH and models["#3"].id == 3
    assert models["sum"].id is None and "id" not in models.frame
    with pytest.raises(pl.PipelineError, match="no call path #4; there are 3"):
        models["#4"]


def test_a_study_may_be_per_visit_of_a_region(strong_study, study):
    per = pl.read_study(strong_study, per="sum")
    assert per.problems == ("all values are per visit of 'sum' (1 visit per run)",)
    assert repr(per.fit()).startswith("Models(effort per visit of sum of 3 regions over p")
    assert per.measurements.time.tolist() == study.measurements.time.tolist()


def test_metrics_that_the_configuration_excludes_are_not_read(tmp_path):
    (tmp_path / "own.toml").write_text('[analysis]\nexclude_metrics = ["iter*"]\n')
    sample = SAMPLES / "openfoam-iterations"
    assert pl.read_study(sample).metrics == ("time", "visits", "iterations")
    assert pl.read_study(sample, config=tmp_path / "own.toml").metrics == ("time", "visits")


def test_the_memory_of_runs_is_a_metric(tmp_path):
    found = pl.read_study(lammps(tmp_path / "runs", lambda p: 64))
    assert found.metrics[-2:] == ("memory", "memory_per_node")
    (row,) = found.fit(metric="memory").predict(p=64).itertuples()
    assert row.value == pytest.approx(64 * 2**20)
    assert "memory" not in found.measurements


def test_a_study_leaves_out_what_its_configuration_says(strong_study):
    (strong_study / "pipeline.toml").write_text('[analysis]\nwithout = ["sum"]\nper = "solve"\n')
    found = pl.read_study(strong_study)
    assert found.problems[-1] == "without 1 call path that match sum (--without)"
    assert found.measurements[found.measurements.region == "sum"].time.sum() == 0

import csv
import io
import json

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.locate import locate
from pipeline.columns.kernels import CELLS
from pipeline.config.options import Options
from pipeline.questions.analysis import default_target, look_ahead
from pipeline.report.export import export_format
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled
from tests.foam_cases import write_foam_case


@pytest.fixture
def analysis(strong_study):
    return modelled(ingest(locate(strong_study), "time"), Options(), "time")


def exported(analysis, form):
    targets = default_target(analysis)
    return export_format(form).write(analysis, look_ahead(analysis, analysis.callpaths, targets), targets)


def test_an_unknown_format_is_refused():
    with pytest.raises(UsageError, match="no export format 'xml'; known formats: extrap-jsonl, csv, hat"):
        export_format("xml")


def test_json_lines_hold_every_measured_value_and_are_read_again(analysis, tmp_path):
    path = tmp_path / "values.jsonl"
    path.write_text(exported(analysis, "extrap-jsonl"))
    back = ingest(locate(path), "effort").experiment
    assert back.callpaths == analysis.experiment.callpaths
    assert np.array_equal(back.values["effort"].sum, analysis.callpaths.kernels.values, equal_nan=True)


def test_csv_has_a_row_per_call_path(analysis):
    rows = list(csv.DictReader(io.StringIO(exported(analysis, "csv"))))
    assert [row["kernel"] for row in rows] == ["main", "main/solve", "main/sum"]
    assert float(rows[2]["value_at_target"]) == pytest.approx(0.5 * 64**2, rel=0.02)


def test_hatchet_literals_nest_as_the_call_tree_does(analysis):
    (root,) = json.loads(exported(analysis, "hatchet-json"))
    assert root["frame"]["name"] == "main"
    assert [child["frame"]["name"] for child in root["children"]] == ["solve", "sum"]
    own = root["metrics"]["effort"] + sum(child["metrics"]["effort"] for child in root["children"])
    assert root["metrics"]["effort (inc)"] == pytest.approx(own)


def test_csv_has_model_quality_shares_and_the_prediction_at_the_last_target(analysis):
    targets = np.array([[32.0], [128.0]])
    outlook = look_ahead(analysis, analysis.callpaths, targets)
    rows = list(csv.DictReader(io.StringIO(export_format("csv").write(analysis, outlook, targets))))
    row, models = rows[2], analysis.callpaths.models
    assert list(row) == [
        *(column.file_name for column in CELLS),
        *("value_at_target", "lower_at_target", "upper_at_target"),
        *(f"{end} at p={p}" for p in (32, 128) for end in ("value", "lower", "upper")),
    ]
    assert (row["region"], row["metric"], row["unit"]) == ("sum", "effort", "core-s")
    assert (row["formula"], row["growth"]) == (models.formula(2).text(), "p^2")
    assert float(row["smape"]) == pytest.approx(models.quality.smape[2])
    assert float(row["probability_growing"]) == pytest.approx(models.quality.probability_growing[2])
    assert sum(float(r["share_measured"]) for r in rows) == pytest.approx(1.0)
    assert float(row["share_at_target"]) == pytest.approx(outlook.share_target[2])
    found = models.predict(np.array([[128.0]]))
    for name in ("value", "lower", "upper"):
        assert float(row[f"{name}_at_target"]) == pytest.approx(getattr(found, name)[2, 0])
        assert row[f"{name} at p=128"] == row[f"{name}_at_target"] != row[f"{name} at p=32"]


def test_hatchet_values_are_those_of_the_largest_scale(analysis):
    (root,) = json.loads(exported(analysis, "hatchet-json"))
    assert root["children"][1]["metrics"]["effort"] == pytest.approx(0.5 * 256 * 1.003)
    assert root["frame"]["type"] == "function"


def test_names_are_written_as_they_are(tmp_path):
    for p in (1, 2, 4):
        write_foam_case(tmp_path / f"app.p{p}.r1", {"main": 1.0, "größe": 1.0 * p}, processes=p)
    analysis = modelled(ingest(locate(tmp_path), "time"), Options(), "time")
    for form in ("extrap-jsonl", "csv", "hatchet-json"):
        assert "größe" in exported(analysis, form)


def test_what_was_not_measured_is_left_out_of_json_lines(strong_study, tmp_path):
    for file in (strong_study / "app.p4.r2").rglob("profiling"):
        file.unlink()
    for file in (strong_study / "app.p4.r1").rglob("profiling"):
        file.unlink()
    for file in (strong_study / "app.p8.r2").rglob("profiling"):
        file.unlink()
    analysis = modelled(ingest(locate(strong_study), "time"), Options(), "time")
    lines = [json.loads(line) for line in exported(analysis, "extrap-jsonl").splitlines()]
    assert [line["params"]["p"] for line in lines if line["callpath"] == "main"] == [1, 2, 8, 16]
    assert [len(line["value"]) for line in lines if line["callpath"] == "main"] == [2, 2, 1, 2]
    assert {line["metric"] for line in lines} == {"effort"}

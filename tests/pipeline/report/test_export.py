import csv
import io
import json

import numpy as np
import pytest

from pipeline.config.options import Options
from pipeline.models.analysis import default_target, look_ahead
from pipeline.report.export import export
from pipeline.stages.ingest import ingest, locate
from pipeline.stages.model import modelled


@pytest.fixture
def analysis(strong_study):
    return modelled(ingest(locate(strong_study), "time"), Options(), "time")


def exported(analysis, form):
    return export(analysis, look_ahead(analysis, analysis.callpaths, default_target(analysis)), form)


def test_json_lines_hold_every_measured_value_and_are_read_again(analysis, tmp_path):
    path = tmp_path / "values.jsonl"
    path.write_text(exported(analysis, "extrap-jsonl"))
    back = ingest(locate(path), "effort").experiment
    assert back.callpaths == analysis.experiment.callpaths
    assert np.array_equal(back.values["effort"].sum, analysis.callpaths.kernels.values, equal_nan=True)


def test_csv_has_a_row_per_call_path(analysis):
    rows = list(csv.DictReader(io.StringIO(exported(analysis, "csv"))))
    assert [row["callpath"] for row in rows] == ["main", "main->solve", "main->sum"]
    assert float(rows[2]["value_at_target"]) == pytest.approx(0.5 * 64**2, rel=0.02)


def test_hatchet_literals_nest_as_the_call_tree_does(analysis):
    (root,) = json.loads(exported(analysis, "hatchet-json"))
    assert root["frame"]["name"] == "main"
    assert [child["frame"]["name"] for child in root["children"]] == ["solve", "sum"]
    own = root["metrics"]["effort"] + sum(child["metrics"]["effort"] for child in root["children"])
    assert root["metrics"]["effort (inc)"] == pytest.approx(own)

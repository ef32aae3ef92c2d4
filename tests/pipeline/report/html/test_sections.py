"""Data of the smaller sections: imbalance, filter, efficiency, head."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from pipeline.report.html.averages import over_repetitions
from pipeline.report.html.efficiency import efficiency_table
from pipeline.report.html.filter_data import filter_data
from pipeline.report.html.heading import facts, study_name
from pipeline.report.html.imbalance import imbalance_data
from pipeline.report.html.regions import region_data
from tests.pipeline.report.html.studies import (
    EFFICIENCY,
    EVIDENCE,
    PROVENANCE,
    SCRIPT,
    SOLVER,
    study,
    two_parameter_study,
)


def test_means_leave_out_what_was_not_measured() -> None:
    values = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(over_repetitions(values), [2.0, np.nan])


def test_imbalance_is_led_by_the_call_path_with_the_largest_excess() -> None:
    data = imbalance_data(study())
    assert data is not None
    kernels = study().callpaths.kernels
    assert kernels.callpaths[data["kernels"][0]][-1] == SOLVER
    low, mean, high = (
        np.frombuffer(base64.b64decode(data[key]), dtype="<f4").reshape(-1, 5)
        for key in ("low", "mean", "high")
    )
    assert ((low <= mean) & (mean <= high)).all()
    np.testing.assert_allclose(high[0] / low[0], 1.2, rtol=1e-5)
    assert data["locations"] == [4, 8, 16, 32, 64]


def test_no_imbalance_without_locations() -> None:
    assert imbalance_data(two_parameter_study()) is None


def test_filter_rows_share_their_reasons() -> None:
    data = filter_data(EVIDENCE)
    assert data is not None
    assert data["reasons"] == ["it is long", "no rule keeps it"]
    assert [row[2:4] for row in data["rows"]] == [[True, 0], [True, 0], [False, 1]]
    assert filter_data(None) is None


def test_efficiency_leaves_out_what_is_unknown_everywhere() -> None:
    table = efficiency_table(EFFICIENCY)
    assert table["points"] == ["p = 4"]
    assert [row["name"] for row in table["rows"]][:2] == ["global efficiency", "parallel efficiency"]
    assert not any("IPC" in row["name"] for row in table["rows"])
    assert table["rows"][0]["cells"] == [{"text": "90.0 %", "rating": "good"}]


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["a/hpcg/app.p1/profile.cubex", "a/hpcg/app.p2/profile.cubex"], "hpcg"),
        (["data/series.txt"], "series"),
        ([], "Scaling report"),
    ],
)
def test_the_study_is_named_by_its_inputs(paths: list[str], name: str) -> None:
    assert study_name({"inputs": [{"path": path} for path in paths]}) == name


def test_facts_tell_points_call_tree_and_locations() -> None:
    told = dict(facts(study(), PROVENANCE))
    assert told["Measured"] == "5 points, p = 4 8 16 32 64; up to 3 repetitions"
    assert told["Call tree"] == "5 call paths in 5 regions"
    assert told["Locations"] == "4 to 64 in a run"


def test_facts_name_the_measurement_system_once() -> None:
    analysis = study()
    runs = tuple(
        replace(run, attributes={"Creator": "Score-P 8", "other": "x"}) for run in analysis.experiment.runs
    )
    told = dict(facts(replace(analysis, experiment=replace(analysis.experiment, runs=runs)), PROVENANCE))
    assert told["Measured with"] == "Score-P 8"


def test_regions_tell_only_what_is_there() -> None:
    rows = {row["name"]: row for row in region_data(study())}
    assert rows[SCRIPT] == {"name": SCRIPT, "paradigm": "compiler"}
    assert rows[SOLVER]["short"].endswith("solveSegregated")

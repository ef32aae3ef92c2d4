"""The model stage: target points, metrics and the values of the call tree."""

import json

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from ingest.locate import locate
from pipeline.config.options import Options
from pipeline.questions.question import outlooks
from pipeline.stages.ingest import ingest
from pipeline.stages.model import metrics_to_model, modelled, target_points, tree_values
from tests.documents import summary_of, summary_of_models
from tests.foam_cases import write_foam_case


@pytest.fixture
def analysis(tmp_path):
    """Parameters n and p; the largest p was not measured with the largest n."""
    for p, n in [(p, n) for p in (1, 2, 4, 8) for n in (10, 20, 40)] + [(16, 10)]:
        times = {"main": 0.5, "solve": 0.1 * n / p, "sum": 0.01 * p}
        write_foam_case(tmp_path / "study" / f"app.n{n}.p{p}.r1", times, processes=p)
    return modelled(ingest(locate(tmp_path / "study"), "time"), Options(), "time")


def test_parameters_left_out_are_at_their_largest_value(analysis):
    assert analysis.experiment.parameters == ("n", "p")
    assert target_points(analysis, [{"p": 64.0}]).tolist() == [[40.0, 64.0]]
    assert target_points(analysis, [{"n": 5.0, "p": 2.0}, {"n": 7.0}]).tolist() == [[5.0, 2.0], [7.0, 16.0]]
    assert target_points(analysis, []).tolist() == [[40.0, 64.0]]


def test_an_unknown_parameter_names_those_there_are(analysis):
    with pytest.raises(UsageError) as error:
        target_points(analysis, [{"q": 64.0}])
    assert str(error.value) == "--at: no parameter 'q'; parameters here: n, p"


def test_outlooks_are_of_call_paths_and_of_regions(analysis):
    callpaths, regions = outlooks(analysis, target_points(analysis, []))
    assert callpaths.prediction.value == pytest.approx(regions.prediction.value)  # every region has one path
    assert callpaths.share_target.sum() == pytest.approx(1.0)


def test_the_summary_has_notices_and_efficiency(analysis):
    found = summary_of(analysis, [{"p": 64.0}], ["odd"])
    assert found["notices"] == ["odd"]
    assert found["efficiency"]["points"] == [] and "no region is marked" in found["efficiency"]["notices"][0]


def series(file, *metrics):
    lines = [
        {"params": {"p": p}, "callpath": "main", "metric": metric, "value": [2.0 * p * factor]}
        for p in (1, 2, 4, 8, 16)
        for factor, metric in enumerate(metrics, 1)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return ingest(locate(file), "time")


def test_a_series_file_is_modelled_in_all_its_metrics_unless_one_is_given(tmp_path):
    two = series(tmp_path / "two.jsonl", "bytes", "flops")
    assert metrics_to_model(two, Options()) == ("bytes", "flops")
    assert metrics_to_model(two, Options(metric="flops")) == ("flops",)
    assert metrics_to_model(series(tmp_path / "t.jsonl", "time", "flops"), Options()) == ("time",)
    with pytest.raises(InputError, match="no metric 'nix' was measured; metrics here: bytes, flops"):
        summary_of_models(two, Options(metric="nix"))
    summary = summary_of_models(two, Options(at=({"p": 32.0},)))
    assert [kernel["metric"] for kernel in summary["kernels"]] == ["bytes", "flops"]
    assert [kernel["metric"] for kernel in summary["regions"]] == ["bytes", "flops"]
    assert summary["total"]["metric"] == "bytes"
    assert [kernel["predictions"][0]["at"] for kernel in summary["kernels"]] == [{"p": 32}] * 2


def test_runs_are_modelled_in_the_metric_asked_for_only(strong_study):
    assert metrics_to_model(ingest(locate(strong_study), "time"), Options(metric="flops")) == ("flops",)


def test_the_tree_shows_what_was_measured_at_the_largest_scale(analysis):
    values, origin = tree_values(analysis, [])
    assert origin == "measured at n = 10, p = 16"
    # core-seconds: 16 processes spend 0.5 s in main, 1/16 s in solve and 0.16 s in sum
    assert values == pytest.approx([8.0, 1.0, 2.56])


def test_the_tree_shows_what_is_predicted_at_the_last_target(analysis):
    values, origin = tree_values(analysis, [{"p": 2.0}, {"p": 64.0, "n": 20.0}])
    assert origin == "predicted at n = 20, p = 64"
    expected = analysis.callpaths.models.predict(np.array([[20.0, 64.0]])).value[:, 0]
    assert values == pytest.approx(expected)

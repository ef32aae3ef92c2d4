import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from ingest.locate import locate
from ingest.record_codec import document
from pipeline.config.options import Options
from pipeline.models.total import predict_total
from pipeline.questions.analysis import measured_total
from pipeline.questions.pop_efficiency import EFFICIENCY_METRICS, FAIR, GOOD, measured_efficiency
from pipeline.questions.question import outlooks
from pipeline.questions.runtime.pop import Efficiencies, efficiencies
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled, target_points
from tests.documents import summary_of

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "reference" / "schemas" / "summary.schema.json").read_text()
)
SAMPLES = Path(__file__).parents[3] / "sample_profiles"


def summarise(directory, at=()):
    options = Options(at=at)
    return summary_of(modelled(ingest(locate(directory), "time"), options, "time"), options.at)


@pytest.mark.parametrize("sample", [pytest.param("hpcg-strong", marks=pytest.mark.slow), "openfoam-cavity"])
def test_summaries_of_real_measurements_keep_to_the_schema(sample):
    summary = summarise(SAMPLES / sample)
    jsonschema.validate(json.loads(json.dumps(summary, allow_nan=False)), SCHEMA)
    assert sum(kernel["share_measured"] for kernel in summary["kernels"]) == pytest.approx(1.0)


@pytest.mark.slow
def test_the_rows_of_a_shortened_summary_are_the_first_of_the_whole_one():
    analysis = modelled(ingest(locate(SAMPLES / "hpcg-strong"), "time"), Options(), "time")
    whole, short = (summary_of(analysis, (), most=most) for most in (None, 7))
    for key in ("kernels", "regions"):
        start_up = [
            row for row in whole[key][7:] if {"start_up"} <= {*row["flags"]} and row["share_measured"] > 0.01
        ]
        assert short[key] == [*whole[key][:7], *start_up] and start_up
        assert short["not_listed"][key] == len(whole[key]) - len(short[key])
    assert whole["not_listed"] == {"kernels": 0, "regions": 0}
    assert {**short, "kernels": 0, "regions": 0, "not_listed": 0} == {
        **whole,
        "kernels": 0,
        "regions": 0,
        "not_listed": 0,
    }


def test_every_target_asked_for_is_predicted(strong_study):
    summary = summarise(strong_study, at=({"p": 32.0}, {"p": 1024.0}))
    for kernel in (*summary["kernels"], *summary["regions"], summary["total"]):
        assert [p["at"]["p"] for p in kernel["predictions"]] == [32, 1024]
        for prediction in kernel["predictions"]:
            assert prediction["lower"] <= prediction["value"] <= prediction["upper"]


@pytest.fixture
def analysis(strong_study):
    return modelled(ingest(locate(strong_study), "time"), Options(), "time")


def test_every_kernel_has_its_model_its_quality_and_its_shares(analysis):
    at = ({"p": 64.0},)
    found, models = summary_of(analysis, at), analysis.callpaths.models
    callpaths, _ = outlooks(analysis, target_points(analysis, at))
    assert [kernel["region"] for kernel in found["kernels"]] == ["sum", "solve", "main"]
    for kernel in found["kernels"]:
        k = analysis.callpaths.kernels.callpaths.index(tuple(kernel["callpath"]))
        assert kernel["model"]["formula"] == models.formula(k).text()
        assert kernel["model"]["constant"] == pytest.approx(models.formula(k).constant, rel=1e-9)
        terms = [(t["coefficient"], t["exponents"]) for t in kernel["model"]["terms"]]
        expected = [(c, {"p": [str(t[0][0]), t[0][1]]}) for c, t in models.formula(k).terms]
        assert [e for _, e in terms] == [e for _, e in expected]
        assert [c for c, _ in terms] == pytest.approx([c for c, _ in expected], rel=1e-9)
        assert kernel["growth"] == models.formula(k).growth
        quality = kernel["quality"]
        assert (quality["points"], quality["repetitions"]) == (5, 2)
        assert quality["smape"] == pytest.approx(models.quality.smape[k], rel=1e-9)
        assert quality["cv_smape"] == pytest.approx(models.quality.cv_smape[k], rel=1e-9)
        assert kernel["probability_growing"] == pytest.approx(models.quality.probability_growing[k], rel=1e-9)
        assert kernel["share_measured"] == pytest.approx(callpaths.share_measured[k], rel=1e-9)
        assert kernel["share_at_target"] == pytest.approx(callpaths.share_target[k], rel=1e-9)
        assert kernel["paradigm"] == analysis.callpaths.kernels.paradigms[k]
        assert (kernel["metric"], kernel["unit"]) == ("effort", "core-s")
        assert kernel["flags"] == list(callpaths.flags[k]) and kernel["notes"] == list(models.notes(k))


def test_the_total_is_the_sum_of_the_kernels(analysis):
    at = ({"p": 2.0}, {"p": 64.0})
    total, models = summary_of(analysis, at)["total"], analysis.callpaths.models
    points = target_points(analysis, at)
    whole = predict_total(models, points)
    for q, prediction in enumerate(total["predictions"]):
        for end in ("value", "lower", "upper"):
            assert prediction[end] == pytest.approx(getattr(whole, end)[0, q], rel=1e-9)
    fitted, measured = models.predict(analysis.experiment.points).value.sum(axis=0), measured_total(analysis)
    assert total["quality"]["smape"] == pytest.approx(
        100 * np.mean(2 * np.abs(fitted - measured) / (fitted + measured)), rel=1e-9
    )
    callpaths, _ = outlooks(analysis, points)
    weighted = np.average(models.quality.cv_smape, weights=callpaths.share_measured)
    assert total["quality"]["cv_smape"] == pytest.approx(weighted, rel=1e-9)
    assert (total["quality"]["points"], total["quality"]["repetitions"]) == (5, 2)
    assert total["growth"] == "p^2"
    assert (total["callpath"], total["region"], total["share_measured"], total["share_at_target"]) == (
        ["total"],
        "total",
        1.0,
        1.0,
    )
    assert total["model"]["constant"] == pytest.approx(models.whole.formula(0).constant, rel=1e-9)
    assert total["model"]["formula"] == models.whole.formula(0).text()
    assert total["probability_growing"] == pytest.approx(
        models.whole.quality.probability_growing[0], rel=1e-9
    )


@pytest.mark.parametrize("whole", [True, False])
def test_the_formula_of_the_total_is_that_of_its_prediction(analysis, whole):
    if not whole:
        models = replace(analysis.callpaths.models, whole=None)
        analysis = replace(analysis, callpaths=replace(analysis.callpaths, models=models))
    total = summary_of(analysis, ({"p": 64.0},))["total"]
    (term,) = total["model"]["terms"]
    power = 64.0 ** float(Fraction(term["exponents"]["p"][0])) * 6.0 ** term["exponents"]["p"][1]
    value = total["model"]["constant"] + term["coefficient"] * power
    assert value == pytest.approx(total["predictions"][0]["value"], rel=0.1)
    assert total["model"]["range"] == {"p": [1, 64]}


def test_without_a_model_of_the_total_it_grows_as_probably_as_what_matters_at_the_target(analysis):
    models = replace(analysis.callpaths.models, whole=None)
    analysis = replace(analysis, callpaths=replace(analysis.callpaths, models=models))
    sure = analysis.callpaths.models.quality.probability_growing
    far = summary_of(analysis, ({"p": 1024.0},))["total"]["probability_growing"]
    assert far == pytest.approx(sure[2], rel=1e-9)  # only `sum` matters there
    near = summary_of(analysis, ({"p": 1.0},))["total"]["probability_growing"]
    assert near == pytest.approx(sure[1], rel=1e-9)  # `sum` has 0.8 % there


def test_a_total_of_nothing_has_no_shares(tmp_path):
    from tests.foam_cases import write_foam_case

    for p in (1, 2, 4):
        write_foam_case(tmp_path / f"app.p{p}.r1", {"main": 0.0, "solve": 0.0}, processes=p)
    total = summarise(tmp_path)["total"]
    assert (total["share_measured"], total["share_at_target"]) == (0.0, 0.0)
    assert (total["quality"]["smape"], total["quality"]["cv_smape"]) == (0, 0)
    assert total["probability_growing"] == 0


def test_crossovers_name_both_kernels_and_the_scale(analysis):
    (crossing,) = summary_of(analysis, ({"p": 64.0},))["crossovers"]
    # 64 core-s of `solve` and p^2 / 2 of `sum` cross at p = 11.3
    assert crossing["at"]["p"] == pytest.approx(128**0.5, rel=0.02)
    assert (crossing["overtakes"], crossing["overtaken"]) == (["main", "sum"], ["main", "solve"])
    assert (crossing["measured"], crossing["seen"], crossing["between"]) == (True, True, [8, 16])
    assert crossing["probability"] > 0.99
    (region,) = summary_of(analysis, ({"p": 64.0},))["region_crossovers"]
    assert (region["overtakes"], region["overtaken"]) == (["sum"], ["solve"])


def test_efficiencies_are_numbers_or_null(analysis):
    nothing = measured_efficiency(analysis.experiment, efficiencies(analysis.experiment, analysis.decision))
    assert nothing.points == () and len(nothing.notices) == 1
    values = np.array([1.0, 0.9, 0.8, 0.7, np.nan])
    found = Efficiencies(
        **dict.fromkeys(EFFICIENCY_METRICS, values), reference=np.zeros(5, dtype=int), notices=("odd",)
    )
    rows = document(measured_efficiency(analysis.experiment, found))
    assert rows["notices"] == ["odd"]
    assert [row["at"] for row in rows["points"]] == [{"p": p} for p in (1, 2, 4, 8, 16)]
    assert [row["overall"] for row in rows["points"]] == [1, 0.9, 0.8, 0.7, None]
    assert list(rows["points"][0]) == ["at", *EFFICIENCY_METRICS]
    assert (GOOD, FAIR) == (0.8, 0.6)


@pytest.mark.slow
def test_regions_call_paths_total_and_runtime_have_one_total():
    summary = summarise(SAMPLES / "hpcg-strong", at=({"p": 16.0}, {"p": 64.0}))
    for q, total in enumerate(summary["total"]["predictions"]):
        for kernels in (summary["kernels"], summary["regions"]):
            parts = sum(kernel["predictions"][q]["value"] for kernel in kernels)
            assert parts == pytest.approx(total["value"], rel=1e-8)
        effort = summary["runtime"]["at"][4 + q]["effort"]
        assert effort == {end: pytest.approx(total[end], rel=1e-9) for end in ("value", "lower", "upper")}


@pytest.mark.slow
def test_the_runtime_of_the_sample_by_hand():
    found = summarise(SAMPLES / "hpcg-strong", at=({"p": 32.0},))["runtime"]
    walls = [row["wall_seconds"]["value"] for row in found["at"]]
    assert walls[:4] == pytest.approx([10.7, 5.15, 6.03, 6.96], abs=0.05)
    efficiencies = [100 * row["efficiency"]["value"] for row in found["at"]]
    assert efficiencies[:4] == pytest.approx([100, 104, 44, 19], abs=0.6)
    assert (found["fastest"], found["fastest_measured"]) == ({"p": 2}, True)
    assert found["fastest_wall_seconds"] == pytest.approx(walls[1])
    limit = found["efficient_up_to"]
    assert (limit["threshold"], limit["point"], limit["measured"]) == (0.75, {"p": 2}, True)
    assert [row["at"] for row in found["lost"]] == [{"p": 8}, {"p": 32}]
    for whole in found["lost"]:
        parts = [row["core_seconds"] for row in found["losses"] if row["at"] == whole["at"]]
        assert sum(parts) == pytest.approx(whole["core_seconds"], rel=1e-8)
    assert found["lost"][0]["core_seconds"] == pytest.approx(45.0, abs=0.05)
    largest = {row["region"]: row["core_seconds"] for row in found["losses"][:3]}
    assert largest == pytest.approx({"MPI_Send": 22.0, "MPI_Allreduce": 10.3, "MPI_Wait": 7.6}, abs=0.05)
    kinds = {row["region"]: row["kind"] for row in found["losses"]}
    assert kinds["MPI_Init"] == "start-up and shut-down" and kinds["MPI_Send"] == "kernel"
    assert (found["back_test"]["at"], found["back_test"]["inside"]) == ({"p": 8}, True)
    assert found["back_test"]["measured"] == pytest.approx(55.7, abs=0.05)
    assert [row["reach"] for row in found["at"]] == ["inside"] * 4 + ["near"]
    pop = found["at"][4]["pop"]
    assert pop["overall"] == pytest.approx(pop["parallel"] * pop["computation"])
    assert found["at"][3]["pop"] is None and found["at"][3]["weak_efficiency"] is None


def test_other_metrics_have_no_runtime(strong_study):
    options = Options(metric="visits")
    summary = summary_of(modelled(ingest(locate(strong_study), "visits"), options, "visits"), ())
    assert summary["runtime"] is None
    jsonschema.validate(json.loads(json.dumps(summary, allow_nan=False)), SCHEMA)


def test_scales_measured_once_have_intervals(strong_study, tmp_path):
    for run in strong_study.glob("*.r2"):
        run.rename(tmp_path / run.name)
    row = summarise(strong_study)["runtime"]["at"][1]
    for figure in (row["wall_seconds"], row["speedup"]):
        assert figure["lower"] < figure["value"] < figure["upper"]

"""Stored results on another machine."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from ingest.errors import UsageError
from ingest.record_codec import document
from pipeline.config.options import Options
from pipeline.models.options import ModelOptions
from pipeline.projection.study.kernel_table import TYPICAL_MIX, Way
from pipeline.report.terminal.answer import show_answer, show_more
from pipeline.report.terminal.results import show_result
from pipeline.stages.projected_results import places_of, project_results, stored_options
from pipeline.stages.run import run
from pipeline.store.results import read_study
from tests.flat_study import write_flat_study
from tests.terminal_output import shown

SAMPLES = Path(__file__).parents[3] / "sample_profiles"
HERE = """
name = "two cores"
[values]
cores = 2
hz = "3 GHz"
bw_node = "20 GB/s +- 10 %"
bw_core = "14 GB/s +- 10 %"
"""
THERE = """
name = "cluster & more"
[values]
cores = 64
hz = "2 GHz"
bw_node = "200 GB/s +- 5 %"
[terms.message]
model = "latency_bandwidth"
latency = "2 us +- 10 %"
bandwidth = "10 GB/s +- 10 %"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    run(write_flat_study(SAMPLES / "hpcg-strong", folder / "hpcg"), Options(out=folder / "out"))
    (folder / "here.toml").write_text(HERE)
    (folder / "there.toml").write_text(THERE)
    return folder


@pytest.fixture(scope="module")
def found(folder):
    places = places_of(folder / "here.toml", folder / "there.toml")
    return project_results(folder / "out", places, [{"p": 4096.0}])


@pytest.mark.slow
def test_the_document_has_both_machines_and_how_each_kernel_went_over(found):
    shown = json.loads(json.dumps(document(found.two_machines), allow_nan=False))
    for side, name in (("from", "two cores"), ("on", "cluster & more")):
        assert shown[side]["name"] == name
        total = shown[side]["summary"]["total"]["predictions"][-1]
        kernels = [row["predictions"][-1]["value"] for row in shown[side]["summary"]["kernels"]]
        assert sum(kernels) == pytest.approx(total["value"], rel=1e-6)
        assert total["lower"] < total["value"] < total["upper"]
    ways = {row["callpath"][-1]: row for row in shown["regions"]}
    assert ways["MPI_Allreduce"]["way"] == Way.CALLS.value
    assert ways["MPI_Init"]["way"] == Way.STAYS.value
    computes = [row for row in shown["regions"] if row["way"] == Way.COMPUTES.value]
    signs = {row["callpath"][-1].split("(")[0]: row["sign"] for row in computes}
    assert signs["int ComputeSPMV"] == "the name says sparse or vector algebra"
    for row in computes:
        typical = row["limits"] == {one.value: share for one, share in TYPICAL_MIX.items()}
        assert typical == (row["sign"] is None)
        assert not row["tested"]
    assert ways["MPI_Wait"]["limits"] is None
    assert len(computes) > 20
    assert len(shown["kernels"]) == len(shown["on"]["summary"]["kernels"])


@pytest.mark.slow
def test_what_is_measured_here_is_told_as_in_the_results(folder, found):
    stored = json.loads((folder / "out" / "summary.json").read_text())
    here = document(found.two_machines)["from"]["summary"]
    assert [row["measured"] for row in here["kernels"]] == [
        {tuple(r["callpath"]): r for r in stored["kernels"]}[tuple(row["callpath"])]["measured"]
        for row in here["kernels"]
    ]


@pytest.mark.slow
def test_a_measured_scale_that_is_asked_for_has_one_row(folder):
    places = places_of(folder / "here.toml", folder / "there.toml")
    found = project_results(folder / "out", places, [{"p": 4.0}, {"p": 6.0}]).two_machines
    for side in found.sides:
        rows = [(row.point["p"], row.measured) for row in side.summary.runtime.at]
        assert rows == [(1, True), (2, True), (4, True), (8, True), (6, False)]


@pytest.mark.parametrize("at", [8.0, pytest.param(4096.0, marks=pytest.mark.slow)])
def test_no_screen_calls_a_projected_value_measured(folder, at):
    places = places_of(folder / "here.toml", folder / "there.toml")
    summary = project_results(folder / "out", places, [{"p": at}]).summary
    screens = [(show_answer, {"name": "app"}), (show_more, {}), (show_result, {"by": "regions", "limit": 9})]
    for show, options in screens:
        text = " ".join(line for width in (40, 400) for line in shown(show, summary, width=width, **options))
        text = re.sub(r"\s+", " ", text)
        assert not re.findall(r"(?<!nothing )\bmeasured\b(?! (?:range|scales?|point|one))", text)
    assert ", projected 12.3 core-s" in " ".join(shown(show_answer, summary, name="app", width=400))


@pytest.mark.slow
def test_the_gain_has_an_interval_and_its_parts(found):
    """Two cores have 10 GB/s each, 64 have 3.125: by bandwidth a process there is slower."""
    sides = [document(found.two_machines)[side]["summary"]["runtime"]["at"] for side in ("from", "on")]
    for here, there, gain in zip(*sides, document(found.two_machines)["faster_by"], strict=True):
        ratio = here["wall_seconds"]["value"] / there["wall_seconds"]["value"]
        assert gain["value"] == pytest.approx(ratio, rel=1e-6)
        assert gain["lower"] < gain["value"] < gain["upper"]
    assert gain["by"]["memory bandwidth"] == pytest.approx(200 / 64 / 10)
    assert gain["by"]["clock"] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_what_is_scarcer_there_limits_more_likely_there(found):
    row = next(row for row in document(found.two_machines)["regions"] if row["limits"])
    assert sum(row["limits_here"].values()) == pytest.approx(1)
    assert row["limits_there"]["memory bandwidth"] > row["limits"]["memory bandwidth"]
    assert row["limits_here"]["memory bandwidth"] < row["limits"]["memory bandwidth"]


@pytest.mark.slow
def test_the_page_is_about_the_other_machine(found):
    assert "<h1>hpcg: p = 1 to 8, strong scaling, on cluster &amp; more</h1>" in found.page
    assert 'id="machines"' in found.page
    assert "all times are projected: measured on two cores" in found.page


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (None, "there.toml", "--from: the machine measured on is not given"),
        ("here.toml", None, "--on: the machine to project to is not given"),
        ("here.toml", "nowhere", "no shipped machine of that name"),
    ],
)
def test_missing_machines_are_one_line(folder, source, target, message):
    places = [folder / name if name and name.endswith("toml") else name for name in (source, target)]
    with pytest.raises(UsageError) as caught:
        places_of(*places)
    assert message in str(caught.value)


@pytest.mark.slow
def test_models_are_fitted_as_they_were(tmp_path):
    prior = {(Fraction(0), 0): 2.0, (Fraction(1, 2), 1): 1.0}
    options = ModelOptions(prior=prior, rivals=3, exponents=((Fraction(1), 0), (Fraction(1, 3), 2)))
    run(SAMPLES / "openfoam-cavity", Options(out=tmp_path / "out", models=options))
    assert stored_options(read_study(tmp_path / "out")) == options

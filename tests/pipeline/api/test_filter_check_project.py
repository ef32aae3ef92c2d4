"""Filters, checks and projections from Python."""

import json
from pathlib import Path

import numpy as np
import pytest

import pipeline as pl
from filters.scorep_format.rule_files import kept, parse
from ingest.readers import read_profile
from pipeline.config.options import Options
from pipeline.stages.check import baseline_text, read_study
from tests.cubex_writer import write_visited
from tests.foam_cases import write_foam_case

SAMPLES = Path(__file__).parents[3] / "sample_profiles"


@pytest.fixture
def profile(tmp_path):
    names, visits, time = ("main", "solve", "tiny", "setup"), [1, 100, 5_000_000, 1], [0.1, 6.0, 0.5, 2.0]
    return write_visited(tmp_path / "profile.cubex", [-1, 0, 1, 0], names, visits, time)


def test_a_filter_is_made_and_written_with_its_evidence(profile, tmp_path):
    made = pl.make_filter(profile, max_overhead=0.01)
    path = made.write(tmp_path / "app.filter")
    assert path.read_text() == made.text
    regions = read_profile(profile).regions
    verdicts = dict(zip(regions.name, kept(parse(made.text), regions).tolist(), strict=True))
    assert verdicts == {"main": True, "solve": True, "tiny": False, "setup": True}
    assert made.regions.set_index("region").kept.to_dict() == verdicts
    assert json.loads((tmp_path / "app.filter.json").read_text())["budget"]["met"]
    assert made.overhead <= 0.01 < made.overhead_without
    assert made.problems == ()
    assert repr(made).startswith("Filter(drops 1 of 4 functions, ")
    assert "<td>tiny</td>" in made._repr_html_()


def test_options_of_the_filter_count(profile, tmp_path):
    assert "tiny" not in pl.make_filter(profile, drop=["tiny"], form="include").text
    (tmp_path / "own.toml").write_text('[filter]\nprotect = ["tiny"]\n')
    made = pl.make_filter(profile, config=tmp_path / "own.toml").regions.set_index("region")
    assert made.why["tiny"] == "protected" or made.kept["tiny"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_overhed": 0.05}, "max_overhed: unknown option; did you mean 'max_overhead'?"),
        ({"max_overhead": -1}, "max_overhead: invalid share -1; write 5% or 0.05"),
        ({"to": "gdb"}, "to: invalid value 'gdb'; choose scorep, tau, gcc or xray"),
    ],
)
def test_invalid_options_are_one_line(profile, options, message):
    with pytest.raises(pl.PipelineError) as error:
        pl.make_filter(profile, **options)
    assert str(error.value) == message


def test_a_run_that_cannot_be_read_is_a_problem_of_the_filter(strong_study):
    broken = strong_study / "app.p4.r1"
    (broken / "processor0" / "1" / "uniform" / "profiling").write_text("profiling { trig")
    first, *_ = pl.make_filter(strong_study).problems
    assert first.startswith(f"{broken}: ")


def study(folder, exponent):
    for p in (1, 2, 4, 8):
        for r, wobble in enumerate((1.0, 1.004, 0.997), 1):
            times = {"solve": 64.0 / p * wobble, "sum": 0.5 * p ** (exponent - 1) * wobble, "main": 0.25 / p}
            write_foam_case(folder / f"app.p{p}.r{r}", times, processes=p)
    return folder


@pytest.fixture
def baseline(tmp_path):
    before, options = study(tmp_path / "before", 1), Options()
    text, _ = baseline_text(read_study(before, options, "alps"), options, {})
    (tmp_path / "base.json").write_text(text)
    return tmp_path / "base.json"


def test_the_same_study_passes(baseline, tmp_path):
    found = pl.check(tmp_path / "before", baseline=baseline)
    assert (found.verdict, found.exit_code, found.problems) == ("passed", 0, ())
    assert set(found.kernels.verdict) == {"unchanged"}


def test_a_regression_is_found_and_named(baseline, tmp_path):
    found = pl.check(study(tmp_path / "after", 2), baseline, at={"p": 64})
    assert (found.verdict, found.exit_code) == ("regressed", 1)
    row = found.kernels[found.kernels.kernel == ("main", "sum")].iloc[0]
    assert (row.level, row.verdict) == ("callpath", "regression")
    assert row.ratio == pytest.approx(8.0, rel=0.05)
    assert row.lower <= row.ratio <= row.upper
    assert "times the baseline at p = 8" in row.evidence
    assert found.document["targets"] == [{"p": 64.0}]
    assert repr(found).startswith("Check(regressed: Scalability regression in ")
    assert "<td>regression</td>" in found._repr_html_()


def test_targets_of_the_configuration_count(baseline, tmp_path):
    after = study(tmp_path / "after", 2)
    (after / "pipeline.toml").write_text('[analysis]\nat = ["p=32"]\n')
    assert pl.check(after, baseline).document["targets"] == [{"p": 32.0}]
    (after / "pipeline.toml").write_text('[analysis]\nat = ["p=32"]\n[check]\ntargets = ["p=128"]\n')
    assert pl.check(after, baseline).document["targets"] == [{"p": 128.0}]


def test_another_machine_is_inconclusive_and_says_why(baseline, tmp_path):
    found = pl.check(tmp_path / "before", baseline, machine="jura")
    assert (found.verdict, found.exit_code) == ("inconclusive", 3)
    assert "measure the baseline again" in found.problems[0]


def test_rules_alone_and_nothing_to_check(tmp_path):
    after = study(tmp_path / "after", 2)
    with pytest.raises(pl.PipelineError, match="nothing to check"):
        pl.check(after)
    (tmp_path / "own.toml").write_text('[check]\n[[check.rule]]\nkernel = "*/sum"\ngrowth = "log2(p)"\n')
    assert pl.check(after, config=tmp_path / "own.toml").verdict == "regressed"


def test_an_application_on_a_machine():
    found = pl.project("milc", on="power5plus", at={"L": 8, "P": 1024})
    frame = found.frame.set_index("part")
    # paper 004, table of kernel parameters: T_ser(8^4, niters 2000) on POWER5+
    assert frame.value["T_ser"] == pytest.approx(6.2239, abs=1e-4)
    assert frame.value["total"] == found.value
    assert (frame.lower["total"], frame.upper["total"]) == found.interval
    assert (frame.unit["T_ser"], found.unit) == ("s", "s")
    assert frame.share["T_ser"] == pytest.approx(frame.value["T_ser"] / found.value)
    assert np.isnan(frame.share["total"])
    assert found.interval[0] < found.value < found.interval[1]
    assert repr(found).startswith("Projection(MILC su3_rmd on IBM POWER5+ cluster: 9.81 s (")
    assert "T_ser" in found._repr_html_()
    wider = pl.project("milc", on="power5plus", at={"L": 8, "P": 1024}, level=0.99).interval
    assert wider[0] < found.interval[0] < found.interval[1] < wider[1]


def test_variant_and_notices_of_a_projection():
    found = pl.project("milc", on="xt5", at={"L": 8, "P": 1500}, variant="noiseless")
    assert found.value < pl.project("milc", on="xt5", at={"L": 8, "P": 1500}).value
    assert any("interpolated" in problem for problem in found.problems)
    with pytest.raises(pl.PipelineError, match="no value for"):
        pl.project("milc", on="power5plus")


@pytest.mark.slow
def test_a_study_is_projected(tmp_path):
    study = pl.read_study(SAMPLES / "hpcg-strong")
    (tmp_path / "me.toml").write_text('[values]\ncores = 8\nhz = "3 GHz"\nbw_node = "20 GB/s"\n')
    found = pl.project(study, measured_on=tmp_path / "me.toml", on="archer2", at={"p": [4, 64]})
    assert found.frame["p"].tolist() == [1, 2, 4, 8, 64]
    assert found.frame["measured"].tolist() == [True] * 4 + [False]
    np.testing.assert_allclose(
        found.frame["faster_by"], found.frame["here"] / found.frame["there"], rtol=1e-6
    )
    assert (found.frame["there_lower"] < found.frame["there"]).all()
    assert found.models.predict(p=64)["value"].sum() > 0
    assert any("no counters tell" in sentence for sentence in found.problems)
    with pytest.raises(pl.PipelineError, match="the machine measured on is not given"):
        pl.project(study, on="archer2")

"""Kernels that are left out, and those that are listed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.experiment import OverheadCorrection
from ingest.record_codec import document
from pipeline.config.options import Options, override
from pipeline.questions.analysis import measured_total
from pipeline.questions.crossovers import Crossover
from pipeline.questions.question import TargetForecast
from pipeline.questions.runtime.runtime import runtime
from pipeline.report.summary import summarise
from pipeline.stages import model
from pipeline.stages.ingest import Ingested
from pipeline.stages.model import modelled, most_listed
from pipeline.stages.run import run
from pipeline.stages.selection import focused, without_kernels
from tests.documents import summary_of
from tests.pipeline.questions.runtime.programs import experiment


def read(**more):
    """A program with start-up, work in two phases, and a reduction."""
    found = experiment(
        [(p,) for p in (1, 2, 4, 8, 16)],
        lambda at: {"MPI_Init": 2.0, "assemble": 60 / at[0], "solve": 40 / at[0], "MPI_Allreduce": 0.1},
        **more,
    )
    return Ingested(experiment=found)


OPTIONS = Options(scaling="strong")


def summary(found, **given):
    return model.summary_of(modelled(found, OPTIONS, "time"), (), **given)


def test_what_is_left_out_is_in_no_total_and_no_wall_time():
    whole, less = read(), without_kernels(read(), ("MPI_Init",))
    totals = [measured_total(modelled(found, OPTIONS, "time")) for found in (whole, less)]
    np.testing.assert_allclose(totals[0] - totals[1], [2.0, 4.0, 8.0, 16.0, 32.0])
    figures = runtime(modelled(less, OPTIONS, "time"), np.array([[64.0]])).figures
    np.testing.assert_allclose(figures.wall.value[:5], 100 / 2.0 ** np.arange(5) + 0.1)
    np.testing.assert_allclose(figures.longest[:5], figures.wall.value[:5])
    assert less.experiment.notices[-1] == "without 1 call path that match MPI_Init (--without)"


def test_ids_are_looked_for_among_all_kernels():
    assert most_listed(OPTIONS)
    assert most_listed(replace(OPTIONS, focus=("#1",))) is None
    assert most_listed(replace(OPTIONS, without=("#1",))) is None


def test_nothing_is_left_out_without_patterns():
    found = read()
    assert without_kernels(found, ()) is found


def test_points_without_a_run_stay_unmeasured():
    found = read()
    time = found.experiment.values["time"]
    time.sum[:, 0, 1] = np.nan
    left = without_kernels(found, ("solve",)).experiment.values["time"].sum
    assert np.isnan(left[:, 0, 1]).all()
    assert np.nansum(left) < np.nansum(time.sum)


@pytest.mark.parametrize("pattern", ["MPI_Int", "*/nothing"])
def test_a_pattern_that_matches_nothing_is_refused(pattern):
    with pytest.raises(UsageError, match="nothing matches"):
        without_kernels(read(), (pattern,))
    with pytest.raises(UsageError, match="nothing matches"):
        focused(summary(read()), (pattern,))


def test_the_focus_restricts_what_is_listed_and_leaves_totals_alone():
    whole = summary(read())
    found, whole = document(focused(whole, ("s*", "ass*"))), document(whole)
    assert {row["region"] for row in found["kernels"]} == {"solve", "assemble"}
    assert {row["region"] for row in found["regions"]} == {"solve", "assemble"}
    assert found["total"] == whole["total"] and found["runtime"] == whole["runtime"]
    assert sum(row["share_measured"] for row in found["regions"]) < 1
    assert focused(summary(read()), ()) == summary(read())


def test_what_is_called_from_the_focus_belongs_to_it():
    assert len(document(focused(summary(read()), ("main",)))["kernels"]) == 5


@pytest.mark.slow
def test_ids_name_call_paths():
    whole = summary(read())
    paths = {row["id"]: row["callpath"] for row in whole.kernels}
    assert sorted(paths) == [1, 2, 3, 4, 5]
    assert [row["callpath"] for row in document(focused(whole, ("#3",)))["kernels"]] == [paths[3]]
    assert len(document(focused(whole, ("#1",)))["kernels"]) == 5
    left = focused(summary(without_kernels(read(), ("#3",))), (), ("#3",))
    assert {row["id"] for row in left.kernels} == {1, 2, 4, 5}
    for change in (lambda: focused(whole, ("#6",)), lambda: without_kernels(read(), ("#6",))):
        with pytest.raises(UsageError, match="no call path #6; there are 5"):
            change()


def test_crossovers_need_both_kernels_in_focus():
    whole = summary(read())
    pair = Crossover(
        overtakes=0, overtaken=1, at=1.0, seen=True, between=(1.0, 2.0), probability=0.9, measured=True
    )
    named = pair.named("p", ("main", "solve"), ("main", "assemble"))
    found = replace(whole, crossovers=(named,))
    assert focused(found, ("solve", "assemble")).crossovers == (named,)
    assert focused(found, ("solve",)).crossovers == ()


def test_what_was_left_out_is_not_listed():
    found = document(focused(summary(without_kernels(read(), ("MPI_*",))), (), ("MPI_*",)))
    assert {row["region"] for row in found["regions"]} == {"main", "solve", "assemble"}


def test_commas_separate_patterns_but_not_arguments():
    options = override(Options(), {"focus": ["CG*, MPI_*", "f(int, char)", "T<a, b>::g,h"]})
    assert options.focus == ("CG*", "MPI_*", "f(int, char)", "T<a, b>::g", "h")


@pytest.mark.slow
def test_a_run_with_a_focus_stores_and_reuses_it(strong_study, tmp_path):
    options = Options(out=tmp_path / "out", focus=("solve",), without=("sum",))
    first, again = run(strong_study, options), run(strong_study, options)
    assert again.reused
    assert [row["region"] for row in document(again.summary)["regions"]] == ["solve"]
    assert json.loads(json.dumps(document(first.summary))) == document(again.summary)
    effort = document(again.summary)["total"]["measured"]
    assert effort[0] == pytest.approx(64.25, rel=0.01)
    assert not run(strong_study, Options(out=tmp_path / "out")).reused


def test_efficiency_is_given_with_and_without_start_up():
    rows = document(summary(read()))["runtime"]["at"]
    for p, row in zip((1, 2, 4, 8, 16), rows, strict=False):
        work, whole = 100 / p + 0.1, 100 / p + 2.1
        assert row["wall_seconds"]["value"] == pytest.approx(whole)
        assert row["efficiency"]["value"] == pytest.approx(102.1 / (whole * p))
        assert row["without_start_up"]["wall_seconds"]["value"] == pytest.approx(work)
        assert row["without_start_up"]["efficiency"]["value"] == pytest.approx(100.1 / (work * p))
    assert rows[-1]["without_start_up"] is None
    assert not rows[-1]["measured"]


def test_start_up_stands_behind_the_kernels_and_is_not_a_bottleneck():
    rows = summary(read()).regions
    assert rows[-1]["region"] == "MPI_Init"
    assert rows[-1]["share_at_target"] > 0.5
    assert "start_up" in rows[-1]["flags"]
    assert not {"coming_bottleneck", "dominant_at_target"} & set(rows[-1]["flags"])


@pytest.mark.parametrize("scales", [(4,), (4, 8)])
def test_one_or_two_scales_predict_nothing_and_say_what_to_measure(scales):
    found = experiment([(p,) for p in scales], lambda at: {"solve": 64 / at[0], "MPI_Allreduce": 0.1 * at[0]})
    taken = Ingested(experiment=found)
    result = summary_of(modelled(taken, OPTIONS, "time"), ({"p": 64.0},))
    assert result["targets"] == [] and result["crossovers"] == []
    for row in (*result["kernels"], *result["regions"], result["total"]):
        assert row["predictions"] == []
        assert len(row["measured"]) == len(scales)
    assert {flag for row in result["kernels"] for flag in row["flags"]} <= {"dominant_measured", "unreliable"}
    assert all(row["measured"] for row in result["runtime"]["at"])
    following = {1: "p = 8, 16, 32, 64.", 2: "p = 16, 32, 64."}[len(scales)]
    assert result["notices"][-1] == (
        "Fewer than 3 scales do not show how anything grows, so nothing is predicted. Measure further ones, "
        f"5 or more in all, such as {following}"
    )
    assert result["total"]["measured"][0] == pytest.approx(64 + 0.1 * 16)


def test_targets_say_how_far_they_lie_beyond_what_was_measured():
    analysis = modelled(read(), OPTIONS, "time")
    points = np.array([[8.0], [64.0], [128.0], [1024.0]])
    targets = summarise(TargetForecast(analysis=analysis, targets=points)).targets
    assert [row.extrapolation for row in targets] == [1, 4, 8, 64]
    assert [row.reach for row in targets] == ["inside", "near", "far", "very far"]


def test_what_the_correction_cannot_measure_is_flagged_and_counted():
    found = read().experiment
    measurable = np.array([path[-1] != "solve" for path in found.callpaths])
    correction = OverheadCorrection(
        share=0.5,
        cost=1e-7,
        deviation=np.zeros(len(measurable)),
        total_deviation=0.1,
        measurable=measurable,
        source="",
    )
    corrected = Ingested(
        experiment=replace(found, correction=correction), runs=(), beside=(), damaged=(), inputs=()
    )
    result = document(summary(corrected))
    for level in ("kernels", "regions"):
        for row in result[level]:
            is_hidden = row["region"] == "solve"
            assert ("not_measurable" in row["flags"]) == is_hidden
            assert any(note.startswith("not measurable") for note in row["notes"]) == is_hidden
